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
    if (name)
        return session_of(play_ref_find(p, name));
    for (struct list *l = p->refs.prev; l != &p->refs; l = l->prev) {
        const char *id = session_of(CONTAINER_OF(l, struct play_ref, node));
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

/* A copy of what the pointer of the variable leads to. */
static cJSON *copy_at(const cJSON *root, const struct play_var *var)
{
    char *pointer = strndup(var->pointer, var->pointer_n);
    cJSON *found = NULL;
    if (pointer && root)
        found = json_pointer((cJSON *)(uintptr_t)root, pointer);
    free(pointer);
    return found ? cJSON_Duplicate(found, true) : NULL;
}

static cJSON *copy_string(const char *text)
{
    return text ? cJSON_CreateString(text) : NULL;
}

static cJSON *look_up_ref(const struct play_ref *ref, const struct play_var *var)
{
    if (!strcmp(var->field, "id"))
        return ref->id ? cJSON_Duplicate(ref->id, true) : NULL;
    if (!strcmp(var->field, "message"))
        return ref->message ? copy_at(ref->message->json, var) : NULL;
    return ref->response ? copy_at(json_get(ref->response->json, var->field), var) : NULL;
}

static cJSON *look_up(void *ctx, const char *name, size_t n)
{
    const struct player *p = ctx;
    struct play_var var;
    if (!play_var_parse(name, n, &var))
        return NULL;
    if (!var.field[0] && !strcmp(var.name, "cwd"))
        return cJSON_CreateString(p->cwd);
    if (!var.field[0] && !strcmp(var.name, "provider"))
        return copy_string(p->provider_url);
    if (!var.field[0])
        return copy_string(play_session_id(p, var.name));
    const struct play_ref *ref = play_ref_find(p, var.name);
    return ref ? look_up_ref(ref, &var) : NULL;
}

int play_fill(struct player *p, const cJSON *in, cJSON **ret, struct json_error *reterr)
{
    return subst_apply(in, look_up, p, ret, reterr);
}
