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

/* in_progress, with the diff if it is known */
int update_tool_running(struct update_to to, const char *id, const struct tool_call *c);

/* in_progress, shown by a terminal of the client's */
int update_tool_terminal(struct update_to to, const char *id, const char *terminal_id);

/* Members of an open object: title (which says so if the path is outside), kind, status pending,
 * rawInput, locations. */
void update_write_call(struct jsonw *w, const struct tool_call *c);
/* One item of a `content` list. */
void update_write_diff(struct jsonw *w, const char *path, const struct tool_diff *d);

/* Append one `update` object, for update_raw and for the store: the first report of a call (status
 * pending), and its outcome (completed or failed). 0 or E_NOMEM. */
int update_write_tool_call(struct buf *out, const char *id, const struct tool_call *c,
                           const char *name);
int update_write_tool_result(struct buf *out, const char *id, const struct tool_result *result);
/* How far a call is: shown until its result comes. */
int update_write_tool_progress(struct buf *out, const char *id, const char *text);

/* One block of a message of the user's, shown again. */
int update_user_block(struct update_to to, const char *message_id, const cJSON *block);
/* title may be NULL: not told. */
int update_session_info(struct update_to to, const char *title, int64_t updated_ms);

/* Append one `update` object. 0 or E_NOMEM. */
int update_write_text(struct buf *out, const struct update_text *text);
int update_write_usage(struct buf *out, int64_t used, uint64_t size);

/* An `update` object that is JSON already. */
int update_raw(struct update_to to, const char *json, size_t n);

/* Only for clients that take notices. */
int update_notice(struct update_to to, const char *severity, const char *title);

#endif
