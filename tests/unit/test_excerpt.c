#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/excerpt.h"
#include "conformance/requirement.h"
#include "conformance/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct requirements none;
static struct case_file file = {.id = (char[]){"a/b"}, .text = "{\"checks\":[\"X-1\"]}", .n = 18};

static struct case_result empty_result(void)
{
    struct case_result r;
    assert_int_equal(result_init(&r, &file, &none, false), 0);
    trace_init(&r.trace, 0);
    return r;
}

static const struct trace_event *say(struct case_result *r, enum trace_side side, const char *line)
{
    uint64_t now_ns = 1000000 * (uint64_t)(r->trace.n + 1);
    const struct trace_event *e =
        trace_add(&r->trace, side, "line", line, strlen(line), NULL, now_ns);
    assert_non_null(e);
    return e;
}

static void model_says(struct case_result *r, const char *json)
{
    assert_non_null(trace_add(&r->trace, TRACE_MODEL_EVENT, "part", "", 0, cJSON_Parse(json), 0));
}

static void break_at(struct case_result *r, const struct trace_event *e)
{
    r->checks[0].verdict = VERDICT_FAIL;
    r->checks[0].event = e;
    r->verdict = VERDICT_FAIL;
}

/* "side label | text" of each row, one a line, with what else there is to say in brackets. */
static char *read_rows(const struct case_result *r)
{
    struct excerpt e;
    struct buf out = {0};
    assert_int_equal(excerpt_take(r, &e), 0);
    for (size_t i = 0; i < e.n; i++) {
        const struct excerpt_row *row = &e.rows[i];
        if (row->left_out > 0)
            buf_addf(&out, "(%zu left out)\n", row->left_out);
        buf_addf(&out, "%s%s%s %s | %s", trace_side_name(row->side), row->answer ? " answer" : "",
                 row->error ? " error" : "", row->label, row->text);
        if (row->times > 1)
            buf_addf(&out, " x%u", row->times);
        buf_addf(&out, "%s%s\n", row->n_marks ? " <- " : "", row->n_marks ? row->marks[0].id : "");
    }
    excerpt_deinit(&e);
    excerpt_deinit(&e);
    return buf_take(&out);
}

static void assert_rows(struct case_result *r, const char *want)
{
    char *got = read_rows(r);
    assert_string_equal(got, want);
    free(got);
    result_deinit(r);
}

static void rows_name_what_happens(void **state)
{
    struct case_result r = empty_result();
    (void)state;
    trace_note(&r.trace, TRACE_PROCESS, "start", "agent", 0);
    r.trace.step = 3;
    trace_note(&r.trace, TRACE_NOTE, "step", "prompt", 0);
    say(&r, TRACE_CLIENT,
        "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"session/prompt\","
        "\"params\":{\"prompt\":[]}}");
    trace_add(&r.trace, TRACE_MODEL, "request", "", 0,
              cJSON_Parse("{\"n\":1,\"last\":{\"role\":\"user\",\"text\":\"hi\\nyou\"}}"), 0);
    trace_add(&r.trace, TRACE_STDERR, "stderr", "words", 5, NULL, 0);
    say(&r, TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"fs/read_text_file\"}");
    say(&r, TRACE_CLIENT, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32603}}");
    say(&r, TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{\"stopReason\":\"x\"}}");
    say(&r, TRACE_AGENT, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":null}");
    say(&r, TRACE_AGENT, "Thinking\x07...");
    say(&r, TRACE_AGENT, "[1]");
    assert_rows(&r, "process start | agent\n"
                    "note step 3 | prompt\n"
                    "client session/prompt #\"p\" | {\"prompt\":[]}\n"
                    "model request 1 | user: hi you\n"
                    "agent fs/read_text_file #7 | \n"
                    "client answer error error of fs/read_text_file #7 | {\"code\":-32603}\n"
                    "agent answer result of session/prompt #\"p\" | {\"stopReason\":\"x\"}\n"
                    "agent answer result #99 | null\n"
                    "agent error no message | Thinking ...\n"
                    "agent no message | [1]\n");
}

#define CHUNK(text)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","          \
    "\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","        \
    "\"text\":\"" text "\"}}}}"
#define PLAN                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","          \
    "\"update\":{\"sessionUpdate\":\"plan\",\"entries\":[]}}}"

