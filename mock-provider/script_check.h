#ifndef MOCK_PROVIDER_SCRIPT_CHECK_H
#define MOCK_PROVIDER_SCRIPT_CHECK_H

#include "script.h"

/* Private to script*.c: where in the script the reader is, and what was wrong. */
struct script_place {
    char at[128]; /* "turns[2].reply[0]" */
    char *err;    /* lent; filled once */
    size_t err_n;
};

/* Writes "PLACE: text" and returns E_INVALID. */
int script_fail(const struct script_place *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Every member of obj is in the NULL-ended list. */
int script_members(const struct script_place *p, const cJSON *obj, const char *const *names);

/* A whole number in [min, UINT32_MAX] if the member is there, else *ret stays. */
int script_number(const struct script_place *p, const cJSON *obj, const char *name, uint32_t *ret);

/* Fills a->... from the object a->json; holds are added to the script. */
int script_read_action(struct script *s, const struct script_place *p, struct action *a);

/* Reads obj's "wire", if it has one; the two stay as they are otherwise. */
int script_read_wire(const struct script_place *p, const cJSON *obj, struct shape *shape,
                     enum chaos *chaos);

/* The script's MCP servers; NULL: none. */
int script_check_servers(const struct script_place *p, const cJSON *servers);

#endif
