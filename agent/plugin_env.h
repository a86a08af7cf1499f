#ifndef AGENT_PLUGIN_ENV_H
#define AGENT_PLUGIN_ENV_H

#include "agent/plugin.h"

/* The whole environment of a plugin's program: of ours only what every program needs, so that no
 * key is in it whatever it is called, and who it is and where the session works. A NULL-terminated
 * list, for roots_free; NULL: out of memory. env may be NULL. */
char **plugin_env_make(config_env env, const struct plugin *p, const char *cwd);

#endif
