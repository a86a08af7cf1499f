#ifndef MOCK_CLIENT_DISK_H
#define MOCK_CLIENT_DISK_H

#include <stddef.h>

struct buf;

/* Small files, by plain blocking calls. Only regular files are opened, so nothing blocks. */

/* Appends the file: 0, or a negative errno (-ENOENT), E_UNSUPPORTED if it is no regular file,
 * E_TOOBIG over 64 MiB, E_IO, E_NOMEM. */
int disk_read(const char *path, struct buf *out);

/* Makes or replaces the file. */
int disk_write(const char *path, const char *bytes, size_t n);

/* Makes the folders above the file; those in path[0..from) are there. path is as before. */
int disk_make_folders(char *path, size_t from);

#endif
