#include "conformance/cli.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/monitor.h"
#include "conformance/verdict.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <string.h>

/* acp-conformance list */

/* {"format": "acp-conformance-list", "version": 1, "<name>": [...]} */
static void begin_json(struct jsonw *w, struct buf *out, const char *name)
{
    jw_begin(w, out);
    jw_open(w, '{');
    jw_kstr(w, "format", "acp-conformance-list");
    jw_kint(w, "version", 1);
    jw_kopen(w, name, '[');
}

static int print_json(struct buf *out, struct jsonw *w)
{
    jw_close(w);
    jw_close(w);
    int rc = jw_end(w);
    if (rc == 0)
        rc = buf_addc(out, '\n');
    if (rc == 0)
        fwrite(out->p, 1, out->n, stdout);
    buf_deinit(out);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : EXIT_CONFORMS;
}

static void write_ids(struct jsonw *w, const char *const *ids)
{
    jw_kopen(w, "requirements", '[');
    for (; *ids; ids++)
        jw_cstr(w, *ids);
    jw_close(w);
}

static int list_monitors_json(void)
{
    struct buf out = {0};
    struct jsonw w;
    begin_json(&w, &out, "monitors");
    const struct monitor *m;
    for (size_t i = 0; (m = monitor_at(i)); i++) {
        jw_open(&w, '{');
        jw_kstr(&w, "title", m->title);
        write_ids(&w, m->ids);
        jw_close(&w);
    }
    return print_json(&out, &w);
}

/* Ids in the order they stand in, each once, in lines of 100 columns. */
static void print_ids(const char *const *ids)
{
    size_t column = 0;
    for (size_t i = 0; ids[i]; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= strcmp(ids[i], ids[j]) == 0;
        if (again)
            continue;
        if (column == 0 || column > 90) {
            printf(column ? "\n   " : "   ");
            column = 3;
        }
        column += (size_t)printf(" %s", ids[i]);
    }
    printf("\n");
}

static int list_monitors(bool json)
{
    const struct monitor *m;
    if (json)
        return list_monitors_json();
    for (size_t i = 0; (m = monitor_at(i)); i++) {
        printf("%s\n", m->title);
        print_ids(m->ids);
    }
    return EXIT_CONFORMS;
}

static void write_case(struct jsonw *w, struct case_file *c)
{
    static const char *const members[] = {"checks", "tags", "needs"};
    char err[256];
    const cJSON *json = case_json(c, err, sizeof err);
    char area[64];
    snprintf(area, sizeof area, "%.*s", (int)case_area(c), c->id);
    jw_open(w, '{');
    jw_kstr(w, "id", c->id);
    jw_kstr(w, "area", area);
    jw_kstr(w, "title", case_title(c));
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const cJSON *v = json_get(json, members[i]);
        if (v) {
            jw_ktree(w, members[i], v);
        } else {
            jw_kopen(w, members[i], '[');
            jw_close(w);
        }
    }
    jw_kint(w, "mutants", cJSON_GetArraySize(json_get(json, "mutants")));
    jw_close(w);
}

static int list_json(const struct selection *s)
{
    struct buf out = {0};
    struct jsonw w;
    begin_json(&w, &out, "cases");
    for (size_t i = 0; i < s->n; i++)
        write_case(&w, s->cases[i]);
    return print_json(&out, &w);
}

int cmd_list(const struct cli *cli)
{
    struct cli_data d;
    int width = 0, rc;
    if (cli->monitors)
        return list_monitors(cli->json);
    rc = cli_load(cli, true, &d);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < d.selection.n; i++)
        if ((int)strlen(d.selection.cases[i]->id) > width)
            width = (int)strlen(d.selection.cases[i]->id);
    if (cli->json)
        rc = list_json(&d.selection);
    else
        for (size_t i = 0; i < d.selection.n; i++)
            printf("%-*s  %s\n", width, d.selection.cases[i]->id, case_title(d.selection.cases[i]));
    cli_unload(&d);
    return rc;
}
