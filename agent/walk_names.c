#include "agent/walk_names.h"

#include "agent/file.h"
#include "agent/ignore.h"
#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES_FILE_MAX (256u << 10)

void walk_names_deinit(struct walk_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->list[i].text);
    free(names->list);
    *names = (struct walk_names){0};
}

/* False: nothing that anybody looks for. */
static bool kind_of(int fd, const struct dirent *entry, enum walk_kind *ret)
{
    struct stat st;
    unsigned type = entry->d_type;
    if (type == DT_UNKNOWN && fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        type = IFTODT(st.st_mode);
    *ret = type == DT_DIR ? WALK_FOLDER : type == DT_LNK ? WALK_LINK : WALK_FILE;
    return type == DT_DIR || type == DT_LNK || type == DT_REG;
}

static int keep(struct walk_names *names, const char *text, enum walk_kind kind)
{
    if (names->n == names->cap) {
        size_t cap = names->cap ? 2 * names->cap : 64;
        struct walk_name *more = realloc(names->list, cap * sizeof *more);
        if (!more)
            return E_NOMEM;
        names->list = more;
        names->cap = cap;
    }
    char *copy = strdup(text);
    if (!copy)
        return E_NOMEM;
    names->list[names->n++] = (struct walk_name){copy, kind};
    return 0;
}

static bool is_self(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int read_all(int fd, DIR *dir, struct walk_names *ret, unsigned *passed_over)
{
    int rc = 0;
    enum walk_kind kind;
    while (rc == 0) {
        const struct dirent *entry = readdir(dir); /* NOLINT(concurrency-mt-unsafe): own stream */
        if (!entry)
            return 0;
        if (is_self(entry->d_name) || !kind_of(fd, entry, &kind))
            continue;
        if (ret->n == WALK_NAMES_MAX)
            ++*passed_over;
        else
            rc = keep(ret, entry->d_name, kind);
    }
    return rc;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct walk_name *)a)->text, ((const struct walk_name *)b)->text);
}

int walk_names_read(int fd, struct walk_names *ret, unsigned *passed_over)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    if (!dir) {
        if (own >= 0)
            close(own);
        ++*passed_over;
        return 0;
    }
    int rc = read_all(fd, dir, ret, passed_over);
    closedir(dir);
    if (ret->n > 0)
        qsort(ret->list, ret->n, sizeof *ret->list, compare);
    return rc;
}

int walk_read_rules(int fd, struct ignore **ret)
{
    struct buf text = {0};
    int rc = file_read_at(fd, ".gitignore", RULES_FILE_MAX, &text);
    *ret = NULL;
    if (rc == 0)
        rc = ignore_parse(text.p ? text.p : "", text.n, ret);
    buf_deinit(&text);
    return rc == E_NOMEM ? rc : 0;
}
