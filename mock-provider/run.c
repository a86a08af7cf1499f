/* acp-mock-provider at work: the provider, its files, the command, signals. */
#include "cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "provider.h"
#include "record.h"
#include "uvio/child.h"
#include "uvio/loop.h"
#include "json/json.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

struct run {
    const struct cli *cli;
    uv_loop_t loop;
    uv_signal_t signals[ARRAY_LEN(stop_signals)];
    size_t signal_n;           /* of those that are open */
    struct provider *provider; /* or ... */
    struct recorder *recorder;
    struct child *child;
    FILE *journal;
    bool stopping;
    int code; /* of exit */
};

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "acp-mock-provider: %s: %s\n", what, why);
}

/* --- files --- */

static int read_all(FILE *f, struct buf *out)
{
    int rc = 0;
    size_t n = 1;
    while (rc == 0 && n > 0) {
        char part[65536];
        n = fread(part, 1, sizeof part, f);
        rc = buf_add(out, part, n);
    }
    if (ferror(f))
        return uv_translate_sys_error(errno);
    return rc < 0 || !buf_cstr(out) ? E_NOMEM : 0;
}

/* NULL after a complaint. */
static cJSON *read_script(const char *path)
{
    struct buf text = {0};
    struct json_error e;
    char err[256];
    cJSON *script = NULL;
    FILE *f = fopen(path, "r");
    int rc = f ? read_all(f, &text) : uv_translate_sys_error(errno);
    if (f)
        fclose(f);
    if (rc < 0)
        complain(path, err_text(rc));
    else if ((rc = json_parse(text.p, text.n, &script, &e)) < 0)
        complain(path, rc == E_PARSE ? e.text : err_text(rc));
    else if ((rc = provider_check_script(script, err, sizeof err)) < 0)
        complain(path, err);
    buf_deinit(&text);
    if (rc < 0) {
        cJSON_Delete(script);
        return NULL;
    }
    return script;
}

/* Under another name first, so that whoever waits for the file finds it whole. */
static int write_port_file(const char *path, int port)
{
    struct buf temporary = {0};
    if (buf_addf(&temporary, "%s.%d", path, (int)uv_os_getpid()) < 0)
        return -1;
    FILE *f = fopen(buf_cstr(&temporary), "w");
    bool written = f && fprintf(f, "%d\n", port) > 0;
    if (f)
        written = fclose(f) == 0 && written;
    if (!written || rename(temporary.p, path) != 0) {
        complain(path, strerror(errno));
        remove(temporary.p);
        written = false;
    }
    buf_deinit(&temporary);
    return written ? 0 : -1;
}

/* --- the provider --- */

static void on_line(void *ctx, const char *line, size_t n)
{
    const struct run *r = ctx;
    if (r->journal && (fwrite(line, 1, n, r->journal) != n || fflush(r->journal) != 0))
        complain(r->cli->journal_file, strerror(errno));
}

/* What a person who wonders about an answer wants to know. */
static void on_event(void *ctx, const struct provider_event *e)
{
    (void)ctx;
    if (e->kind == PROVIDER_MISS || e->kind == PROVIDER_UNDECLARED ||
        e->kind == PROVIDER_MISMATCH || e->kind == PROVIDER_REFUSED)
        log_warn("request %u: %s: %s", e->n, provider_event_name(e->kind), e->text);
    else
        log_debug("request %u: %s", e->n, provider_event_name(e->kind));
}

static void on_provider_closed(void *ctx)
{
    struct run *r = ctx;
    r->provider = NULL;
}

static int open_provider(struct run *r)
{
    static const struct provider_ops quiet = {.on_event = on_event,
                                              .on_closed = on_provider_closed};
    struct provider_ops ops = quiet;
    struct provider_options o = {
        .port = r->cli->port, .seed = r->cli->seed, .verdict = r->cli->verdict, .control = true};
    cJSON *script = r->cli->script_file ? read_script(r->cli->script_file) : NULL;
    if (r->cli->script_file && !script)
        return CLI_USAGE;
    if (r->journal)
        ops.on_line = on_line;
    o.script = script;
    int rc = provider_open(&r->loop, &o, &ops, r, &r->provider);
    cJSON_Delete(script);
    if (rc == 0)
        return CLI_OK;
    char port[32];
    snprintf(port, sizeof port, "port %d", o.port);
    complain(port, err_text(rc));
    return CLI_FAILED;
}

static void on_recorder_closed(void *ctx)
{
    struct run *r = ctx;
    r->recorder = NULL;
}

static int open_recorder(struct run *r)
{
    const struct recorder_options o = {r->cli->port, r->cli->record_url, r->cli->save_file};
    int rc = recorder_open(&r->loop, &o, on_recorder_closed, r, &r->recorder);
    if (rc == 0)
        return CLI_OK;
    complain("--record", err_text(rc));
    return CLI_FAILED;
}

static int port_of(const struct run *r)
{
    return r->recorder ? recorder_port(r->recorder) : provider_port(r->provider);
}

/* --- the end --- */

/* To stderr, one line a finding. A command's own failure is the more important one. */
static void judge(struct run *r)
{
    if (!r->provider)
        return;
    const cJSON *finding, *findings = r->cli->verdict ? provider_verdict(r->provider) : NULL;
    cJSON_ArrayForEach(finding, findings)
    {
        int n = (int)json_get_int(finding, "n", 0);
        char request[32] = "";
        if (n > 0)
            snprintf(request, sizeof request, "request %d: ", n);
        fprintf(stderr, "acp-mock-provider: verdict: %s: %s%s\n", json_get_str(finding, "rule"),
                request, json_get_str(finding, "text"));
        if (r->code == CLI_OK)
            r->code = CLI_BLAMED;
    }
}

