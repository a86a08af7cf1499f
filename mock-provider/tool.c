/* Tool calls: intents, arguments, ids. */
#include "internal.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The name between braces, if the text is nothing but "{name}" or goes on after it. */
static bool read_slot(const char *p, char *name, size_t size, size_t *ret_n)
{
    size_t n = *p == '{' ? strcspn(p + 1, "{}") : 0;
    if (n == 0 || n >= size || p[1 + n] != '}')
        return false;
    memcpy(name, p + 1, n);
    name[n] = '\0';
    *ret_n = n + 2;
    return true;
}

/* A member of `with` inside a longer text: strings as they are, the rest as JSON. */
static int add_inside(struct buf *out, const cJSON *value)
{
    struct jsonw w;
    if (!value)
        return 0;
    if (cJSON_IsString(value))
        return buf_adds(out, value->valuestring);
    jw_begin(&w, out);
    jw_tree(&w, value);
    return jw_end(&w);
}

static int fill_text(struct buf *out, const char *text, const cJSON *with)
{
    int rc = 0;
    char name[64];
    while (rc == 0 && *text) {
        size_t used;
        if (read_slot(text, name, sizeof name, &used)) {
            rc = add_inside(out, json_get(with, name));
            text += used;
        } else {
            rc = buf_addc(out, *text++);
        }
    }
    return rc;
}

/* An argument of an intent: "{path}" alone takes the member with its type. NULL in *ret: left out.
 */
static int fill_value(const cJSON *pattern, const cJSON *with, cJSON **ret)
{
    char name[64];
    size_t used;
    *ret = NULL;
    if (!cJSON_IsString(pattern)) {
        *ret = cJSON_Duplicate(pattern, true);
        return *ret ? 0 : E_NOMEM;
    }
    if (read_slot(pattern->valuestring, name, sizeof name, &used) &&
        pattern->valuestring[used] == '\0') {
        const cJSON *member = json_get(with, name);
        *ret = member ? cJSON_Duplicate(member, true) : NULL;
        return member && !*ret ? E_NOMEM : 0;
    }
    struct buf text = {0};
    int rc = fill_text(&text, pattern->valuestring, with);
    if (rc == 0 && (!buf_cstr(&text) || !(*ret = cJSON_CreateString(text.p))))
        rc = E_NOMEM;
    buf_deinit(&text);
    return rc;
}

static int fill_args(const cJSON *patterns, const cJSON *with, cJSON *args)
{
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, patterns)
    {
        cJSON *value;
        int rc = fill_value(pattern, with, &value);
        if (rc == 0 && value && !cJSON_AddItemToObject(args, pattern->string, value)) {
            cJSON_Delete(value);
            rc = E_NOMEM;
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int write_args(struct buf *out, const cJSON *args)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_tree(&w, args);
    return jw_end(&w);
}

static int add_args(struct buf *out, const cJSON *intent, const cJSON *with)
{
    const cJSON *patterns = json_get(intent, "args");
    if (!patterns && with)
        return write_args(out, with);
    cJSON *args = cJSON_CreateObject();
    int rc = args ? fill_args(patterns, with, args) : E_NOMEM;
    if (rc == 0)
        rc = write_args(out, args);
    cJSON_Delete(args);
    return rc;
}

static void make_id(struct call *c, const struct action *a, const struct writer *w)
{
    const char *id = json_get_str(a->json, "id");
    if (id)
        snprintf(c->id, sizeof c->id, "%s", id);
    else
        snprintf(c->id, sizeof c->id, "call_%016" PRIx64,
                 dialect_hash(w->seed, w->n, w->calls + 1));
}

int tool_use_init(struct tool_use *t, const struct script *s, const struct action *a,
                  struct writer *w)
{
    const cJSON *intent = json_get(s->intents, a->value->valuestring);
    const char *raw = json_get_str(a->json, "raw_arguments");
    const char *name = json_get_str(intent, "tool");
    *t = (struct tool_use){.call = {.fragments = a->fragments}};
    t->call.name = name ? name : a->value->valuestring;
    make_id(&t->call, a, w);
    int rc = raw ? buf_adds(&t->args, raw) : add_args(&t->args, intent, json_get(a->json, "with"));
    if (rc == 0 && !buf_cstr(&t->args))
        rc = E_NOMEM;
    t->call.args = t->args.p;
    t->call.args_n = t->args.n;
    return rc;
}

void tool_use_deinit(struct tool_use *t)
{
    buf_deinit(&t->args);
}
