#include "agent/search.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>

struct glob_args {
    const char *pattern, *path;
};

static int glob_args(const cJSON *args, struct glob_args *ret, struct json_error *err)
{
    static const struct json_field fields[] = {
        {"pattern", JSON_STR, JSON_REQUIRED, offsetof(struct glob_args, pattern)},
        {"path", JSON_STR, JSON_NULLABLE, offsetof(struct glob_args, path)},
    };
    *ret = (struct glob_args){.path = "."};
    return json_read(args, "arguments", fields, ARRAY_LEN(fields), ret, err);
}

/* Such a pattern would just find nothing. */
static bool leads_elsewhere(const char *pattern)
{
    return *pattern == '/' || strncmp(pattern, "../", 3) == 0 || strstr(pattern, "/../");
}

static int compile(const struct glob_args *a, struct pattern **ret, struct pattern_error *err)
{
    return pattern_compile_glob(a->pattern + (strncmp(a->pattern, "./", 2) == 0), true, ret, err);
}

static int prepare(struct tool_call *c)
{
    struct glob_args a;
    struct json_error err;
    struct pattern_error bad;
    struct pattern *pattern = NULL;
    if (glob_args(c->args, &a, &err) < 0)
        return tool_refuse(c, err.text);
    int rc = search_name(c, "Find", a.pattern, a.path);
    if (rc == 0 && leads_elsewhere(a.pattern))
        return tool_refuse(c, "The pattern counts from the folder in `path`: say the folder there, "
                              "and the pattern without / at its beginning and without ..");
    if (rc == 0)
        rc = compile(&a, &pattern, &bad);
    pattern_destroy(pattern);
    return rc == E_PARSE ? search_refuse(c, "pattern", &bad) : rc;
}

static int visit(struct search *s, const struct walk_entry *e)
{
    int rc = pattern_match(s->pattern, e->below, strlen(e->below));
    if (rc == E_TOOBIG)
        s->given_up++;
    return rc == 1 ? search_add(s, e) : rc == E_NOMEM ? rc : 0;
}

static int start(struct tool_run *run, struct tool_call *c)
{
    static const struct search_kind kind = {
        .visit = visit, .lines_max = 1000, .none = "[No file has such a name.]\n", .what = "files"};
    struct glob_args a;
    struct json_error err;
    struct pattern_error bad;
    struct pattern *pattern = NULL;
    int rc = glob_args(c->args, &a, &err);
    if (rc == 0)
        rc = compile(&a, &pattern, &bad);
    return rc == 0 ? search_start(run, &kind, pattern, NULL) : rc;
}

const struct tool tool_glob = {
    .spec = {.name = "glob",
             .description = "Find files of the workspace by name: *.c, src/**/*.h, "
                            "{README,NEWS}*. A pattern without / is looked for in all folders. "
                            "What .gitignore names is left out.",
             .schema = "{\"type\":\"object\",\"properties\":{"
                       "\"pattern\":{\"type\":\"string\"},"
                       "\"path\":{\"type\":\"string\",\"description\":\"folder to look in, the "
                       "working directory by default\"}},"
                       "\"required\":[\"pattern\"],\"additionalProperties\":false}"},
    .kind = ACP_KIND_SEARCH,
    .prepare = prepare,
    .start = start,
    .stop = search_stop,
};
