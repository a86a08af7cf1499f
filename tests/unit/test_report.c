#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/failure.h"
#include "conformance/profile.h"
#include "conformance/report.h"
#include "conformance/requirement.h"
#include "conformance/style.h"
#include "conformance/transcript.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "{\"title\": \"Title <&> \\\"x\\\"\", \"checks\": [\"PROMPT-12\"], "
                           "\"tags\": [\"a\"], \"steps\": []}";

static struct requirements reqs;
static struct profile profile;
static struct run_setting setting = {.profile = &profile, .reqs = &reqs, .timeout_scale = 1};
static struct case_file files[3];

static int load(void **state)
{
    static const char *const ids[] = {"prompt/b", "prompt/a", "cancel/c"};
    const struct embed_file *f = embed_find("requirements.tsv");
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        files[i] = (struct case_file){
            .id = strdup(ids[i]), .path = strdup("p"), .text = text, .n = strlen(text)};
    profile = (struct profile){.name = strdup("mine"),
                               .json = cJSON_Parse("{\"command\": [\"x\", \"y\"]}")};
    return requirements_load(f->text, (size_t)(f->end - f->text), &reqs);
}

static int unload(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        case_file_deinit(&files[i]);
    profile_close(&profile);
    requirements_deinit(&reqs);
    return 0;
}

static void judge(struct case_result *r, enum player_outcome outcome)
{
    struct player_check c = {.id = "PROMPT-12",
                             .outcome = outcome,
                             .step = 1,
                             .verb = "prompt",
                             .pointer = "/result",
                             .expected = "\"a\"",
                             .got = "<b>\x01",
                             .text = "differs"};
    result_add_check(r, &c);
    result_conclude(r);
}

/* A passed, a failed and a skipped case. */
static struct outcome some_outcome(void)
{
    struct outcome o = {.setting = &setting,
                        .jobs = 2,
                        .started = 1796080320,
                        .duration_us = 1500000,
                        .agent_name = strdup("Agent"),
                        .agent_version = strdup("1")};
    struct case_result r;
    assert_int_equal(result_init(&r, &files[0], &reqs, false), 0);
    judge(&r, PLAYER_HELD);
    assert_int_equal(outcome_add(&o, &r, NULL), 0);
    assert_int_equal(result_init(&r, &files[1], &reqs, false), 0);
    r.duration_us = 12345;
    r.stderr_tail = strdup("last words");
    judge(&r, PLAYER_BROKEN);
    assert_int_equal(outcome_add(&o, &r, strdup("told <&> \x01\xff here")), 0);
    assert_int_equal(result_init(&r, &files[2], &reqs, false), 0);
    result_skip(&r, "capability", "no \"load\"");
    result_conclude(&r);
    assert_int_equal(outcome_add(&o, &r, NULL), 0);
    outcome_sort(&o);
    return o;
}

