#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/console.h"
#include "conformance/failure.h"
#include "conformance/monitor.h"
#include "conformance/mutant.h"
#include "conformance/probe.h"
#include "conformance/proof.h"
#include "conformance/runner.h"
#include "conformance/style.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * acp-conformance prove. Mutated runs wait for things that never come, so they are given a short
 * deadline first; only if they do not come out as they should, the full one.
 */
static const double short_scale = 0.1;
enum { JOBS_PER_PROCESSOR = 8 }; /* most of them wait */

struct trial {
    struct runner_job job;
    struct case_file *file;
    const cJSON *mutant; /* NULL: the case as it is */
    int index;           /* in `mutants` */
    bool retried;
};

struct proof {
    const struct cli *cli;
    struct cli_data data;
    struct profile profile;
    struct run_setting setting;
    struct probe probe;
    struct trial *trials; /* owned */
    size_t n, next;
    struct trial **again; /* owned: trials that wait for their second run */
    size_t n_again;
    unsigned *kills; /* owned: by requirement, how many mutants it noticed */
    size_t finished, cases_run;
    unsigned broken;
    bool live, colour;
    char *bindir; /* owned */
};

/* ---- telling ------------------------------------------------------------------------------------
 */

static void tell_progress(const struct proof *p)
{
    if (!p->live)
        return;
    printf("\r\033[K[%zu/%zu] %u not as they should be", p->finished, p->n, p->broken);
    fflush(stdout);
}

static void tell_broken(struct proof *p, const struct trial *t, const struct case_result *r,
                        const char *diff)
{
    struct buf text = {0};
    p->broken++;
    if (p->live)
        fputs("\r\033[K", stdout);
    printf("%s%s%s", style_begin(p->colour, STYLE_RED), t->mutant ? "NOT AS DECLARED" : "NOT GREEN",
           style_end(p->colour));
    printf("  %s", t->file->id);
    if (t->mutant) {
        printf("  mutants[%d]: ", t->index);
        if (mutant_describe(t->mutant, &text) == 0)
            printf("%s\n", buf_cstr(&text));
        printf("  %s\n", diff);
        text.n = 0;
    } else {
        printf("\n");
    }
    if (failure_write(r, NULL, p->colour, &text) == 0)
        printf("%s\n", buf_cstr(&text));
    buf_deinit(&text);
}

/* ---- judging ------------------------------------------------------------------------------------
 */

static size_t row_of(const struct proof *p, const char *id)
{
    const struct requirement *r = requirements_find(&p->data.reqs, id);
    return r ? (size_t)(r - p->data.reqs.rows) : p->data.reqs.n;
}

static void count_kill(void *ctx, const char *id)
{
    struct proof *p = ctx;
    size_t row = row_of(p, id);
    if (row < p->data.reqs.n)
        p->kills[row]++;
}

static bool judge_mutant(struct proof *p, struct trial *t, const struct case_result *r,
                         bool applied)
{
    struct buf diff = {0};
    bool as_declared = applied && proof_matches(json_get(t->mutant, "fails"), r, &diff);
    if (as_declared) {
        proof_failed(r, count_kill, p);
    } else if (t->retried) {
        tell_broken(p, t, r,
                    applied ? buf_cstr(&diff) : "the mutant never met what it is to change");
    } else {
        t->retried = true;
        t->job.options.scale = 1;
        p->again[p->n_again++] = t;
    }
    buf_deinit(&diff);
    return as_declared || p->n_again == 0 || p->again[p->n_again - 1] != t;
}

static bool on_done(void *ctx, const struct runner_job *job, struct case_result *r, bool applied)
{
    struct proof *p = ctx;
    struct trial *t = job->user;
    if (t->mutant && !judge_mutant(p, t, r, applied))
        return true; /* it comes again */
    if (!t->mutant && r->verdict != VERDICT_PASS)
        tell_broken(p, t, r, "");
    p->finished++;
    tell_progress(p);
    return true;
}

static const struct runner_job *next_job(void *ctx)
{
    struct proof *p = ctx;
    if (p->next < p->n)
        return &p->trials[p->next++].job;
    return p->n_again > 0 ? &p->again[--p->n_again]->job : NULL;
}

/* ---- planning -----------------------------------------------------------------------------------
 */

static void add_trial(struct proof *p, struct case_file *c, const cJSON *mutant, int index)
{
    struct trial *t = &p->trials[p->n++];
    *t = (struct trial){.file = c, .mutant = mutant, .index = index};
    t->job.options.file = c;
    t->job.options.mutant = mutant;
    t->job.options.scale = mutant ? short_scale : 1;
    t->job.user = t;
}

static size_t count_trials(const struct selection *s)
{
    size_t n = 0;
    char err[256];
    for (size_t i = 0; i < s->n; i++)
        n += 1 + (size_t)cJSON_GetArraySize(
                     json_get(case_json(s->cases[i], err, sizeof err), "mutants"));
    return n;
}

static void plan_case(struct proof *p, struct case_file *c)
{
    char text[256];
    const cJSON *mutant;
    int index = 0;
    const char *code = facts_skip(&p->probe.facts, &p->profile, c, text, sizeof text);
    if (code) {
        printf("SKIP  %s: %s\n", c->id, text);
        return;
    }
    p->cases_run++;
    add_trial(p, c, NULL, 0);
    cJSON_ArrayForEach(mutant, json_get(c->json, "mutants")) add_trial(p, c, mutant, index++);
}

