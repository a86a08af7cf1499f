#ifndef CONFORMANCE_TOOLS_H
#define CONFORMANCE_TOOLS_H

#include "conformance/wire.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* The tool calls that updates and permission requests spoke of. */
enum tool_status { TOOL_PENDING, TOOL_IN_PROGRESS, TOOL_COMPLETED, TOOL_FAILED, TOOL_UNKNOWN };

struct tool {
    const struct wire_session *session;
    const char *id;    /* lent by the message that named it first */
    const char *title; /* of its tool_call, or NULL */
    enum tool_status status;
    bool announced; /* by tool_call */
    bool replayed;  /* before the session was loaded, or while it was: a call of the past */
    bool ran;       /* was reported in_progress */
    bool completed, failed;
    unsigned turn; /* turns_begun of its session when it was named first */
};

struct tools {
    struct tool **v; /* owned */
    size_t n, cap;
};

void tools_deinit(struct tools *t);

/* The newest call of that id; NULL if there is none. */
struct tool *tools_find(const struct tools *t, const struct wire_session *s, const char *id);

/* A new one; id is lent for as long. NULL: out of memory. */
struct tool *tools_add(struct tools *t, const struct wire_session *s, const char *id);

/* TOOL_UNKNOWN if the text is none of them; NULL is absent. */
enum tool_status tool_status_of(const cJSON *status);

static inline bool tool_is_over(enum tool_status s)
{
    return s == TOOL_COMPLETED || s == TOOL_FAILED;
}

#endif
