#ifndef MOCK_PROVIDER_RULE_H
#define MOCK_PROVIDER_RULE_H

#include "dialect.h"

/* What the strict checks of all dialects have in common. */

/* A function name every API takes. */
bool rule_is_name(const char *name);
bool rule_is_json(const char *text);
/* The member; NULL if it is absent or null, which stands for a member left out. */
const cJSON *rule_given(const cJSON *obj, const char *name);
/* True if text is one of a NULL-ended list. */
bool rule_is_one_of(const char *text, const char *const *words);
/* `stream` is absent or a boolean, `model` a text. 0 or E_INVALID. */
int rule_check_common(const cJSON *body, struct fault *f);
/* A tool's schema, if it has one, is an object's. */
int rule_check_schema(const cJSON *schema, const char *at, const char *name, struct fault *f);

#endif
