#ifndef AGENT_PATTERN_H
#define AGENT_PATTERN_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Regular expressions (PCRE2) and file name patterns, compiled. A match has a limit to its work and
 * memory, so no pattern holds its thread for long.
 */
struct pattern;

#define PATTERN_MAX 4096u /* bytes of one */

/* What is wrong with one, and where: bytes from its beginning. */
struct pattern_error {
    size_t at;
    char text[200];
};

/* The text is UTF-8; what it is matched with may be anything. 0, E_NOMEM, or E_PARSE with *err
 * filled. */
int pattern_compile(const char *text, struct pattern **ret, struct pattern_error *err);

/* For paths without a slash at the beginning, compared as bytes. `*` and `?` and [a-z] match no
 * slash; a part `**` stands for any number of folders; with braces, {a,b} is a choice. Without a
 * slash in it, it is about names, wherever they are; one at its beginning only says that it is not.
 */
int pattern_compile_glob(const char *text, bool braces, struct pattern **ret,
                         struct pattern_error *err);

/* The regular expression that a name pattern comes to. 0 or E_NOMEM. */
int pattern_glob_to_regex(const char *text, bool braces, struct buf *out);

/* Is it somewhere in the text? 1, 0, E_TOOBIG (given up: too much work) or E_NOMEM. */
int pattern_match(struct pattern *p, const char *text, size_t n);

/* Accepts NULL. */
void pattern_destroy(struct pattern *p);

#endif
