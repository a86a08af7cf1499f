#include "conformance/report.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"
#include "conformance/catalog.h"
#include "conformance/requirement.h"

#include <string.h>

/* XML for CI systems: one suite an area, one test case a case. What JUnit has no word for (WARN,
 * INFO) is a passed test with its text in system-out; NOT-EXERCISED counts as skipped. */

/* Appends text with what XML 1.0 does not allow replaced or escaped. */
static int add_text(struct buf *out, const char *text)
{
    struct buf clean = {0};
    int rc = utf8_append_repaired(&clean, text, strlen(text));
    for (size_t i = 0; rc == 0 && i < clean.n; i++) {
        unsigned char c = (unsigned char)clean.p[i];
        if (c == '&' || c == '<' || c == '>' || c == '"')
            rc = buf_adds(out, c == '&'   ? "&amp;"
                               : c == '<' ? "&lt;"
                               : c == '>' ? "&gt;"
                                          : "&quot;");
        else
            rc = buf_addc(out, c < 0x20 && c != '\n' && c != '\t' ? '?' : (char)c);
    }
    buf_deinit(&clean);
    return rc;
}

static int add_attribute(struct buf *out, const char *name, const char *text)
{
    int rc = buf_addf(out, " %s=\"", name);
    rc = rc < 0 ? rc : add_text(out, text ? text : "");
    return rc < 0 ? rc : buf_addc(out, '"');
}

static const char *message_of(const struct case_result *r)
{
    const struct check_result *worst = result_worst(r);
    if (r->reason && r->verdict != VERDICT_FAIL && r->verdict != VERDICT_WARN)
        return r->reason;
    return worst && worst->rule ? worst->rule->text : worst ? worst->id : "";
}

/* <failure>, <error>, <skipped> or <system-out>. */
static int add_outcome(struct buf *out, const struct outcome_case *c)
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
    int rc = buf_addf(out, "      <%s", element);
    if (rc == 0 && !bare)
        rc = add_attribute(out, "message", message_of(r));
    if (rc == 0 && !bare && strcmp(element, "skipped") != 0)
        rc = add_attribute(out, "type", worst ? worst->id : "harness");
    rc = rc < 0 ? rc : buf_addc(out, '>');
    if (rc == 0 && r->verdict == VERDICT_NOT_EXERCISED)
        rc = buf_adds(out, "NOT-EXERCISED\n");
    rc = rc < 0 ? rc : add_text(out, c->failure ? c->failure : "");
    return rc < 0 ? rc : buf_addf(out, "</%s>\n", element);
}

static int add_case(struct buf *out, const struct outcome_case *c)
{
    const struct case_result *r = &c->result;
    size_t area = case_area(r->file);
    const char *name = r->file->id[area] == '/' ? r->file->id + area + 1 : r->file->id;
    int rc = buf_addf(out, "    <testcase classname=\"%.*s\"", (int)area, r->file->id);
    rc = rc < 0 ? rc : add_attribute(out, "name", name);
    rc = rc < 0 ? rc : buf_addf(out, " time=\"%.3f\"", (double)r->duration_us / 1e6);
    if (rc < 0 || r->verdict == VERDICT_PASS)
        return rc < 0 ? rc : buf_adds(out, "/>\n");
    rc = buf_adds(out, ">\n");
    rc = rc < 0 ? rc : add_outcome(out, c);
    return rc < 0 ? rc : buf_adds(out, "    </testcase>\n");
}

struct tally {
    size_t n;
    unsigned counts[VERDICT_COUNT];
    uint64_t time_us;
};

static bool same_area(const struct outcome *o, size_t a, size_t b)
{
    size_t n = case_area(o->cases[a].result.file);
    return n == case_area(o->cases[b].result.file) &&
           strncmp(o->cases[a].result.file->id, o->cases[b].result.file->id, n) == 0;
}

static struct tally tally_area(const struct outcome *o, size_t from)
{
    struct tally t = {0};
    for (size_t i = from; i < o->n && same_area(o, from, i); i++) {
        t.n++;
        t.counts[o->cases[i].result.verdict]++;
        t.time_us += o->cases[i].result.duration_us;
    }
    return t;
}

static int add_tally(struct buf *out, const struct tally *t)
{
    return buf_addf(
        out, " tests=\"%zu\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\"", t->n,
        t->counts[VERDICT_FAIL], t->counts[VERDICT_ERROR],
        t->counts[VERDICT_SKIP] + t->counts[VERDICT_NOT_EXERCISED], (double)t->time_us / 1e6);
}

static int add_suite(const struct outcome *o, size_t from, size_t *ret_n, struct buf *out)
{
    struct tally t = tally_area(o, from);
    const char *id = o->cases[from].result.file->id;
    char when[32];
    outcome_started(o, when, sizeof when);
    if (when[0])
        when[strlen(when) - 1] = '\0'; /* JUnit's times have no zone */
    int rc = buf_addf(out, "  <testsuite name=\"%.*s\" timestamp=\"%s\"", (int)strcspn(id, "/"), id,
                      when);
    rc = rc < 0 ? rc : add_tally(out, &t);
    rc = rc < 0 ? rc : buf_adds(out, ">\n");
    for (size_t i = 0; i < t.n && rc == 0; i++)
        rc = add_case(out, &o->cases[from + i]);
    *ret_n = t.n;
    return rc < 0 ? rc : buf_adds(out, "  </testsuite>\n");
}

int report_junit(const struct outcome *o, struct buf *out)
{
    struct tally all = {.n = o->n, .time_us = o->duration_us};
    memcpy(all.counts, o->counts, sizeof all.counts);
    int rc = buf_adds(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"acp-conformance\"");
    rc = rc < 0 ? rc : add_tally(out, &all);
    rc = rc < 0 ? rc : buf_adds(out, ">\n");
    for (size_t i = 0, n; i < o->n && rc == 0; i += n)
        rc = add_suite(o, i, &n, out);
    return rc < 0 ? rc : buf_adds(out, "</testsuites>\n");
}
