#ifndef MOCK_PROVIDER_NEUTRAL_H
#define MOCK_PROVIDER_NEUTRAL_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * What the dialects build the neutral form of a request from (docs/mock-provider.md). All but the
 * last return 0 or E_NOMEM, and accept NULL where a request may lack something.
 */

/* Takes item. */
int neutral_add(cJSON *obj, const char *name, cJSON *item);
int neutral_append(cJSON *array, cJSON *item);
/* A string member; none if text is NULL. */
int neutral_add_string(cJSON *obj, const char *name, const char *text);

/* What keeps a content part out of the text: "thinking" is no text. NULL allows all. */
typedef bool (*neutral_is_text)(const cJSON *part);

/* Adds `name`: a content's text, the texts of its parts joined by LF. A string is itself. */
int neutral_add_text(cJSON *obj, const char *name, const cJSON *content, neutral_is_text is_text);
/* Adds `parts`, the types of the parts, if the content is an array. */
int neutral_add_parts(cJSON *m, const cJSON *content);
/* Adds a call to m's "tool_calls". args is taken; NULL becomes null. */
int neutral_add_call(cJSON *m, const char *id, const char *name, cJSON *args);
/* The same with arguments that are JSON text; what does not parse is null. */
int neutral_add_call_text(cJSON *m, const char *id, const char *name, const char *args);

/* A new message of that role, already in `messages`. NULL: out of memory. */
cJSON *neutral_message(cJSON *messages, const char *role);
/* Adds `last`, a copy of the last message that is not the system's, if there is one: agents append
 * what surrounds the user to what the user says. */
int neutral_add_last(cJSON *neutral, const cJSON *messages);
/* Appends to neutral's "tools". */
int neutral_add_tool(cJSON *neutral, const char *name);

#endif
