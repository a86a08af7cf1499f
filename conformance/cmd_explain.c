#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/explain.h"
#include "conformance/monitor.h"
#include "conformance/style.h"
#include "conformance/verdict.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* acp-conformance explain */

enum { LINE_MAX_BYTES = 200 };

/* ---- a requirement ------------------------------------------------------------------------------
 */

static bool judges(struct case_file *c, const char *id)
{
    char err[256];
    const cJSON *check, *json = case_json(c, err, sizeof err);
    cJSON_ArrayForEach(check, json_get(json, "checks")) if (cJSON_IsString(check) &&
                                                            strcmp(check->valuestring, id) ==
                                                                0) return true;
    return false;
}

static void print_judges(const struct cli_data *d, const char *id)
{
    const struct monitor *m;
    unsigned n = 0;
    printf("\n  judged by\n");
    for (size_t i = 0; i < d->catalog.n; i++)
        if (judges(&d->catalog.cases[i], id) && ++n)
            printf("    %s  %s\n", d->catalog.cases[i].id, case_title(&d->catalog.cases[i]));
    for (size_t i = 0; (m = monitor_at(i)); i++) {
        for (const char *const *own = m->ids; *own; own++) {
            if (strcmp(*own, id) != 0)
                continue;
            printf("    a monitor, in every case: %s\n", m->title);
            n++;
            break;
        }
    }
    if (n == 0)
        printf("    nothing yet\n");
    const struct requirement *r = requirements_find(&d->reqs, id);
    if (r && r->reason[0])
        printf("\n  no mutant turns it red: %s\n", r->reason);
}

static void explain_requirement(const struct cli_data *d, const struct requirement *r)
{
    bool colour = style_wanted(stdout);
    printf("%s%s%s  %s, binds %s, area %s, method %s\n\n  %s\n\n", style_begin(colour, STYLE_BOLD),
           r->id, style_end(colour), r->level,
           strcmp(r->party, "both") == 0 ? "both sides" : r->party, r->area, r->method, r->text);
    printf("  how it is seen  %s\n  source          %s\n  a breach costs  %s at most\n", r->how,
           r->source, verdict_name(verdict_of_breach(r)));
    print_judges(d, r->id);
}

/* ---- a case -------------------------------------------------------------------------------------
 */

static void print_checks(const struct cli_data *d, const cJSON *checks)
{
    const cJSON *id;
    printf("\n  judges\n");
    cJSON_ArrayForEach(id, checks)
    {
        const struct requirement *r =
            cJSON_IsString(id) ? requirements_find(&d->reqs, id->valuestring) : NULL;
        if (r)
            printf("    %-12s %-10s %s\n", r->id, r->level, r->text);
    }
}

static int print_play(const cJSON *json)
{
    struct buf text = {0};
    int rc = explain_play(json, LINE_MAX_BYTES, &text);
    if (rc == 0)
        fwrite(text.p, 1, text.n, stdout);
    buf_deinit(&text);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : 0;
}

static int explain_case(const struct cli_data *d, struct case_file *c)
{
    char err[512];
    bool colour = style_wanted(stdout);
    const cJSON *json = case_json(c, err, sizeof err);
    if (!json)
        return cli_usage_error("%s", err);
    printf("%s%s%s  %s\n  %s\n", style_begin(colour, STYLE_BOLD), c->id, style_end(colour),
           case_title(c), c->path);
    const char *why = json_get_str(json, "why");
    if (why)
        printf("\n  %s\n", why);
    print_checks(d, json_get(json, "checks"));
    return print_play(json);
}

/* ---- the command --------------------------------------------------------------------------------
 */

static int explain(const struct cli_data *d, const char *id)
{
    const struct requirement *r = requirements_find(&d->reqs, id);
    struct case_file *c = catalog_find(&d->catalog, id);
    if (c)
        return explain_case(d, c);
    if (r) {
        explain_requirement(d, r);
        return 0;
    }
    const char *near =
        strchr(id, '/') ? catalog_nearest(&d->catalog, id) : requirements_nearest(&d->reqs, id);
    if (near)
        return cli_usage_error("there is no case or requirement \"%s\"; did you mean \"%s\"?", id,
                               near);
    return cli_usage_error(
        "there is no case or requirement \"%s\"; `acp-conformance list` names all cases", id);
}

int cmd_explain(const struct cli *cli)
{
    struct cli_data d;
    if (cli->n_words == 0)
        return cli_usage_error("explain wants the id of a case or a requirement");
    int rc = cli_load(cli, false, &d);
    if (rc != 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < cli->n_words; i++) {
        if (i > 0)
            printf("\n");
        rc = explain(&d, cli->words[i]);
    }
    cli_unload(&d);
    return rc;
}
