#ifndef AGENT_UPDATE_H
#define AGENT_UPDATE_H

#include "agent/llm.h"
#include "agent/tool.h"
#include "rpc/peer.h"

/*
 * Writers of session/update notifications. Each sends one whole line. Out of memory sends nothing
 * and returns E_NOMEM.
 */

/* Where updates of a session go. Lent. */
struct update_to {
    struct peer *peer;
    const char *session_id;
};

/* A piece of an answer or thought. n > 0. */
struct update_text {
    enum llm_text_kind kind;
    const char *message_id;
    const char *p;
    size_t n;
};
int update_text(struct update_to to, const struct update_text *text);

/* The first report of a call, status pending. */
int update_tool_call(struct update_to to, const char *id, const struct tool_call *c,
                     const char *name);
/* in_progress */
int update_tool_running(struct update_to to, const char *id);
/* completed or failed, with the outcome. */
int update_tool_result(struct update_to to, const char *id, const struct tool_result *result);

/* Only for clients that take notices. */
int update_notice(struct update_to to, const char *severity, const char *title);

#endif
