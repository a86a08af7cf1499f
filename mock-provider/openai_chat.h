#ifndef MOCK_PROVIDER_OPENAI_CHAT_H
#define MOCK_PROVIDER_OPENAI_CHAT_H

#include "dialect.h"

/* Private to the dialect openai-chat: its request side. */

/* Refuses what a strict server refuses (spec: dialects.md, section 8). 0 or E_INVALID. */
int openai_chat_check(const cJSON *body, struct fault *fault);

/* Members of the neutral form, as far as the body allows. 0 or E_NOMEM. */
int openai_chat_neutral(const cJSON *body, cJSON *neutral);

#endif
