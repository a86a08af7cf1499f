#ifndef AGENT_CREDENTIALS_H
#define AGENT_CREDENTIALS_H

#include "agent/config.h"
#include "json/json.h"

/*
 * credentials.json in the user's folder for configuration: {"openai": "KEY"}, only for its owner
 * (0600). Written by `acp-agent setup` and emptied by logout, by nothing else.
 */

/* *ret: the file's object, which the caller owns, or NULL if there is none that can be used (named
 * on stderr if it is broken). 0 or E_NOMEM. */
int credentials_read(config_env env, cJSON **ret);

/* Sets the key of one provider; key NULL removes it. The other keys stay; the file is replaced in
 * one step. 0, E_NOMEM, E_NOTFOUND (no home to keep it in), E_PARSE (what is there is no such file
 * and is not overwritten) or the system's error. */
int credentials_store(config_env env, const char *provider, const char *key);

/* Removes the file. 0 also if there was none; E_NOMEM or the system's error. */
int credentials_remove(config_env env);

/* Writes a file for its owner only, in one step, with the folders above it. 0 or the system's
 * error. */
int credentials_write_file(const char *path, const char *text, size_t n);

#endif
