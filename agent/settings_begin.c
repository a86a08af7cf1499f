#include "agent/settings.h"

#include "agent/config_provider.h"
#include "base/err.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROJECT_FILE ".acp-agent/config.json"

/* What a project may choose. Whoever sends a repository can write this file: where keys are sent to
 * and what needs no approval is not the project's to say. */
struct project {
    const char *model, *effort, *work_mode;
};

static int complain(struct settings_start *start, const char *path, const char *what)
{
    snprintf(start->error, sizeof start->error, "%.400s: %.200s", path, what);
    return E_INVALID;
}

static int read_members(const cJSON *root, const char *path, struct project *ret,
                        struct settings_start *start)
{
    static const struct json_field fields[] = {
        {"model", JSON_STR, JSON_OPTIONAL, offsetof(struct project, model)},
        {"effort", JSON_STR, JSON_OPTIONAL, offsetof(struct project, effort)},
        {"workMode", JSON_STR, JSON_OPTIONAL, offsetof(struct project, work_mode)},
    };
    struct json_error err;
    static const char *const reserved[] = {"providers", "toolApproval", "maxTokens"};
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        if (json_get(root, reserved[i]))
            return complain(start, path,
                            "a project may only set model, effort and workMode; the rest belongs "
                            "into the user's own config.json");
    if (config_read_members(root, "config", (struct json_fields){fields, ARRAY_LEN(fields)}, ret,
                            &err) < 0)
        return complain(start, path, err.text);
    if (ret->work_mode && work_find(ret->work_mode) < 0)
        return complain(start, path, "workMode: must be economy, balanced or delivery");
    if (ret->model && !config_knows(start->config, ret->model))
        return complain(start, path, "model: must be PROVIDER/MODEL with a known provider");
    return 0;
}

/* cwd and then the folders above it. 1: *ret is the nearest file's object. */
static int find_project(struct settings_start *start, char path[PATH_MAX], cJSON **ret)
{
    size_t n = strlen(start->cwd);
    int rc = E_NOTFOUND;
    while (rc == E_NOTFOUND) {
        while (n > 0 && start->cwd[n - 1] == '/')
            n--;
        if (snprintf(path, PATH_MAX, "%.*s/" PROJECT_FILE, (int)n, start->cwd) >= PATH_MAX)
            return 0;
        rc = config_parse_file(path, (struct config_text){start->error, sizeof start->error}, ret);
        if (n == 0)
            break;
        while (n > 0 && start->cwd[n - 1] != '/')
            n--;
    }
    return rc == 0 ? 1 : rc == E_NOTFOUND ? 0 : rc;
}

/* The one used last, if nothing names one and it still can be had. */
static bool takes_last(const struct settings_start *start)
{
    struct llm_target to;
    return start->last && !start->config->model &&
           config_resolve(start->config, start->last, &to) == 0;
}

static int set_model(struct settings *s, const struct settings_start *start,
                     const struct project *project)
{
    const char *spec = start->model ? start->model : project->model;
    if (!spec && takes_last(start))
        spec = start->last;
    return settings_name_model(start->config, spec, &s->model);
}

static int set_effort(struct settings *s, const struct settings_start *start,
                      const struct project *project)
{
    const char *effort = project->effort ? project->effort : start->config->effort;
    const struct config_model *m = s->model ? config_find_model(start->config, s->model) : NULL;
    if (!effort || !m || !config_has_word(m->efforts, effort))
        return 0;
    return config_set_text(&s->effort, effort);
}

static void set_words(struct settings *s, const struct settings_start *start,
                      const struct project *project)
{
    const char *work = start->work_mode     ? start->work_mode
                       : project->work_mode ? project->work_mode
                                            : start->config->work_mode;
    const char *approval = start->config->tool_approval;
    if (work && work_find(work) >= 0)
        s->work = (enum work)work_find(work);
    if (!start->safe_mode && approval && approval_find(approval) >= 0)
        s->approval = (enum approval)approval_find(approval);
}

int settings_begin(struct settings *s, struct settings_start *start)
{
    char path[PATH_MAX];
    struct project project = {NULL, NULL, NULL};
    cJSON *root = NULL;
    int rc = start->safe_mode ? 0 : find_project(start, path, &root);
    if (rc == 1)
        rc = read_members(root, path, &project, start);
    if (rc == 0)
        rc = set_model(s, start, &project);
    if (rc == 0)
        rc = set_effort(s, start, &project);
    if (rc == 0)
        set_words(s, start, &project);
    cJSON_Delete(root);
    return rc;
}
