#ifndef MOCK_CLIENT_ELICITATION_H
#define MOCK_CLIENT_ELICITATION_H

#include <cjson/cJSON.h>

/*
 * What a user who accepts a form without a thought sends: the defaults, and for the other required
 * fields the plainest value that fits. Fields of unknown types are left out. NULL: out of memory.
 */
cJSON *elicitation_fill(const cJSON *requested_schema);

#endif
