#include "agent/extension_live_impl.h"

#include "agent/record.h"
#include "agent/session.h"
#include "base/err.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it publishes ---------------------------------------------------------------------- */

static void publish_as_it_is(struct live *l, const struct surface *surface)
{
    struct jsonw *w = peer_notify_begin(l->s->env->peer, LIVE_NOTIFY);
    jw_open(w, '{');
    jw_kstr(w, "sessionId", l->s->id);
    jw_kstr(w, "plugin", l->plugin->name);
    jw_kstr(w, "surfaceId", surface->id);
    jw_kstr(w, "kind", surface_kind_name(surface->kind));
    jw_ktree(w, "payload", surface->payload);
    jw_close(w);
    (void)peer_notify_end(l->s->env->peer); /* without memory for it, nothing is shown */
}

static int write_chunk(struct session *s, const char *said, struct buf *out)
{
    char id[SESSION_WIRE_ID_MAX];
    const struct update_text text = {.kind = LLM_TEXT,
                                     .message_id = session_wire_id(s, "aside", ++s->asides, id),
                                     .p = said,
                                     .n = strlen(said)};
    int rc = update_write_text(out, &text);
    return rc == 0 && !buf_cstr(out) ? E_NOMEM : rc;
}

/* What was shown is shown again when the session is loaded. */
static int publish_as_text(struct session *s, const char *said)
{
    struct buf update = {0};
    int rc = write_chunk(s, said, &update);
    if (rc == 0)
        rc = update_raw(session_updates(s), update.p, update.n);
    struct store_entry e = {.kind = STORE_UPDATE, .shown = update.p};
    if (rc == 0)
        rc = record_entries(s, &e, 1);
    buf_deinit(&update);
    return rc;
}

static void on_publish(void *ctx, const struct surface *surface)
{
    struct live *l = ctx;
    struct buf text = {0};
    if (l->s->env->surfaces) {
        publish_as_it_is(l, surface);
        return;
    }
    int rc = surface_render(surface, &text);
    if (rc == 0 && text.n > 0)
        rc = buf_cstr(&text) ? publish_as_text(l->s, text.p) : E_NOMEM;
    if (rc < 0)
        log_warn("plugin %s: what it shows is not kept: %s", l->plugin->name, err_text(rc));
    buf_deinit(&text);
}

static void on_ask(void *ctx, const struct surface *form, struct rpc_request *req)
{
    form_ask(ctx, form, req);
}

static void on_gone(void *ctx, const char *why)
{
    struct live *l = ctx;
    l->side = NULL;
    form_end_all(l);
    log_warn("plugin %s: its sidecar %s", l->plugin->name, why);
}

static const struct sidecar_ops ops = {on_publish, on_ask, on_gone};

/* It runs from its first action on, or from the start; one that ended is started again. */
static int run_sidecar(struct live *l)
{
    const struct sidecar_options o = {.loop = l->s->env->loop,
                                      .env = l->s->env->variable,
                                      .plugin = l->plugin,
                                      .session_id = l->s->id,
                                      .cwd = l->s->cwd,
                                      .surfaces = l->s->env->surfaces};
    return l->side ? 0 : sidecar_open(&o, &ops, l, &l->side);
}

/* ---- actions -------------------------------------------------------------------------------- */

static void on_acted(void *ctx, bool failed, const char *text)
{
    struct live *l = ctx;
    struct slash_call *call = l->call;
    l->call = NULL;
    slash_end(call, failed ? SLASH_FAIL : SLASH_SHOW, text ? text : failed ? "It failed." : "");
}

static void stop_action(struct slash_call *call)
{
    struct live *l = call->job;
    l->call = NULL;
    if (l->side)
        sidecar_drop_action(l->side);
}

static void run_action(void *owner, struct slash_call *call)
{
    struct live *l = owner;
    char why[200];
    const struct sidecar_action action = {.name = call->name + strlen(l->plugin->name) + 1,
                                          .args = call->args,
                                          .cb = on_acted,
                                          .ctx = l};
    int rc = run_sidecar(l);
    if (rc == 0)
        rc = sidecar_act(l->side, &action);
    if (rc < 0) {
        snprintf(why, sizeof why, "The plugin %s's sidecar cannot be used: %s.", l->plugin->name,
                 err_text(rc));
        slash_end(call, SLASH_FAIL, why);
        return;
    }
    l->call = call;
    call->job = l;
    call->stop = stop_action;
}

static int add_action(struct live *l, const struct plugin_item *item)
{
    char name[128], source[64];
    snprintf(name, sizeof name, "%s:%s", l->plugin->name, item->name);
    snprintf(source, sizeof source, "plugin:%s", l->plugin->name);
    const struct slash_command c = {.name = name,
                                    .description = item->description,
                                    .hint = item->hint,
                                    .source = source,
                                    .run = run_action,
                                    .owner = l};
    int rc = slash_add(&l->s->commands, &c);
    if (rc < 0 && rc != E_NOMEM)
        log_warn("/%s is not used: %s", name, err_text(rc));
    return rc == E_NOMEM ? rc : 0;
}

/* ---- its life ------------------------------------------------------------------------------- */

int live_create(struct session *s, const struct plugin *plugin, struct live **ret)
{
    struct live *l = calloc(1, sizeof *l);
    int rc = l ? 0 : E_NOMEM;
    *ret = l;
    if (!l)
        return rc;
    l->s = s;
    l->plugin = plugin;
    list_init(&l->forms);
    for (size_t i = 0; rc == 0 && i < plugin->actions.n; i++)
        rc = add_action(l, &plugin->actions.list[i]);
    return rc;
}

void live_begin(struct live *l)
{
    int rc = l->plugin->sidecar_at_start ? run_sidecar(l) : 0;
    if (rc < 0)
        log_warn("plugin %s: its sidecar cannot be started: %s", l->plugin->name, err_text(rc));
}

void live_destroy(struct live *l)
{
    if (!l)
        return;
    form_end_all(l);
    sidecar_close(l->side);
    free(l);
}
