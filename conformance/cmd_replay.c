#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/judge_recording.h"
#include "conformance/replay.h"
#include "conformance/runner.h"
#include "conformance/story.h"
#include "conformance/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* acp-conformance replay */

struct replay {
    const struct cli *cli;
    const char *path;
    struct cli_data data;
    struct recording recorded;
    struct case_file file; /* what is played, or (without an agent) only a name */
    struct runner_job job;
    bool given; /* the job */
    int exit;   /* what the process ends with */
};

/* ---- what is told -------------------------------------------------------------------------------
 */

static void tell_difference(struct replay *r, const struct trace *now)
{
    struct story then_told = {0}, now_told = {0};
    struct buf text = {0};
    int n = story_tell(&r->recorded.trace, &then_told);
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
    r->exit = recording_tell(result, "played to the agent", stdout);
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
    int rc = replay_case(&r->recorded.trace, r->recorded.header, &r->file, err, sizeof err);
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
    rc = recording_open(r.path, &r.recorded);
    if (rc == 0)
        rc = cli->profile || cli->command ? play(&r)
                                          : recording_judge(cli, &r.data.reqs, r.path, &r.recorded);
    case_file_deinit(&r.file);
    recording_deinit(&r.recorded);
    cli_unload(&r.data);
    return rc;
}
