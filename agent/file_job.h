#ifndef AGENT_FILE_JOB_H
#define AGENT_FILE_JOB_H

#include "agent/file.h"
#include "agent/file_write.h"

#include <uv.h>

/* file_read_text and file_write_text in a worker thread, so that no disk ever holds the loop. */
struct file_job;

/* Lent for the call; `text` may be changed (its buf taken). rc as of file_read_text. */
typedef void (*file_job_cb)(void *ctx, int rc, struct file_text *text);

/* Copies root, more and path; req->stop is not used. cb comes once, on a later turn of the loop,
 * unless the job is abandoned. 0 or a negative code. */
int file_job_start(uv_loop_t *loop, const struct file_request *req, file_job_cb cb, void *ctx,
                   struct file_job **ret);

/* The same for writing: text is there for its error only. Copies what it needs. Abandoned, the file
 * is as it was, or whole with the new text. */
int file_job_write(uv_loop_t *loop, const struct file_write *w, file_job_cb cb, void *ctx,
                   struct file_job **ret);

/* Ends it soon; cb never comes. Accepts NULL. */
void file_job_abandon(struct file_job *job);

#endif
