#include "mock-client/player_int.h"

#include "mock-client/subst.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play_ref *play_ref_find(const struct player *p, const char *name)
{
    for (struct list *l = p->refs.prev; l != &p->refs; l = l->prev) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->name && !strcmp(ref->name, name))
            return ref;
    }
    return NULL;
}

struct play_ref *play_ref_add(struct player *p, const char *name)
{
    struct play_ref *ref = calloc(1, sizeof *ref);
    if (!ref)
        return NULL;
    ref->name = name ? strdup(name) : NULL;
    if (name && !ref->name) {
        free(ref);
        return NULL;
    }
    list_append(&p->refs, &ref->node);
    return ref;
}

void play_refs_deinit(struct player *p)
{
    while (!list_empty(&p->refs)) {
        struct play_ref *ref = CONTAINER_OF(p->refs.next, struct play_ref, node);
        list_remove(&ref->node);
        cJSON_Delete(ref->id);
        free(ref->name);
        free(ref->text);
        free(ref);
    }
}

static const char *session_of(const struct play_ref *ref)
{
    if (!ref || !ref->is_session || !ref->response)
        return NULL;
    return json_get_str(json_get(ref->response->json, "result"), "sessionId");
}

const char *play_session_id(const struct player *p, const char *name)
{
    return session_of(play_ref_find(p, name));
}

const char *play_last_session(const struct player *p, const struct play_agent *a)
{
    for (struct list *l = p->refs.prev; l != &p->refs; l = l->prev) {
        const struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        const char *id = ref->agent == a ? session_of(ref) : NULL;
        if (id)
            return id;
    }
    return NULL;
}

bool play_var_parse(const char *text, size_t n, struct play_var *ret)
{
    const char *end = text + n, *dot = memchr(text, '.', n);
    const char *name_end = dot ? dot : end;
    const char *field = dot ? dot + 1 : end;
    const char *dot2 = memchr(field, '.', (size_t)(end - field));
    const char *field_end = dot2 ? dot2 : end;
    if ((size_t)(name_end - text) >= sizeof ret->name || name_end == text ||
        (size_t)(field_end - field) >= sizeof ret->field)
        return false;
    snprintf(ret->name, sizeof ret->name, "%.*s", (int)(name_end - text), text);
    snprintf(ret->field, sizeof ret->field, "%.*s", (int)(field_end - field), field);
    ret->pointer = dot2 ? dot2 + 1 : end;
    ret->pointer_n = (size_t)(end - ret->pointer);
    return true;
}

static int give(cJSON *value, cJSON **ret)
{
    *ret = value;
    return value ? 0 : E_NOMEM;
}

static int give_string(const char *text, cJSON **ret)
{
    return text ? give(cJSON_CreateString(text), ret) : E_NOTFOUND;
}

static int give_copy(const cJSON *value, cJSON **ret)
{
    return value ? give(cJSON_Duplicate(value, true), ret) : E_NOTFOUND;
}

/* A copy of what the pointer of the variable leads to. */
static int give_at(const cJSON *root, const struct play_var *var, cJSON **ret)
{
    char *pointer = root ? strndup(var->pointer, var->pointer_n) : NULL;
    if (!pointer)
        return root ? E_NOMEM : E_NOTFOUND;
    const cJSON *found = json_pointer((cJSON *)(uintptr_t)root, pointer);
    free(pointer);
    return give_copy(found, ret);
}

static int look_up_ref(const struct play_ref *ref, const struct play_var *var, cJSON **ret)
{
    if (!strcmp(var->field, "id"))
        return give_copy(ref->id, ret);
    if (!strcmp(var->field, "message"))
        return give_at(ref->message ? ref->message->json : NULL, var, ret);
    return give_at(ref->response ? json_get(ref->response->json, var->field) : NULL, var, ret);
}

static int look_up(void *ctx, const char *name, size_t n, cJSON **ret)
{
    const struct player *p = ctx;
    struct play_var var;
    if (!play_var_parse(name, n, &var))
        return E_NOTFOUND;
    if (!var.field[0] && !strcmp(var.name, "cwd"))
        return give_string(p->cwd, ret);
    if (!var.field[0] && !strcmp(var.name, "provider"))
        return give_string(p->provider_url, ret);
    const struct play_ref *ref = play_ref_find(p, var.name);
    if (!var.field[0] && ref && ref->text)
        return give_string(ref->text, ret);
    if (!var.field[0])
        return give_string(session_of(ref), ret);
    return ref ? look_up_ref(ref, &var, ret) : E_NOTFOUND;
}

int play_fill(struct player *p, const cJSON *in, cJSON **ret, struct json_error *reterr)
{
    return subst_apply(in, look_up, p, ret, reterr);
}
