#include "oom.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/baseline.h"
#include "conformance/catalog.h"
#include "conformance/coverage.h"
#include "conformance/monitor.h"
#include "conformance/mutant.h"
#include "conformance/profile.h"
#include "conformance/report.h"
#include "conformance/requirement.h"
#include "conformance/result.h"
#include "conformance/select.h"
#include "conformance/tally.h"
#include "conformance/transcript.h"
#include "conformance/vary.h"
#include "conformance/words.h"
#include "mock-client/trace.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char table[] =
    "id\tparty\tlevel\tarea\tmethod\trequirement\thow_to_observe\tsource\tcoverage\n"
    "A-1\tagent\tMUST\ta\t*\tText.\tLook.\tx [keyword]\t\n";

static int load_requirements(void *ctx)
{
    struct requirements t;
    (void)ctx;
    int rc = requirements_load(table, strlen(table), &t);
    if (rc == 0)
        requirements_deinit(&t);
    return rc;
}

static int select_some(void *ctx)
{
    struct case_file files[] = {{.id = (char[]){"a/b"}, .text = "{}", .n = 2}};
    struct catalog c = {files, 1};
    struct selection_words w = {0};
    struct selection s;
    char err[64];
    (void)ctx;
    int rc = select_cases(&c, &w, &s, err, sizeof err);
    if (rc == 0)
        selection_deinit(&s);
    return rc;
}

/* Of a case that has been parsed before. */
static int cover(void *ctx)
{
    struct catalog c = {ctx, 1};
    struct requirement row = {.id = "A-1", .party = "agent", .reason = ""};
    struct requirements reqs = {.rows = &row, .n = 1};
    struct coverage coverage;
    int rc = coverage_init(&coverage, &reqs, &c);
    if (rc == 0)
        coverage_deinit(&coverage);
    return rc;
}

static int read_mutant(void *ctx)
{
    struct mutant m = {0};
    struct buf text = {0};
    int rc = mutant_init(&m, ctx);
    rc = rc < 0 ? rc : mutant_describe(ctx, &text);
    mutant_deinit(&m);
    buf_deinit(&text);
    return rc;
}

/* Verdicts of a case whose file has been parsed before. */
static int conclude(void *ctx)
{
    struct case_result r;
    struct player_check c = {.id = "B-2",
                             .outcome = PLAYER_BROKEN,
                             .verb = "saw",
                             .text = "t",
                             .pointer = "/p",
                             .expected = "e",
                             .got = "g",
                             .note = "n"};
    struct requirements none = {0};
    int rc = result_init(&r, ctx, &none, false);
    if (rc == 0) {
        result_add_check(&r, &c);
        result_error(&r, "reason");
        rc = r.rc;
    }
    result_deinit(&r);
    return rc;
}

static const struct {
    enum trace_side side;
    const char *text;
} events[] = {
    {TRACE_CLIENT, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
                   "new\",\"params\":{\"cwd\":\"/w\",\"mcpServers\":[]}}"},
    {TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}"},
    {TRACE_CLIENT, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/"
                   "prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}"},
    {TRACE_AGENT,
     "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
     "update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call\","
     "\"toolCallId\":\"t\",\"title\":\"T\"}}}"},
    {TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
                  "update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_"
                  "message_chunk\","
                  "\"content\":{\"type\":\"text\",\"text\":\"hello\"}}}}"},
    {TRACE_AGENT, "{\"half\":"},
    {TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}"},
};

/* The trace is made beforehand: only the monitors' own memory is refused. */
static int watch_trace(void *ctx)
{
    const struct trace *t = ctx;
    struct watch w;
    int rc = watch_init(&w, 1000);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < t->n; i++)
        watch_feed(&w, t->events[i]);
    watch_ending(&w, 10000);
    watch_end(&w);
    rc = w.rc;
    watch_deinit(&w);
    return rc;
}

static int write_transcript(void *ctx)
{
    struct buf out = {0};
    struct transcript_window window = {NULL, 20, 0, true};
    int rc = transcript_write(ctx, &window, &out);
    buf_deinit(&out);
    return rc;
}

static int take_excerpt(void *ctx)
{
    struct case_result r = {.trace = *(const struct trace *)ctx, .verdict = VERDICT_FAIL};
    struct excerpt e;
    int rc = excerpt_take(&r, &e);
    excerpt_deinit(&e);
    return rc;
}

static int write_reports(void *ctx)
{
    const struct report_kind *k;
    int rc = 0;
    for (size_t i = 0; (k = report_kind_at(i)) && rc == 0; i++) {
        struct buf out = {0};
        rc = k->write(ctx, &out);
        buf_deinit(&out);
    }
    return rc;
}

/* One case that failed and can be told about at length. */
static void make_outcome(struct case_file *file, const struct trace *t, struct outcome *ret)
{
    static struct requirement row = {.id = "A-1",
                                     .level = "MUST",
                                     .area = "a",
                                     .text = "T",
                                     .how = "H",
                                     .source = "S",
                                     .tag = "keyword"};
    static struct requirements reqs = {.rows = &row, .n = 1};
    static char name[] = "p";
    static const struct profile profile = {.name = name};
    static const struct run_setting setting = {.profile = &profile, .reqs = &reqs};
    struct case_result r;
    assert_int_equal(result_init(&r, file, &reqs, false), 0);
    struct player_check c = {
        .id = "A-1", .outcome = PLAYER_BROKEN, .verb = "saw", .text = "t", .got = "g"};
    result_add_check(&r, &c);
    result_conclude(&r);
    r.trace = *t;
    *ret = (struct outcome){.setting = &setting};
    ret->cases = calloc(1, sizeof *ret->cases);
    assert_non_null(ret->cases);
    ret->cases[0].failure = strdup("story");
    assert_int_equal(excerpt_take(&r, &ret->cases[0].excerpt), 0);
    r.trace = (struct trace){0};
    ret->cases[0].result = r;
    ret->n = ret->counts[VERDICT_FAIL] = 1;
}

