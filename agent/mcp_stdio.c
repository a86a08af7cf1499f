#include "agent/mcp_env.h"
#include "agent/mcp_link.h"
#include "agent/roots.h"

#include "base/err.h"
#include "base/log.h"
#include "base/utf8.h"
#include "rpc/ndjson.h"
#include "uvio/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An MCP server that is a child process: a message a line. */

/* To end by itself once its input is over, and again after SIGTERM: both together are less than the
 * agent has for its own end. */
#define GRACE_MS     300u
#define LONGEST_LINE (64u << 20)
#define LAST_MAX     200u

extern char **environ;

struct stdio_link {
    struct mcp_link link;
    struct child *child;
    struct ndjson lines;
    uv_timer_t timer;        /* its end; its close callback frees this */
    char *name;              /* owned; for the log */
    char last[LAST_MAX + 1]; /* of what it wrote to stderr */
    bool eof;
};

static struct stdio_link *of(struct mcp_link *link)
{
    return CONTAINER_OF(link, struct stdio_link, link);
}

static void on_timer_closed(uv_handle_t *h)
{
    struct stdio_link *l = CONTAINER_OF(h, struct stdio_link, timer);
    ndjson_deinit(&l->lines);
    free(l->name);
    free(l);
}

static void tell_gone(struct stdio_link *l, const char *why)
{
    const struct mcp_link_ops *ops = l->link.ops;
    l->link.ops = NULL;
    if (ops)
        ops->on_gone(l->link.ctx, why);
}

static void on_server_exit(void *ctx, int64_t code, int signum)
{
    struct stdio_link *l = ctx;
    char why[LAST_MAX + 80];
    const char *said = *l->last ? "; it said last: " : "";
    if (l->eof && signum == SIGTERM)
        snprintf(why, sizeof why, "closed its output%s%s", said, l->last);
    else if (signum)
        snprintf(why, sizeof why, "was ended by signal %d%s%s", signum, said, l->last);
    else
        snprintf(why, sizeof why, "ended with exit code %d%s%s", (int)code, said, l->last);
    tell_gone(l, why);
    uv_close((uv_handle_t *)&l->timer, on_timer_closed);
}

/* ---- what it says --------------------------------------------------------------------------- */

static void take_lines(struct stdio_link *l)
{
    char *line;
    size_t n;
    int rc;
    while (l->link.ops && (rc = ndjson_next(&l->lines, &line, &n)) != 0) {
        if (rc == 1)
            l->link.ops->on_message(l->link.ctx, line, n);
        else
            log_warn("MCP server %s: a line of more than %u bytes is dropped", l->name,
                     LONGEST_LINE);
    }
}

static void on_stdout(void *ctx, const char *bytes, size_t n)
{
    struct stdio_link *l = ctx;
    if (n == 0) {
        l->eof = true;
        child_stop(l->child); /* one that cannot answer is of no use */
        return;
    }
    if (ndjson_feed(&l->lines, bytes, n) < 0) {
        tell_gone(l, "sends more than there is memory for");
        child_stop(l->child);
        return;
    }
    take_lines(l);
}

/* The last line of it that holds something, for whoever has to find out why it ended. */
static void on_stderr(void *ctx, const char *bytes, size_t n)
{
    struct stdio_link *l = ctx;
    size_t end = n, begin;
    if (n > 0)
        log_debug("MCP server %s: %.*s", l->name, (int)n, bytes);
    while (end > 0 && (unsigned char)bytes[end - 1] <= ' ')
        end--;
    for (begin = end; begin > 0 && bytes[begin - 1] != '\n'; begin--)
        ;
    size_t length = end - begin < LAST_MAX ? end - begin : LAST_MAX;
    length = utf8_valid_prefix(bytes + begin, length);
    if (length == 0)
        return;
    memcpy(l->last, bytes + begin, length);
    l->last[length] = '\0';
}

static const struct child_ops ops_of_child = {
    .on_stdout = on_stdout, .on_stderr = on_stderr, .on_exit = on_server_exit};

/* ---- the link ------------------------------------------------------------------------------- */

static int start(struct stdio_link *l, const struct mcp_link_options *o)
{
    char **env = mcp_env_make((const char *const *)environ, (const char *const *)o->config->env);
    const struct child_options options = {.argv = (const char *const *)o->config->argv,
                                          .env = (const char *const *)env,
                                          .cwd = o->cwd,
                                          .grace_ms = GRACE_MS};
    l->name = strdup(o->config->name);
    int rc = env && l->name ? child_spawn(o->loop, &options, &ops_of_child, l, &l->child) : E_NOMEM;
    roots_free(env);
    return rc;
}

static int stdio_open(const struct mcp_link_options *o, const struct mcp_link_ops *ops, void *ctx,
                      struct mcp_link **ret)
{
    struct stdio_link *l = calloc(1, sizeof *l);
    if (!l)
        return E_NOMEM;
    l->link = (struct mcp_link){&mcp_link_stdio, ops, ctx};
    ndjson_init(&l->lines, LONGEST_LINE);
    int rc = start(l, o);
    if (rc < 0) {
        free(l->name);
        free(l);
        return rc;
    }
    uv_timer_init(o->loop, &l->timer);
    *ret = &l->link;
    return 0;
}

static void stdio_send(struct mcp_link *link, const char *text, size_t n)
{
    struct stdio_link *l = of(link);
    struct buf *in = child_in(l->child);
    if (buf_reserve(in, n + 1) < 0) {
        tell_gone(l, "was told more than there is memory for");
        child_stop(l->child);
        return;
    }
    buf_add(in, text, n);
    buf_addc(in, '\n');
    child_flush(l->child);
}

static void stdio_agreed(struct mcp_link *link, const char *version)
{
    (void)link; /* nothing of it goes with the messages */
    (void)version;
}

static void on_stay(uv_timer_t *timer)
{
    child_stop(CONTAINER_OF(timer, struct stdio_link, timer)->child);
}

static void stdio_close(struct mcp_link *link)
{
    struct stdio_link *l = of(link);
    link->ops = NULL;
    child_close_stdin(l->child);
    uv_timer_start(&l->timer, on_stay, GRACE_MS, 0);
}

const struct mcp_link_kind mcp_link_stdio = {stdio_open, stdio_send, stdio_agreed, stdio_close};
