#ifndef MOCK_CLIENT_ENV_H
#define MOCK_CLIENT_ENV_H

#include <cjson/cJSON.h>

/* Commands and environments of processes: NULL-ended lists that own their strings. */

/* NULL: out of memory. */
char **env_copy(const char *const *list);
void env_free(char **list); /* accepts NULL */

/* Sets a variable. 0 or E_NOMEM. */
int env_set(char ***list, const char *name, const char *value);
void env_remove(char **list, const char *name);
/* Members of the object replace variables, null removes one. 0 or E_NOMEM. */
int env_apply(char ***list, const cJSON *env);
/* Appends the strings of an array. 0, E_NOMEM or E_INVALID. */
int env_add_args(char ***list, const cJSON *args);

#endif
