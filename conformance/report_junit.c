#include "conformance/report.h"

#include "conformance/catalog.h"
#include "conformance/matrix.h"
#include "conformance/requirement.h"
#include "conformance/sheet.h"

#include <string.h>

/* XML for CI systems: one suite an area, one test case a case. What JUnit has no word for (WARN,
 * INFO) is a passed test with its text in system-out; NOT-EXERCISED counts as skipped. */

static const char *message_of(const struct case_result *r)
{
    const struct check_result *worst = result_worst(r);
    if (r->reason && r->verdict != VERDICT_FAIL && r->verdict != VERDICT_WARN)
        return r->reason;
    return worst && worst->rule ? worst->rule->text : worst ? worst->id : "";
}

/* <failure>, <error>, <skipped> or <system-out>. */
static void add_outcome(struct sheet *s, const struct outcome_case *c)
{
    static const char *const elements[VERDICT_COUNT] = {
        [VERDICT_INFO] = "system-out", [VERDICT_NOT_EXERCISED] = "skipped",
        [VERDICT_WARN] = "system-out", [VERDICT_ERROR] = "error",
        [VERDICT_FAIL] = "failure",    [VERDICT_SKIP] = "skipped",
    };
    const struct case_result *r = &c->result;
    const char *element = elements[r->verdict];
    const struct check_result *worst = result_worst(r);
    bool bare = strcmp(element, "system-out") == 0;
    sheet_addf(s, "      <%s", element);
    if (!bare)
        sheet_attribute(s, "message", message_of(r));
    if (!bare && strcmp(element, "skipped") != 0)
        sheet_attribute(s, "type", worst ? worst->id : "harness");
    sheet_add(s, ">");
    if (r->verdict == VERDICT_NOT_EXERCISED)
        sheet_add(s, "NOT-EXERCISED\n");
    sheet_markup(s, c->failure);
    sheet_addf(s, "</%s>\n", element);
}

static void add_case(struct sheet *s, const struct outcome_case *c, const struct matrix_row *row)
{
    const struct case_result *r = &c->result;
    const char *name = r->file->id + row->area_n;
    sheet_add(s, "    <testcase classname=\"");
    sheet_value(s, row->area, row->area_n);
    sheet_add(s, "\"");
    sheet_attribute(s, "name", *name == '/' ? name + 1 : r->file->id);
    sheet_addf(s, " time=\"%.3f\"", (double)r->duration_us / 1e6);
    sheet_add(s, r->verdict == VERDICT_PASS ? "/>\n" : ">\n");
    if (r->verdict == VERDICT_PASS)
        return;
    add_outcome(s, c);
    sheet_add(s, "    </testcase>\n");
}

static void add_tally(struct sheet *s, size_t n, const unsigned counts[VERDICT_COUNT], uint64_t us)
{
    sheet_addf(s, " tests=\"%zu\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n", n,
               counts[VERDICT_FAIL], counts[VERDICT_ERROR],
               counts[VERDICT_SKIP] + counts[VERDICT_NOT_EXERCISED], (double)us / 1e6);
}

static void add_suite(struct sheet *s, const struct outcome *o, const struct matrix_row *row)
{
    char when[32];
    uint64_t time_us = 0;
    outcome_started(o, when, sizeof when);
    if (when[0])
        when[strlen(when) - 1] = '\0'; /* JUnit's times have no zone */
    for (size_t i = 0; i < row->n; i++)
        time_us += o->cases[row->first + i].result.duration_us;
    sheet_add(s, "  <testsuite name=\"");
    sheet_value(s, row->area, row->area_n);
    sheet_addf(s, "\" timestamp=\"%s\"", when);
    add_tally(s, row->n, row->cases, time_us);
    for (size_t i = 0; i < row->n; i++)
        add_case(s, &o->cases[row->first + i], row);
    sheet_add(s, "  </testsuite>\n");
}

int report_junit(const struct outcome *o, struct buf *out)
{
    struct sheet s = {.out = out};
    struct matrix areas;
    int rc = matrix_build(o, &areas);
    if (rc < 0)
        return rc;
    sheet_add(&s,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"acp-conformance\"");
    add_tally(&s, o->n, o->counts, o->duration_us);
    for (size_t i = 0; i < areas.n; i++)
        add_suite(&s, o, &areas.rows[i]);
    sheet_add(&s, "</testsuites>\n");
    matrix_deinit(&areas);
    return s.rc;
}
