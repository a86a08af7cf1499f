#ifndef MOCK_CLIENT_FILES_H
#define MOCK_CLIENT_FILES_H

#include "json/scan.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * The client's files (docs/cases.md, Services): unsaved texts that overlay the disk, and the disk.
 * Paths of the configuration and of steps are absolute or below cwd.
 */
struct files {
    const char *cwd; /* lent, canonical */
    cJSON *buffers;  /* owned: texts by absolute path */
    cJSON *errors;   /* owned: error objects by absolute path */
    bool outside;    /* writing outside cwd is allowed */
};

/* config: `client.fs`, or NULL; lent until files_deinit, as is cwd. 0 or E_NOMEM. */
int files_init(struct files *f, const cJSON *config, const char *cwd);
void files_deinit(struct files *f); /* accepts a zeroed one */

/* Shape of the configuration. 0 or E_INVALID with a sentence in err. */
int files_check(const cJSON *config, char *err, size_t err_n);

/* fs/read_text_file and fs/write_text_file: append the response without LF. 0 or E_NOMEM. */
int files_read(const struct files *f, const cJSON *params, struct json_slice id, struct buf *out);
int files_write(struct files *f, const cJSON *params, struct json_slice id, struct buf *out);

/* The unsaved text of a file; NULL if there is none. Lent. */
const char *files_buffer(const struct files *f, const char *path);
/* 0 or E_NOMEM. */
int files_set_buffer(struct files *f, const char *path, const char *text);

#endif
