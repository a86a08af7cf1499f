#ifndef AGENT_LLM_OPENAI_H
#define AGENT_LLM_OPENAI_H

#include "agent/llm.h"

/* The reading half of the chat completions dialect; llm_openai_chat.c puts it into its row. */
struct llm_reader *llm_openai_reader_create(llm_text_cb on_text, void *ctx);

/* Both OpenAI dialects. */
struct jsonw;
void llm_openai_write_url(struct jsonw *w, const char *name, const struct media *m); /* data: */
int llm_openai_write_auth(const struct llm_target *to, struct buf *out);

#endif
