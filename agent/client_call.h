#ifndef AGENT_CLIENT_CALL_H
#define AGENT_CLIENT_CALL_H

#include "acp/methods.h"
#include "rpc/peer.h"

#include <uv.h>

/* Requests to the client, each with a limit to how long its answer may take. */

/* The client, as one session sees it. All lent. */
struct client_to {
    uv_loop_t *loop;
    struct peer *peer;
    const char *session_id;
    bool reads, writes, terminals, forms; /* what it has announced to serve */
};

struct client_call;

/* Its end: cb as of peer.h, with E_TIMEOUT if the answer was late (the request is then withdrawn).
 */
struct client_wait {
    uint64_t ms;
    rpc_call_cb cb;
    void *ctx;
};

/* Opens the params, with sessionId in them. */
struct jsonw *client_call_begin(const struct client_to *to, enum acp_method method);
/* Closes them and sends. cb comes once, on a later turn of the loop, unless dropped. 0, or a
 * negative code: then it never comes. */
int client_call_end(const struct client_to *to, struct jsonw *w, const struct client_wait *wait,
                    struct client_call **ret);

/* Withdraws the request; cb never comes. Accepts NULL. */
void client_call_drop(struct client_call *call);

/* Why there is no result: one sentence about `what`, into text. False: there is one. */
bool client_call_failed(const struct rpc_outcome *outcome, const char *what, char *text, size_t n);

#endif
