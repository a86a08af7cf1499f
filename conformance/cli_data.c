#include "conformance/cli.h"

#include "base/err.h"
#include "conformance/embed.h"
#include "conformance/state.h"
#include "conformance/verdict.h"
#include "conformance/words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

static int load_catalog(const struct cli *cli, struct catalog *ret)
{
    char err[512] = "";
    int rc = cli->cases_dir ? catalog_open_dir(cli->cases_dir, ret, err, sizeof err)
                            : catalog_open_embedded(ret);
    if (rc == 0)
        return 0;
    return cli->cases_dir ? cli_usage_error("%s", err) : cli_no_verdict("%s", err_text(rc));
}

/* The state file is one of selectors. */
static int add_last_failed(const struct cli *cli, struct words *w, char *err, size_t err_n)
{
    char path[PATH_MAX];
    size_t before = w->n;
    int rc = state_path(cli->state, path, sizeof path);
    if (rc < 0) {
        snprintf(err, err_n, "there is no place for what failed last; name one with --state FILE");
        return rc;
    }
    rc = words_add_file(w, path, err, err_n);
    if (rc == 0 && w->n == before) {
        snprintf(err, err_n, "no case failed last time (%s)", path);
        rc = E_NOTFOUND;
    }
    return rc;
}

static int load_selection(const struct cli *cli, struct cli_data *d)
{
    char err[1200] = "";
    struct words take = {0}, drop = {0};
    int rc = words_expand(&take, cli->words, cli->n_words, err, sizeof err);
    rc = rc < 0 || !cli->last_failed ? rc : add_last_failed(cli, &take, err, sizeof err);
    rc = rc < 0 ? rc : words_expand(&drop, cli->excludes, cli->n_excludes, err, sizeof err);
    struct selection_words words = {(const char *const *)take.list,
                                    take.n,
                                    (const char *const *)drop.list,
                                    drop.n,
                                    cli->shard,
                                    cli->shards};
    rc = rc < 0 ? rc : select_cases(&d->catalog, &words, &d->selection, err, sizeof err);
    words_deinit(&take);
    words_deinit(&drop);
    if (rc < 0 && err[0])
        return cli_usage_error("%s", err);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : 0;
}

int cli_load(const struct cli *cli, bool select, struct cli_data *ret)
{
    struct cli_data d = {0};
    const struct embed_file *table = embed_find("requirements.tsv");
    int rc = table ? requirements_load(table->text, (size_t)(table->end - table->text), &d.reqs)
                   : E_NOTFOUND;
    rc = rc < 0 ? cli_no_verdict("the built-in requirements cannot be read: %s", err_text(rc))
                : load_catalog(cli, &d.catalog);
    if (rc == 0 && select)
        rc = load_selection(cli, &d);
    if (rc == 0)
        *ret = d;
    else
        cli_unload(&d);
    return rc;
}

void cli_unload(struct cli_data *d)
{
    selection_deinit(&d->selection);
    catalog_close(&d->catalog);
    requirements_deinit(&d->reqs);
}

int cli_profile(const struct cli *cli, struct profile *ret)
{
    char err[512];
    struct profile p = {0};
    const char *name = cli->profile ? cli->profile : cli->command ? NULL : "acp-agent";
    if (name && profile_open(name, &p, err, sizeof err) < 0)
        return cli_usage_error("%s", err);
    if (cli->command && profile_take_command(&p, cli->command) < 0) {
        profile_close(&p);
        return cli_no_verdict("%s", err_text(E_NOMEM));
    }
    *ret = p;
    return 0;
}

char *cli_bindir(void)
{
    char path[PATH_MAX];
    size_t n = sizeof path;
    char *slash = uv_exepath(path, &n) == 0 ? strrchr(path, '/') : NULL;
    if (!slash)
        return strdup(".");
    *slash = '\0';
    return strdup(path);
}
