#define _XOPEN_SOURCE 700 /* nftw */

#include "conformance/tmpdir.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *below(const char *dir, const char *name)
{
    struct buf path = {0};
    char *text = buf_addf(&path, "%s/%s", dir, name) == 0 ? buf_take(&path) : NULL;
    buf_deinit(&path);
    return text;
}

static char *make_root(void)
{
    const char *base = getenv("TMPDIR");
    char *template = below(base && base[0] ? base : "/tmp", "acp-conformance-XXXXXX");
    char *made = template ? mkdtemp(template) : NULL;
    /* canonical: agents report resolved paths */
    char *root = made ? realpath(made, NULL) : NULL;
    if (made && !root)
        rmdir(made);
    free(template);
    return root;
}

int tmpdir_make(struct tmpdir *ret, char *err, size_t err_n)
{
    struct tmpdir t = {0};
    errno = ENOMEM;
    t.root = make_root();
    t.cwd = t.root ? below(t.root, "cwd") : NULL;
    t.home = t.root ? below(t.root, "home") : NULL;
    if (t.cwd && t.home && mkdir(t.cwd, 0700) == 0 && mkdir(t.home, 0700) == 0) {
        *ret = t;
        return 0;
    }
    int rc = -errno;
    snprintf(err, err_n, "cannot make a temporary folder: %s; is there room below TMPDIR?",
             strerror(errno));
    tmpdir_remove(&t);
    return rc;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    if (type == FTW_DNR)
        chmod(path, 0700); /* a case may have locked it */
    remove(path);
    return 0;
}

void tmpdir_remove(struct tmpdir *t)
{
    if (t->root)
        nftw(t->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(t->root);
    free(t->cwd);
    free(t->home);
    *t = (struct tmpdir){0};
}
