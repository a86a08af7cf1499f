#ifndef MOCK_PROVIDER_OPENAI_RESPONSES_H
#define MOCK_PROVIDER_OPENAI_RESPONSES_H

#include "dialect.h"

/* Private to the dialect openai-responses: its request side. */

/* Refuses what a strict server refuses (spec: dialects.md, sections 3 and 8). 0 or E_INVALID. */
int openai_responses_check(const cJSON *body, struct fault *fault);
/* The part of it that is about `input`; *ret_had_calls: there are calls in it. */
int openai_responses_check_input(const cJSON *body, bool *ret_had_calls, struct fault *fault);

/* Members of the neutral form, as far as the body allows. 0 or E_NOMEM. */
int openai_responses_neutral(const cJSON *body, cJSON *neutral);

/* True if `include` of the body asks for the reasoning to be returned. */
bool openai_responses_encrypts(const cJSON *body);

#define OPENAI_ENCRYPTED_SIZE 32
/* What stands for the encrypted reasoning. */
void openai_responses_encrypt(uint64_t signature, char text[OPENAI_ENCRYPTED_SIZE]);

#endif
