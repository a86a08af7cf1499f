#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/baseline.h"
#include "conformance/console.h"
#include "conformance/failure.h"
#include "conformance/isolate.h"
#include "conformance/lint.h"
#include "conformance/probe.h"
#include "conformance/report.h"
#include "conformance/runner.h"
#include "conformance/state.h"
#include "conformance/tally.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* acp-conformance run */

enum { AGENT_NAME_MAX = 120 }; /* bytes; agents may call themselves anything */

struct run {
    const struct cli *cli;
    struct cli_data data;
    struct profile profile;
    struct run_setting setting;
    struct probe probe;
    struct outcome outcome;
    struct console console;
    struct runner_job *jobs; /* owned, one for each case that is not skipped */
    size_t n_jobs, next_job;
    unsigned round, rounds;
    struct tally tally;
    struct baseline baseline;
    char *bindir;     /* owned */
    struct buf words; /* behind "acp-conformance run ID", to run a case again */
    int rc;
};

/* ---- one result ---------------------------------------------------------------------------------
 */

/* What a replay needs to know of the case: the first line of the file. */
static int write_header(const struct case_result *r, struct buf *out)
{
    static const char *const members[] = {"model", "files", "env", "args"};
    char err[256];
    const cJSON *play = case_json(r->file, err, sizeof err);
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kint(&w, "trace", 1);
    jw_kstr(&w, "side", "header");
    jw_kstr(&w, "case", r->file->id);
    if (r->cwd)
        jw_kstr(&w, "cwd", r->cwd);
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (json_get(play, members[i]))
            jw_ktree(&w, members[i], json_get(play, members[i]));
    jw_close(&w);
    int rc = jw_end(&w);
    return rc == 0 ? buf_addc(out, '\n') : rc;
}

static int write_trace(const struct run *run, const struct case_result *r)
{
    char path[1024];
    struct buf text = {0};
    int n = snprintf(path, sizeof path, "%s/%s.ndjson", run->cli->trace_dir, r->file->id);
    char *slash = strrchr(path, '/');
    if (n < 0 || (size_t)n >= sizeof path)
        return -ENAMETOOLONG;
    if (strchr(r->file->id, '/'))
        *slash = '.';
    int rc = write_header(r, &text);
    for (size_t i = 0; i < r->trace.n && rc == 0; i++) {
        rc = trace_write_event(&text, r->trace.events[i]);
        rc = rc < 0 ? rc : buf_addc(&text, '\n');
    }
    FILE *f = rc == 0 ? fopen(path, "wbe") : NULL;
    if (f) {
        fwrite(text.p, 1, text.n, f);
        rc = fclose(f) == 0 ? 0 : -errno;
    } else if (rc == 0) {
        rc = -errno;
    }
    buf_deinit(&text);
    return rc;
}

static char *block_of(struct run *run, const struct case_result *r, bool colour)
{
    struct buf text = {0};
    char *again = outcome_again(&run->outcome, r->file);
    int rc = again ? failure_write(r, again, colour, &text) : E_NOMEM;
    char *block = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    free(again);
    return block;
}

/* Verdicts whose story is told on the console at once. */
static bool is_told(enum verdict v)
{
    return v == VERDICT_FAIL || v == VERDICT_ERROR || v == VERDICT_WARN ||
           v == VERDICT_NOT_EXERCISED;
}

/* Of the rounds of a case the worst is kept. shown, kept: the failure with and without colours. */
static int keep_result(struct run *run, struct case_result *r, const char *shown, char *kept)
{
    struct tally_row *row;
    int rc = tally_add(&run->tally, r, run->outcome.n, &row);
    if (rc < 0) {
        free(kept);
        return rc;
    }
    console_case(&run->console, r, shown, row->counts[r->verdict] > 1);
    if (row->place == run->outcome.n)
        return outcome_add(&run->outcome, r, kept);
    enum verdict before = run->outcome.cases[row->place].result.verdict;
    if (r->verdict != before && verdict_worse(before, r->verdict) == r->verdict)
        return outcome_replace(&run->outcome, row->place, r, kept);
    free(kept);
    result_deinit(r);
    return 0;
}

static bool take_result(struct run *run, struct case_result *r)
{
    if (baseline_apply(&run->baseline, r) < 0)
        run->rc = cli_no_verdict("%s", err_text(E_NOMEM));
    bool story = r->verdict != VERDICT_PASS && r->verdict != VERDICT_SKIP;
    char *shown = is_told(r->verdict) ? block_of(run, r, run->console.colour) : NULL;
    char *kept = story ? block_of(run, r, false) : NULL;
    bool stop = (run->cli->fail_fast || run->cli->until_failure) &&
                (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR);
    if (run->cli->trace_dir && r->trace.n > 0) {
        int rc = write_trace(run, r);
        if (rc < 0)
            run->rc = cli_no_verdict("cannot write the trace of %s below %s: %s", r->file->id,
                                     run->cli->trace_dir, err_text(rc));
    }
    if (keep_result(run, r, shown, kept) < 0)
        run->rc = cli_no_verdict("%s", err_text(E_NOMEM));
    free(shown);
    return !stop && run->rc == 0;
}

