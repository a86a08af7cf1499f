#ifndef AGENT_SIDECAR_H
#define AGENT_SIDECAR_H

#include "agent/plugin.h"
#include "agent/surface.h"
#include "rpc/peer.h"

#include <uv.h>

/*
 * The sidecar of a plugin for one session: a child that speaks JSON-RPC, a message a line. One that
 * hangs, floods, does not read, speaks garbage or dies is ended, and its owner is told; nothing
 * else comes of it.
 */
struct sidecar;

struct sidecar_ops {
    /* host/ui/publish. The surface is lent. */
    void (*on_publish)(void *ctx, const struct surface *s);
    /* host/ui/request: answers req with sidecar_answer, now or later. The form is lent for the
     * call. */
    void (*on_ask)(void *ctx, const struct surface *form, struct rpc_request *req);
    /* It has ended, or is ended for what it did; the last call. why: half a sentence, lent. */
    void (*on_gone)(void *ctx, const char *why);
};

struct sidecar_options {
    uv_loop_t *loop;
    config_env env; /* may be NULL */
    const struct plugin *plugin;
    const char *session_id, *cwd;
    bool surfaces;     /* the client shows surfaces as they are */
    uint64_t limit_ms; /* for an answer of its; 0: 60 s. Does not run while the user is asked */
};

/* Everything in options but the plugin's texts is only needed for the call; those, ops and ctx are
 * lent until on_gone or sidecar_close. 0 or a negative code. */
int sidecar_open(const struct sidecar_options *options, const struct sidecar_ops *ops, void *ctx,
                 struct sidecar **ret);

/* extension/ui/action, one at a time. cb comes once, on a later turn of the loop, unless it is
 * dropped. text: what the result says (may be NULL), or why there is none; lent. 0 or a negative
 * code. */
struct sidecar_action {
    const char *name, *args;
    void (*cb)(void *ctx, bool failed, const char *text);
    void *ctx;
};
int sidecar_act(struct sidecar *s, const struct sidecar_action *action);
/* The sidecar is told that nobody waits for it any more. */
void sidecar_drop_action(struct sidecar *s);

/* Answers a form: content (may be NULL) goes with the action "accept"; lent. */
void sidecar_answer(struct sidecar *s, struct rpc_request *req, const char *action,
                    const cJSON *content);

/* extension/shutdown, then it is ended, behind the scenes. Open questions must be answered before.
 * Accepts NULL. */
void sidecar_close(struct sidecar *s);

#endif
