#include "conformance/profile.h"

#include "base/buf.h"
#include "base/err.h"
#include "mock-client/disk.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A profile's command and environment with the places of one run filled in. */

static const char *place_of(const struct profile_places *places, const char *name, size_t n)
{
    const struct {
        const char *name, *value;
    } known[] = {
        {"provider", places->provider},
        {"cwd", places->cwd},
        {"home", places->home},
        {"bindir", places->bindir},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strlen(known[i].name) == n && strncmp(known[i].name, name, n) == 0)
            return known[i].value;
    return NULL;
}

/* What is no place stays as it is. NULL: out of memory. */
static char *fill(const char *text, const struct profile_places *places)
{
    struct buf out = {0};
    int rc = 0;
    while (*text && rc == 0) {
        size_t plain = strcspn(text, "{");
        const char *end = text[plain] ? strchr(text + plain, '}') : NULL;
        const char *value =
            end ? place_of(places, text + plain + 1, (size_t)(end - text) - plain - 1) : NULL;
        size_t kept = value || !text[plain] ? plain : plain + 1;
        rc = buf_add(&out, text, kept);
        if (rc == 0 && value)
            rc = buf_adds(&out, value);
        text = value ? end + 1 : text + kept;
    }
    char *filled = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return filled;
}

void profile_free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* Takes text; frees the list on failure. NULL: out of memory. */
static char **append(char **list, char *text)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **more = text ? realloc(list, (n + 2) * sizeof *more) : NULL;
    if (!more) {
        free(text);
        profile_free_list(list);
        return NULL;
    }
    more[n] = text;
    more[n + 1] = NULL;
    return more;
}

/* The program beside ours if it is there, else the one that PATH finds. */
static char *program(char *filled)
{
    const char *name = filled ? strrchr(filled, '/') : NULL;
    if (!name || access(filled, X_OK) == 0)
        return filled;
    char *bare = strdup(name + 1);
    free(filled);
    return bare;
}

char **profile_argv(const struct profile *p, const struct profile_places *places)
{
    char **list = NULL;
    const cJSON *word;
    cJSON_ArrayForEach(word, json_get(p->json, "command"))
    {
        char *filled = fill(word->valuestring, places);
        bool ours = !list && strncmp(word->valuestring, "{bindir}/", 9) == 0;
        list = append(list, ours ? program(filled) : filled);
        if (!list)
            return NULL;
    }
    return list;
}

/* ---- environment --------------------------------------------------------------------------------
 * Agents start with a clean one: what happens to be set where the harness runs must not decide
 * about a verdict. */

static char *pair(const char *name, const char *value)
{
    struct buf out = {0};
    int rc = buf_addf(&out, "%s=", name);
    if (rc == 0)
        rc = buf_adds(&out, value);
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}

static char **append_pair(char **list, const char *name, const char *value)
{
    return append(list, pair(name, value));
}

static char **inherit(char **list, const char *name)
{
    const char *value = getenv(name);
    return value ? append_pair(list, name, value) : list;
}

static char **base_env(const struct profile_places *places)
{
    /* Sanitizers and coverage have to reach instrumented agents. */
    static const char *const taken[] = {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                        "LSAN_OPTIONS",    "GCOV_PREFIX",  "TMPDIR"};
    const char *path = getenv("PATH");
    char **list = append_pair(NULL, "PATH", path ? path : "/usr/local/bin:/usr/bin:/bin");
    const struct {
        const char *name, *value;
    } set[] = {
        {"HOME", places->home}, {"ACP_AGENT_HOME", places->home},
        {"LANG", "C.UTF-8"},    {"TERM", "dumb"},
        {"NO_COLOR", "1"},
    };
    for (size_t i = 0; list && i < ARRAY_LEN(set); i++)
        list = append_pair(list, set[i].name, set[i].value);
    for (size_t i = 0; list && i < ARRAY_LEN(taken); i++)
        list = inherit(list, taken[i]);
    return list;
}

static void remove_name(char **list, const char *name)
{
    size_t n = strlen(name), kept = 0;
    for (size_t i = 0; list[i]; i++) {
        if (strncmp(list[i], name, n) == 0 && list[i][n] == '=')
            free(list[i]);
        else
            list[kept++] = list[i];
    }
    list[kept] = NULL;
}

char **profile_env(const struct profile *p, const struct profile_places *places)
{
    char **list = base_env(places);
    const cJSON *v;
    for (v = list ? json_get(p->json, "inherit") : NULL, v = v ? v->child : NULL; list && v;
         v = v->next)
        list = inherit(list, v->valuestring);
    for (v = list ? json_get(p->json, "env") : NULL, v = v ? v->child : NULL; list && v;
         v = v->next) {
        remove_name(list, v->string);
        if (!cJSON_IsString(v))
            continue;
        char *value = fill(v->valuestring, places);
        list = value ? append_pair(list, v->string, value) : append(list, NULL);
        free(value);
    }
    return list;
}

static int write_file(const cJSON *file, const struct profile_places *places)
{
    struct buf path = {0};
    char *text = fill(file->valuestring, places);
    int rc = buf_addf(&path, "%s/%s", places->home, file->string);
    rc = text && rc == 0 && buf_cstr(&path) ? 0 : E_NOMEM;
    if (rc == 0)
        rc = disk_make_folders(path.p, strlen(places->home) + 1);
    if (rc == 0)
        rc = disk_write(path.p, text, strlen(text));
    buf_deinit(&path);
    free(text);
    return rc;
}

int profile_furnish(const struct profile *p, const struct profile_places *places, char *err,
                    size_t err_n)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, json_get(p->json, "home"))
    {
        int rc = write_file(file, places);
        if (rc < 0) {
            snprintf(err, err_n, "cannot write %s into the agent's home: %s", file->string,
                     err_text(rc));
            return rc;
        }
    }
    return 0;
}
