#ifndef AGENT_MEDIA_H
#define AGENT_MEDIA_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* Images and sounds of a prompt, for models that take them. */
enum media_kind { MEDIA_IMAGE = 1u << 0, MEDIA_AUDIO = 1u << 1 }; /* also bits of a set */

struct media {
    enum media_kind kind;
    char *type; /* owned; "image/png" */
    char *data; /* owned; base64 */
};

/* A list; a zeroed struct is empty. */
struct media_list {
    struct media *items; /* owned */
    size_t n;
};

void media_deinit(struct media_list *l);

/* "image", "audio": the type of their content blocks. */
const char *media_kind_name(enum media_kind kind);
/* The kind of that name; 0: none. */
unsigned media_kind_find(const char *name);

/* Checks a block's mimeType and data: models take few formats, and refuse a whole conversation for
 * one picture they cannot read. 0, E_NOMEM, or E_INVALID: *ret_why (static) says what is wrong. */
int media_check(enum media_kind kind, const char *type, const char *data, const char **ret_why);

/* What a model is told that does not take it. Static. */
const char *media_placeholder(enum media_kind kind);

/* Those of a list of content blocks as JSON text (the `shown` of a prompt); others are skipped.
 * 0 or E_NOMEM. */
int media_read(const char *blocks, struct media_list *ret);

#endif
