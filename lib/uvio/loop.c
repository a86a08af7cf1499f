#include "uvio/loop.h"

#include "base/log.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void loop_setup_process(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* writing beyond a limit is an error to tell, no reason to end */
    /* Each open takes the lowest free number. */
    while (fcntl(STDERR_FILENO, F_GETFD) < 0 || fcntl(STDIN_FILENO, F_GETFD) < 0 ||
           fcntl(STDOUT_FILENO, F_GETFD) < 0)
        if (open("/dev/null", O_RDWR) < 0)
            return;
}

static void name_handle(uv_handle_t *h, void *ctx)
{
    (void)ctx;
    log_error("loop: a %s handle was left open%s: this is a bug, please report it",
              uv_handle_type_name(uv_handle_get_type(h)), uv_is_active(h) ? " and active" : "");
}

int loop_finish(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
    int rc = uv_loop_close(loop);
    if (rc < 0)
        uv_walk(loop, name_handle, NULL);
    return rc;
}