static bool on_done(void *ctx, const struct runner_job *job, struct case_result *r, bool applied)
{
    (void)job;
    (void)applied;
    return take_result(ctx, r);
}

static const struct runner_job *next_job(void *ctx)
{
    struct run *run = ctx;
    if (run->next_job == run->n_jobs && run->round + 1 < run->rounds) {
        run->round++;
        run->console.total += run->n_jobs;
        run->next_job = 0;
    }
    return run->next_job < run->n_jobs ? &run->jobs[run->next_job++] : NULL;
}

/* A case that is not run at all. code NULL: the harness could not. */
static bool pass_over(struct run *run, struct case_file *c, const char *code, const char *text)
{
    struct case_result r;
    if (result_init(&r, c, &run->data.reqs, run->setting.strict) < 0)
        return false;
    if (!code)
        result_error(&r, text);
    else if (strcmp(code, "handshake") == 0)
        result_not_exercised(&r, code, text);
    else
        result_skip(&r, code, text);
    result_conclude(&r);
    bool go_on = true;
    if (r.verdict == VERDICT_SKIP)
        go_on = take_result(run, &r);
    else if (outcome_add(&run->outcome, &r, NULL) < 0)
        go_on = false;
    return go_on;
}

/* ---- the run ------------------------------------------------------------------------------------
 */

static int dry_run(const struct run *run)
{
    size_t n = run->data.selection.n;
    for (size_t i = 0; i < n; i++)
        printf("%s  %s\n", run->data.selection.cases[i]->id,
               case_title(run->data.selection.cases[i]));
    printf("%zu case%s would be run against %s\n", n, n == 1 ? "" : "s", run->profile.name);
    return EXIT_CONFORMS;
}

static void print_fault(void *ctx, const struct lint_fault *f)
{
    const struct case_file *c = ctx;
    fprintf(stderr, "%s:%u:%u: %s: %s\n", c->path, f->at.line, f->at.column, f->pointer, f->text);
}

/* Built-in cases have been checked when they were built in. */
static int check_cases(const struct run *run)
{
    unsigned faults = 0;
    for (size_t i = 0; run->cli->cases_dir && i < run->data.selection.n; i++)
        faults += lint_case(run->data.selection.cases[i], &run->data.reqs, print_fault,
                            run->data.selection.cases[i]);
    return faults ? cli_usage_error("the cases have %u fault%s; nothing was run", faults,
                                    faults == 1 ? "" : "s")
                  : 0;
}

static int plan(struct run *run)
{
    const struct selection *s = &run->data.selection;
    run->jobs = calloc(s->n + 1, sizeof *run->jobs);
    if (!run->jobs)
        return cli_no_verdict("%s", err_text(E_NOMEM));
    for (size_t i = 0; i < s->n; i++) {
        char text[256];
        const char *code =
            facts_skip(&run->probe.facts, &run->profile, s->cases[i], text, sizeof text);
        if (code && !pass_over(run, s->cases[i], code, text))
            break;
        if (!code)
            run->jobs[run->n_jobs++].options.file = s->cases[i];
    }
    return run->rc;
}

static void name_agent(struct run *run)
{
    const cJSON *info = json_get(run->probe.facts.initialize, "agentInfo");
    const char *name = json_get_str(info, "name"), *version = json_get_str(info, "version");
    run->outcome.agent_name = name ? strndup(name, AGENT_NAME_MAX) : NULL;
    run->outcome.agent_version = version ? strndup(version, AGENT_NAME_MAX) : NULL;
}

static int run_cases(struct run *run)
{
    static const struct runner_ops ops = {.on_done = on_done, .next = next_job};
    struct runner_options options = {&run->setting, run->outcome.jobs};
    name_agent(run);
    int rc = plan(run);
    if (rc != 0)
        return rc;
    rc = runner_run(&options, &ops, run);
    run->outcome.interrupted = rc == E_CANCELLED;
    if (rc < 0 && rc != E_CANCELLED)
        return cli_no_verdict("the runner failed: %s", err_text(rc));
    return run->rc;
}

