#ifndef AGENT_EXTENSION_LIVE_IMPL_H
#define AGENT_EXTENSION_LIVE_IMPL_H

#include "agent/client_call.h"
#include "agent/extension_live.h"
#include "agent/sidecar.h"
#include "base/list.h"

/* Private to extension_live*.c: extension_live.c has the sidecar and its actions,
 * extension_form.c the questions. */

struct live {
    struct session *s;
    const struct plugin *plugin;
    struct sidecar *side;    /* NULL: it does not run */
    struct slash_call *call; /* the action that runs, or NULL */
    struct list forms;       /* struct form */
    unsigned asked;          /* so far: numbers them */
};

/* Asks the user; answers req then. */
void form_ask(struct live *l, const struct surface *form, struct rpc_request *req);
/* All open questions are withdrawn; the sidecar, if it still runs, hears of it. */
void form_end_all(struct live *l);

#endif
