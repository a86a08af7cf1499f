#ifndef AGENT_PLUGIN_H
#define AGENT_PLUGIN_H

#include "agent/config.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Plugins: folders with a plugin.json, of the user (`plugins` beside config.json) and of a project
 * the user trusts (`.acp-agent/plugins`). They are read as a whole and not changed afterwards. A
 * plugin that is broken is left out and named.
 */

enum hook_event { HOOK_BEFORE_TOOL, HOOK_AFTER_TOOL, HOOK_SESSION_START, HOOK_TURN_END };
#define HOOK_EVENTS (HOOK_TURN_END + 1)
/* As plugin.json calls it: "beforeTool". Static. */
const char *hook_event_name(enum hook_event event);

struct plugin_hook {
    enum hook_event event;
    char **argv;       /* owned, NULL-terminated, as all lists here */
    char **tools;      /* owned; names of tools; NULL: all */
    uint32_t limit_ms; /* then it is stopped */
};

/* A command or a skill is a Markdown file; an action is the sidecar's. */
struct plugin_item {
    char *name;        /* owned; "review" */
    char *description; /* owned; for people and models */
    char *hint;        /* owned; what may follow a command, or NULL */
    char *path;        /* owned; the file; NULL: an action */
    char *text;        /* owned; of a command: what the model gets; NULL: nothing was kept */
};

struct plugin_items {
    struct plugin_item *list; /* owned */
    size_t n;
};

struct plugin {
    char *name, *folder;         /* owned; the folder's name and its absolute path */
    char *description, *version; /* owned, or NULL */
    bool project;                /* it came with a project */
    struct plugin_items commands, skills, actions;
    struct plugin_hook *hooks; /* owned */
    size_t n_hooks;
    char **sidecar;        /* owned; its command, or NULL */
    bool sidecar_at_start; /* it runs as soon as a session is open */
    cJSON *servers;        /* owned; MCP servers as session/new has them, or NULL */
};

struct plugin_set {
    struct plugin *list; /* owned; by name */
    size_t n;
    char **problems; /* owned; a sentence each about what was left out; NULL: none */
    size_t n_broken; /* how many of them are about broken plugins */
};

/* Where to look. All lent. */
struct plugin_search {
    const char *user; /* the user's folder of plugins; NULL: there is none */
    const char *cwd;  /* absolute; the project is here or above; NULL: no project counts */
    const char *const *trusted; /* folders of projects whose plugins count, or NULL */
};

/* Nothing to be found is an empty set. 0 or E_NOMEM. */
int plugin_set_load(const struct plugin_search *where, struct plugin_set **ret);
/* Accepts NULL. */
void plugin_set_destroy(struct plugin_set *set);

/* NULL: no such plugin, no such item. */
const struct plugin *plugin_find(const struct plugin_set *set, const char *name, size_t n);
const struct plugin_item *plugin_find_item(const struct plugin_items *items, const char *name);

/* Is it a name for plugins, commands, skills and actions? */
bool plugin_is_name(const char *text);

/* Reads one plugin from its folder. 0, E_NOMEM, or E_INVALID: error has the sentence, which names
 * file and field. *ret is filled anew; deinit it in any case. */
struct plugin_error {
    char text[640];
};
int plugin_read(const char *folder, struct plugin *ret, struct plugin_error *error);
void plugin_deinit(struct plugin *p);

#endif
