#include "conformance/report.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct report_kind kinds[] = {
    {"junit", false, report_junit}, {"tap", false, report_tap},  {"json", false, report_json},
    {"md", false, report_markdown}, {"html", true, report_html},
};

const struct report_kind *report_kind_at(size_t i)
{
    return i < ARRAY_LEN(kinds) ? &kinds[i] : NULL;
}

static int write_into(const char *path, const struct buf *text)
{
    FILE *f = fopen(path, "wbe");
    if (!f)
        return -errno;
    size_t n = fwrite(text->p, 1, text->n, f);
    int rc = n == text->n ? 0 : -errno;
    if (fclose(f) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

/* Pipes and devices are written to, not replaced. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A report that is there is whole: it is written beside its place and moved. */
static int replace_file(const char *path, const struct buf *text)
{
    char beside[1024];
    if (is_special(path))
        return write_into(path, text);
    if ((size_t)snprintf(beside, sizeof beside, "%s.part", path) >= sizeof beside)
        return -ENAMETOOLONG;
    int rc = write_into(beside, text);
    if (rc == 0 && rename(beside, path) != 0)
        rc = -errno;
    if (rc < 0)
        remove(beside);
    return rc;
}

int report_write(const char *kind, const char *path, const struct outcome *o, char *err,
                 size_t err_n)
{
    struct buf text = {0};
    int rc = E_NOTFOUND;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, kind) == 0)
            rc = kinds[i].write(o, &text);
    if (rc == 0)
        rc = replace_file(path, &text);
    buf_deinit(&text);
    if (rc < 0)
        snprintf(err, err_n, "cannot write the report %s: %s", path, err_text(rc));
    return rc;
}

int report_write_text(const char *path, const struct buf *text, char *err, size_t err_n)
{
    int rc = replace_file(path, text);
    if (rc < 0)
        snprintf(err, err_n, "cannot write the report %s: %s", path, err_text(rc));
    return rc;
}
