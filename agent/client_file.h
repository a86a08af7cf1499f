#ifndef AGENT_CLIENT_FILE_H
#define AGENT_CLIENT_FILE_H

#include "agent/client_call.h"
#include "agent/file_job.h"

/* Text files as the client has them, with what its user has not saved, if it serves them; else
 * those of the disk. */
struct client_file; /* one reading or writing */

/* As file_job_start and file_job_write. A client's answer is given as one that was read from the
 * disk: cut at req->max, lines counted; that a file it was asked a part of goes on is not known. */
int client_file_read(const struct client_to *to, const struct file_request *req, file_job_cb cb,
                     void *ctx, struct client_file **ret);
int client_file_write(const struct client_to *to, const struct file_write *w, file_job_cb cb,
                      void *ctx, struct client_file **ret);

/* cb never comes. Accepts NULL. */
void client_file_abandon(struct client_file *f);

#endif
