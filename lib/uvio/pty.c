#include "uvio/pty.h"

#include "uvio/end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static int open_slave(int master)
{
    const char *name = grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    return name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
}

int pty_open(int *ret_in, int *ret_out, int *ret_theirs)
{
    int out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int in = out < 0 ? -1 : fcntl(out, F_DUPFD_CLOEXEC, 3);
    int theirs = in < 0 ? -1 : open_slave(out);
    if (theirs < 0) {
        int rc = errno ? -errno : -EIO;
        end_close_fd(in);
        end_close_fd(out);
        return rc;
    }
    *ret_in = in;
    *ret_out = out;
    *ret_theirs = theirs;
    return 0;
}