static void alike_events_are_one_row(void **state)
{
    struct case_result r = empty_result();
    (void)state;
    model_says(&r, "{\"action\":\"text\",\"text\":\"Hel\"}");
    model_says(&r, "{\"action\":\"text\",\"text\":\"lo\"}");
    model_says(&r, "{\"action\":\"tool\"}");
    say(&r, TRACE_AGENT, CHUNK("Hel"));
    trace_add(&r.trace, TRACE_STDERR, "stderr", "between", 7, NULL, 0);
    say(&r, TRACE_AGENT, CHUNK("lo"));
    say(&r, TRACE_AGENT, PLAN);
    say(&r, TRACE_AGENT, PLAN);
    say(&r, TRACE_AGENT, "{\"id\":1,\"method\":\"a\"}");
    say(&r, TRACE_AGENT, "{\"id\":2,\"method\":\"a\"}");
    say(&r, TRACE_AGENT, "garbage");
    say(&r, TRACE_AGENT, "more");
    r.trace.agent = trace_name_agent(&r.trace, "two");
    say(&r, TRACE_AGENT, "more");
    assert_rows(&r, "model_event text | Hello x2\n"
                    "model_event tool | \n"
                    "agent session/update agent_message_chunk | Hello x2\n"
                    "agent session/update plan | {\"sessionUpdate\":\"plan\",\"entries\":[]} x2\n"
                    "agent a #1 | \n"
                    "agent a #2 | \n"
                    "agent error no message | garbage x2\n"
                    "agent error [two] no message | more\n");
}

static void what_was_judged_stands_out(void **state)
{
    struct case_result r = empty_result();
    (void)state;
    say(&r, TRACE_AGENT, PLAN);
    break_at(&r, say(&r, TRACE_AGENT, PLAN));
    say(&r, TRACE_AGENT, PLAN);
    assert_rows(&r,
                "agent session/update plan | {\"sessionUpdate\":\"plan\",\"entries\":[]}\n"
                "agent session/update plan | {\"sessionUpdate\":\"plan\",\"entries\":[]} <- X-1\n"
                "agent session/update plan | {\"sessionUpdate\":\"plan\",\"entries\":[]}\n");
}

static size_t rows_of(const struct case_result *r, struct excerpt *e, size_t *left_out)
{
    *left_out = 0;
    assert_int_equal(excerpt_take(r, e), 0);
    for (size_t i = 0; i < e->n; i++)
        *left_out += e->rows[i].left_out;
    return e->n;
}

static void long_traces_are_cut(void **state)
{
    enum { MANY = 3000, MARKED = 1500 };
    struct case_result r = empty_result();
    struct excerpt e;
    size_t left_out, marked = 0;
    char line[64];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, "{\"id\":%d,\"method\":\"a\"}", i);
        say(&r, TRACE_AGENT, line);
    }
    assert_int_equal(rows_of(&r, &e, &left_out), 24 + 8);
    assert_int_equal(left_out, MANY - 24 - 8);
    assert_string_equal(e.rows[24].label, "a #2992");
    excerpt_deinit(&e);
    break_at(&r, r.trace.events[MARKED]);
    assert_int_equal(rows_of(&r, &e, &left_out), 40 + 25 + 40);
    assert_int_equal(left_out, MANY - 40 - 25 - 40);
    for (size_t i = 0; i < e.n; i++)
        marked += e.rows[i].n_marks == 1 && strcmp(e.rows[i].label, "a #1500") == 0;
    assert_int_equal(marked, 1);
    excerpt_deinit(&e);
    result_deinit(&r);
}

static void long_texts_are_cut(void **state)
{
    struct case_result r = empty_result();
    struct excerpt e;
    size_t left_out;
    char *line = malloc(20001);
    (void)state;
    assert_non_null(line);
    memset(line, 'x', 20000);
    line[20000] = '\0';
    const struct trace_event *event = say(&r, TRACE_AGENT, line);
    assert_int_equal(rows_of(&r, &e, &left_out), 1);
    assert_int_equal(strlen(e.rows[0].text), 80 + strlen("…"));
    excerpt_deinit(&e);
    break_at(&r, event);
    assert_int_equal(rows_of(&r, &e, &left_out), 1);
    assert_int_equal(strlen(e.rows[0].text), 4096 + strlen("…"));
    excerpt_deinit(&e);
    result_deinit(&r);
    free(line);
}

static void nothing_happened(void **state)
{
    struct case_result r = empty_result();
    (void)state;
    assert_rows(&r, "");
}

static int forget_file(void **state)
{
    (void)state;
    cJSON_Delete(file.json);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_what_happens),     cmocka_unit_test(alike_events_are_one_row),
        cmocka_unit_test(what_was_judged_stands_out), cmocka_unit_test(long_traces_are_cut),
        cmocka_unit_test(long_texts_are_cut),         cmocka_unit_test(nothing_happened),
    };
    return cmocka_run_group_tests(tests, NULL, forget_file);
}
