#ifndef AGENT_LLM_READER_H
#define AGENT_LLM_READER_H

#include "agent/llm.h"
#include "agent/llm_calls.h"
#include "agent/llm_think.h"
#include "http/sse.h"

#include <cjson/cJSON.h>

/*
 * What the dialects' readers share: a body that is an event stream or one JSON object, errors
 * inside it, texts, calls in fragments, and what an end without an end mark means. A dialect brings
 * one function that takes one event.
 */
struct llm_format {
    const char *dialect;
    const char *noun; /* "chat completion": what an answer that is none was expected to be */
    /* One event of the stream, or the whole body. */
    void (*take)(struct llm_reader *r, const cJSON *root);
};

enum llm_body { LLM_BODY_UNKNOWN, LLM_BODY_STREAM, LLM_BODY_JSON };

struct llm_reader {
    llm_text_cb on_text;
    void *ctx;
    const struct llm_format *format;
    enum llm_body kind;
    struct sse sse;
    struct buf json; /* the body so far, if it is one JSON object */
    struct llm_think think;
    struct llm_calls calls;
    cJSON *kept;        /* owned; what has to go back unchanged with the calls: a list, or NULL */
    cJSON *open;        /* owned; the piece of it that is still being read, or NULL */
    int64_t counted[2]; /* tokens in and out, where they are told apart */
    enum llm_finish finish;
    struct llm_usage usage;
    struct llm_error error;
    long told; /* 1 + number of the item whose words came in pieces last; of dialects that repeat */
    bool refused, failed, done, saw_chunk;
    int rc; /* sticky: E_NOMEM */
};

/* The functions of a dialect's row; the first wants the dialect's own wrapper. */
struct llm_reader *llm_reader_create(const struct llm_format *format, llm_text_cb on_text,
                                     void *ctx);
int llm_reader_feed(struct llm_reader *r, const char *bytes, size_t n);
int llm_reader_finish(struct llm_reader *r, struct llm_reply *ret);
void llm_reader_destroy(struct llm_reader *r);

/* ---- for the takers ---------------------------------------------------------------------------*/

void llm_reader_fail(struct llm_reader *r, const char *text, bool retry);
void llm_reader_text(struct llm_reader *r, const char *text);    /* NULL and "" are nothing */
void llm_reader_thought(struct llm_reader *r, const char *text); /* the same */
/* A piece of the call with that number. Each of the texts may be NULL. */
void llm_reader_call(struct llm_reader *r, long index, const char *id, const char *name,
                     const char *args);

struct llm_finish_row {
    const char *wire;
    enum llm_finish finish;
};
/* What the reason comes to by the table; one that is not in it is a STOP; NULL and "" are nothing.
 * The table ends with a zeroed row. */
void llm_reader_end(struct llm_reader *r, const char *reason, const struct llm_finish_row *table);

/* ---- what goes back unchanged -----------------------------------------------------------------*/

/* Takes the item. */
void llm_reader_keep(struct llm_reader *r, cJSON *item);

/* What this dialect kept with these calls, as a list the caller owns; NULL if there is none. */
cJSON *llm_kept(const struct history_call *calls, size_t n, const char *dialect);

/* Writes the items of that list into the list w is in; nothing if there is none. */
struct jsonw;
void llm_write_kept(struct jsonw *w, const struct history_message *m, const char *dialect);

/* Is this `extra` what a dialect kept, and so nothing for another one? */
bool llm_is_kept(const char *extra);

#endif
