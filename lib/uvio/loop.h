#ifndef UVIO_LOOP_H
#define UVIO_LOOP_H

#include <uv.h>

/* Process-wide set-up for programs that use the loop: ignores SIGPIPE and SIGXFSZ, so that a
 * closed pipe and a limit on files are error codes, not deaths; opens those of the descriptors 0 to
 * 2 that are closed as /dev/null, so that no pipe of ours gets their number. Call once in main(),
 * first. */
void loop_setup_process(void);

/* Runs the loop until nothing is left, then closes it. 0, or UV_EBUSY after naming every handle
 * that is still open on stderr: the caller treats that as a bug. */
int loop_finish(uv_loop_t *loop);

#endif