static void junit_is_what_ci_reads(void **state)
{
    static const char want[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"acp-conformance\" tests=\"3\" failures=\"1\" errors=\"0\" "
        "skipped=\"1\" time=\"1.500\">\n"
        "  <testsuite name=\"cancel\" timestamp=\"2026-11-30T23:12:00\" tests=\"1\" failures=\"0\" "
        "errors=\"0\" skipped=\"1\" time=\"0.000\">\n"
        "    <testcase classname=\"cancel\" name=\"c\" time=\"0.000\">\n"
        "      <skipped message=\"no &quot;load&quot;\"></skipped>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"prompt\" timestamp=\"2026-11-30T23:12:00\" tests=\"2\" failures=\"1\" "
        "errors=\"0\" skipped=\"0\" time=\"0.012\">\n"
        "    <testcase classname=\"prompt\" name=\"a\" time=\"0.012\">\n"
        "      <failure message=\"stopReason is one of end_turn, max_tokens, max_turn_requests, "
        "refusal, cancelled (closed set).\""
        " type=\"PROMPT-12\">told &lt;&amp;&gt; \xe2\x90\x81\xef\xbf\xbd here</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"prompt\" name=\"b\" time=\"0.000\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n";
    struct outcome o = some_outcome();
    struct buf out = {0};
    (void)state;
    assert_int_equal(report_junit(&o, &out), 0);
    assert_string_equal(buf_cstr(&out), want);
    buf_deinit(&out);
    outcome_deinit(&o);
    outcome_deinit(&o);
}

static void json_has_its_documented_shape(void **state)
{
    struct outcome o = some_outcome();
    struct buf out = {0};
    cJSON *json;
    (void)state;
    assert_int_equal(report_json(&o, &out), 0);
    assert_int_equal(json_parse(buf_cstr(&out), out.n, &json, NULL), 0);
    assert_string_equal(json_get_str(json, "format"), "acp-conformance-report");
    assert_int_equal(json_get_int(json, "version", 0), 1);
    assert_string_equal(json_get_str(json, "started"), "2026-11-30T23:12:00Z");
    assert_string_equal(json_pointer(json, "/agent/name")->valuestring, "Agent");
    assert_int_equal(json_pointer(json, "/summary/verdicts/FAIL")->valueint, 1);
    assert_int_equal(json_pointer(json, "/summary/exit_code")->valueint, 1);
    assert_string_equal(json_pointer(json, "/cases/0/reason_code")->valuestring, "capability");
    assert_string_equal(json_pointer(json, "/cases/1/id")->valuestring, "prompt/a");
    assert_string_equal(json_pointer(json, "/cases/1/again")->valuestring,
                        "acp-conformance run prompt/a");
    assert_string_equal(json_pointer(json, "/cases/1/stderr")->valuestring, "last words");
    assert_string_equal(json_pointer(json, "/cases/1/checks/0/verdict")->valuestring, "FAIL");
    assert_string_equal(json_pointer(json, "/cases/1/checks/0/pointer")->valuestring, "/result");
    assert_null(json_pointer(json, "/cases/2/checks/0/pointer"));
    cJSON_Delete(json);
    buf_deinit(&out);
    outcome_deinit(&o);
}

static void tap_fails_what_fails(void **state)
{
    static const char want[] =
        "TAP version 14\n"
        "1..3\n"
        "ok 1 - cancel/c - Title <&> \"x\" # SKIP no \"load\"\n"
        "  ---\n"
        "  verdict: SKIP\n"
        "  duration_ms: 0.000\n"
        "  reason: \"no \\\"load\\\"\"\n"
        "  again: \"acp-conformance run cancel/c --strict\"\n"
        "  ...\n"
        "not ok 2 - prompt/a - Title <&> \"x\"\n"
        "  ---\n"
        "  verdict: FAIL\n"
        "  duration_ms: 12.345\n"
        "  checks:\n"
        "    - id: \"PROMPT-12\"\n"
        "      verdict: FAIL\n"
        "      level: \"SCHEMA\"\n"
        "      rule: \"stopReason is one of end_turn, max_tokens, max_turn_requests, refusal, "
        "cancelled (closed set).\"\n"
        "      by: \"prompt\"\n"
        "      step: 1\n"
        "      pointer: \"/result\"\n"
        "      expected: \"\\\"a\\\"\"\n"
        "      got: \"<b>\xe2\x90\x81\"\n"
        "      text: \"differs\"\n"
        "  again: \"acp-conformance run prompt/a --strict\"\n"
        "  story: |\n"
        "    told <&> \xe2\x90\x81\xef\xbf\xbd here\n"
        "  ...\n"
        "ok 3 - prompt/b - Title <&> \"x\"\n"
        "  ---\n"
        "  verdict: PASS\n"
        "  duration_ms: 0.000\n"
        "  ...\n";
    struct outcome o = some_outcome();
    struct buf out = {0};
    (void)state;
    o.again = " --strict";
    assert_int_equal(report_tap(&o, &out), 0);
    assert_string_equal(buf_cstr(&out), want);
    out.n = 0;
    o.interrupted = true;
    assert_int_equal(report_tap(&o, &out), 0);
    assert_non_null(strstr(buf_cstr(&out), "\nBail out! the run was interrupted\n"));
    out.n = 0;
    o.interrupted = false;
    o.counts[VERDICT_FAIL] = 0;
    o.stale = 2;
    assert_int_equal(report_tap(&o, &out), 0);
    assert_non_null(strstr(buf_cstr(&out), "\nBail out! no longer true in the baseline: 2\n"));
    buf_deinit(&out);
    outcome_deinit(&o);
}

static void markdown_is_short_and_harmless(void **state)
{
    static const char want[] =
        "# ACP conformance: `Agent` `` 1` ` `` does not conform\n"
        "\n"
        "**3 cases** in 1.50 s: 1 PASS, 1 FAIL, 1 SKIP\n"
        "\n"
        "Profile `mine`, started 2026-11-30T23:12:00Z, acp-conformance " ACP_VERSION "\n"
        "\n"
        "## Passed, by area and level\n"
        "\n"
        "| area | cases | SCHEMA |\n"
        "| :-- | --: | --: |\n"
        "| cancel | 0/1 | |\n"
        "| prompt | 1/2 | **1/2** |\n"
        "\n"
        "## What did not pass\n"
        "\n"
        "### FAIL `prompt/a` Title &lt;&amp;> \"x\"\n"
        "\n"
        "- **FAIL PROMPT-12** (SCHEMA) stopReason is one of end\\_turn, max\\_tokens, "
        "max\\_turn\\_requests, refusal, cancelled (closed set).\n"
        "  - at `/result`\n"
        "  - expected `\"a\"`\n"
        "  - got `<b>\xe2\x90\x81`\n"
        "\n"
        "<details><summary>Transcript and stderr</summary>\n"
        "\n"
        "```text\n"
        "told <&> \xe2\x90\x81\xef\xbf\xbd here\n"
        "```\n"
        "\n"
        "</details>\n"
        "\n"
        "Again: `acp-conformance run prompt/a`\n"
        "\n"
        "## Skipped\n"
        "\n"
        "| cases | because |\n"
        "| --: | :-- |\n"
        "| 1 | no \"load\" |\n";
    struct outcome o = some_outcome();
    struct buf out = {0};
    (void)state;
    free(o.agent_version);
    o.agent_version = strdup("1` `");
    assert_int_equal(report_markdown(&o, &out), 0);
    assert_string_equal(buf_cstr(&out), want);
    buf_deinit(&out);
    outcome_deinit(&o);
}

/* The page as such is looked at by a browser (tests/e2e/test_reports.py). */
static void html_lets_nothing_through(void **state)
{
    static const char *const parts[] = {
        "<title>ACP conformance: &lt;/title&gt;&lt;script&gt; 1 does not conform</title>",
        "<a href=\"#area-prompt\" data-l=\"SCHEMA\" title=\"1 FAIL, 1 PASS\">1/2</a>",
        "<details class=\"case skip\" id=\"cancel/c\" data-l=\"SCHEMA;\" data-t=\"a \">",
        "<details class=\"case fail\" id=\"prompt/a\" data-l=\"SCHEMA;\" data-t=\"a \" open>",
        "<dt>got<dd><code>&lt;b&gt;\xe2\x90\x81</code>",
        "<pre>last words</pre>",
        "<code>acp-conformance run prompt/a</code>",
        "<details id=\"PROMPT-12\">",
    };
    struct outcome o = some_outcome();
    struct buf out = {0};
    (void)state;
    free(o.agent_name);
    o.agent_name = strdup("</title><script>");
    assert_int_equal(report_html(&o, &out), 0);
    const char *at = buf_cstr(&out);
    assert_null(strstr(at, "{{"));
    assert_null(strstr(at, "<script>alert"));
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("\"%s\" is not in, or not in its place in:\n%s", parts[i], out.p);
        at = found;
    }
    buf_deinit(&out);
    outcome_deinit(&o);
}

