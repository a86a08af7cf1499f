#ifndef MOCK_PROVIDER_OPENAI_RESPONSES_ITEMS_H
#define MOCK_PROVIDER_OPENAI_RESPONSES_ITEMS_H

#include "dialect.h"
#include "json/jsonw.h"

/* Private to the dialect openai-responses: what its events and its whole answers hold. */

/* The kinds of output items. */
enum output_item { ITEM_NONE, ITEM_TEXT, ITEM_THOUGHT, ITEM_CALL };

/* Everything an item says, at its start (empty) or at its end. */
struct said {
    enum output_item kind;
    unsigned index;   /* output_index */
    const char *text; /* of a message, a thought, or a call's arguments */
    size_t n;
    const char *id, *name; /* of a call */
    bool done;
};

/* How a response stands: in progress (end NULL), ended, or failed. */
struct standing {
    const struct ending *end;
    const struct fault *fault;
};

/* Of an item, or with ITEM_NONE of the response. */
void responses_make_id(const struct writer *w, enum output_item kind, unsigned index, char id[32]);
/* The one part of a message, of a reasoning's summary. */
void responses_write_part(struct jsonw *j, const char *text, size_t n);
void responses_write_summary_part(struct jsonw *j, const char *text, size_t n);
void responses_write_item(struct writer *w, struct jsonw *j, const struct said *s);
void responses_write_response(struct writer *w, struct jsonw *j, const struct standing *s);
/* Adds a finished item to those that the response has at its end. 0 or E_NOMEM. */
int responses_keep_item(struct writer *w, const struct said *s);

#endif
