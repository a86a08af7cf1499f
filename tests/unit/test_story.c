#include "base/buf.h"
#include "conformance/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct story tell(const char *const *lines)
{
    struct trace t;
    struct story s;
    trace_init(&t, 0);
    for (uint64_t i = 0; lines[i]; i++)
        assert_non_null(trace_add(&t, lines[i][0] == '>' ? TRACE_CLIENT : TRACE_AGENT, "line",
                                  lines[i] + 1, strlen(lines[i] + 1), NULL, i));
    assert_int_equal(story_tell(&t, &s), 0);
    trace_deinit(&t);
    return s;
}

#define NEW(id, session)                                                                           \
    ">{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"session/new\",\"params\":{}}",               \
        "<{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"sessionId\":\"" session "\"}}"
#define ASK(id, session)                                                                           \
    ">{\"jsonrpc\":\"2.0\",\"id\":" id                                                             \
    ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"" session "\",\"prompt\":[]}}"
#define SAY(session, text)                                                                         \
    "<{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"" session     \
    "\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","     \
    "\"text\":\"" text "\"}}}}"
#define END(id, reason)                                                                            \
    "<{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"stopReason\":\"" reason "\"}}"

static void assert_difference(const char *const *a, const char *const *b, int n, const char *text)
{
    struct buf out = {0};
    struct story x = tell(a), y = tell(b);
    assert_int_equal(story_compare(&x, &y, &out), n);
    assert_string_equal(buf_cstr(&out), text);
    buf_deinit(&out);
    story_deinit(&x);
    story_deinit(&y);
}

/* Ids, cuts of a text, and which of two sessions was first. */
static void test_chance_is_left_out(void **state)
{
    static const char *const one[] = {NEW("1", "a"),        NEW("2", "b"),
                                      ASK("3", "a"),        ASK("4", "b"),
                                      SAY("a", "he"),       SAY("b", "you"),
                                      SAY("a", "llo"),      END("3", "end_turn"),
                                      END("4", "end_turn"), NULL};
    static const char *const two[] = {NEW("7", "x"),        NEW("8", "y"),
                                      ASK("9", "x"),        ASK("10", "y"),
                                      SAY("y", "you"),      SAY("x", "hello"),
                                      SAY("x", ""),         END("10", "end_turn"),
                                      END("9", "end_turn"), NULL};
    (void)state;
    assert_difference(one, two, 0, "");
}

static void test_what_was_cancelled_is_as_long_as_it_is(void **state)
{
    static const char *const one[] = {NEW("1", "a"), ASK("2", "a"), SAY("a", "he"),
                                      END("2", "cancelled"), NULL};
    static const char *const two[] = {NEW("1", "a"), ASK("2", "a"), END("2", "cancelled"), NULL};
    (void)state;
    assert_difference(one, two, 0, "");
}

static void test_differences(void **state)
{
    static const char *const one[] = {NEW("1", "a"), ASK("2", "a"), SAY("a", "yes"),
                                      END("2", "end_turn"), NULL};
    static const char *const two[] = {NEW("1", "a"), ASK("2", "a"), SAY("a", "no"),
                                      END("2", "refusal"), NULL};
    static const char *const none[] = {NULL};
    (void)state;
    assert_difference(one, two, 4,
                      "- session 1: agent_message_chunk \"yes\"\n"
                      "- session 1: session/prompt -> end_turn\n"
                      "+ session 1: agent_message_chunk \"no\"\n"
                      "+ session 1: session/prompt -> refusal\n");
    assert_difference(none, none, 0, "");
    assert_difference(one, none, 3,
                      "- session/new -> result\n"
                      "- session 1: agent_message_chunk \"yes\"\n"
                      "- session 1: session/prompt -> end_turn\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chance_is_left_out),
        cmocka_unit_test(test_what_was_cancelled_is_as_long_as_it_is),
        cmocka_unit_test(test_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
