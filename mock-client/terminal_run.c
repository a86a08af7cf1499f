#include "mock-client/terminal_int.h"

#include "mock-client/env.h"

#include "base/err.h"
#include "uvio/child.h"
#include "json/json.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command -------------------------------------------------------------------------------
 */

/* A command that is no program and its arguments, but a line. */
static bool is_line(const char *command, const cJSON *args)
{
    return (!args || cJSON_IsNull(args)) && strchr(command, ' ') != NULL;
}

/* NULL: out of memory. */
static char **make_argv(const char *command, const cJSON *args)
{
    const char *program[] = {command, NULL}, *shell[] = {"/bin/sh", "-c", command, NULL};
    char **argv = env_copy(is_line(command, args) ? shell : program);
    if (argv && env_add_args(&argv, args) < 0) {
        env_free(argv);
        return NULL;
    }
    return argv;
}

static char **make_env(const struct terminal *term, const cJSON *variables)
{
    const cJSON *v;
    char **env = env_copy(term->all->options.env);
    cJSON_ArrayForEach(v, variables)
    {
        const char *name = json_get_str(v, "name"), *value = json_get_str(v, "value");
        if (env && env_set(&env, name, value) < 0) {
            env_free(env);
            return NULL;
        }
    }
    return env;
}

/* ---- its life ----------------------------------------------------------------------------------
 */

static void on_bytes(void *ctx, const char *bytes, size_t n)
{
    terminal_print(ctx, bytes, n);
}

static const char *signal_name(int signum, char *text, size_t n)
{
    static const struct {
        int number;
        const char *name;
    } rows[] = {
        {SIGTERM, "SIGTERM"}, {SIGKILL, "SIGKILL"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},
        {SIGQUIT, "SIGQUIT"}, {SIGABRT, "SIGABRT"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"},
        {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGALRM, "SIGALRM"},
        {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].number == signum)
            return rows[i].name;
    snprintf(text, n, "SIG%d", signum);
    return text;
}

static void on_exit_(void *ctx, int64_t code, int signum)
{
    struct terminal *term = ctx;
    char text[16];
    term->child = NULL;
    terminal_end(term, code, signum ? signal_name(signum, text, sizeof text) : "");
}

int terminal_run(struct terminal *term, const cJSON *params, char *err, size_t err_n)
{
    static const struct child_ops ops = {
        .on_stdout = on_bytes, .on_stderr = on_bytes, .on_exit = on_exit_};
    const char *command = json_get_str(params, "command"), *cwd = json_get_str(params, "cwd");
    char **argv = make_argv(command, json_get(params, "args"));
    char **env = make_env(term, json_get(params, "env"));
    struct child_options options = {
        .argv = (const char *const *)argv,
        .env = (const char *const *)env,
        .cwd = cwd ? cwd : term->all->options.cwd,
    };
    int rc = E_NOMEM;
    if (argv && env)
        rc = child_spawn(term->all->loop, &options, &ops, term, &term->child);
    env_free(argv);
    env_free(env);
    if (rc == 0)
        child_close_stdin(term->child);
    if (rc == 0 || rc == E_NOMEM)
        return rc;
    snprintf(err, err_n, "cannot run %.100s in %.100s: %s", command, options.cwd, err_text(rc));
    return E_INVALID;
}
