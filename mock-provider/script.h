#ifndef MOCK_PROVIDER_SCRIPT_H
#define MOCK_PROVIDER_SCRIPT_H

#include "http/httpd.h"
#include "shape.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A model's script (docs/mock-provider.md), checked and made ready to run. */

enum action_kind {
    ACTION_TEXT,
    ACTION_THOUGHT,
    ACTION_TOOL,
    ACTION_HOLD,
    ACTION_DELAY,
    ACTION_STALL,
    ACTION_CUT,
    ACTION_RESET,
    ACTION_RAW,
    ACTION_EVENT,
    ACTION_MALFORMED,
    ACTION_ERROR,
    ACTION_NO_DONE
};

struct action {
    enum action_kind kind;
    const cJSON *json;  /* the action's object, lent by the script */
    const cJSON *value; /* of the member that names the action */
    uint64_t repeat;    /* text, thought, raw: times; delay: ms */
    uint32_t fragments; /* tool */
    size_t hold;        /* index in script.holds */
};

enum finish {
    FINISH_DEFAULT, /* by what the reply did */
    FINISH_NONE,
    FINISH_STOP,
    FINISH_TOOL_CALLS,
    FINISH_LENGTH,
    FINISH_FILTER
};

struct usage {
    enum usage_mode { USAGE_DERIVED, USAGE_NONE, USAGE_GIVEN } mode;
    uint32_t input, output, cached, cache_write, thought;
};

enum chaos { CHAOS_NONE, CHAOS_LEGAL, CHAOS_HOSTILE };

struct turn {
    const cJSON *when, *expect; /* lent by the script; or NULL */
    const char *check;          /* or NULL */
    bool limited;               /* `left` counts */
    uint32_t left;              /* times it may still be used */
    struct action *actions;     /* owned */
    size_t action_n;
    enum finish finish;
    const char *finish_word; /* in the dialect's own words; or NULL */
    struct usage usage;
    bool plain; /* an HTTP answer by status and body instead of a reply */
    int status;
    const cJSON *body;            /* or NULL */
    struct httpd_header *headers; /* owned list; texts lent by the script */
    size_t header_n;
    struct shape wire;
    enum chaos chaos;
};

struct hold {
    const char *name; /* lent by the script */
    bool released;
};

struct script {
    cJSON *json;                   /* owned copy; everything above lends from it */
    cJSON *own_intents;            /* owned, or NULL */
    const cJSON *intents, *models; /* or NULL */
    const cJSON *servers;          /* MCP servers by name, or NULL; see mcp.c */
    struct shape wire;             /* of turns that have none of their own */
    enum chaos chaos;
    struct turn *turns;
    size_t turn_n;
    struct hold *holds;
    size_t hold_n;
};

/* Copies what it keeps. json NULL: the built-in script; intents NULL: the script's own. 0,
 * E_INVALID (err names the place: "turns[2].reply[0]: unknown action \"txt\"") or E_NOMEM. */
int script_create(const cJSON *json, const cJSON *intents, struct script **ret, char *err,
                  size_t err_n);
void script_destroy(struct script *s);

/* The hold of that name, or NULL. */
struct hold *script_hold(struct script *s, const char *name);

/* The member's name that names such an action. Static. */
const char *action_name(enum action_kind kind);

/* JSON text of the script that is used when none is given. */
const char *script_builtin(void);
const char *script_side(void); /* of side requests */

#endif
