#ifndef AGENT_PROMPT_H
#define AGENT_PROMPT_H

#include "json/json.h"

#include <stddef.h>

/*
 * The content blocks of session/prompt -> the text of one user message. Links and resources are
 * mentioned where they stand and their contents follow at the end. Images and sounds go beside the
 * text: media_read finds them in `shown`.
 */
enum prompt_kind { PROMPT_TEXT, PROMPT_LINK, PROMPT_RESOURCE, PROMPT_MEDIA };

struct prompt_part {
    enum prompt_kind kind;
    char *text;  /* owned; the text, or the contents of a link or resource, NULL if unknown */
    char *typed; /* owned; what the user wrote where `text` stands for it; NULL: the text */
    char *name;  /* owned; links, resources, media ("image") */
    char *uri;   /* owned; links and resources */
    char *path;  /* owned; links to files: what to read. Read text goes into `text` */
    char *note;  /* owned; why there are no contents, or that they are cut; NULL: nothing to say */
};

/* A zeroed struct is valid and empty. */
struct prompt {
    struct prompt_part *parts; /* owned */
    size_t n;
    char *shown; /* owned; the client's own blocks as JSON, to show them again */
};

void prompt_deinit(struct prompt *p);

/* Reads params.prompt, or the older params.content where prompt is absent or empty. Text, links,
 * embedded resources and media of the kinds in `input` (bits) are taken; everything else, and a
 * prompt without any content, is E_INVALID with the block named in err. E_NOMEM. *ret is filled
 * only on success. */
int prompt_read(const cJSON *params, unsigned input, struct prompt *ret, struct json_error *err);

/* A JSON array of blocks that prompt_read took. The caller frees it; NULL: out of memory. */
char *prompt_write_shown(const cJSON *blocks);

/* Puts a text in place of the first part's, which is text. 0 or E_NOMEM. */
int prompt_replace(struct prompt *p, const char *text);

/* The user message. The caller frees it; NULL: out of memory. */
char *prompt_render(const struct prompt *p);

#endif