static void special_files_are_written_to(void **state)
{
    struct outcome o = some_outcome();
    char err[1200], link[] = "/tmp/report-XXXXXX";
    (void)state;
    assert_int_equal(report_write("html", "/dev/null", &o, err, sizeof err), 0);
    int fd = mkstemp(link);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(remove(link), 0);
    assert_int_equal(symlink("/dev/null", link), 0);
    assert_int_equal(report_write("tap", link, &o, err, sizeof err), 0);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(remove(link), 0);
    outcome_deinit(&o);
}

static void reports_are_written_whole(void **state)
{
    struct outcome o = some_outcome();
    char err[1200], path[] = "/tmp/report-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(path));
    char file[64];
    snprintf(file, sizeof file, "%s/r.xml", path);
    assert_int_equal(report_write("junit", file, &o, err, sizeof err), 0);
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(path), 0); /* nothing else is left there */
    assert_true(report_write("json", "/nowhere/r.json", &o, err, sizeof err) < 0);
    assert_non_null(strstr(err, "/nowhere/r.json"));
    outcome_deinit(&o);
}

/* ---- what people read
 * ---------------------------------------------------------------------------- */

static void fill_trace(struct trace *t)
{
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/"
                                  "prompt\",\"params\":{\"sessionId\":\"s\"}}";
    static const char update[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
        "update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"plan\"}}}";
    static const char answer[] =
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"no\"}}";
    trace_init(t, 0);
    trace_note(t, TRACE_PROCESS, "start", "x", 1000000);
    trace_add(t, TRACE_CLIENT, "line", request, strlen(request), NULL, 2000000);
    trace_add(t, TRACE_MODEL, "request", "", 0,
              cJSON_Parse("{\"n\":1,\"last\":{\"role\":\"user\",\"text\":\"hi\"}}"), 3000000);
    trace_add(t, TRACE_MODEL_EVENT, "part", "", 0,
              cJSON_Parse("{\"n\":1,\"action\":\"text\",\"text\":\"He\\u0007llo\"}"), 4000000);
    trace_add(t, TRACE_STDERR, "stderr", "words", 5, NULL, 4500000);
    trace_add(t, TRACE_AGENT, "line", update, strlen(update), NULL, 5000000);
    trace_add(t, TRACE_AGENT, "line", answer, strlen(answer), NULL, 6000000);
    trace_note(t, TRACE_PROCESS, "eof-sent", "", 7000000);
}

static void transcripts_show_three_sides(void **state)
{
    struct trace t;
    struct buf out = {0};
    (void)state;
    fill_trace(&t);
    struct transcript_window w = {t.events[6], 4, 0, false};
    assert_int_equal(transcript_write(&t, &w, &out), 0);
    assert_string_equal(
        buf_cstr(&out),
        "      ... 1 events before\n"
        "         2.0  client --> agent            #3 session/prompt {\"sessionId\":\"s\"}\n"
        "         3.0             agent --> model  request 1, user: hi\n"
        "         4.0             agent <-- model  text He llo\n"
        "         5.0  client <-- agent            session/update {\"sessionUpdate\":\"plan\"}\n"
        "  >      6.0  client <-- agent            #3 error {\"code\":-32603,\"message\":\"no\"}\n"
        "      ... 1 events after\n");
    buf_deinit(&out);
    trace_deinit(&t);
}

static void failures_tell_everything(void **state)
{
    struct case_result r;
    struct buf out = {0};
    (void)state;
    assert_int_equal(result_init(&r, &files[0], &reqs, false), 0);
    fill_trace(&r.trace);
    struct player_check c = {.id = "PROMPT-12",
                             .outcome = PLAYER_BROKEN,
                             .step = 1,
                             .verb = "prompt",
                             .note = "why so",
                             .pointer = "/result/stopReason",
                             .expected = "\"a\"",
                             .got = "\"b\"",
                             .event = r.trace.events[6]};
    result_add_check(&r, &c);
    r.stderr_tail = strdup("one\ntwo\x1b[31m\n");
    result_conclude(&r);
    assert_int_equal(failure_write(&r, "acp-conformance run prompt/b", false, &out), 0);
    static const char *const parts[] = {
        "FAIL  prompt/b  Title <&> \"x\"\n",
        "  FAIL PROMPT-12 (SCHEMA) stopReason is one of ",
        "    steps[1] prompt, at /result/stopReason\n",
        "      note      why so\n",
        "      expected  \"a\"\n",
        "      got       \"b\"\n",
        "  >      6.0  client <-- agent            #3 error",
        "  the agent's last words on stderr\n    one\n    two [31m\n",
        "  again: acp-conformance run prompt/b\n",
    };
    const char *at = buf_cstr(&out);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("\"%s\" is not in, or not in its place in:\n%s", parts[i], out.p);
        at = found;
    }
    assert_null(strchr(out.p, '\033'));
    buf_deinit(&out);
    assert_int_equal(failure_write(&r, NULL, true, &out), 0);
    assert_non_null(strstr(buf_cstr(&out), "\033[31mFAIL\033[0m"));
    buf_deinit(&out);
    result_deinit(&r);
}

static void foreign_text_stays_on_its_line(void **state)
{
    struct buf out = {0};
    (void)state;
    assert_int_equal(style_add_line(&out, "a\nb\x1b[0m\xc3\xa4\xff", 10, 100), 0);
    assert_string_equal(buf_cstr(&out), "a b [0m\xc3\xa4\xef\xbf\xbd");
    out.n = 0;
    assert_int_equal(style_add_line(&out, "\xc3\xa4\xc3\xa4", 4, 3), 0);
    assert_string_equal(buf_cstr(&out), "\xc3\xa4\xe2\x80\xa6");
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_is_what_ci_reads),
        cmocka_unit_test(json_has_its_documented_shape),
        cmocka_unit_test(tap_fails_what_fails),
        cmocka_unit_test(markdown_is_short_and_harmless),
        cmocka_unit_test(html_lets_nothing_through),
        cmocka_unit_test(special_files_are_written_to),
        cmocka_unit_test(reports_are_written_whole),
        cmocka_unit_test(transcripts_show_three_sides),
        cmocka_unit_test(failures_tell_everything),
        cmocka_unit_test(foreign_text_stays_on_its_line),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
