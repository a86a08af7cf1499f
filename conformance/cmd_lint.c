#include "conformance/cli.h"

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

static int lint_file(const char *path, const struct requirements *reqs, unsigned *faults)
{
    char err[512];
    struct case_file c;
    if (case_file_read(path, &c, err, sizeof err) < 0)
        return cli_usage_error("%s", err);
    *faults += lint_case(&c, reqs, print_fault, &c);
    case_file_deinit(&c);
    return 0;
}

static unsigned lint_catalog(const struct cli_data *d)
{
    unsigned faults = 0;
    for (size_t i = 0; i < d->catalog.n; i++)
        faults += lint_case(&d->catalog.cases[i], &d->reqs, print_fault, &d->catalog.cases[i]);
    return faults;
}

/* Without files everything that is built in, or in the folder of --cases. */
int cmd_lint(const struct cli *cli)
{
    struct cli_data d;
    unsigned faults = 0;
    int rc = cli_load(cli, false, &d);
    if (rc != 0)
        return rc;
    size_t n = cli->n_words ? cli->n_words : d.catalog.n;
    for (size_t i = 0; rc == 0 && i < cli->n_words; i++)
        rc = lint_file(cli->words[i], &d.reqs, &faults);
    if (cli->n_words == 0)
        faults = lint_catalog(&d);
    if (rc == 0)
        printf("%zu case%s, %u fault%s\n", n, n == 1 ? "" : "s", faults, faults == 1 ? "" : "s");
    cli_unload(&d);
    return rc != 0 ? rc : faults ? EXIT_DOES_NOT : EXIT_CONFORMS;
}
