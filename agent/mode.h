#ifndef AGENT_MODE_H
#define AGENT_MODE_H

#include "acp/methods.h"

#include <stdbool.h>

/*
 * The choices of a session that are closed sets. X(id, wire name, name for people, description)
 */

/* How agent and user work together. */
#define MODES(X)                                                                                   \
    X(MODE_NORMAL, "normal", "Normal", "Answers, and changes files if asked to.")                  \
    X(MODE_PLAN, "plan", "Plan", "Looks and thinks, changes nothing, and ends with a plan.")       \
    X(MODE_GOAL, "goal", "Goal", "Goes on by itself until what was asked for is done.")

/* How much work goes into an answer. */
#define WORKS(X)                                                                                   \
    X(WORK_ECONOMY, "economy", "Economy", "Short answers, little thinking.")                       \
    X(WORK_BALANCED, "balanced", "Balanced", "As the model does it by itself.")                    \
    X(WORK_DELIVERY, "delivery", "Delivery", "Keeps to a plan and checks what it did.")

/* Which tools ask first. */
#define APPROVALS(X)                                                                               \
    X(APPROVAL_ASK, "ask", "Ask", "Every change and every command asks first.")                    \
    X(APPROVAL_AUTO, "auto", "Auto", "Changes inside the workspace run, all else asks.")           \
    X(APPROVAL_YOLO, "yolo", "Yolo", "Nothing asks.")

#define X(id, word, name, description) id,
enum mode { MODES(X) MODE_COUNT };
enum work { WORKS(X) WORK_COUNT };
enum approval { APPROVALS(X) APPROVAL_COUNT };
#undef X

/* What people and clients read of one choice. Static. */
struct choice {
    const char *value, *name, *description;
};

const struct choice *mode_choice(enum mode m);
const struct choice *work_choice(enum work w);
const struct choice *approval_choice(enum approval a);

/* The choice of that wire name, -1 if none. */
int mode_find(const char *value);
int work_find(const char *value);
int approval_find(const char *value);

/* What a mode means, where it differs from `was`: a note for the model, never shown. NULL: nothing
 * to say. Static. */
const char *mode_note(enum mode is, enum mode was);
const char *work_note(enum work is, enum work was);

/* Does this mode refuse a tool of that kind? NULL: no; else what model and client are told. */
const char *mode_refusal(enum mode m, enum acp_tool_kind kind);

#endif
