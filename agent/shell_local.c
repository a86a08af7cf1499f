#include "agent/clip.h"
#include "agent/shell.h"

#include "base/err.h"
#include "uvio/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_MS 500u /* between TERM and KILL: the agent has to end within a second, too */

struct local {
    struct child *child;
    uv_timer_t timer; /* its close callback frees this */
    struct clip output;
    bool late, no_memory;
    shell_cb cb; /* NULL: stopped */
    void *ctx;
};

static void on_timer_closed(uv_handle_t *h)
{
    struct local *l = CONTAINER_OF(h, struct local, timer);
    clip_deinit(&l->output);
    free(l);
}

static void on_output(void *ctx, const char *bytes, size_t n)
{
    struct local *l = ctx;
    if (clip_add(&l->output, bytes, n) < 0)
        l->no_memory = true;
}

static void report(struct local *l, int64_t code, int signal)
{
    char name[32];
    struct buf text = {0};
    struct shell_end end = {.output = &text, .has_code = signal == 0, .code = code};
    int rc = clip_render(&l->output, &text);
    snprintf(name, sizeof name, "%d (%s)", signal, strsignal(signal));
    if (signal)
        end.signal = name;
    if (rc < 0 || l->no_memory) {
        end.rc = E_NOMEM;
        end.error = err_text(E_NOMEM);
    } else if (l->late) {
        end.rc = E_TIMEOUT;
    }
    l->cb(l->ctx, &end);
    buf_deinit(&text);
}

static void on_command_exit(void *ctx, int64_t code, int signal)
{
    struct local *l = ctx;
    if (l->cb)
        report(l, code, signal);
    uv_close((uv_handle_t *)&l->timer, on_timer_closed);
}

static void on_timer(uv_timer_t *timer)
{
    struct local *l = CONTAINER_OF(timer, struct local, timer);
    l->late = true;
    child_stop(l->child);
}

static int start(const struct client_to *to, const struct shell_line *line, shell_cb cb, void *ctx,
                 void **ret)
{
    /* The outer shell only opens: nothing to read, and one stream for both kinds of output. */
    const char *const argv[] = {
        "/bin/sh", "-c", "exec \"$@\" </dev/null 2>&1", "sh", "/bin/sh", "-c", line->text, NULL};
    const struct child_options options = {.argv = argv, .cwd = line->cwd, .grace_ms = GRACE_MS};
    static const struct child_ops ops = {
        .on_stdout = on_output, .on_stderr = on_output, .on_exit = on_command_exit};
    struct local *l = calloc(1, sizeof *l);
    if (!l)
        return E_NOMEM;
    l->cb = cb;
    l->ctx = ctx;
    int rc = child_spawn(to->loop, &options, &ops, l, &l->child);
    if (rc < 0) {
        free(l);
        return rc;
    }
    child_close_stdin(l->child);
    uv_timer_init(to->loop, &l->timer);
    uv_timer_start(&l->timer, on_timer, line->limit_ms, 0);
    *ret = l;
    return 0;
}

static void stop(void *shell)
{
    struct local *l = shell;
    l->cb = NULL;
    uv_timer_stop(&l->timer);
    child_stop(l->child);
}

const struct shell_ops shell_local = {.start = start, .stop = stop};
