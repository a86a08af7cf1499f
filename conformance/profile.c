#include "conformance/profile.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/nearest.h"
#include "conformance/shape.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "profiles/"
#define SUFFIX ".json"

/* ---- reading ----------------------------------------------------------------------------------
 */

struct fault {
    char *err;
    size_t n;
};

static void first_fault(void *ctx, const char *pointer, const char *text)
{
    struct fault *f = ctx;
    if (!f->err[0])
        snprintf(f->err, f->n, "%s: %s", pointer[0] ? pointer : "/", text);
}

static void check_strings(struct shape *s, const cJSON *list, const void *arg)
{
    (void)arg;
    shape_each(s, list, SHAPE_STRING);
}

static void check_command(struct shape *s, const cJSON *list, const void *arg)
{
    check_strings(s, list, arg);
    if (cJSON_GetArraySize(list) == 0)
        shape_fault(s, "name the program at least");
}

static void check_env(struct shape *s, const cJSON *env, const void *arg)
{
    (void)arg;
    shape_each(s, env, SHAPE_STRING | SHAPE_NULL);
}

/* Nothing outside the home. */
static void check_home(struct shape *s, const cJSON *files, const void *arg)
{
    const cJSON *file;
    (void)arg;
    shape_each(s, files, SHAPE_STRING);
    cJSON_ArrayForEach(file, files)
    {
        if (file->string[0] == '/' || strstr(file->string, ".."))
            shape_fault(s, "files of the home are named by paths below it");
    }
}

static void check_scale(struct shape *s, const cJSON *scale, const void *arg)
{
    (void)arg;
    if (!(scale->valuedouble > 0))
        shape_fault(s, "deadlines are multiplied by a positive number");
}

static void check_login(struct shape *s, const cJSON *script, const void *arg)
{
    const cJSON *line;
    (void)arg;
    cJSON_ArrayForEach(line, script)
    {
        if (!json_get_str(line, "see") || !json_get_str(line, "type"))
            shape_fault(s, "each entry is {\"see\": what it prints, \"type\": what is typed then}");
    }
}

static void check_calls(struct shape *s, const cJSON *calls, const void *arg)
{
    const cJSON *call;
    (void)arg;
    cJSON_ArrayForEach(call, calls)
    {
        if (!json_get_str(call, "method") || !cJSON_IsObject(json_get(call, "params")))
            shape_fault(s, "each call is {\"method\": NAME, \"params\": {...}}");
    }
}

static void check_packages(struct shape *s, const cJSON *folders, const void *arg)
{
    const cJSON *folder;
    (void)arg;
    shape_each(s, folders, SHAPE_ARRAY);
    cJSON_ArrayForEach(folder, folders)
    {
        if (strchr(folder->string, '/') || folder->string[0] == '.')
            shape_fault(s, "folders are named without a path");
    }
}

static void check_known(struct shape *s, const cJSON *known, const void *arg)
{
    (void)arg;
    shape_each(s, known, SHAPE_STRING);
}

static void check_ms(struct shape *s, const cJSON *ms, const void *arg)
{
    (void)arg;
    if (!(ms->valuedouble >= 1 && ms->valuedouble <= 60000))
        shape_fault(s, "a number of milliseconds, 1 to 60000");
}

static int check_profile(const cJSON *json, char *err, size_t err_n)
{
    static const struct shape_member members[] = {
        {"title", SHAPE_STRING, false, NULL},
        {"like", SHAPE_STRING, false, NULL},
        {"command", SHAPE_ARRAY, true, check_command},
        {"env", SHAPE_OBJECT, false, check_env},
        {"home", SHAPE_OBJECT, false, check_home},
        {"inherit", SHAPE_ARRAY, false, check_strings},
        {"intents", SHAPE_OBJECT, false, NULL},
        {"provides", SHAPE_ARRAY, false, check_strings},
        {"timeout_scale", SHAPE_NUMBER, false, check_scale},
        {"after_session", SHAPE_ARRAY, false, check_calls},
        {"login", SHAPE_ARRAY, false, check_login},
        {"eof_ms", SHAPE_NUMBER, false, check_ms},
        {"isolate", SHAPE_BOOL, false, NULL},
        {"npm", SHAPE_OBJECT, false, check_packages},
        {"known", SHAPE_OBJECT, false, check_known},
    };
    struct fault f = {err, err_n};
    struct shape s;
    err[0] = '\0';
    shape_init(&s, first_fault, &f);
    if (shape_is(&s, json, SHAPE_OBJECT))
        shape_object(&s, json, members, ARRAY_LEN(members), NULL);
    return s.faults ? E_INVALID : 0;
}

static void name_known(const char *name, char *err, size_t err_n)
{
    struct buf known = {0};
    for (size_t i = 0; i < embed_count; i++) {
        const char *file = embed_files[i].name;
        if (strncmp(file, PREFIX, strlen(PREFIX)) == 0)
            buf_addf(&known, "%s%.*s", known.n ? ", " : "",
                     (int)(strlen(file) - strlen(PREFIX SUFFIX)), file + strlen(PREFIX));
    }
    snprintf(err, err_n,
             "there is no profile \"%s\"; there are: %s. A path to a file of your own works too",
             name, known.n ? buf_cstr(&known) : "none");
    buf_deinit(&known);
}

/* What it does not say itself is as in the built-in profile it is "like". That one is like no
 * other: whoever reads two files has read it all. */
