#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/failure.h"
#include "conformance/replay.h"
#include "conformance/runner.h"
#include "conformance/story.h"
#include "conformance/style.h"
#include "conformance/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* acp-conformance replay */

struct replay {
    const struct cli *cli;
    const char *path;
    struct cli_data data;
    struct trace recorded;
    cJSON *header;         /* owned; or NULL */
    struct case_file file; /* what is played, or (without an agent) only a name */
    struct runner_job job;
    bool given; /* the job */
    int exit;   /* what the process ends with */
};

/* ---- the file -----------------------------------------------------------------------------------
 */

static int read_recording(struct replay *r)
{
    char err[512];
    struct case_file text; /* not a case, but read like one */
    struct trace_fault fault;
    if (case_file_read(r->path, &text, err, sizeof err) < 0)
        return cli_usage_error("%s", err);
    int rc = trace_read(&r->recorded, text.owned, text.n, &r->header, &fault);
    case_file_deinit(&text);
    if (rc == E_NOMEM)
        return cli_no_verdict("%s", err_text(rc));
    if (rc < 0)
        return cli_usage_error("%s:%u: %s; replay reads what run --trace writes", r->path,
                               fault.line, fault.text);
    return r->recorded.n > 0 ? 0 : cli_usage_error("%s: nothing is recorded in it", r->path);
}

/* ---- what is told -------------------------------------------------------------------------------
 */

static void tell_result(struct replay *r, const struct case_result *result, const char *what)
{
    struct buf text = {0};
    bool colour = style_wanted(stdout);
    if (result->verdict != VERDICT_PASS && failure_write(result, NULL, colour, &text) == 0)
        printf("%s\n", buf_cstr(&text));
    printf("%s: %s %s\n", r->path, verdict_name(result->verdict), what);
    buf_deinit(&text);
    unsigned counts[VERDICT_COUNT] = {0};
    counts[result->verdict]++;
    r->exit = (int)verdict_exit_code(counts);
}

static void tell_difference(struct replay *r, const struct trace *now)
{
    struct story then_told = {0}, now_told = {0};
    struct buf text = {0};
    int n = story_tell(&r->recorded, &then_told);
    n = n < 0 ? n : story_tell(now, &now_told);
    n = n < 0 ? n : story_compare(&then_told, &now_told, &text);
    if (n < 0) {
        r->exit = cli_no_verdict("%s", err_text(n));
    } else if (n == 0) {
        printf("the agent did what is recorded: %zu answers and updates\n", now_told.n);
    } else {
        printf("%d of what is recorded (-) or was done now (+) differ:\n%s", n, buf_cstr(&text));
        r->exit = r->exit == EXIT_CONFORMS ? EXIT_DOES_NOT : r->exit;
    }
    buf_deinit(&text);
    story_deinit(&then_told);
    story_deinit(&now_told);
}

/* ---- without an agent ---------------------------------------------------------------------------
 */

static int judge(struct replay *r)
{
    static const char nothing[] = "{\"title\":\"A recorded conversation\",\"checks\":[]}";
    struct case_result result;
    r->file = (struct case_file){.id = strdup("replay/trace"),
                                 .path = strdup(r->path),
                                 .text = nothing,
                                 .n = strlen(nothing)};
    int rc = r->file.id && r->file.path ? 0 : E_NOMEM;
    rc = rc == 0 ? result_init(&result, &r->file, &r->data.reqs, r->cli->strict) : rc;
    if (rc < 0)
        return cli_no_verdict("%s", err_text(rc));
    result.trace = r->recorded;
    r->recorded = (struct trace){0};
    rc = replay_judge(&result);
    if (rc == 0)
        tell_result(r, &result, "by what the monitors see in it");
    result_deinit(&result);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : r->exit;
}

/* ---- with an agent ------------------------------------------------------------------------------
 */

static const struct runner_job *next_job(void *ctx)
{
    struct replay *r = ctx;
    bool given = r->given;
    r->given = true;
    return given ? NULL : &r->job;
}

static bool on_done(void *ctx, const struct runner_job *job, struct case_result *result,
                    bool applied)
{
    struct replay *r = ctx;
    (void)job;
    (void)applied;
    tell_result(r, result, "played to the agent");
    if (result->trace.n > 0)
        tell_difference(r, &result->trace);
    return true;
}

static int play(struct replay *r)
{
    static const struct runner_ops ops = {.on_done = on_done, .next = next_job};
    char err[256];
    struct profile profile;
    char *bindir = NULL;
    int rc = replay_case(&r->recorded, r->header, &r->file, err, sizeof err);
    if (rc < 0)
        return rc == E_UNSUPPORTED ? cli_usage_error("%s cannot be played: %s", r->path, err)
                                   : cli_no_verdict("%s", err_text(rc));
    rc = cli_profile(r->cli, &profile);
    if (rc != 0)
        return rc;
    bindir = cli_bindir();
    const struct run_setting setting = {.profile = &profile,
                                        .reqs = &r->data.reqs,
                                        .bindir = bindir,
                                        .strict = r->cli->strict,
                                        .timeout_scale = r->cli->timeout_scale,
                                        .seed = r->cli->seed};
    const struct runner_options options = {.setting = &setting, .parallel = 1};
    r->job.options.file = &r->file;
    rc = bindir ? runner_run(&options, &ops, r) : E_NOMEM;
    free(bindir);
    profile_close(&profile);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : r->exit;
}

int cmd_replay(const struct cli *cli)
{
    struct replay r = {.cli = cli};
    if (cli->n_words != 1)
        return cli_usage_error("replay wants one trace file");
    r.path = cli->words[0];
    int rc = cli_load(cli, false, &r.data);
    if (rc != 0)
        return rc;
    trace_init(&r.recorded, 0);
    rc = read_recording(&r);
    if (rc == 0)
        rc = cli->profile || cli->command ? play(&r) : judge(&r);
    case_file_deinit(&r.file);
    cJSON_Delete(r.header);
    trace_deinit(&r.recorded);
    cli_unload(&r.data);
    return rc;
}
