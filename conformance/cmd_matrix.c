#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/compare.h"
#include "conformance/report.h"

#include <stdio.h>
#include <string.h>

/* acp-conformance matrix */

static int read_all(struct compare *c, const char **paths, size_t n)
{
    char err[1200];
    for (size_t i = 0; i < n; i++)
        if (compare_add(c, paths[i], err, sizeof err) < 0)
            return cli_usage_error("%s", err);
    return 0;
}

static int write_page(const struct compare *c, const struct cli_report *r)
{
    char err[1200];
    struct buf text = {0};
    int rc =
        strcmp(r->kind->name, "html") == 0 ? compare_html(c, &text) : compare_markdown(c, &text);
    if (rc < 0)
        snprintf(err, sizeof err, "cannot write %s: %s", r->path, err_text(rc));
    else
        rc = report_write_text(r->path, &text, err, sizeof err);
    buf_deinit(&text);
    return rc < 0 ? cli_no_verdict("%s", err) : 0;
}

static int check_kinds(const struct cli *cli)
{
    for (size_t i = 0; i < cli->n_reports; i++) {
        const char *kind = cli->reports[i].kind->name;
        if (strcmp(kind, "html") != 0 && strcmp(kind, "md") != 0)
            return cli_usage_error("a matrix is written as html or md, not as %s", kind);
    }
    return cli->n_words > 0 ? 0
                            : cli_usage_error("name the reports: files of run --report json=FILE");
}

static int print_page(const struct compare *c)
{
    struct buf text = {0};
    int rc = compare_markdown(c, &text);
    if (rc == 0)
        fwrite(text.p, 1, text.n, stdout);
    buf_deinit(&text);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : 0;
}

int cmd_matrix(const struct cli *cli)
{
    struct cli_data data = {0};
    struct compare now = {0}, former = {0};
    int rc = check_kinds(cli);
    rc = rc != 0 ? rc : cli_load(cli, false, &data);
    now.reqs = former.reqs = &data.reqs;
    rc = rc != 0 ? rc : read_all(&now, cli->words, cli->n_words);
    rc = rc != 0 ? rc : read_all(&former, cli->before, cli->n_before);
    compare_match(&now, &former);
    for (size_t i = 0; i < cli->n_reports && rc == 0; i++)
        rc = write_page(&now, &cli->reports[i]);
    if (rc == 0 && cli->n_reports == 0)
        rc = print_page(&now);
    compare_deinit(&now);
    compare_deinit(&former);
    cli_unload(&data);
    return rc;
}
