#ifndef MOCK_PROVIDER_OPENAI_H
#define MOCK_PROVIDER_OPENAI_H

#include "dialect.h"

/* Private to the dialects openai-chat and openai-responses. */

/* Plus the number of the request: no clock, so that reruns are equal. */
#define OPENAI_CREATED 1735689600

/* 0 or E_NOMEM. */
int openai_write_fault(struct buf *out, const struct fault *fault);
int openai_write_models(struct buf *out, const cJSON *names);

/* The words OpenAI and its compatibles use for a status, where the fault has none. */
void openai_fault_words(struct fault *f);

/* A function declared strict has a schema that leaves nothing open. 0 or E_INVALID. */
int openai_check_strict(const cJSON *function, const char *schema, struct fault *f);

#endif
