#ifndef MOCK_PROVIDER_INTERNAL_H
#define MOCK_PROVIDER_INTERNAL_H

#include "base/buf.h"
#include "base/list.h"
#include "dialect.h"
#include "gzip.h"
#include "http/httpd.h"
#include "provider.h"
#include "script.h"
#include "verdict.h"

/* Private to mock-provider/: the server, its replies, its journal, its control endpoint. */

#define PROVIDER_EVENT_KINDS (PROVIDER_SERVER + 1)

/* What a request of the server belongs to: first member of what httpd_user points to. */
struct exchange {
    void (*on_over)(struct exchange *x, bool complete);
    void (*on_drain)(struct exchange *x);
};

struct provider {
    uv_loop_t *loop;     /* lent */
    struct httpd *httpd; /* NULL once closed */
    struct script *script;
    struct script *side; /* answers side requests; NULL: they are as any other */
    struct provider_ops ops;
    void *ctx;
    uint64_t seed, started_at;
    unsigned requests, side_requests;
    unsigned open; /* the server, and one timer per exchange that has one */
    bool control, closing;
    struct verdict verdict;
    struct mcp_server *servers; /* owned; mcp.c */
    size_t server_n;
    struct list replies; /* struct reply.node */
    struct list waiters; /* struct waiter.node: control requests that wait for events */
    uint64_t seq;        /* of the last journal line */
    struct buf line;     /* scratch */
    struct buf journal;  /* the last lines, if control */
    unsigned counts[PROVIDER_EVENT_KINDS];
};

/* One of the things counted in p->open is closed. May free p: the last thing to do. */
void provider_closed_one(struct provider *p);

/* --- events.c --- */

/* True if anybody would notice an event: its text need not be made otherwise. */
bool provider_listens(const struct provider *p);
void provider_emit(struct provider *p, const struct provider_event *event);
void provider_emit_text(struct provider *p, enum provider_event_kind kind, unsigned n,
                        const char *text);

/* --- mcp.c --- */

/* From the script. 0 or E_NOMEM. */
int mcp_init(struct provider *p);
void mcp_deinit(struct provider *p);
bool mcp_owns(const char *path);
void mcp_request(struct provider *p, struct httpd_req *req);

/* --- control.c --- */

bool control_owns(const char *path);
void control_request(struct provider *p, struct httpd_req *req);
/* Answers the waiters whose event has come. */
void control_notice(struct provider *p);

/* --- choose.c --- */

/* The turn for this request, its use counted. NULL: none, and text says which was nearest. */
struct turn *choose_turn(struct script *s, const cJSON *neutral, char *text, size_t n);
/* The first with a condition that holds; NULL if there is none. Uses nothing up. */
struct turn *choose_matching(const struct script *s, const cJSON *neutral);
/* The turn of p->side for a request beside the conversation; NULL if it is none, or the script has
 * a turn of its own for it (one whose condition is about its tools or its system prompt). */
const struct turn *choose_side(const struct provider *p, const cJSON *neutral);
/* True if the turn's expectation holds (or there is none); text says where it does not. */
bool expectation_holds(const struct script *s, const struct turn *turn, const cJSON *neutral,
                       char *text, size_t n);

/* --- request.c --- */

/* The neutral form of a model call. 0; E_INVALID with *fault (*ret is filled all the same);
 * E_NOMEM. The caller owns *ret. */
int request_read(const struct dialect *d, const struct httpd_req *req, unsigned n, cJSON **ret,
                 struct fault *fault);

/* Adds its headers as a member of obj, names in lower case, keys redacted. 0 or E_NOMEM. */
int request_add_headers(cJSON *obj, const struct httpd_req *req);

/* --- tool.c --- */

/* A tool action with its intent resolved. */
struct tool_use {
    struct call call;
    struct buf args; /* owned */
};

/* 0 or E_NOMEM. tool_use_deinit either way. */
int tool_use_init(struct tool_use *t, const struct script *s, const struct action *a,
                  struct writer *w);
void tool_use_deinit(struct tool_use *t);