/* Nobody answers: that is told once, and every case comes to the same. */
static int give_up(struct run *run)
{
    struct case_result *r = &run->probe.result;
    char text[512];
    const char *code = r->error ? NULL : "handshake";
    snprintf(text, sizeof text, "%s",
             r->reason ? r->reason : "the agent does not get through initialize");
    run->console.total++;
    take_result(run, r);
    for (size_t i = 0; i < run->data.selection.n; i++)
        if (!pass_over(run, run->data.selection.cases[i], code, text))
            break;
    return run->rc;
}

static int write_reports(struct run *run)
{
    int rc = 0;
    for (size_t i = 0; i < run->cli->n_reports; i++) {
        char err[1200];
        const struct cli_report *report = &run->cli->reports[i];
        if (report_write(report->kind->name, report->path, &run->outcome, err, sizeof err) < 0)
            rc = cli_no_verdict("%s", err);
    }
    return rc;
}

static void print_flaky(const struct run *run)
{
    size_t flaky = tally_flaky(&run->tally);
    if (run->rounds == 1)
        return;
    printf("%u round%s begun, %zu flaky case%s\n", run->round + 1, run->round == 0 ? "" : "s",
           flaky, flaky == 1 ? "" : "s");
    for (size_t i = 0; i < run->tally.n; i++) {
        struct buf text = {0};
        if (tally_is_flaky(&run->tally.rows[i]) && tally_write(&run->tally.rows[i], &text) == 0)
            printf("  flaky: %s  %s\n", run->tally.rows[i].file->id, buf_cstr(&text));
        buf_deinit(&text);
    }
}

/* Where nobody asked for it a place that cannot be written is no fault. */
static int write_state(const struct run *run)
{
    char path[PATH_MAX];
    int rc = state_path(run->cli->state, path, sizeof path);
    rc = rc < 0 ? rc : state_write(path, &run->outcome);
    if (rc == 0 || !run->cli->state)
        return 0;
    return cli_no_verdict("cannot write %s: %s", path, err_text(rc));
}

static void count_stale(struct run *run)
{
    for (size_t i = 0; i < run->baseline.n; i++)
        run->outcome.stale += baseline_is_stale(&run->baseline.entries[i], &run->data.catalog);
}

static void print_baseline(const struct run *run)
{
    unsigned known = 0, flaky = 0;
    if (!run->cli->baseline)
        return;
    for (size_t i = 0; i < run->baseline.n; i++) {
        const struct baseline_entry *e = &run->baseline.entries[i];
        known += e->told && !e->flaky && e->failed > 0;
        flaky += e->told && e->flaky && e->failed > 0;
    }
    printf("baseline: %u known and %u flaky failures, %u stale\n", known, flaky,
           run->outcome.stale);
    for (size_t i = 0; i < run->baseline.n; i++) {
        const struct baseline_entry *e = &run->baseline.entries[i];
        if (baseline_is_stale(e, &run->data.catalog))
            printf("  stale: %s %s %s; take the entry out of %s\n", e->case_id, e->check,
                   e->passed > 0 ? "does not fail any more" : "has no such case",
                   run->cli->baseline);
    }
}

static int write_baseline(const struct run *run)
{
    const char *path = run->cli->write_baseline;
    struct buf text = {0};
    if (!path)
        return 0;
    int rc = baseline_write(&run->baseline, &text);
    FILE *f = rc == 0 ? fopen(path, "wbe") : NULL;
    if (f) {
        size_t n = fwrite(text.p, 1, text.n, f);
        rc = fclose(f) == 0 && n == text.n ? 0 : E_IO;
    } else if (rc == 0) {
        rc = -errno;
    }
    buf_deinit(&text);
    return rc < 0 ? cli_no_verdict("cannot write %s: %s", path, err_text(rc)) : 0;
}

static int judge(struct run *run)
{
    uint64_t began = uv_hrtime();
    run->rounds = run->cli->until_failure ? UINT_MAX : run->cli->repeat ? run->cli->repeat : 1;
    console_begin(&run->console, run->data.selection.n);
    int rc = probe_agent(&run->setting, &run->probe);
    if (rc < 0)
        return cli_no_verdict("the agent could not be looked at: %s", err_text(rc));
    rc = run->probe.ready ? run_cases(run) : give_up(run);
    run->outcome.duration_us = (uv_hrtime() - began) / 1000;
    outcome_sort(&run->outcome);
    count_stale(run);
    console_summary(&run->console, &run->outcome);
    print_flaky(run);
    print_baseline(run);
    int reports = write_reports(run), state = write_state(run), base = write_baseline(run);
    rc = rc != 0 ? rc : reports != 0 ? reports : state != 0 ? state : base;
    return rc != 0 ? rc : (int)outcome_exit_code(&run->outcome);
}

