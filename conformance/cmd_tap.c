#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/judge_recording.h"
#include "conformance/live.h"
#include "conformance/redact.h"
#include "conformance/relay.h"
#include "uvio/loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* acp-conformance tap */

enum {
    LOOK_US = 200, /* at a time, before the next bytes are looked for */
    NOT_STARTED = 127,
    BY_SIGNAL = 128 /* and the signal's number, as shells have it */
};

struct tap {
    const struct cli *cli;
    struct cli_data data;
    struct live live;
    uv_idle_t idle; /* runs while something waits to be looked at */
    FILE *trace, *log;
    struct buf line;
    int exit;
    int rc; /* of the trace file: the first error */
};

/* ---- what is written ----------------------------------------------------------------------------
 */

static void on_event(void *ctx, const struct trace_event *e)
{
    struct tap *t = ctx;
    if (!t->trace || t->rc < 0)
        return;
    t->line.n = 0;
    t->rc = redact_write_event(&t->line, e);
    t->rc = t->rc < 0 ? t->rc : buf_addc(&t->line, '\n');
    if (t->rc == 0 && fwrite(t->line.p, 1, t->line.n, t->trace) != t->line.n)
        t->rc = -errno;
    if (t->rc < 0)
        cli_no_verdict("cannot go on writing %s: %s", t->cli->trace_dir, err_text(t->rc));
}

/* stderr belongs to the agent while it runs; editors show it to people. */
static void on_finding(void *ctx, const struct finding *f)
{
    const struct tap *t = ctx;
    if (!t->log)
        return;
    fprintf(t->log, "%.1f ms  %s  the %s: %s\n", f->event ? (double)f->event->t_us / 1000 : 0.0,
            f->id, f->side == TRACE_AGENT ? "agent" : "client", f->text);
    fflush(t->log);
}

/* ---- the conversation ---------------------------------------------------------------------------
 */

static void on_idle(uv_idle_t *handle)
{
    struct tap *t = handle->data;
    if (live_look(&t->live, LOOK_US))
        return;
    uv_idle_stop(handle);
    if (t->trace)
        fflush(t->trace);
}

static void on_bytes(void *ctx, enum trace_side from, const char *bytes, size_t n)
{
    struct tap *t = ctx;
    if (from == TRACE_STDERR && n == 0)
        return;
    live_take(&t->live, from, NULL, bytes, n);
    uv_idle_start(&t->idle, on_idle);
}

static void on_over(void *ctx, int64_t code, int signum)
{
    struct tap *t = ctx;
    char text[64];
    int n = signum ? snprintf(text, sizeof text, "signal %d", signum)
                   : snprintf(text, sizeof text, "code %lld", (long long)code);
    live_take(&t->live, TRACE_PROCESS, "exit", text, (size_t)n);
    t->exit = signum ? BY_SIGNAL + signum : (int)code;
    uv_close((uv_handle_t *)&t->idle, NULL);
}

static int converse(struct tap *t, uv_loop_t *loop)
{
    static const struct relay_ops ops = {.on_bytes = on_bytes, .on_over = on_over};
    const char *const *argv = (const char *const *)t->cli->command;
    struct relay *relay;
    uv_idle_init(loop, &t->idle);
    t->idle.data = t;
    live_take(&t->live, TRACE_PROCESS, "start", argv[0], strlen(argv[0]));
    int rc = relay_open(loop, argv, &ops, t, &relay);
    if (rc < 0) {
        cli_no_verdict("cannot start %s: %s", argv[0], err_text(rc));
        uv_close((uv_handle_t *)&t->idle, NULL);
        t->exit = NOT_STARTED;
    }
    int left = loop_finish(loop);
    return rc < 0 ? rc : left;
}

/* ---- the end ------------------------------------------------------------------------------------
 */

/* On stdout there is nothing but the protocol. 0, or the exit code when there is no verdict. */
static int conclude(struct tap *t)
{
    struct case_file file;
    struct case_result result = {0};
    int rc = recording_name(&file, t->cli->command[0]);
    rc = rc == 0 ? result_init(&result, &file, &t->data.reqs, t->cli->strict) : rc;
    if (rc == 0) {
        result.both_sides = true;
        live_conclude(&t->live, &result);
        rc = recording_report(t->cli, &t->data.reqs, &result, t->log ? t->log : stderr);
    }
    result_deinit(&result);
    case_file_deinit(&file);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : 0;
}

/* An editor starts the same command line often: {pid} keeps the files apart. */
static FILE *open_file(const char *path, int *rc)
{
    char name[4096];
    const char *mark = path ? strstr(path, "{pid}") : NULL;
    if (!path)
        return NULL;
    if (mark)
        snprintf(name, sizeof name, "%.*s%d%s", (int)(mark - path), path, (int)getpid(),
                 mark + strlen("{pid}"));
    FILE *f = fopen(mark ? name : path, "we");
    if (!f)
        *rc = cli_usage_error("cannot write %s: %s", mark ? name : path, strerror(errno));
    return f;
}

static int open_files(struct tap *t)
{
    int rc = 0;
    t->trace = open_file(t->cli->trace_dir, &rc);
    t->log = open_file(t->cli->log, &rc);
    if (rc == 0 && t->trace)
        fprintf(t->trace, "{\"trace\":1,\"side\":\"header\"}\n");
    return rc;
}

static void close_files(struct tap *t)
{
    if (t->trace)
        fclose(t->trace);
    if (t->log)
        fclose(t->log);
}

int cmd_tap(const struct cli *cli)
{
    static const struct live_ops ops = {.on_event = on_event, .on_finding = on_finding};
    struct tap t = {.cli = cli};
    uv_loop_t loop;
    if (!cli->command)
        return cli_usage_error("the agent's command is missing: tap -- AGENT CMD...");
    int rc = cli_load(cli, false, &t.data);
    if (rc != 0)
        return rc;
    rc = open_files(&t);
    if (rc == 0 && (live_init(&t.live, &ops, &t, 0) < 0 || uv_loop_init(&loop) < 0))
        rc = cli_no_verdict("%s", err_text(E_NOMEM));
    else if (rc == 0 && converse(&t, &loop) == 0)
        rc = conclude(&t);
    if (t.live.ops)
        live_deinit(&t.live);
    close_files(&t);
    buf_deinit(&t.line);
    cli_unload(&t.data);
    return rc != 0 ? rc : t.exit;
}
