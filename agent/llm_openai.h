#ifndef AGENT_LLM_OPENAI_H
#define AGENT_LLM_OPENAI_H

#include "agent/llm.h"

/* The reading half of the chat completions dialect; llm_openai_chat.c puts it into its row. */
struct llm_reader *llm_openai_reader_create(llm_text_cb on_text, void *ctx);
int llm_openai_reader_feed(struct llm_reader *r, const char *bytes, size_t n);
int llm_openai_reader_finish(struct llm_reader *r, struct llm_reply *ret);
void llm_openai_reader_destroy(struct llm_reader *r);

#endif