static int plan(struct proof *p)
{
    size_t n = count_trials(&p->data.selection);
    p->trials = calloc(n + 1, sizeof *p->trials);
    p->again = calloc(n + 1, sizeof *p->again);
    p->kills = calloc(p->data.reqs.n + 1, sizeof *p->kills);
    if (!p->trials || !p->again || !p->kills)
        return cli_no_verdict("%s", err_text(E_NOMEM));
    for (size_t i = 0; i < p->data.selection.n; i++)
        plan_case(p, p->data.selection.cases[i]);
    return 0;
}

/* ---- the matrix ---------------------------------------------------------------------------------
 */

/* Of those that were run: what a skipped case judges was not tried. */
static bool listed_by_a_case(const struct proof *p, const char *id)
{
    const cJSON *v;
    for (size_t i = 0; i < p->n; i++) {
        if (p->trials[i].mutant)
            continue;
        cJSON_ArrayForEach(v, json_get(p->trials[i].file->json,
                                       "checks")) if (cJSON_IsString(v) &&
                                                      strcmp(v->valuestring, id) == 0) return true;
    }
    return false;
}

enum proof_group { UNPROVEN_BY_CASES, UNPROVEN_MONITORS };

static bool is_unproven(const struct proof *p, size_t row, enum proof_group group)
{
    const struct requirement *r = &p->data.reqs.rows[row];
    bool listed = listed_by_a_case(p, r->id);
    if (p->kills[row] > 0)
        return false;
    return group == UNPROVEN_BY_CASES
               ? listed
               : !listed && monitor_judges(r->id) && strcmp(r->party, "client") != 0;
}

static unsigned print_unproven(const struct proof *p, enum proof_group group)
{
    static const char *const titles[] = {
        "judged by a case, but noticed no mutant",
        "watched by a monitor only, and noticed no mutant",
    };
    unsigned n = 0;
    for (size_t i = 0; i < p->data.reqs.n; i++) {
        if (!is_unproven(p, i, group))
            continue;
        if (n == 0)
            printf("\n%s", titles[group]);
        printf("%s %-11s", n % 8 == 0 ? "\n " : "", p->data.reqs.rows[i].id);
        n++;
    }
    if (n > 0)
        printf("\n");
    return n;
}

static void print_matrix(const struct proof *p)
{
    unsigned column = 0;
    printf("\nmutants noticed, by requirement\n");
    for (size_t i = 0; i < p->data.reqs.n; i++) {
        if (p->kills[i] == 0)
            continue;
        printf("  %-12s %3u", p->data.reqs.rows[i].id, p->kills[i]);
        if (++column % 5 == 0)
            printf("\n");
    }
    if (column % 5 != 0)
        printf("\n");
}

static int conclude(const struct proof *p, uint64_t began)
{
    if (p->live)
        fputs("\r\033[K", stdout);
    print_matrix(p);
    unsigned unproven = print_unproven(p, UNPROVEN_BY_CASES);
    print_unproven(p, UNPROVEN_MONITORS);
    printf("\n%zu case(s), %zu mutant(s), %u not as they should be, %u requirement(s) unproven, "
           "%.2f s\n",
           p->cases_run, p->n - p->cases_run, p->broken, unproven,
           (double)(uv_hrtime() - began) / 1e9);
    if (p->n == 0)
        return EXIT_NO_VERDICT;
    return p->broken || unproven ? EXIT_DOES_NOT : EXIT_CONFORMS;
}

/* ---- the command --------------------------------------------------------------------------------
 */

static int prove(struct proof *p)
{
    static const struct runner_ops ops = {.on_done = on_done, .next = next_job};
    uint64_t began = uv_hrtime();
    struct runner_options options = {
        &p->setting, p->cli->jobs ? p->cli->jobs : JOBS_PER_PROCESSOR * uv_available_parallelism()};
    int rc = probe_agent(&p->setting, &p->probe);
    if (rc < 0)
        return cli_no_verdict("the agent could not be looked at: %s", err_text(rc));
    if (!p->probe.ready)
        return cli_no_verdict("%s", p->probe.result.reason
                                        ? p->probe.result.reason
                                        : "the agent does not answer initialize");
    rc = plan(p);
    if (rc != 0)
        return rc;
    p->live = isatty(STDOUT_FILENO);
    p->colour = style_wanted(stdout);
    rc = runner_run(&options, &ops, p);
    if (rc < 0)
        return cli_no_verdict("the proof was not finished: %s", err_text(rc));
    return conclude(p, began);
}

int cmd_prove(const struct cli *cli)
{
    struct proof p = {.cli = cli};
    int rc = cli_load(cli, true, &p.data);
    rc = rc != 0 ? rc : cli_profile(cli, &p.profile);
    if (rc == 0) {
        p.bindir = cli_bindir();
        p.setting = (struct run_setting){&p.profile, &p.data.reqs,       p.bindir,
                                         false,      cli->timeout_scale, cli->seed};
        rc = p.bindir ? prove(&p) : cli_no_verdict("%s", err_text(E_NOMEM));
    }
    free(p.trials);
    free(p.again);
    free(p.kills);
    free(p.bindir);
    probe_deinit(&p.probe);
    profile_close(&p.profile);
    cli_unload(&p.data);
    return rc;
}
