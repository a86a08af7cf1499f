#include "agent/extension_live_impl.h"

#include "agent/session.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A question of a sidecar: as it is, as a form of the protocol, or, where there are answers to
 * choose from, as a permission request. Whatever is no clear answer is "cancel".
 */

#define WAIT_MS 1800000u /* people think */

struct form {
    struct list node;
    struct live *l;
    struct rpc_request *req;
    cJSON *payload; /* owned; of the surface */
    struct client_call *call;
};

/* As surface.h reads it. */
static struct surface surface_of(const struct form *f)
{
    return (struct surface){
        .plugin = f->l->plugin->name, .id = "", .kind = SURFACE_FORM, .payload = f->payload};
}

static void form_free(struct form *f)
{
    list_remove(&f->node);
    cJSON_Delete(f->payload);
    free(f);
}

static void answer(struct form *f, const char *action, const cJSON *content)
{
    if (f->l->side)
        sidecar_answer(f->l->side, f->req, action, content);
    else
        rpc_reply_empty(f->req); /* nobody hears it any more */
    form_free(f);
}

void form_end_all(struct live *l)
{
    while (!list_empty(&l->forms)) {
        struct form *f = CONTAINER_OF(l->forms.next, struct form, node);
        client_call_drop(f->call);
        answer(f, "cancel", NULL);
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

static bool fits(const struct surface_field *field, const cJSON *value)
{
    const cJSON *option;
    if (field->type == SURFACE_BOOLEAN)
        return cJSON_IsBool(value);
    if (!cJSON_IsString(value))
        return false;
    cJSON_ArrayForEach(option, field->options)
    {
        if (strcmp(json_get_str(option, "value"), value->valuestring) == 0)
            return true;
    }
    return field->type == SURFACE_TEXT;
}

/* What of the content answers the form; NULL: something does not fit, or there is no memory. */
static cJSON *read_content(const struct form *f, const cJSON *content)
{
    const struct surface surface = surface_of(f);
    struct surface_field field;
    cJSON *fitting = cJSON_CreateObject();
    for (int i = 0; fitting && surface_field_at(&surface, i, &field); i++) {
        const cJSON *value = json_get(content, field.name);
        cJSON *copy = value && fits(&field, value) ? cJSON_Duplicate(value, true) : NULL;
        if ((value && !copy) || (copy && !cJSON_AddItemToObject(fitting, field.name, copy))) {
            cJSON_Delete(fitting);
            return NULL;
        }
    }
    return fitting;
}

static void on_form(void *ctx, const struct rpc_outcome *o)
{
    struct form *f = ctx;
    const char *action = json_get_str(o->result, "action");
    bool accepted = action && strcmp(action, "accept") == 0;
    bool declined = action && strcmp(action, "decline") == 0;
    cJSON *content = accepted ? read_content(f, json_get(o->result, "content")) : NULL;
    if (content)
        answer(f, "accept", content);
    else
        answer(f, declined ? "decline" : "cancel", NULL);
    cJSON_Delete(content);
}

static void on_choice(void *ctx, const struct rpc_outcome *o)
{
    struct form *f = ctx;
    const struct surface surface = surface_of(f);
    struct surface_field field;
    const char *id = json_get_str(json_get(o->result, "outcome"), "optionId");
    const char *chosen = id && strncmp(id, "value_", 6) == 0 ? id + 6 : NULL;
    cJSON *content = chosen ? cJSON_CreateObject() : NULL;
    if (content && surface_field_at(&surface, 0, &field)) {
        cJSON *value = field.type == SURFACE_BOOLEAN ? cJSON_CreateBool(strcmp(chosen, "true") == 0)
                                                     : cJSON_CreateString(chosen);
        if (!value || !fits(&field, value) || !cJSON_AddItemToObject(content, field.name, value)) {
            cJSON_Delete(value);
            cJSON_Delete(content);
            content = NULL;
        }
    }
    answer(f, content ? "accept" : id && strcmp(id, "none") == 0 ? "decline" : "cancel", content);
    cJSON_Delete(content);
}

/* ---- asking --------------------------------------------------------------------------------- */

static void write_field(struct jsonw *w, const struct surface_field *field)
{
    const cJSON *option;
    jw_kopen(w, field->name, '{');
    jw_kstr(w, "type", field->type == SURFACE_BOOLEAN ? "boolean" : "string");
    jw_kstr(w, "title", field->label);
    if (field->type == SURFACE_CHOICE) {
        jw_kopen(w, "oneOf", '[');
        cJSON_ArrayForEach(option, field->options)
        {
            jw_open(w, '{');
            jw_kstr(w, "const", json_get_str(option, "value"));
            jw_kstr(w, "title", json_get_str(option, "label"));
            jw_close(w);
        }
        jw_close(w);
    }
    if (field->fallback && fits(field, field->fallback))
        jw_ktree(w, "default", field->fallback);
    jw_close(w);
}

static void write_message(struct jsonw *w, const struct form *f)
{
    char text[1200];
    const char *title = json_get_str(f->payload, "title");
    const char *message = json_get_str(f->payload, "message");
    snprintf(text, sizeof text, "%.200s%s%.900s", title, message ? "\n\n" : "",
             message ? message : "");
    jw_kstr(w, "message", text);
}

static int ask_by_form(struct form *f)
{
    const struct client_to to = session_client(f->l->s);
    const struct client_wait wait = {.ms = WAIT_MS, .cb = on_form, .ctx = f};
    const struct surface surface = surface_of(f);
    struct surface_field field;
    struct jsonw *w = client_call_begin(&to, ACP_ELICITATION_CREATE);
    jw_kstr(w, "mode", "form");
    write_message(w, f);
    jw_kopen(w, "requestedSchema", '{');
    jw_kstr(w, "type", "object");
    jw_kopen(w, "properties", '{');
    for (int i = 0; surface_field_at(&surface, i, &field); i++)
        write_field(w, &field);
    jw_close(w);
    jw_close(w);
    return client_call_end(&to, w, &wait, &f->call);
}

static void write_option(struct jsonw *w, const char *value, const char *label)
{
    char id[160];
    snprintf(id, sizeof id, "value_%.140s", value);
    jw_open(w, '{');
    jw_kstr(w, "optionId", id);
    jw_kstr(w, "name", label);
    jw_kstr(w, "kind", acp_permission_kind_name(ACP_PERMISSION_ALLOW_ONCE));
    jw_close(w);
}

static void write_options(struct jsonw *w, const struct surface_field *field)
{
    const cJSON *option;
    jw_kopen(w, "options", '[');
    if (field->type == SURFACE_BOOLEAN) {
        write_option(w, "true", "Yes");
        write_option(w, "false", "No");
    }
    cJSON_ArrayForEach(option, field->options)
    {
        write_option(w, json_get_str(option, "value"), json_get_str(option, "label"));
    }
    jw_open(w, '{');
    jw_kstr(w, "optionId", "none");
    jw_kstr(w, "name", "None of these");
    jw_kstr(w, "kind", acp_permission_kind_name(ACP_PERMISSION_REJECT_ONCE));
    jw_close(w);
    jw_close(w);
}

static int ask_by_options(struct form *f, const struct surface_field *field)
{
    const struct client_to to = session_client(f->l->s);
    const struct client_wait wait = {.ms = WAIT_MS, .cb = on_choice, .ctx = f};
    char id[SESSION_WIRE_ID_MAX];
    struct jsonw *w = client_call_begin(&to, ACP_SESSION_REQUEST_PERMISSION);
    jw_kopen(w, "toolCall", '{');
    jw_kstr(w, "toolCallId", session_wire_id(f->l->s, "form", ++f->l->asked, id));
    jw_kstr(w, "title", json_get_str(f->payload, "title"));
    jw_kstr(w, "kind", acp_tool_kind_name(ACP_KIND_OTHER));
    jw_kstr(w, "status", acp_tool_status_name(ACP_TOOL_PENDING));
    jw_close(w);
    write_options(w, field);
    return client_call_end(&to, w, &wait, &f->call);
}

/* One question with answers to choose from is all that a permission request can be. */
static bool is_choice(const struct form *f, struct surface_field *ret)
{
    const struct surface surface = surface_of(f);
    struct surface_field second;
    return surface_field_at(&surface, 0, ret) && ret->type != SURFACE_TEXT &&
           !surface_field_at(&surface, 1, &second);
}

void form_ask(struct live *l, const struct surface *surface, struct rpc_request *req)
{
    struct surface_field field;
    struct form *f = calloc(1, sizeof *f);
    int rc = f ? 0 : E_NOMEM;
    if (f) {
        list_append(&l->forms, &f->node);
        f->l = l;
        f->req = req;
        f->payload = cJSON_Duplicate(surface->payload, true);
        rc = f->payload ? E_UNSUPPORTED : E_NOMEM;
        if (f->payload && l->s->env->forms)
            rc = ask_by_form(f);
        else if (f->payload && is_choice(f, &field))
            rc = ask_by_options(f, &field);
    }
    if (rc < 0 && f)
        answer(f, "cancel", NULL);
    else if (rc < 0)
        sidecar_answer(l->side, req, "cancel", NULL);
}
