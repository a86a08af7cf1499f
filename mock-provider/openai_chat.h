#ifndef MOCK_PROVIDER_OPENAI_CHAT_H
#define MOCK_PROVIDER_OPENAI_CHAT_H

#include "dialect.h"
#include "json/jsonw.h"

/* Private to the dialect openai-chat: its request side. */

/* Refuses what a strict server refuses (spec: dialects.md, section 8). 0 or E_INVALID. */
int openai_chat_check(const cJSON *body, struct fault *fault);

/* Members of the neutral form, as far as the body allows. 0 or E_NOMEM. */
int openai_chat_neutral(const cJSON *body, cJSON *neutral);

/* What events and whole answers have in common. */
void openai_chat_write_identity(struct writer *w, struct jsonw *j, const char *object);
void openai_chat_write_usage(struct jsonw *j, const struct usage *u);
const char *openai_chat_finish_word(const struct ending *e);

/* 0 or E_NOMEM. */
int openai_chat_write_whole(struct writer *w, const struct whole *whole);

#endif
