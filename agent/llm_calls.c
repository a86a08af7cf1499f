#include "agent/llm_calls.h"

#include "base/err.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* More calls than this in one reply is a broken stream. */
#define MAX_CALLS 256

struct fragment {
    const char *id, *name; /* NULL if absent or empty */
    long index;            /* -1 if absent */
};

static void part_deinit(struct llm_part *p)
{
    free(p->id);
    free(p->name);
    free(p->extra);
    buf_deinit(&p->args);
}

void llm_calls_deinit(struct llm_calls *c)
{
    for (size_t i = 0; i < c->n; i++)
        part_deinit(&c->parts[i]);
    free(c->parts);
    *c = (struct llm_calls){0};
}

static const char *text_or_null(const cJSON *obj, const char *name)
{
    const char *s = json_get_str(obj, name);
    return s && *s ? s : NULL;
}

static bool is_object_text(const char *p, size_t n)
{
    cJSON *v = NULL;
    bool yes = json_parse(p, n, &v, NULL) == 0 && cJSON_IsObject(v);
    cJSON_Delete(v);
    return yes;
}

static struct llm_part *latest_with_index(struct llm_calls *c, long index)
{
    for (size_t i = c->n; i-- > 0;)
        if (c->parts[i].index == index)
            return &c->parts[i];
    return NULL;
}

static struct llm_part *with_id(struct llm_calls *c, const char *id)
{
    for (size_t i = c->n; i-- > 0;)
        if (c->parts[i].id && strcmp(c->parts[i].id, id) == 0)
            return &c->parts[i];
    return NULL;
}

/* Can a fragment of this name go on with part p? With an index a repeated name is just noise;
 * without one it opens the next call once the arguments are whole. */
static bool continues(struct llm_part *p, const struct fragment *f)
{
    if (!f->name || !p->name)
        return true;
    if (strcmp(f->name, p->name) != 0)
        return false;
    return f->index >= 0 || !buf_cstr(&p->args) || !is_object_text(p->args.p, p->args.n);
}

/* The part a fragment belongs to; NULL: it opens a new one. */
static struct llm_part *find_part(struct llm_calls *c, const struct fragment *f)
{
    struct llm_part *same_id = f->id ? with_id(c, f->id) : NULL;
    if (same_id)
        return same_id;
    struct llm_part *last = c->n > 0 ? &c->parts[c->n - 1] : NULL;
    struct llm_part *p = f->index >= 0 ? latest_with_index(c, f->index) : last;
    if (!p && !f->id && !f->name)
        return last; /* a stray index on a mere piece of arguments */
    if (!p || (f->id && p->id))
        return NULL; /* a new id opens a new call, whatever its index */
    return continues(p, f) ? p : NULL;
}

static int open_part(struct llm_calls *c, long index, struct llm_part **ret)
{
    if (c->n >= MAX_CALLS)
        return E_TOOBIG;
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 4;
        struct llm_part *p = realloc(c->parts, cap * sizeof *p);
        if (!p)
            return E_NOMEM;
        c->parts = p;
        c->cap = cap;
    }
    *ret = &c->parts[c->n++];
    **ret = (struct llm_part){.index = index};
    return 0;
}

static int set_once(char **slot, const char *text)
{
    if (*slot || !text)
        return 0;
    *slot = strdup(text);
    return *slot ? 0 : E_NOMEM;
}

/* Arguments come as text or, against the letter, as an object. */
static int add_args(struct llm_part *p, const cJSON *args)
{
    if (cJSON_IsString(args))
        return buf_adds(&p->args, args->valuestring);
    if (!cJSON_IsObject(args))
        return 0;
    char *text = cJSON_PrintUnformatted(args);
    int rc = text ? buf_adds(&p->args, text) : E_NOMEM;
    cJSON_free(text);
    return rc;
}

static int set_extra(struct llm_part *p, const cJSON *extra)
{
    if (p->extra || !cJSON_IsObject(extra))
        return 0;
    p->extra = cJSON_PrintUnformatted(extra);
    return p->extra ? 0 : E_NOMEM;
}

int llm_calls_add(struct llm_calls *c, const cJSON *fragment)
{
    const cJSON *function = json_get(fragment, "function");
    struct fragment f = {.id = text_or_null(fragment, "id"),
                         .name = text_or_null(function, "name"),
                         .index = (long)json_get_int(fragment, "index", -1)};
    const cJSON *args = json_get(function, "arguments");
    if (!f.id && !f.name && !cJSON_IsString(args) && !cJSON_IsObject(args))
        return 0;
    struct llm_part *p = find_part(c, &f);
    int rc = p ? 0 : open_part(c, f.index, &p);
    if (rc == E_TOOBIG)
        return 0;
    if (rc == 0)
        rc = set_once(&p->id, f.id);
    if (rc == 0)
        rc = set_once(&p->name, f.name);
    if (rc == 0)
        rc = add_args(p, args);
    return rc == 0 ? set_extra(p, json_get(fragment, "extra_content")) : rc;
}

/* Length of the balanced {...} at the start of p, 0 if there is none. */
static size_t object_length(const char *p, size_t n)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < n; i++) {
        if (in_string && p[i] == '\\')
            i++;
        else if (p[i] == '"')
            in_string = !in_string;
        else if (!in_string && p[i] == '{')
            depth++;
        else if (!in_string && p[i] == '}' && --depth == 0)
            return i + 1;
        if (depth == 0)
            return 0;
    }
    return 0;
}

/* "{}{...}" and "{...}{...}": the last object counts. Otherwise the text stays as it is: a tool
 * whose arguments do not parse never runs. */
static const char *last_object(const char *p)
{
    const char *last = p;
    for (const char *at = p; *at;) {
        size_t n = object_length(at, strlen(at));
        if (n == 0)
            return p;
        last = at;
        at += n;
        while (isspace((unsigned char)*at))
            at++;
    }
    return last;
}

static char *take_args(struct buf *args)
{
    const char *p = buf_cstr(args);
    if (!p)
        return NULL;
    while (isspace((unsigned char)*p))
        p++;
    return strdup(*p ? last_object(p) : "{}");
}

static int take_part(struct llm_part *p, struct history_call *ret)
{
    ret->id = p->id ? p->id : strdup("");
    ret->name = p->name ? p->name : strdup("");
    ret->extra = p->extra;
    p->id = p->name = p->extra = NULL;
    ret->args = take_args(&p->args);
    return ret->id && ret->name && ret->args ? 0 : E_NOMEM;
}

int llm_calls_take(struct llm_calls *c, struct history_call **ret, size_t *ret_n)
{
    if (c->n == 0) {
        *ret = NULL;
        *ret_n = 0;
        return 0;
    }
    struct history_call *calls = calloc(c->n, sizeof *calls);
    int rc = calls ? 0 : E_NOMEM;
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        rc = take_part(&c->parts[i], &calls[i]);
    if (rc < 0) {
        if (calls)
            history_free_calls(calls, c->n);
        return rc;
    }
    *ret = calls;
    *ret_n = c->n;
    llm_calls_deinit(c);
    return 0;
}
