#ifndef AGENT_FILE_WRITE_H
#define AGENT_FILE_WRITE_H

#include <stdatomic.h>

#define FILE_ERROR_MAX 1024 /* as file_text.error */

/* Writing a text file so that nobody ever sees half of it. Blocking calls: see file_job.h. */
struct file_write {
    const char *path; /* for people */
    const char *real; /* where it led when that was allowed (roots_resolve) */
    const char *text;
    const atomic_bool *stop; /* polled: true ends it with E_CANCELLED; may be NULL */
};

/* Makes missing folders, keeps the mode of a file that is replaced. No link is followed any more:
 * if one has come into the way, or something that is no regular file, it fails. 0, or a negative
 * code with error filled; then the file is as it was. */
int file_write_text(const struct file_write *w, char error[FILE_ERROR_MAX]);

/* Opens a folder that roots_resolve gave, unless it leads elsewhere by now (E_STATE). The
 * descriptor, or a negative code. */
int file_open_folder(const char *real);

#endif