/* --- reply.c, play.c --- */

enum reply_state {
    REPLY_RUNNING,
    REPLY_HELD,    /* at a hold */
    REPLY_DELAYED, /* by a delay */
    REPLY_FULL,    /* the caller is slower than we */
    REPLY_STALLED, /* for good */
    REPLY_ENDED    /* everything was handed to the server */
};

/* What is to happen once everything written has left. */
enum send_end { SEND_OPEN, SEND_END, SEND_CUT, SEND_RESET };

/* The replies to side requests are numbered from here: they are not told event by event. */
enum { SIDE_N = 1 << 30 };

struct reply {
    struct exchange exchange;
    struct list node;
    struct provider *p;
    struct httpd_req *req; /* lent until on_over */
    const struct dialect *dialect;
    cJSON *neutral; /* owned */
    unsigned n;
    const struct turn *turn; /* lent by the script; NULL: refused or missed */
    enum reply_state state;
    uv_timer_t timer;
    uv_timer_t pace;
    unsigned handles; /* of the two that are open */
    /* where in the script */
    size_t action;    /* index */
    bool announced;   /* its event was emitted */
    size_t element;   /* of a text array */
    uint64_t round;   /* of a repetition */
    struct buf cycle; /* one round of a repetition, ready to be copied */
    /* what was written */
    struct writer writer;
    struct buf out; /* not yet handed to the server */
    bool begun;     /* the head was */
    struct shape shape;
    struct shape_run wire;
    struct buf shaped; /* what went through the shape; owned */
    struct buf framed; /* scratch of send.c; owned */
    struct gzip gzip;
    size_t sent; /* of it */
    enum send_end send_end;
    bool streamed;
    bool no_done;
    bool raw_body; /* not streamed: `out` is the body */
    bool called;   /* a tool */
    struct whole whole;
    cJSON *calls;    /* of whole; owned */
    size_t output_n; /* bytes of text, thought and arguments */
    size_t thought_n;
};

/* Takes the request: it is answered. */
void reply_start(struct provider *p, const struct dialect *d, struct httpd_req *req);
/* Has it go on at its hold, on the next turn of the loop. */
void reply_release(struct reply *r);

/* Runs the script until it has to wait. */
void play(struct reply *r);
/* Goes on with the action it waited in, or with the one after it. */
void reply_resume(struct reply *r);
void reply_resume_after(struct reply *r);

/* --- send.c --- */

/* The head of an answer with this status; the turn's headers and shape apply. */
void send_begin(struct reply *r, int status, const char *type);
/* A piece of the body, through the shape. A stream's bytes are looked at event by event. */
void send_bytes(struct reply *r, const char *p, size_t n, bool stream);
/* The end, once everything has left. Nothing may be sent after it. */
void send_finish(struct reply *r, enum send_end how);
/* More than HTTPD_HIGH bytes wait. */
bool send_is_full(const struct reply *r);
/* True if the shape ended the answer as the script wants it. */
bool send_is_cut(const struct reply *r);
/* True if it has it hang. */
bool send_is_stalled(const struct reply *r);

/* --- finish.c --- */

/* What a reply costs, as far as it is known: the turn's word, or derived from what was read and
 * written so far. */
struct usage finish_usage(const struct reply *r);
/* Tokens in a request's neutral form. */
size_t finish_count(const cJSON *neutral);

/* Streamed replies: hands what was written to the server, the head first. */
void reply_flush(struct reply *r);
void reply_end(struct reply *r);
/* An error answer instead of a reply. 0 or E_NOMEM. */
int finish_fault(struct reply *r, const struct fault *fault);
/* The answer of a turn with a status or body. 0 or E_NOMEM. */
int finish_plain(struct reply *r);
/* The end of a reply that is streamed, or all of one that is not. 0 or E_NOMEM. */
int finish_stream(struct reply *r);
int finish_whole(struct reply *r);
/* Writes into r->out what finish_whole would send. 0 or E_NOMEM. */
int finish_whole_body(struct reply *r);

#endif
