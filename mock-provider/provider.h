#ifndef MOCK_PROVIDER_PROVIDER_H
#define MOCK_PROVIDER_PROVIDER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/*
 * A fake model API on 127.0.0.1 that answers from a script (docs/mock-provider.md). A library, so
 * that the conformance runner hosts one per running case on its own loop; acp-mock-provider is a
 * main() around it.
 */
struct provider;

enum provider_event_kind {
    PROVIDER_REQUEST, /* a request arrived; `request` is its neutral form */
    PROVIDER_PART,    /* an action of the script is being sent; `action` names it, `text` is what it
                         carries (a text: whole, repetitions included; a tool call: name, space,
                         arguments) */
    PROVIDER_HOLD,    /* the script waits at hold `text` */
    PROVIDER_RELEASE, /* and goes on */
    PROVIDER_DONE,    /* the reply was sent to its end */
    PROVIDER_GONE,    /* the caller hung up before that */
    PROVIDER_MISS,    /* no turn for this request; `text` says what differed */
    PROVIDER_UNDECLARED, /* the script calls tool `text` that the request did not declare */
    PROVIDER_MISMATCH,   /* a turn's `expect` did not hold; `text` says where, `check` whom to blame
                          */
    PROVIDER_REFUSED, /* the request breaks the API's rules (broken JSON, no messages, a tool call
                         without its answer, unknown path); answered 4xx, `text` says what is wrong.
                         Uses up no turn */
    /* a request that is no model call, or none of the conversation's, was answered; `text`:
     * "GET /v1/models" */
    PROVIDER_SIDE,
    /* a request reached one of the script's MCP servers; `request` is {"server", "http" (its HTTP
     * method), "headers", "message" (null: none)} */
    PROVIDER_SERVER
};

struct provider_event {
    enum provider_event_kind kind;
    unsigned n;           /* which model call, from 1; 0: none */
    const cJSON *request; /* neutral form of that request, lent; NULL if it has none */
    const char *text;     /* lent, or NULL */
    const char *check;    /* the turn's check id, or NULL */
    const char *action;   /* of a part: "text", "thought", "tool", ...; or NULL */
};

struct provider_options {
    int port; /* 0: a free one */
    uint64_t seed;
    const cJSON *script;  /* copied; NULL: the built-in script */
    const cJSON *intents; /* copied; NULL: the script's own */
    /* Titles, suggestions and the like are answered by rule (side.json): no turn of the script is
     * used, and "side" is the only event. */
    bool side;
    bool verdict; /* watch the caller: provider_verdict */
    bool control; /* serve /_control/ (docs/mock-provider.md) */
};

struct provider_ops {
    void (*on_event)(void *ctx, const struct provider_event *event); /* may be NULL */
    /* May be NULL. The same event as a line of the journal, LF included; lent. */
    void (*on_line)(void *ctx, const char *line, size_t n);
    void (*on_closed)(void *ctx); /* the last call */
};

/* "request", "part", ... as in the journal. */
const char *provider_event_name(enum provider_event_kind kind);

/* Checks a script without running it. 0 or E_INVALID with a sentence that names the place
 * ("turns[2].reply[0]: unknown action \"txt\"") in err. */
int provider_check_script(const cJSON *script, char *err, size_t err_n);

/* The script is checked. 0; E_INVALID (provider_check_script tells why), E_NOMEM or libuv's code
 * (then nothing is ever called, but the loop has to run one turn more). */
int provider_open(uv_loop_t *loop, const struct provider_options *options,
                  const struct provider_ops *ops, void *ctx, struct provider **ret);
int provider_port(const struct provider *p);
unsigned provider_requests(const struct provider *p); /* how many arrived so far */
/* Lets the script go on at this hold, or not wait there when it comes to it. The events it leads to
 * come on the next turn of the loop. 0, or E_NOTFOUND: the script has no such hold. */
int provider_release(struct provider *p, const char *hold);
/* What is to be said against the caller, [{"rule", "n", "text"}], empty if nothing is; lent until
 * provider_close. Call once, at the end: turns that were not used and tool calls without result
 * count from then on. NULL if options.verdict was false. */
const cJSON *provider_verdict(struct provider *p);
/* Ends all replies (event "gone") and connections; on_closed is the last call. Idempotent. */
void provider_close(struct provider *p);

#endif
