#define _GNU_SOURCE /* unshare */

#include "conformance/isolate.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Three processes are needed. The middle one leaves the network and may fail while the first can
 * still go on as if nothing had been tried; its child is the first process of the new world, which
 * takes everybody with it when it ends; and the harness is a child of that one.
 */

enum { EXIT_BY_SIGNAL = 128 };

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t n = strlen(text);
    bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* We stay who we are inside a user namespace. */
static bool map_ids(uid_t uid, gid_t gid)
{
    char uids[64], gids[64];
    snprintf(uids, sizeof uids, "%ld %ld 1", (long)uid, (long)uid);
    snprintf(gids, sizeof gids, "%ld %ld 1", (long)gid, (long)gid);
    return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", uids) &&
           write_text("/proc/self/gid_map", gids);
}

static bool raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0)
        close(fd);
    return up;
}

/* NULL, or what does not work. */
static const char *leave(void)
{
    const int flags = CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS;
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(flags) < 0) {
        if (unshare(flags | CLONE_NEWUSER) < 0)
            return "namespaces are not allowed";
        if (!map_ids(uid, gid))
            return "no user namespace can be set up";
    }
    return raise_loopback() ? NULL : "loopback cannot be brought up";
}

static void watched_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGCHLD);
}

/* Waits for the child, adopts what its descendants leave, passes signals on; those of a terminal
 * have reached the child already. */
static int mind(pid_t child)
{
    sigset_t set;
    siginfo_t info;
    int status = 0;
    watched_signals(&set);
    for (;;) {
        pid_t gone;
        while ((gone = waitpid(-1, &status, WNOHANG)) > 0)
            if (gone == child)
                return WIFSIGNALED(status) ? EXIT_BY_SIGNAL + WTERMSIG(status)
                                           : WEXITSTATUS(status);
        if (gone < 0 && errno == ECHILD)
            return EXIT_BY_SIGNAL;
        int signum = sigwaitinfo(&set, &info);
        if (signum > 0 && signum != SIGCHLD && info.si_code != SI_KERNEL)
            kill(child, signum);
    }
}

static void tell(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        _exit(EXIT_FAILURE); /* nobody listens any more */
    close(fd);
}

/* The first process of the new world. Returns in the harness only. */
static void be_first(int report, const sigset_t *before)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
        tell(report, "/proc cannot be mounted");
        _exit(EXIT_FAILURE);
    }
    pid_t harness = fork();
    if (harness != 0) {
        tell(report, harness > 0 ? "" : "no process can be started");
        _exit(harness > 0 ? mind(harness) : EXIT_FAILURE);
    }
    close(report);
    sigprocmask(SIG_SETMASK, before, NULL);
}

static void be_middle(int report, const sigset_t *before)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *why = leave();
    pid_t first = why ? -1 : fork();
    if (first == 0) {
        be_first(report, before);
        return;
    }
    if (first < 0)
        tell(report, why ? why : "no process can be started");
    else
        close(report);
    _exit(first < 0 ? EXIT_FAILURE : mind(first));
}

/* What is told until everybody has closed the pipe: nothing if all is well. */
static size_t listen_to(int fd, char *text, size_t size)
{
    size_t n = 0;
    ssize_t got;
    while (n + 1 < size && ((got = read(fd, text + n, size - 1 - n)) > 0 || errno == EINTR))
        n += got > 0 ? (size_t)got : 0;
    text[n] = '\0';
    return n;
}

static int watch_middle(pid_t middle, int fd, int *ret_code, char *err, size_t err_n)
{
    char why[128];
    errno = 0;
    size_t n = listen_to(fd, why, sizeof why);
    *ret_code = mind(middle);
    if (n > 0)
        snprintf(err, err_n, "%s", why);
    return n > 0 ? E_INVALID : 1;
}

int isolate_enter(int *ret_code, char *err, size_t err_n)
{
    int fds[2];
    sigset_t set, before;
    fflush(NULL); /* or both would write what waits */
    if (pipe2(fds, O_CLOEXEC) < 0) {
        snprintf(err, err_n, "no pipe: %s", strerror(errno));
        return -errno;
    }
    watched_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t middle = fork();
    if (middle == 0) {
        close(fds[0]);
        be_middle(fds[1], &before);
        return 0;
    }
    close(fds[1]);
    int rc = E_INVALID;
    if (middle > 0)
        rc = watch_middle(middle, fds[0], ret_code, err, err_n);
    else
        snprintf(err, err_n, "no process can be started");
    close(fds[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}
