#ifndef AGENT_SURFACE_H
#define AGENT_SURFACE_H

#include "base/buf.h"
#include "json/json.h"

/* What a plugin shows to the user, or asks. */
enum surface_kind { SURFACE_STATUS, SURFACE_CARD, SURFACE_NOTIFICATION, SURFACE_FORM };
#define SURFACE_KINDS (SURFACE_FORM + 1)
/* "status". Static. */
const char *surface_kind_name(enum surface_kind kind);

/* All lent. */
struct surface {
    const char *plugin;
    const char *id; /* a later one of the same id takes its place */
    enum surface_kind kind;
    const cJSON *payload;
};

/* Reads params of host/ui/publish, of host/ui/request if `asks` (then the kind is form, named or
 * not). 0, or E_INVALID with err filled. plugin stays as it is. */
int surface_read(const cJSON *params, bool asks, struct surface *ret, struct json_error *err);

/* Appends what clients that know no surfaces show instead: Markdown. Nothing for a form. 0 or
 * E_NOMEM. */
int surface_render(const struct surface *s, struct buf *out);

enum surface_field_type { SURFACE_CHOICE, SURFACE_BOOLEAN, SURFACE_TEXT };

/* A field of a form. All lent. */
struct surface_field {
    const char *name, *label; /* label is never NULL */
    enum surface_field_type type;
    const cJSON *options;  /* of a choice: {value, label} each */
    const cJSON *fallback; /* "default", or NULL */
};
/* The field of that number of a form that surface_read took. False: there are no more. */
bool surface_field_at(const struct surface *form, int i, struct surface_field *ret);

#endif
