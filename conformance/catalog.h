#ifndef CONFORMANCE_CATALOG_H
#define CONFORMANCE_CATALOG_H

#include <cjson/cJSON.h>
#include <stddef.h>

/*
 * The cases there are: those built into the binary, or those of a folder. Texts are parsed when
 * somebody looks into them, so that naming a thousand cases costs nothing.
 */
struct case_file {
    char *id;         /* owned: "<area>/<name>", "<area>/<name>@<variant>" */
    char *path;       /* owned: where a person finds the file */
    const char *text; /* lent by the binary, or `owned` */
    size_t n;
    char *owned;
    cJSON *json; /* owned; NULL until case_json() */
    char *title; /* owned; what case_title() read without the rest, or NULL */
};

struct catalog {
    struct case_file *cases; /* owned, sorted by id */
    size_t n;
};

/* The embedded cases. 0 or E_NOMEM. */
int catalog_open_embedded(struct catalog *ret);

/* Every <dir>/<area>/<name>.json. 0, E_NOMEM, or the error of opening the folder; err then names
 * the path and why. */
int catalog_open_dir(const char *dir, struct catalog *ret, char *err, size_t err_n);

/* The cases of one file: one, unless it varies (conformance/vary.h). As above. */
int catalog_open_file(const char *path, struct catalog *ret, char *err, size_t err_n);

/* Accepts a zeroed catalog. */
void catalog_close(struct catalog *c);

struct case_file *catalog_find(const struct catalog *c, const char *id);
const char *catalog_nearest(const struct catalog *c, const char *id);

/* A case outside any catalog. The id is the end of the path: "<area>/<name>". */
int case_file_read(const char *path, struct case_file *ret, char *err, size_t err_n);
void case_file_deinit(struct case_file *c);

/* The parsed case, lent, with its variant's values; NULL if there is none (then err says why). */
const cJSON *case_json(struct case_file *c, char *err, size_t err_n);

/* The folder part of the id: "prompt". Returns its length. */
size_t case_area(const struct case_file *c);
const char *case_title(struct case_file *c);

#endif
