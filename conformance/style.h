#ifndef CONFORMANCE_STYLE_H
#define CONFORMANCE_STYLE_H

#include "conformance/verdict.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

struct buf;

/* Colours for terminals, nothing for everything else. */
enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_RED,
    STYLE_GREEN,
    STYLE_YELLOW,
    STYLE_BLUE,
    STYLE_CYAN
};

/* True if the stream is a terminal that takes colours and NO_COLOR is not set. */
bool style_wanted(FILE *f);

/* The escape that begins a style; "" if on is false. Static. style_end() ends all of them. */
const char *style_begin(bool on, enum style s);
const char *style_end(bool on);

enum style style_of(enum verdict v);

/* Appends the text in the style. 0 or E_NOMEM. */
int style_add(struct buf *out, bool on, enum style s, const char *text);

/* Appends foreign text on one line: control characters become spaces, what is longer than max
 * bytes is cut at a character and ends in "…". 0 or E_NOMEM. */
int style_add_line(struct buf *out, const char *text, size_t n, size_t max);

/* The same with a JSON value in its shortest form. */
int style_add_json(struct buf *out, const cJSON *json, size_t max);

#endif
