#ifndef MOCK_PROVIDER_ANTHROPIC_H
#define MOCK_PROVIDER_ANTHROPIC_H

#include "dialect.h"

/* Private to the dialect anthropic: its request side. */

/* The older version of the API; the newer one refuses more. */
#define ANTHROPIC_OLD_VERSION "2023-06-01"

/* Refuses what a strict server refuses (spec: dialects.md, sections 4 and 8). `neutral` gives the
 * headers. 0 or E_INVALID. */
int anthropic_check(const cJSON *body, const cJSON *neutral, struct fault *fault);
/* The part of it that is about messages. */
int anthropic_check_messages(const cJSON *body, struct fault *fault);
/* The options: thinking, sampling, tools, system. `had_calls`: the history has tool calls. */
int anthropic_check_options(const cJSON *body, bool had_calls, struct fault *fault);

/* Members of the neutral form, as far as the body allows. 0 or E_NOMEM. */
int anthropic_neutral(const cJSON *body, cJSON *neutral);

#define ANTHROPIC_SIGNATURE_SIZE 32
/* What signs a thought. */
void anthropic_signature(uint64_t signature, char text[ANTHROPIC_SIGNATURE_SIZE]);

#endif
