#ifndef AGENT_LLM_ERROR_H
#define AGENT_LLM_ERROR_H

#include "agent/llm.h"

#include <cjson/cJSON.h>
#include <time.h>

/*
 * Errors of model APIs, as they really come: the common JSON forms, plain text and HTML pages, and
 * the time to wait in its several spellings.
 */

/* The error inside a JSON answer (also inside a 200 one). false: there is none. Fills text, status
 * (if a code is given, else `status` is kept) and retry. */
bool llm_error_in_json(const cJSON *root, struct llm_error *e);

/* The same of an error object that is known to be one, and the object it stands in. */
void llm_error_take(const cJSON *error, const cJSON *root, struct llm_error *e);

/* From a whole error body of any kind. */
void llm_error_from_body(long status, const char *body, size_t n, struct llm_error *ret);

/* Is this status worth another try? */
bool llm_error_is_transient(long status);

/* Reads "1500" (milliseconds), or "2", "0.5", or an HTTP date, relative to `now`; NULL: absent.
 * Milliseconds win. A date in the past counts as none. */
void llm_error_read_wait(struct llm_error *e, const char *ms, const char *after, time_t now);

#endif
