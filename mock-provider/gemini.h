#ifndef MOCK_PROVIDER_GEMINI_H
#define MOCK_PROVIDER_GEMINI_H

#include "dialect.h"

/* Private to the dialect gemini: its request side. */

/* Refuses what a strict server refuses (spec: dialects.md, sections 5 and 8). `neutral` gives path
 * and headers. 0 or E_INVALID. */
int gemini_check(const cJSON *body, const cJSON *neutral, struct fault *fault);
/* The part of it that is about contents; *ret_had_calls: there are calls in them. */
int gemini_check_contents(const cJSON *body, bool *ret_had_calls, struct fault *fault);

/* Members of the neutral form, as far as path and body allow. 0 or E_NOMEM. */
int gemini_neutral(const cJSON *body, cJSON *neutral);

/* A member by its name; written_like_this counts, too, as it does for the real server. */
const cJSON *gemini_get(const cJSON *obj, const char *camel);
/* The member of a part that says what it is: "text", "functionCall", ...; NULL if it has none. */
const char *gemini_part_kind(const cJSON *part);

/* The method at a path's end, "generateContent", and the length of its name; NULL if it has none.
 */
const char *gemini_method(const char *path, size_t *ret_n);
bool gemini_is_method(const char *path, const char *want);

#define GEMINI_SIGNATURE_SIZE 32
/* What signs the first call of a reply. */
void gemini_signature(const char *name, char text[GEMINI_SIGNATURE_SIZE]);

#endif