/* ---- what a run keeps --------------------------------------------------------------------------
 */

static int expand_words(void *ctx)
{
    const char *const given[] = {"a/b", ctx};
    struct words w = {0};
    char err[64];
    int rc = words_expand(&w, given, ARRAY_LEN(given), err, sizeof err);
    words_deinit(&w);
    return rc;
}

static int count_rounds(void *ctx)
{
    struct case_file file = {.id = (char[]){"a/b"}};
    struct case_result r = {.file = &file, .verdict = VERDICT_PASS};
    struct tally t = {0};
    struct tally_row *row = NULL;
    struct buf text = {0};
    (void)ctx;
    int rc = tally_add(&t, &r, 0, &row);
    rc = rc < 0 ? rc : tally_write(row, &text);
    buf_deinit(&text);
    tally_deinit(&t);
    return rc;
}

static int excuse(void *ctx)
{
    static const char text[] = "{\"format\": \"acp-conformance-baseline\", \"version\": 1, "
                               "\"entries\": [{\"case\": \"a/b\", "
                               "\"check\": \"X-1\", \"status\": \"known\", \"reason\": \"r\"}]}";
    struct case_file file = {.id = (char[]){"a/b"}};
    struct check_result checks[] = {{.id = "X-1", .verdict = VERDICT_FAIL, .step = -1},
                                    {.id = "X-2", .verdict = VERDICT_FAIL, .step = -1}};
    struct case_result r = {.file = &file, .verdict = VERDICT_FAIL, .checks = checks, .n = 2};
    struct baseline b = {0};
    struct buf out = {0};
    char err[128];
    (void)ctx;
    int rc = baseline_parse(text, strlen(text), &b, err, sizeof err);
    rc = rc < 0 ? rc : baseline_apply(&b, &r);
    rc = rc < 0 ? rc : baseline_write(&b, &out);
    free(checks[0].note);
    free(checks[1].note);
    buf_deinit(&out);
    baseline_deinit(&b);
    return rc;
}

static void what_a_run_keeps(void **state)
{
    char path[] = "@/tmp/acp-oom-XXXXXX";
    int fd = mkstemp(path + 1);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x/y\n# note\nz\n", 14), 14);
    close(fd);
    oom_fail_each(expand_words, path);
    oom_fail_each(count_rounds, NULL);
    oom_fail_each(excuse, NULL);
    oom_reset(-1);
    unlink(path + 1);
}

static void fill(struct trace *t)
{
    trace_init(t, 0);
    trace_note(t, TRACE_PROCESS, "start", "x", 0);
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        assert_non_null(
            trace_add(t, events[i].side, "line", events[i].text, strlen(events[i].text), NULL, 0));
    assert_non_null(trace_add(t, TRACE_CLIENT, "raw", "{}\n", 3, NULL, 0));
}

static int vary_case(void *arg)
{
    static const char text[] = "{\"vary\":{\"x\":{\"/a\":{\"b\":[1]}},\"y\":{}}}";
    struct catalog c = {0};
    char err[64];
    (void)arg;
    struct case_file file = {.id = strdup("a/b"), .path = strdup("p"), .text = text};
    file.n = sizeof text - 1;
    if (!file.id || !file.path) {
        case_file_deinit(&file);
        return E_NOMEM;
    }
    int rc = vary_add(&c, &file);
    if (rc == 0 && !case_json(&c.cases[0], err, sizeof err))
        rc = E_NOMEM;
    catalog_close(&c);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    static const char case_text[] =
        "{\"checks\":[\"A-1\"],\"mutants\":[{\"fails\":[\"A-1\"]},{\"fails\":[\"A-1\"]}]}";
    struct trace trace;
    struct case_file file = {.id = (char[]){"a/b"}, .text = case_text, .n = strlen(case_text)};
    char err[64];
    (void)state;
    oom_reset(-1);
    cJSON *mutant = cJSON_Parse("{\"on\":{},\"inject\":\"x\",\"fails\":[\"A-1\"]}");
    assert_non_null(case_json(&file, err, sizeof err));
    fill(&trace);
    oom_fail_each(load_requirements, NULL);
    oom_fail_each(select_some, NULL);
    oom_fail_each(vary_case, NULL);
    oom_fail_each(cover, &file);
    oom_fail_each(read_mutant, mutant);
    oom_fail_each(conclude, &file);
    oom_fail_each(watch_trace, &trace);
    oom_fail_each(write_transcript, &trace);
    oom_fail_each(take_excerpt, &trace);
    oom_reset(-1);
    struct outcome outcome;
    make_outcome(&file, &trace, &outcome);
    oom_fail_each(write_reports, &outcome);
    oom_reset(-1);
    outcome_deinit(&outcome);
    trace_deinit(&trace);
    cJSON_Delete(file.json);
    cJSON_Delete(mutant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(what_a_run_keeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