static int inherit(cJSON *json, char *err, size_t err_n)
{
    char file[256];
    cJSON *parent = NULL;
    const char *like = json_get_str(json, "like");
    if (!like)
        return 0;
    snprintf(file, sizeof file, PREFIX "%.200s" SUFFIX, like);
    const struct embed_file *f = embed_find(file);
    if (!f) {
        name_known(like, err, err_n);
        return E_NOTFOUND;
    }
    int rc = json_parse(f->text, (size_t)(f->end - f->text), &parent, NULL);
    for (const cJSON *m = rc == 0 ? parent->child : NULL; m && rc == 0; m = m->next) {
        cJSON *copy = json_get(json, m->string) ? NULL : cJSON_Duplicate(m, true);
        if (!json_get(json, m->string) && !(copy && cJSON_AddItemToObject(json, m->string, copy)))
            rc = E_NOMEM;
    }
    cJSON_Delete(parent);
    if (rc < 0)
        snprintf(err, err_n, "%s", err_text(rc));
    return rc;
}

/* NULL: out of memory. */
static char *peers_folder(void)
{
    const char *own = getenv("ACP_PEERS"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    struct buf path = {0};
    int rc;
    if (own && own[0])
        rc = buf_adds(&path, own);
    else if (cache && cache[0] == '/')
        rc = buf_addf(&path, "%s/acp-kit/peers", cache);
    else
        rc = buf_addf(&path, "%s/.cache/acp-kit/peers", home ? home : "");
    char *text = rc == 0 ? buf_take(&path) : NULL;
    buf_deinit(&path);
    return text;
}

static int parse_profile(struct profile *p, const char *text, size_t n, char *err, size_t err_n)
{
    char why[256];
    struct json_error json_err = {.text = ""};
    p->peers = peers_folder();
    int rc = p->name && p->peers ? json_parse(text, n, &p->json, &json_err) : E_NOMEM;
    if (rc == 0) {
        rc = inherit(p->json, why, sizeof why);
        rc = rc == 0 ? check_profile(p->json, why, sizeof why) : rc;
    } else {
        snprintf(why, sizeof why, "%s", json_err.text[0] ? json_err.text : err_text(rc));
    }
    if (rc < 0) {
        snprintf(err, err_n, "the profile %s: %s", p->name ? p->name : "", why);
        profile_close(p);
    }
    return rc;
}

static int open_path(const char *path, struct profile *ret, char *err, size_t err_n)
{
    struct case_file file; /* a profile is read like a case */
    int rc = case_file_read(path, &file, err, err_n);
    if (rc < 0)
        return rc;
    *ret = (struct profile){.name = strdup(path)};
    rc = parse_profile(ret, file.text, file.n, err, err_n);
    case_file_deinit(&file);
    return rc;
}

int profile_open(const char *name, struct profile *ret, char *err, size_t err_n)
{
    char file[256];
    size_t n = strlen(name), suffix = strlen(SUFFIX);
    if (strchr(name, '/') || (n > suffix && strcmp(name + n - suffix, SUFFIX) == 0))
        return open_path(name, ret, err, err_n);
    snprintf(file, sizeof file, PREFIX "%.200s" SUFFIX, name);
    const struct embed_file *f = embed_find(file);
    if (!f) {
        name_known(name, err, err_n);
        return E_NOTFOUND;
    }
    *ret = (struct profile){.name = strdup(name)};
    return parse_profile(ret, f->text, (size_t)(f->end - f->text), err, err_n);
}

static cJSON *default_profile(void)
{
    static const char text[] =
        "{\"command\": [], \"env\": {\"OPENAI_BASE_URL\": \"{provider}/v1\", "
        "\"OPENAI_API_KEY\": \"mock-key\", \"ACP_MOCK_PROVIDER\": \"{provider}\"}}";
    return cJSON_Parse(text);
}

int profile_take_command(struct profile *p, char *const *argv)
{
    cJSON *command = cJSON_CreateArray();
    if (!p->json)
        p->json = default_profile();
    if (!p->name)
        p->name = strdup(argv[0]);
    bool ok = command && p->json && p->name;
    p->bare = true;
    for (; ok && *argv; argv++) {
        cJSON *word = cJSON_CreateString(*argv);
        ok = word && cJSON_AddItemToArray(command, word);
    }
    if (ok && cJSON_ReplaceItemInObjectCaseSensitive(p->json, "command", command))
        return 0;
    cJSON_Delete(command);
    return E_NOMEM;
}

void profile_close(struct profile *p)
{
    free(p->name);
    free(p->peers);
    cJSON_Delete(p->json);
    *p = (struct profile){0};
}

bool profile_has_intent(const struct profile *p, const char *intent)
{
    return json_get(json_get(p->json, "intents"), intent) != NULL;
}

const cJSON *profile_login(const struct profile *p)
{
    return json_get(p->json, "login");
}

const cJSON *profile_after_session(const struct profile *p)
{
    return json_get(p->json, "after_session");
}

const cJSON *profile_known(const struct profile *p)
{
    return json_get(p->json, "known");
}

bool profile_isolates(const struct profile *p)
{
    return json_get_bool(p->json, "isolate");
}

int64_t profile_eof_ms(const struct profile *p, int64_t otherwise)
{
    return json_get_int(p->json, "eof_ms", otherwise);
}

double profile_timeout_scale(const struct profile *p)
{
    const cJSON *scale = json_get(p->json, "timeout_scale");
    return cJSON_IsNumber(scale) ? scale->valuedouble : 1;
}

bool profile_provides(const struct profile *p, const char *word)
{
    const cJSON *w;
    cJSON_ArrayForEach(w, json_get(p->json, "provides")) if (cJSON_IsString(w) &&
                                                             strcmp(w->valuestring, word) ==
                                                                 0) return true;
    return false;
}
