#ifndef MOCK_CLIENT_CHAT_PRINT_H
#define MOCK_CLIENT_CHAT_PRINT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What the dialogue shows. On a terminal: answers, thoughts, tool calls, plans, with what could
 * steer the terminal taken out. In a pipe: the agent's words and nothing else.
 */
struct chat_print {
    bool terminal;    /* stdout is one */
    bool json;        /* print nothing but messages, as they came */
    bool mid_line;    /* something stands on the line */
    const char *kind; /* of the chunk printed last, static; NULL: none */
};

void chat_print_init(struct chat_print *o, bool json);
/* params.update of a session/update. */
void chat_print_update(struct chat_print *o, const cJSON *update);
/* A permission request's question and numbered options. */
void chat_print_question(struct chat_print *o, const cJSON *params);
void chat_print_end_of_turn(struct chat_print *o, const char *stop_reason);
/* "> " on a terminal. */
void chat_print_prompt(struct chat_print *o);
/* A message as it came, if json was asked for. */
void chat_print_message(struct chat_print *o, const char *line, size_t n);
/* A sentence on stderr. */
void chat_print_trouble(struct chat_print *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
