#ifndef AGENT_CONFIG_PROVIDER_H
#define AGENT_CONFIG_PROVIDER_H

#include "agent/config.h"
#include "json/json.h"

/* Private to config*.c: the parts of struct config, made. */

/* The provider of that id, made if there is none. 0 or E_NOMEM. */
int config_add_provider(struct config *c, const char *id, struct config_provider **ret);
/* Appends a model. efforts is copied. 0 or E_NOMEM. */
int config_add_model(struct config_provider *p, const char *id, const char *efforts,
                     struct config_model **ret);
void config_drop_models(struct config_provider *p);
/* Replaces *slot by a copy. 0 or E_NOMEM (then nothing changed). */
int config_set_text(char **slot, const char *text);
/* The base URL without slashes at its end: it is joined with "/...". 0 or E_NOMEM. */
int config_set_base(struct config_provider *p, const char *base);

/* Lays config.json over c. 0, E_NOMEM, or E_INVALID with c->error filled. No file is fine. */
int config_read_file(struct config *c, config_env env);

/* Parses a file of settings: what is no JSON is explained with line and column in error. 0 (*ret is
 * an object; the caller owns it), E_NOTFOUND, E_NOMEM or E_INVALID. */
struct config_text {
    char *error;
    size_t size;
};
int config_parse_file(const char *path, struct config_text error, cJSON **ret);

/* As json_read, and members that are in no table are an error, too. */
int config_read_members(const cJSON *obj, const char *where, struct json_fields fields,
                        void *target, struct json_error *err);

#endif
