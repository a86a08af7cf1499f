#include "agent/agent.h"
#include "agent/command.h"
#include "agent/file.h"
#include "agent/flags.h"
#include "base/err.h"
#include "base/log.h"
#include "uvio/loop.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define APPEND_MAX (1u << 20)
#define END_MS     900 /* from the first sign of the end to the end at any price */

struct program {
    uv_loop_t loop;
    uv_signal_t term, interrupt;
    struct agent *agent;
    struct wiretap *wiretap;
    struct buf append;
    char *cwd;
    bool ending;
};

static const char *env(const char *name)
{
    return getenv(name);
}

/* A name server that does not answer can hold libcurl's clean-up: nobody waits for that. */
static void on_alarm(int signum)
{
    (void)signum;
    _exit(0);
}

/* 0: no alarm. */
static void set_alarm(long ms)
{
    struct itimerval at = {.it_value = {.tv_usec = ms * 1000}};
    setitimer(ITIMER_REAL, &at, NULL);
}

static void on_ending(void *ctx)
{
    struct program *p = ctx;
    p->ending = true;
    signal(SIGALRM, on_alarm);
    set_alarm(END_MS);
}

static void on_closed(void *ctx)
{
    struct program *p = ctx;
    uv_close((uv_handle_t *)&p->term, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
}

/* The first signal asks politely; who sends a second one is in a hurry. */
static void on_signal(uv_signal_t *handle, int signum)
{
    struct program *p = handle->data;
    if (p->ending)
        _exit(128 + signum);
    agent_shutdown(p->agent);
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "acp-agent: %s: %s\n", what, why);
    return 2;
}

static int read_append(struct program *p, const struct flags *f)
{
    int rc = f->append ? buf_adds(&p->append, f->append) : 0;
    if (rc == 0 && f->append && f->append_file)
        rc = buf_adds(&p->append, "\n\n");
    if (rc == 0 && f->append_file)
        rc = file_read_all(f->append_file, APPEND_MAX, &p->append);
    if (rc == 0 && !buf_cstr(&p->append))
        rc = E_NOMEM;
    return rc < 0 ? fail(f->append_file ? f->append_file : "--append-system-prompt", err_text(rc))
                  : 0;
}

static int read_cwd(struct program *p, const char *cwd)
{
    struct stat st;
    if (!cwd)
        return 0;
    p->cwd = realpath(cwd, NULL);
    if (!p->cwd || stat(p->cwd, &st) < 0 || !S_ISDIR(st.st_mode))
        return fail(cwd, "there is no such directory");
    return 0;
}

/* A provider that only config.json knows is looked up there; if that is broken, session/new says
 * so. */
static int check_model(const char *model)
{
    struct config c;
    struct buf known = {0};
    int status = 0;
    if (!model || config_is_builtin(model))
        return 0;
    config_init(&c);
    if (config_load(&c, env) == 0 && !config_knows(&c, model)) {
        const char *list = config_list_providers(&c, &known) == 0 ? buf_cstr(&known) : NULL;
        fprintf(stderr,
                "acp-agent: --model: \"%s\" is not PROVIDER/MODEL with one of these providers: "
                "%s\n",
                model, list ? list : "");
        status = 2;
    }
    buf_deinit(&known);
    config_deinit(&c);
    return status;
}

static int prepare(struct program *p, const struct flags *f)
{
    int status = check_model(f->model);
    if (status == 0)
        status = read_cwd(p, f->cwd);
    if (status == 0)
        status = read_append(p, f);
    int rc = status == 0 && f->trace ? wiretap_open(f->trace, &p->wiretap) : 0;
    return rc < 0 ? fail(f->trace, err_text(rc)) : status;
}

static int open_agent(struct program *p, const struct flags *f)
{
    static const struct agent_ops ops = {.on_ending = on_ending, .on_closed = on_closed};
    struct agent_options options = {.in = STDIN_FILENO,
                                    .out = STDOUT_FILENO,
                                    .cwd = p->cwd,
                                    .model = f->model,
                                    .work_mode = f->profile,
                                    .append = p->append.p,
                                    .title = f->title,
                                    .safe_mode = f->safe_mode,
                                    .max_tokens = f->max_tokens,
                                    .max_line = f->max_line,
                                    .permission_timeout = f->permission_timeout,
                                    .env = env,
                                    .wiretap = p->wiretap};
    int rc = agent_open(&p->loop, &options, &ops, p, &p->agent);
    if (rc < 0)
        return fail("standard input and output", err_text(rc));
    uv_signal_init(&p->loop, &p->term);
    uv_signal_init(&p->loop, &p->interrupt);
    p->term.data = p->interrupt.data = p;
    uv_signal_start(&p->term, on_signal, SIGTERM);
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    return 0;
}

static int serve(const struct flags *f)
{
    struct program p = {.agent = NULL};
    loop_setup_process();
    int status = prepare(&p, f);
    if (status == 0 && uv_loop_init(&p.loop) < 0)
        status = fail("event loop", "cannot be made");
    if (status == 0) {
        status = open_agent(&p, f);
        if (loop_finish(&p.loop) < 0)
            status = 1;
        set_alarm(0);
    }
    wiretap_close(p.wiretap);
    buf_deinit(&p.append);
    free(p.cwd);
    return status;
}

static int run(const struct flags *f)
{
    const struct command c = {.flags = f, .env = env, .in = stdin, .out = stdout};
    log_set_level(f->log_level);
    switch (f->action) {
    case FLAGS_HELP:
        return fputs(flags_usage(), stdout) < 0;
    case FLAGS_VERSION:
        return puts("acp-agent " ACP_VERSION) < 0;
    case FLAGS_SETUP:
        return command_setup(&c);
    case FLAGS_MODELS:
        return command_models(&c);
    case FLAGS_PROVIDERS:
        return command_providers(&c);
    case FLAGS_SESSIONS:
        return command_sessions(&c);
    case FLAGS_DOCTOR:
        return command_doctor(&c);
    case FLAGS_SERVE:
        break;
    }
    return serve(f);
}

int main(int argc, char **argv)
{
    struct flags f;
    if (flags_parse(argc, argv, &f) < 0) {
        fprintf(stderr, "acp-agent: %s\n\n%s", f.error, flags_usage());
        return 2;
    }
    return run(&f);
}
