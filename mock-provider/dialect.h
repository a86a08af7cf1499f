#ifndef MOCK_PROVIDER_DIALECT_H
#define MOCK_PROVIDER_DIALECT_H

#include "base/buf.h"
#include "script.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One model API on the wire. A dialect is one table in one dialect_<name>.c: it reads requests into
 * the neutral form and writes what a script says; everything else knows no dialect. Its functions
 * are pure: JSON in, bytes out.
 */

struct jsonw;

/* Why a request is answered with an error, in words every dialect has a place for. */
struct fault {
    int status;
    char text[512];
    char param[96];   /* "messages[2].tool_calls"; or "" */
    const char *type; /* the dialect's own word, or NULL: by status */
    const char *code; /* or NULL */
};

enum route {
    ROUTE_NONE,         /* no such path */
    ROUTE_REPLY,        /* a model call */
    ROUTE_MODELS,       /* the list of models */
    ROUTE_COUNT,        /* the number of tokens in a request */
    ROUTE_WRONG_METHOD, /* the path is there for another method */
};

/* One tool call as the script gave it. */
struct call {
    char id[48];
    const char *name; /* lent */
    const char *args; /* JSON text, or what the script wants there; lent */
    size_t args_n;
    uint32_t fragments;
};

/* A reply while it is written. */
struct writer {
    struct buf *out;      /* lent */
    const cJSON *request; /* neutral, lent */
    uint64_t seed;
    unsigned n;         /* number of the request */
    unsigned quirks;    /* enum shape_quirk */
    struct usage usage; /* as far as it is known at the start; mode NONE: none is told */
    bool started;
    unsigned calls;     /* written so far; counted by the caller of `call` */
    unsigned block;     /* index of the open block, in dialects that have blocks */
    int open;           /* its kind in the dialect's own terms; 0: none is open */
    uint64_t signature; /* of what was thought so far: dialect_sign */
    unsigned events;    /* sent so far, in dialects that number them */
    struct buf said;    /* what the open block holds, in dialects that say it again; owned */
    struct buf items;   /* the closed blocks, likewise: JSON, joined by commas; owned */
    struct buf prefix;  /* what every event begins with; owned */
    struct buf event;   /* scratch; owned */
};

/* How a reply ends. */
struct ending {
    enum finish finish; /* never FINISH_DEFAULT */
    const char *word;   /* the script's own, instead of the dialect's; or NULL */
    bool has_usage;
    struct usage usage; /* filled, whatever its mode */
    bool done_mark;
};

/* A reply that is not streamed. */
struct whole {
    struct buf text, thought; /* owned by the caller */
    const cJSON *calls;       /* [{"id", "name", "args": JSON text}] */
    struct ending end;
};

struct dialect {
    const char *name;
    const char *stream_type; /* content type of a stream */
    bool
        counted; /* events carry numbers or are added up: none may be sent a second time as it is */
    /* A header that its callers alone send: decides about paths that two dialects own. Or NULL. */
    const char *mark;
    /* An event that breaks off, without its framing. */
    const char *malformed;
    /* True if errors on this path are given in this dialect's form. */
    bool (*owns)(const char *path);
    enum route (*route)(const char *method, const char *path);
    /* Adds model, stream, system, messages, last, tools, usage_wanted to the neutral request, which
     * holds dialect, n, path and headers already. 0,
     * E_INVALID with *fault (the API would refuse this request) or E_NOMEM; what could be read is
     * there either way. */
    int (*read)(const cJSON *body, cJSON *neutral, struct fault *fault);
    /* All below: 0 or E_NOMEM. */
    int (*write_fault)(struct buf *out, const struct fault *fault);
    int (*write_models)(struct buf *out, const cJSON *names);
    int (*write_count)(struct buf *out, size_t tokens); /* NULL: it never gives ROUTE_COUNT */
    int (*text)(struct writer *w, const char *text, size_t n);
    int (*thought)(struct writer *w, const char *text, size_t n);
    int (*call)(struct writer *w, const struct call *call);
    int (*error)(struct writer *w, const struct fault *fault);
    int (*event)(struct writer *w, const char *json, size_t n);
    int (*end)(struct writer *w, const struct ending *end);
    int (*whole)(struct writer *w, const struct whole *whole);
};

/* The dialect's word for an ending, by enum finish, unless the script gave its own. NULL: none. */
const char *dialect_finish_word(const struct ending *e, const char *const words[]);

extern const struct dialect dialect_openai_chat;
extern const struct dialect dialect_openai_responses;
extern const struct dialect dialect_anthropic;
extern const struct dialect dialect_gemini;

/* The dialect that answers this request; the first one for a path nobody owns. */
const struct dialect *dialect_for(const struct httpd_req *req);

/* True if the path, its query left out, is `want` with /v1 before it or without: base URLs differ
 * in where they put it. */
bool dialect_is_path(const char *path, const char *want);

/* A number that looks random and depends on nothing but the three. */
uint64_t dialect_hash(uint64_t seed, unsigned n, unsigned what);

/* A signature goes on through this; it starts at 0. What a model thought must come back unchanged:
 * the request's checks compute the same number. Never 0 for a text that is not empty. */
uint64_t dialect_sign(uint64_t signature, const char *text, size_t n);

/* Where part `part` of the arguments begins when they are cut into c->fragments: never in the
 * middle of a character, so that each event is valid UTF-8 by itself. */
size_t dialect_cut(const struct call *c, uint32_t part);

/* An event with a line that names its type. 0 or E_NOMEM. */
int dialect_send(struct buf *out, const char *type, const char *json, size_t n);
/* The same with the type its JSON has: the line says what the data says. `fallback` for what has
 * none, so that callers who go by the line look at it. */
int dialect_send_typed(struct writer *w, const char *fallback, const char *json, size_t n);

/* A call's arguments as a JSON value: what is no JSON goes as a string. */
void dialect_write_args(struct jsonw *w, const char *args);

/* Fills status, text and param of a fault and returns E_INVALID. */
int fault_set(struct fault *f, int status, const char *param, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
