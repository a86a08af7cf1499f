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

/* "/folder/{path}": a path that is absolute stands alone. */
static void drop_folder(struct buf *out, const cJSON *value)
{
    if (out->n > 0 && out->p[out->n - 1] == '/' && cJSON_IsString(value) &&
        value->valuestring[0] == '/')
        out->n = 0;
}

static int fill_text(struct buf *out, const char *text, const cJSON *with)
{
    int rc = 0;
    char name[64];
    while (rc == 0 && *text) {
        size_t used;
        if (read_slot(text, name, sizeof name, &used)) {
            drop_folder(out, json_get(with, name));
            rc = add_inside(out, json_get(with, name));
            text += used;
        } else {
            rc = buf_addc(out, *text++);
        }
    }
    return rc;
}

static int fill_value(const cJSON *pattern, const cJSON *with, cJSON **ret);

static int add_filled(cJSON *to, const cJSON *pattern, const cJSON *with)
{
    cJSON *value;
    int rc = fill_value(pattern, with, &value);
    if (rc < 0 || !value)
        return rc;
    if (cJSON_IsArray(to) ? cJSON_AddItemToArray(to, value)
                          : cJSON_AddItemToObject(to, pattern->string, value))
        return 0;
    cJSON_Delete(value);
    return E_NOMEM;
}

/* {"$each": NAME, "as": PATTERN}: for each element of that member, which is the pattern's `with`.
 */
static int fill_each(const cJSON *pattern, const cJSON *with, cJSON *list)
{
    const char *name = json_get_str(pattern, "$each");
    const cJSON *element;
    int rc = 0;
    cJSON_ArrayForEach(element, json_get(with, name))
    {
        rc = rc < 0 ? rc : add_filled(list, json_get(pattern, "as"), element);
    }
    return rc;
}

static int fill_members(const cJSON *pattern, const cJSON *with, cJSON **ret)
{
    bool each = json_get_str(pattern, "$each") && json_get(pattern, "as");
    cJSON *made = cJSON_IsArray(pattern) || each ? cJSON_CreateArray() : cJSON_CreateObject();
    const cJSON *member;
    int rc = made ? 0 : E_NOMEM;
    if (rc == 0 && each)
        rc = fill_each(pattern, with, made);
    for (member = each ? NULL : pattern->child; member && rc == 0; member = member->next)
        rc = add_filled(made, member, with);
    if (rc == 0)
        *ret = made;
    else
        cJSON_Delete(made);
    return rc;
}

/* An argument of an intent: "{path}" alone takes the member with its type. NULL in *ret: left out.
 */
static int fill_value(const cJSON *pattern, const cJSON *with, cJSON **ret)
{
    char name[64];
    size_t used;
    *ret = NULL;
    if (cJSON_IsArray(pattern) || cJSON_IsObject(pattern))
        return fill_members(pattern, with, ret);
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
    int rc = 0;
    cJSON_ArrayForEach(pattern, patterns)
    {
        rc = rc < 0 ? rc : add_filled(args, pattern, with);
    }
    return rc;
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
