#ifndef AGENT_PLUGIN_READ_H
#define AGENT_PLUGIN_READ_H

#include "agent/plugin.h"
#include "json/json.h"

/* Private to plugin*.c: the parts of a plugin.json. Each returns 0, E_NOMEM, or E_INVALID with err
 * filled; `where` is the part's path in the file. */

/* Fills err. E_INVALID. */
int plugin_complain(struct json_error *err, const char *where, const char *what);

/* A list of texts; list may be NULL (then nothing happens). */
int plugin_read_words(const cJSON *list, const char *where, char ***ret, struct json_error *err);

/* Markdown files with heads; list may be NULL. */
struct plugin_source {
    const char *folder;
    bool keeps_text;
    struct json_error *err;
};
int plugin_read_files(const struct plugin_source *from, const cJSON *list, const char *where,
                      struct plugin_items *items);
int plugin_read_actions(const cJSON *list, const char *where, struct plugin_items *items,
                        struct json_error *err);

#endif