static void stop(struct run *r)
{
    r->stopping = true;
    for (size_t i = 0; i < r->signal_n; i++)
        uv_close((uv_handle_t *)&r->signals[i], NULL);
    r->signal_n = 0;
    if (r->provider)
        provider_close(r->provider);
    if (r->recorder)
        recorder_close(r->recorder);
}

static void on_child_exit(void *ctx, int64_t code, int signum)
{
    struct run *r = ctx;
    r->child = NULL;
    r->code = signum ? CLI_SIGNAL + signum : (int)code;
    judge(r);
    stop(r);
}

/* ^C is the command's own matter. Asked to end a second time, it is ended. */
static void on_signal(uv_signal_t *handle, int signum)
{
    struct run *r = handle->data;
    if (!r->child) {
        judge(r);
        stop(r);
    } else if (r->stopping) {
        child_kill(r->child);
    } else if (signum == SIGINT) {
        child_signal(r->child, signum);
    } else {
        child_stop(r->child);
    }
    r->stopping = r->stopping || signum != SIGINT;
}

static int watch_signals(struct run *r)
{
    for (size_t i = 0; i < ARRAY_LEN(stop_signals); i++) {
        uv_signal_t *s = &r->signals[i];
        s->data = r;
        int rc = uv_signal_init(&r->loop, s);
        if (rc == 0) {
            r->signal_n++;
            rc = uv_signal_start(s, on_signal, stop_signals[i]);
        }
        if (rc < 0) {
            complain("signals", err_text(rc));
            return CLI_FAILED;
        }
    }
    return CLI_OK;
}

/* --- the command --- */

/* What clients of each dialect look for. A real key must not reach a mock's journal, and a proxy
 * must not see loopback. */
static const struct {
    const char *name;
    const char *value; /* NULL: taken away, it would win over the others */
    bool base;         /* the value follows the address */
    bool keep;         /* unless it is set already */
} variables[] = {
    {"ACP_MOCK_PROVIDER", "", true, false},
    {"OPENAI_BASE_URL", "/v1", true, false},
    {"OPENAI_API_KEY", "mock-key", false, false},
    {"ANTHROPIC_BASE_URL", "", true, false},
    {"ANTHROPIC_API_KEY", "mock-key", false, false},
    {"ANTHROPIC_AUTH_TOKEN", NULL, false, false},
    {"GOOGLE_GEMINI_BASE_URL", "", true, false},
    {"GEMINI_API_KEY", "mock-key", false, false},
    {"GOOGLE_API_KEY", NULL, false, false},
    {"GOOGLE_GENAI_USE_VERTEXAI", NULL, false, false},
    {"no_proxy", "127.0.0.1", false, true},
    {"NO_PROXY", "127.0.0.1", false, true},
};

/* A recording needs the real keys: they stay. */
static int set_environment(int port, bool keep_keys)
{
    char value[80];
    for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
        if (variables[i].base)
            snprintf(value, sizeof value, "http://127.0.0.1:%d%s", port, variables[i].value);
        else
            snprintf(value, sizeof value, "%s", variables[i].value ? variables[i].value : "");
        if (keep_keys && !variables[i].base && !variables[i].keep)
            continue;
        int rc = variables[i].value ? setenv(variables[i].name, value, !variables[i].keep)
                                    : unsetenv(variables[i].name);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int start_command(struct run *r)
{
    static const struct child_ops ops = {.on_exit = on_child_exit};
    const struct child_options o = {
        .argv = (const char *const *)r->cli->command,
        .inherit_stdin = true,
        .inherit_stdout = true,
        .inherit_stderr = true,
    };
    int rc = set_environment(port_of(r), r->recorder != NULL) ? E_NOMEM : 0;
    if (rc == 0)
        rc = child_spawn(&r->loop, &o, &ops, r, &r->child);
    if (rc == 0)
        return CLI_OK;
    complain(o.argv[0], err_text(rc));
    return rc == UV_ENOENT ? CLI_NO_SUCH : CLI_CANNOT;
}

static int announce(struct run *r)
{
    int port = port_of(r);
    if (r->cli->port_file && write_port_file(r->cli->port_file, port) < 0)
        return CLI_FAILED;
    if (r->cli->command)
        return start_command(r);
    printf("http://127.0.0.1:%d\n", port);
    return fflush(stdout) == 0 ? CLI_OK : CLI_FAILED;
}

static int start(struct run *r)
{
    const char *journal = r->cli->journal_file;
    if (journal && !(r->journal = fopen(journal, "w"))) {
        complain(journal, strerror(errno));
        return CLI_FAILED;
    }
    int code = r->cli->record_url ? open_recorder(r) : open_provider(r);
    if (code == CLI_OK)
        code = watch_signals(r);
    return code == CLI_OK ? announce(r) : code;
}

int cli_run(const struct cli *cli)
{
    struct run r = {.cli = cli};
    if (uv_loop_init(&r.loop) < 0) {
        complain("event loop", "cannot be made");
        return CLI_FAILED;
    }
    r.code = start(&r);
    if (r.code != CLI_OK)
        stop(&r);
    if (loop_finish(&r.loop) < 0)
        r.code = CLI_FAILED;
    if (r.journal && fclose(r.journal) != 0)
        complain(cli->journal_file, strerror(errno));
    return r.code;
}
