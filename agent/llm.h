#ifndef AGENT_LLM_H
#define AGENT_LLM_H

#include "agent/history.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a model API is to the agent: one request out, text and thoughts in as they come, and at the
 * end one reply. A dialect is one file and one row of llm_dialect.c;
 * nothing above it knows a wire name. No I/O here: llm_call.h moves the bytes.
 */

/* A tool as the model is told of it. schema: a JSON Schema object as text. All static. */
struct llm_tool {
    const char *name, *description, *schema;
};

struct llm_dialect;

/* Where requests of a session go. All lent. */
struct llm_target {
    const struct llm_dialect *dialect;
    const char *provider; /* "openai": for messages to people */
    const char *base;     /* "https://api.openai.com/v1", no slash at the end */
    const char *key;      /* "": none is sent */
    const char *model;
    unsigned input;              /* what it takes beside text: bits of enum media_kind */
    uint64_t context;            /* tokens the model's window has; 0: unknown */
    const char *effort;          /* how much to think, or NULL: the model's own way */
    const char *const *headers;  /* "Name: value", NULL-terminated; or NULL */
    const char *max_tokens_name; /* how this provider calls the limit */
    bool echo_thought;           /* thoughts go back with each message that called tools */
};

struct llm_request {
    const struct llm_target *to;
    const char *system;
    const struct history *history;
    const struct llm_tool *const *tools;
    size_t n_tools;
    uint32_t max_tokens; /* 0: the provider's default */
    uint64_t idle_ms;    /* silence that ends it; 0: never */
};

enum llm_text_kind { LLM_TEXT, LLM_THOUGHT };

/* Text as it comes, whole characters, n > 0. Lent for the call. */
typedef void (*llm_text_cb)(void *ctx, enum llm_text_kind kind, const char *p, size_t n);

enum llm_finish {
    LLM_FINISH_NONE,    /* the stream ended before its end mark */
    LLM_FINISH_STOP,    /* calls, if any, want to be run */
    LLM_FINISH_LENGTH,  /* the token limit; calls may be half and are not given out */
    LLM_FINISH_REFUSAL, /* the model or a filter refused */
    LLM_FINISH_FAILED   /* `error` says why */
};

struct llm_error {
    bool retry;       /* trying the same again may help */
    bool has_wait;    /* the provider named the time to wait */
    uint64_t wait_ms; /* valid if has_wait */
    long status;      /* HTTP status, or the code inside a 200; 0 if there is none */
    char text[512];   /* one line: the provider's own words, or ours about the connection */
};

/* What the provider counted. */
struct llm_usage {
    bool known;
    int64_t tokens; /* of the request, cached ones too, and of the reply */
};

struct llm_reply {
    enum llm_finish finish;
    struct history_call *calls; /* owned; names and arguments as they came, see llm_calls.h */
    size_t n_calls;
    struct llm_usage usage;
    struct llm_error error; /* valid if finish is LLM_FINISH_FAILED or LLM_FINISH_NONE */
};

void llm_reply_deinit(struct llm_reply *r);

/* Cuts white space, line breaks and length, so that provider text fits one line of a message. */
void llm_error_set(struct llm_error *e, const char *text);

struct llm_reader; /* the body of one answer being read; each dialect has its own */

struct llm_dialect {
    const char *name;
    const char *header; /* sent with each request, or NULL */
    /* Append to out. 0 or E_NOMEM. */
    int (*write_url)(const struct llm_target *to, struct buf *out);
    int (*write_auth)(const struct llm_target *to,
                      struct buf *out); /* one header line, or nothing */
    int (*write_body)(const struct llm_request *req, struct buf *out);

    /* Reads the body of a 200 answer, in any pieces, as an event stream or as one JSON object,
     * whichever it turns out to be. on_text is called from feed and finish. NULL: out of memory. */
    struct llm_reader *(*reader_create)(llm_text_cb on_text, void *ctx);
    /* 1: the answer is whole (its end mark came), whatever may follow. 0: go on. E_NOMEM. */
    int (*reader_feed)(struct llm_reader *r, const char *bytes, size_t n);
    /* What it came to; call once, at the end of the body or after feed said 1. Fills *ret also on
     * failure (E_NOMEM). */
    int (*reader_finish)(struct llm_reader *r, struct llm_reply *ret);
    void (*reader_destroy)(struct llm_reader *r);

    /* The body of an answer with another status than 200. */
    void (*read_error)(long status, const char *body, size_t n, struct llm_error *ret);
};

extern const struct llm_dialect llm_openai_chat, llm_openai_responses, llm_anthropic, llm_gemini;

/* The members that tell a model of a tool; only the schema's name is the dialect's. */
struct jsonw;
void llm_write_tool(struct jsonw *w, const struct llm_tool *tool, const char *schema_name);

/* The dialect of that name, or NULL. */
const struct llm_dialect *llm_find_dialect(const char *name);
/* Their names, for messages. Append: 0 or E_NOMEM. */
int llm_list_dialects(struct buf *out);

#endif