/* Agents of others call home and leave daemons behind; those go on in a world of their own. True in
 * the process that waited for it: *retrc is what the run has come to. */
static bool ran_elsewhere(const struct run *run, int *retrc)
{
    char err[128];
    if (!profile_isolates(&run->profile) || run->cli->no_isolation || run->cli->dry_run)
        return false;
    int rc = isolate_enter(retrc, err, sizeof err);
    if (rc < 0)
        fprintf(stderr, "acp-conformance: %s runs with the network as it is: %s\n",
                run->profile.name, err);
    return rc == 1;
}

/* ---- set-up -------------------------------------------------------------------------------------
 */

/* A word as a shell reads it back. */
static int add_word(struct buf *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    int rc = buf_addc(out, ' ');
    if (rc == 0 && word[0] && word[strspn(word, plain)] == '\0')
        return buf_adds(out, word);
    rc = rc < 0 ? rc : buf_addc(out, '\'');
    for (; rc == 0 && *word; word++)
        rc = *word == '\'' ? buf_adds(out, "'\\''") : buf_addc(out, *word);
    return rc < 0 ? rc : buf_addc(out, '\'');
}

static int add_option(struct buf *out, const char *option, const char *value)
{
    int rc = value ? buf_addf(out, " %s", option) : 0;
    return rc < 0 || !value ? rc : add_word(out, value);
}

static int describe_again(const struct cli *cli, struct buf *out)
{
    int rc =
        add_option(out, "--profile", cli->profile || cli->command ? cli->profile : "acp-agent");
    rc = rc < 0 ? rc : add_option(out, "--cases", cli->cases_dir);
    if (rc == 0 && cli->strict)
        rc = buf_adds(out, " --strict");
    if (rc == 0 && (cli->timeout_scale < 1 || cli->timeout_scale > 1))
        rc = buf_addf(out, " --timeout-scale %g", cli->timeout_scale);
    if (rc == 0 && cli->seed != 0)
        rc = buf_addf(out, " --seed %llu", (unsigned long long)cli->seed);
    if (rc == 0 && cli->command)
        rc = buf_adds(out, " --");
    for (char *const *word = cli->command; rc == 0 && word && *word; word++)
        rc = add_word(out, *word);
    return rc;
}

static int make_trace_dir(const struct cli *cli)
{
    if (!cli->trace_dir || mkdir(cli->trace_dir, 0777) == 0 || errno == EEXIST)
        return 0;
    return cli_usage_error("cannot make the folder %s: %s", cli->trace_dir, strerror(errno));
}

static int load_baseline(struct run *run)
{
    char err[1200];
    const char *path = run->cli->baseline;
    int rc = path ? baseline_read(path, &run->baseline, err, sizeof err) : 0;
    return rc == E_NOMEM ? cli_no_verdict("%s", err_text(rc))
           : rc < 0      ? cli_usage_error("%s", err)
                         : 0;
}

static int prepare(struct run *run)
{
    const struct cli *cli = run->cli;
    int rc = cli_load(cli, true, &run->data);
    rc = rc != 0 ? rc : cli_profile(cli, &run->profile);
    rc = rc != 0 ? rc : make_trace_dir(cli);
    rc = rc != 0 ? rc : load_baseline(run);
    if (rc != 0)
        return rc;
    run->bindir = cli_bindir();
    if (!run->bindir || describe_again(cli, &run->words) < 0)
        return cli_no_verdict("%s", err_text(E_NOMEM));
    run->setting = (struct run_setting){&run->profile, &run->data.reqs,    run->bindir,
                                        cli->strict,   cli->timeout_scale, cli->seed};
    run->outcome.setting = &run->setting;
    run->outcome.jobs = cli->jobs ? cli->jobs : 2 * uv_available_parallelism();
    run->outcome.started = time(NULL);
    run->outcome.again = buf_cstr(&run->words);
    for (size_t i = 0; i < cli->n_reports; i++)
        run->outcome.keep_excerpts |= cli->reports[i].kind->excerpts;
    return check_cases(run);
}

int cmd_run(const struct cli *cli)
{
    struct run run = {.cli = cli};
    int rc = prepare(&run);
    if (rc == 0 && !ran_elsewhere(&run, &rc))
        rc = cli->dry_run ? dry_run(&run) : judge(&run);
    free(run.jobs);
    tally_deinit(&run.tally);
    baseline_deinit(&run.baseline);
    free(run.bindir);
    buf_deinit(&run.words);
    outcome_deinit(&run.outcome);
    probe_deinit(&run.probe);
    profile_close(&run.profile);
    cli_unload(&run.data);
    return rc;
}
