#include "mock-client/player_int.h"

#include "mock-client/disk.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

/* Files below the session's working directory. They are small, so plain blocking calls do. */

int play_path_check(const char *path)
{
    if (!path[0] || path[0] == '/')
        return E_INVALID;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return E_INVALID;
    }
    return 0;
}

static int full_path(const struct player *p, const char *path, struct buf *out)
{
    return play_path_check(path) < 0 ? E_INVALID : buf_addf(out, "%s/%s", p->cwd, path);
}

int play_file_write(const struct player *p, const char *path, const char *text)
{
    struct buf full = {0};
    int rc = full_path(p, path, &full);
    char *name = rc == 0 ? buf_cstr(&full) : NULL;
    if (rc == 0)
        rc = name ? disk_make_folders(name, strlen(p->cwd) + 1) : E_NOMEM;
    if (rc == 0)
        rc = disk_write(name, text, strlen(text));
    buf_deinit(&full);
    return rc;
}

static int read_file(const struct player *p, const char *path, struct buf *out)
{
    struct buf full = {0};
    int rc = full_path(p, path, &full);
    const char *name = rc == 0 ? buf_cstr(&full) : NULL;
    if (rc == 0)
        rc = name ? disk_read(name, out) : E_NOMEM;
    buf_deinit(&full);
    return rc;
}

int play_write_file_begin(struct player *p, struct play_step *s)
{
    int rc = play_file_write(p, s->value->valuestring, json_get_str(s->step, "content"));
    return rc < 0 ? play_error(p, s, "cannot write %s: %s", s->value->valuestring, err_text(rc))
                  : PLAY_NEXT;
}

static int judge_file(struct player *p, struct play_step *s, int rc, struct buf *text)
{
    bool want_absent = json_get_bool(s->step, "absent");
    const char *whole = buf_cstr(text);
    if (!whole || rc == E_NOMEM)
        return play_error(p, s, "%s", err_text(E_NOMEM));
    if (want_absent && rc == -ENOENT)
        play_held(p, s, NULL);
    else if (want_absent)
        play_broken(p, s, "%s is there, and should not be", s->value->valuestring);
    else if (rc < 0)
        play_broken(p, s, "%s cannot be read: %s", s->value->valuestring, err_text(rc));
    else
        play_judge_text(p, s, whole);
    return PLAY_NEXT;
}

int play_file_begin(struct player *p, struct play_step *s)
{
    struct buf text = {0};
    int rc = read_file(p, s->value->valuestring, &text);
    rc = judge_file(p, s, rc, &text);
    buf_deinit(&text);
    return rc;
}

static int check_path(const cJSON *step, const char *verb, struct json_error *reterr)
{
    if (play_path_check(json_get_str(step, verb)) == 0)
        return 0;
    return play_lint_fail(reterr, verb, "is a path below the working directory, without \"..\"");
}

int play_write_file_check(const cJSON *step, struct json_error *reterr)
{
    if (!json_get_str(step, "content"))
        return play_lint_fail(reterr, "write_file", "needs \"content\"");
    return check_path(step, "write_file", reterr);
}

int play_file_check(const cJSON *step, struct json_error *reterr)
{
    int n = !!json_get(step, "equals") + !!json_get(step, "contains") + !!json_get(step, "match") +
            !!json_get(step, "absent");
    if (n == 0)
        return play_lint_fail(reterr, "file", "needs equals, contains, match or absent");
    return check_path(step, "file", reterr);
}
