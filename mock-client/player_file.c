#include "mock-client/player_int.h"

#include "mock-client/disk.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* The target stands in the link as it is given. */
static int make_link(const struct player *p, const char *path, const char *target)
{
    struct buf full = {0};
    int rc = full_path(p, path, &full);
    char *name = rc == 0 ? buf_cstr(&full) : NULL;
    if (rc == 0)
        rc = name ? disk_make_folders(name, strlen(p->cwd) + 1) : E_NOMEM;
    if (rc == 0 && symlink(target, name) < 0)
        rc = -errno;
    buf_deinit(&full);
    return rc;
}

int play_file_make(const struct player *p, const cJSON *file)
{
    const char *target = json_get_str(file, "link");
    if (play_path_check(file->string) < 0)
        return E_INVALID;
    if (target)
        return make_link(p, file->string, target);
    return cJSON_IsString(file) ? play_file_write(p, file->string, file->valuestring) : E_INVALID;
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

static bool file_holds(const struct play_step *s, int rc, const char *text)
{
    if (json_get_bool(s->step, "absent"))
        return rc == -ENOENT;
    return rc == 0 && play_text_holds(s, text);
}

static void judge_file(struct player *p, const struct play_step *s, int rc, const char *text)
{
    bool want_absent = json_get_bool(s->step, "absent");
    if (want_absent && rc == -ENOENT)
        play_held(p, s, NULL);
    else if (want_absent)
        play_broken(p, s, "%s is there, and should not be", s->value->valuestring);
    else if (rc < 0)
        play_broken(p, s, "%s cannot be read: %s", s->value->valuestring, err_text(rc));
    else
        play_judge_text(p, s, text);
}

/* PLAY_WAIT if it is not so yet and may still become so. */
static int look_at_file(struct player *p, struct play_step *s, bool last)
{
    struct buf text = {0};
    int rc = read_file(p, s->value->valuestring, &text);
    const char *whole = buf_cstr(&text);
    int next = PLAY_NEXT;
    if (!whole || rc == E_NOMEM)
        next = play_error(p, s, "%s", err_text(E_NOMEM));
    else if (!last && !file_holds(s, rc, whole))
        next = PLAY_WAIT;
    else
        judge_file(p, s, rc, whole);
    buf_deinit(&text);
    return next;
}

int play_file_begin(struct player *p, struct play_step *s)
{
    return json_get(s->raw, "within") ? PLAY_WAIT : look_at_file(p, s, true);
}

int play_file_poll(struct player *p, struct play_step *s)
{
    int rc = look_at_file(p, s, false);
    if (rc == PLAY_WAIT)
        play_wake_later(p);
    return rc;
}

int play_file_late(struct player *p, struct play_step *s, const char *why)
{
    (void)why;
    return look_at_file(p, s, true);
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
