#include "conformance/profile.h"

#include "base/buf.h"
#include "base/err.h"
#include "mock-client/disk.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEERS "{peers}/"

/* A profile's command and environment with the places of one run filled in. */

struct filling {
    const struct profile *profile;
    const struct profile_places *places;
};

static const char *our_path(void)
{
    const char *path = getenv("PATH");
    return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

static const char *place_of(const struct filling *f, const char *name, size_t n)
{
    const struct profile_places *places = f->places;
    const struct {
        const char *name, *value;
    } known[] = {
        {"provider", places->provider}, {"cwd", places->cwd},         {"home", places->home},
        {"bindir", places->bindir},     {"peers", f->profile->peers}, {"PATH", our_path()},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strlen(known[i].name) == n && strncmp(known[i].name, name, n) == 0)
            return known[i].value;
    return NULL;
}

/* What is no place stays as it is. NULL: out of memory. */
static char *fill(const struct filling *f, const char *text)
{
    struct buf out = {0};
    int rc = 0;
    while (*text && rc == 0) {
        size_t plain = strcspn(text, "{");
        const char *end = text[plain] ? strchr(text + plain, '}') : NULL;
        const char *value =
            end ? place_of(f, text + plain + 1, (size_t)(end - text) - plain - 1) : NULL;
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
    struct filling f = {p, places};
    cJSON_ArrayForEach(word, json_get(p->json, "command"))
    {
        char *filled = fill(&f, word->valuestring);
        bool ours = !list && (strncmp(word->valuestring, "{bindir}/", 9) == 0 ||
                              strncmp(word->valuestring, PEERS, strlen(PEERS)) == 0);
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
    char **list = append_pair(NULL, "PATH", our_path());
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
    struct filling f = {p, places};
    const cJSON *v;
    for (v = list ? json_get(p->json, "inherit") : NULL, v = v ? v->child : NULL; list && v;
         v = v->next)
        list = inherit(list, v->valuestring);
    for (v = list ? json_get(p->json, "env") : NULL, v = v ? v->child : NULL; list && v;
         v = v->next) {
        remove_name(list, v->string);
        if (!cJSON_IsString(v))
            continue;
        char *value = fill(&f, v->valuestring);
        list = value ? append_pair(list, v->string, value) : append(list, NULL);
        free(value);
    }
    return list;
}

static int write_file(const struct filling *f, const cJSON *file)
{
    const struct profile_places *places = f->places;
    struct buf path = {0};
    char *text = fill(f, file->valuestring);
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
    struct filling f = {p, places};
    cJSON_ArrayForEach(file, json_get(p->json, "home"))
    {
        int rc = write_file(&f, file);
        if (rc < 0) {
            snprintf(err, err_n, "cannot write %s into the agent's home: %s", file->string,
                     err_text(rc));
            return rc;
        }
    }
    return 0;
}

/* ---- what is installed --------------------------------------------------------------------------
 */

static bool is_in_path(const char *name)
{
    const char *path = our_path();
    char file[4096];
    while (*path) {
        size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

int profile_find(const struct profile *p, const struct profile_places *places, char *err,
                 size_t err_n)
{
    struct filling f = {p, places};
    const cJSON *word;
    bool first = true;
    cJSON_ArrayForEach(word, json_get(p->json, "command"))
    {
        bool peer = strncmp(word->valuestring, PEERS, strlen(PEERS)) == 0;
        char *filled = peer ? fill(&f, word->valuestring) : NULL;
        bool there = !peer || (filled && (access(filled, F_OK) == 0 ||
                                          (first && is_in_path(strrchr(filled, '/') + 1))));
        if (!there)
            snprintf(err, err_n,
                     "%s is not installed: there is no %s. Run `scripts/peers install %s`, or name "
                     "the folder of installed agents in ACP_PEERS",
                     p->name, filled ? filled : word->valuestring, p->name);
        free(filled);
        if (!there)
            return E_NOTFOUND;
        first = false;
    }
    return 0;
}

/* ---- intents ------------------------------------------------------------------------------------
 */

static int fill_strings(const struct filling *f, cJSON *item)
{
    for (cJSON *child = item->child; child; child = child->next) {
        int rc = fill_strings(f, child);
        if (rc < 0)
            return rc;
    }
    char *text = cJSON_IsString(item) ? fill(f, item->valuestring) : NULL;
    bool ok = !cJSON_IsString(item) || (text && cJSON_SetValuestring(item, text));
    free(text);
    return ok ? 0 : E_NOMEM;
}

cJSON *profile_intents(const struct profile *p, const struct profile_places *places)
{
    const cJSON *intents = json_get(p->json, "intents");
    cJSON *copy = intents ? cJSON_Duplicate(intents, true) : NULL;
    struct filling f = {p, places};
    if (copy && fill_strings(&f, copy) < 0) {
        cJSON_Delete(copy);
        return NULL;
    }
    return copy;
}
