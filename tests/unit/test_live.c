#include "conformance/live.h"

#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/redact.h"
#include "conformance/requirement.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INIT                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}"  \
    "\n"
#define INITED "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n"

struct seen {
    char sides[64]; /* a, c, p: of the events */
    char ids[128];  /* of the findings */
};

static void on_event(void *ctx, const struct trace_event *e)
{
    struct seen *s = ctx;
    strcat(s->sides, e->side == TRACE_AGENT ? "a" : e->side == TRACE_CLIENT ? "c" : "p");
}

static void on_finding(void *ctx, const struct finding *f)
{
    struct seen *s = ctx;
    strcat(s->ids, f->id);
    strcat(s->ids, " ");
}

static const struct live_ops ops = {.on_event = on_event, .on_finding = on_finding};

static void say(struct live *l, enum trace_side side, const char *text, size_t piece)
{
    for (size_t at = 0, n = strlen(text); at < n; at += piece)
        live_take(l, side, NULL, text + at, n - at < piece ? n - at : piece);
}

static enum verdict conclude(struct live *l)
{
    static const char nothing[] = "{\"title\":\"x\",\"checks\":[]}";
    struct requirements reqs;
    struct case_file file = {.text = nothing, .n = strlen(nothing)};
    struct case_result r;
    const struct embed_file *table = embed_find("requirements.tsv");
    assert_non_null(table);
    assert_int_equal(requirements_load(table->text, (size_t)(table->end - table->text), &reqs), 0);
    assert_int_equal(result_init(&r, &file, &reqs, false), 0);
    r.both_sides = true;
    live_conclude(l, &r);
    enum verdict v = r.verdict;
    result_deinit(&r);
    requirements_deinit(&reqs);
    case_file_deinit(&file);
    live_deinit(l);
    return v;
}

static void test_every_piece_size(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < sizeof INIT + 2; piece++) {
        struct seen s = {0};
        struct live l;
        assert_int_equal(live_init(&l, &ops, &s, 0), 0);
        live_take(&l, TRACE_PROCESS, "start", "x", 1);
        say(&l, TRACE_CLIENT, INIT, piece);
        say(&l, TRACE_AGENT, INITED, piece);
        live_take(&l, TRACE_CLIENT, NULL, "", 0);
        live_take(&l, TRACE_AGENT, NULL, "", 0);
        live_take(&l, TRACE_PROCESS, "exit", "code 0", 6);
        assert_int_equal(conclude(&l), VERDICT_PASS);
        assert_string_equal(s.sides, "pcappp");
        assert_string_equal(s.ids, "");
    }
}

static void test_both_sides_are_judged_at_once(void **state)
{
    struct seen s = {0};
    struct live l;
    (void)state;
    assert_int_equal(live_init(&l, &ops, &s, 0), 0);
    live_take(&l, TRACE_PROCESS, "start", "x", 1);
    say(&l, TRACE_CLIENT, INIT "broken\n", 1000);
    while (live_look(&l, 1000))
        continue;
    assert_string_equal(s.ids, "TRANS-05 ");
    say(&l, TRACE_AGENT, INITED "chatter\n" INITED, 1000);
    while (live_look(&l, 1000))
        continue;
    assert_non_null(strstr(s.ids, "TRANS-04"));
    assert_int_equal(conclude(&l), VERDICT_FAIL);
}

static void test_what_has_no_end_is_kept(void **state)
{
    struct seen s = {0};
    struct live l;
    (void)state;
    assert_int_equal(live_init(&l, &ops, &s, 0), 0);
    say(&l, TRACE_AGENT, "half a word", 3);
    live_take(&l, TRACE_AGENT, NULL, "", 0);
    conclude(&l);
    assert_string_equal(s.sides, "ap");
    assert_non_null(strstr(s.ids, "TRANS-04"));
}

/* Everything is told, no more is kept, and what is not kept is not judged. */
static void test_beyond_the_limit_nothing_is_judged(void **state)
{
    struct seen s = {0};
    struct live l;
    (void)state;
    assert_int_equal(live_init(&l, &ops, &s, 20), 0);
    say(&l, TRACE_CLIENT, INIT, 1000);
    say(&l, TRACE_AGENT, "broken\nbroken\n{}\n", 1000);
    while (live_look(&l, 1000))
        continue;
    assert_string_equal(s.sides, "caaa");
    assert_true(l.full);
    assert_int_equal(l.trace.n, 1);
    conclude(&l);
    assert_string_equal(s.ids, "");
}

/* ---- secrets ------------------------------------------------------------------------------------
 */

static void assert_hidden(const char *message, const char *hidden)
{
    struct trace t;
    struct buf out = {0};
    trace_init(&t, 0);
    const struct trace_event *e =
        trace_add(&t, TRACE_CLIENT, "line", message, strlen(message), NULL, 0);
    assert_non_null(e);
    assert_int_equal(redact_write_event(&out, e), 0);
    const char *at = strstr(buf_cstr(&out), "\"message\":");
    assert_non_null(at);
    at += strlen("\"message\":");
    assert_int_equal(strlen(at), strlen(hidden) + 1);
    assert_memory_equal(at, hidden, strlen(hidden));
    buf_deinit(&out);
    trace_deinit(&t);
}

static void test_secrets(void **state)
{
    (void)state;
    assert_hidden("{\"env\":[{\"name\":\"A\",\"value\":\"b\"}]}",
                  "{\"env\":[{\"name\":\"A\",\"value\":\"***\"}]}");
    assert_hidden("{\"env\":{\"A\":\"b\",\"C\":\"\"}}", "{\"env\":{\"A\":\"***\",\"C\":\"\"}}");
    assert_hidden("{\"x\":[{\"headers\":[{\"name\":\"A\",\"value\":\"b\"}]}]}",
                  "{\"x\":[{\"headers\":[{\"name\":\"A\",\"value\":\"***\"}]}]}");
    assert_hidden("{\"_meta\":{\"myApiKey\":\"b\",\"n\":1}}",
                  "{\"_meta\":{\"myApiKey\":\"***\",\"n\":1}}");
    assert_hidden("{\"Authorization\":\"b\"}", "{\"Authorization\":\"***\"}");
}

static void test_what_is_no_secret_stays_byte_for_byte(void **state)
{
    static const char *const kept[] = {
        "{\"id\": 1e2,  \"text\":\"my token is here\"}",
        "{\"maxTokens\": 5, \"env\": [], \"headers\": null}",
        "{\"env\":[{\"name\":\"A\"}],\"value\":\"x\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_hidden(kept[i], kept[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_size),
        cmocka_unit_test(test_both_sides_are_judged_at_once),
        cmocka_unit_test(test_what_has_no_end_is_kept),
        cmocka_unit_test(test_beyond_the_limit_nothing_is_judged),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_what_is_no_secret_stays_byte_for_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
