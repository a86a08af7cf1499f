#include "conformance/cli.h"

#include "conformance/judge_recording.h"
#include "conformance/lint.h"
#include "conformance/verdict.h"

#include <stdio.h>

/* acp-conformance lint */

static void print_fault(void *ctx, const struct lint_fault *f)
{
    const struct case_file *c = ctx;
    printf("%s:%u:%u: %s%s%s\n", c->path, f->at.line, f->at.column, f->pointer,
           f->pointer[0] ? ": " : "", f->text);
}

/* What the files on the command line came to. */
struct linted {
    size_t cases;
    unsigned faults;
    int worst; /* exit code of the recordings */
};

static int lint_recording(const struct cli *cli, const char *path, const struct requirements *reqs,
                          struct linted *l)
{
    struct recording r;
    int rc = recording_open(path, &r);
    if (rc == 0)
        rc = recording_judge(cli, reqs, path, &r);
    recording_deinit(&r);
    l->worst = rc > l->worst ? rc : l->worst;
    return rc == EXIT_DOES_NOT ? 0 : rc;
}

static unsigned lint_all(const struct catalog *c, const struct requirements *reqs)
{
    unsigned faults = 0;
    for (size_t i = 0; i < c->n; i++)
        faults += lint_case(&c->cases[i], reqs, print_fault, &c->cases[i]);
    return faults;
}

static int lint_file(const struct cli *cli, const char *path, const struct requirements *reqs,
                     struct linted *l)
{
    char err[512];
    struct catalog c;
    if (catalog_open_file(path, &c, err, sizeof err) < 0)
        return cli_usage_error("%s", err);
    bool recorded = recording_is(c.cases[0].text, c.cases[0].n);
    if (!recorded) {
        l->cases += c.n;
        l->faults += lint_all(&c, reqs);
    }
    catalog_close(&c);
    return recorded ? lint_recording(cli, path, reqs, l) : 0;
}

/* Without files every case that is built in, or in the folder of --cases. */
int cmd_lint(const struct cli *cli)
{
    struct cli_data d;
    struct linted l = {0};
    int rc = cli_load(cli, false, &d);
    if (rc != 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < cli->n_words; i++)
        rc = lint_file(cli, cli->words[i], &d.reqs, &l);
    if (cli->n_words == 0) {
        l.cases = d.catalog.n;
        l.faults = lint_all(&d.catalog, &d.reqs);
    }
    if (rc == 0 && l.cases > 0)
        printf("%zu case%s, %u fault%s\n", l.cases, l.cases == 1 ? "" : "s", l.faults,
               l.faults == 1 ? "" : "s");
    cli_unload(&d);
    if (rc != 0)
        return rc;
    return l.faults ? EXIT_DOES_NOT : l.worst;
}
