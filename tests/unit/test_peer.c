/* Lines in, lines out, in every chunk size. Time, descriptors and threads do not exist here. */
#include "base/buf.h"
#include "base/err.h"
#include "rpc/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD     "{\"jsonrpc\":\"2.0\","
#define MAX_LINE 4000

/* A small server. What its methods do is in their names; what it notices goes to `seen`. */
struct server {
    struct peer *peer;
    struct buf out, seen;
    struct rpc_request *kept[16];
    size_t n_kept;
    int outputs;
    bool in_output, close_in_output;
};

static void note(struct server *s, const char *what, const cJSON *json)
{
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    assert_int_equal(buf_addf(&s->seen, "%s%s;", what, text ? text : ""), 0);
    free(text);
}

static void keep(struct server *s, struct rpc_request *req)
{
    assert_true(s->n_kept < 16);
    s->kept[s->n_kept++] = req;
}

static void reply_text(struct rpc_request *req, const char *text)
{
    jw_cstr(rpc_reply_begin(req), text);
    rpc_reply_end(req);
}

static void on_cancel(void *ctx, struct rpc_request *req)
{
    struct server *s = ctx;
    note(s, "cancel", NULL);
    assert_true(rpc_request_cancelled(req));
    rpc_fail(req, -32800, "Request cancelled", NULL);
}

static void on_answer(void *ctx, const struct rpc_outcome *outcome)
{
    struct server *s = ctx;
    if (outcome->rc < 0)
        note(s, outcome->rc == E_CLOSED ? "closed" : "lost", NULL);
    else
        note(s, outcome->result ? "result" : "error",
             outcome->result ? outcome->result : outcome->error);
}

static struct rpc_call *call(struct server *s, const char *method)
{
    struct rpc_call *c = NULL;
    struct jsonw *w = peer_call_begin(s->peer, method);
    jw_open(w, '[');
    jw_close(w);
    assert_int_equal(peer_call_end(s->peer, on_answer, s, &c), 0);
    return c;
}

static int on_request(void *ctx, struct rpc_request *req, const char *method, const cJSON *params)
{
    struct server *s = ctx;
    if (strcmp(method, "echo") == 0) {
        jw_tree(rpc_reply_begin(req), params);
        rpc_reply_end(req);
    } else if (strcmp(method, "fail") == 0) {
        rpc_fail(req, RPC_INVALID_PARAMS, "bad", params);
    } else if (strcmp(method, "keep") == 0) {
        keep(s, req);
    } else if (strcmp(method, "cancellable") == 0) {
        rpc_request_on_cancel(req, on_cancel, s);
    } else if (strcmp(method, "close") == 0) {
        peer_close(s->peer);
        rpc_reply_empty(req);
    } else if (strcmp(method, "close-keep") == 0) {
        keep(s, req);
        peer_close(s->peer);
    } else if (strcmp(method, "close-unknown") == 0) {
        peer_close(s->peer);
        return E_NOTFOUND;
    } else if (strcmp(method, "call") == 0) {
        call(s, "back");
        rpc_reply_empty(req);
    } else if (strcmp(method, "pause") == 0) {
        peer_pause(s->peer, true);
        rpc_reply_empty(req);
    } else if (strcmp(method, "feed") == 0) {
        const char nested[] = HEAD "\"method\":\"nested\"}\n";
        assert_int_equal(peer_feed(s->peer, nested, sizeof nested - 1), 0);
        note(s, method, params); /* both still there */
        rpc_reply_empty(req);
    } else {
        return E_NOTFOUND;
    }
    return 0;
}

static void on_notify(void *ctx, const char *method, const cJSON *params)
{
    struct server *s = ctx;
    note(s, method, params);
    if (strcmp(method, "close") == 0)
        peer_close(s->peer);
}

static void on_output(void *ctx)
{
    struct server *s = ctx;
    assert_false(s->in_output);
    s->outputs++;
    if (!s->close_in_output)
        return;
    s->in_output = true;
    peer_close(s->peer);
    s->in_output = false;
}

static const struct peer_ops ops = {on_request, on_notify, on_output};

static void start(struct server *s)
{
    const struct peer_options options = {.max_line = MAX_LINE};
    *s = (struct server){0};
    assert_int_equal(peer_create(&ops, s, &s->out, &options, &s->peer), 0);
}

static void stop(struct server *s)
{
    peer_close(s->peer);
    for (size_t i = 0; i < s->n_kept; i++)
        rpc_reply_empty(s->kept[i]);
    buf_deinit(&s->out);
    buf_deinit(&s->seen);
}

static int feed_in(struct server *s, const char *in, size_t n, size_t step)
{
    int rc = 0;
    for (size_t at = 0; at < n && rc == 0; at += step)
        rc = peer_feed(s->peer, in + at, n - at < step ? n - at : step);
    return rc;
}

static int feed(struct server *s, const char *text)
{
    return peer_feed(s->peer, text, strlen(text));
}

static void assert_out(struct server *s, const char *want)
{
    assert_string_equal(buf_cstr(&s->out), want);
    s->out.n = 0;
}

static void assert_seen(struct server *s, const char *want)
{
    assert_string_equal(buf_cstr(&s->seen), want);
    s->seen.n = 0;
}

/* The same lines in every cut give the same lines. */
static void check(const char *in, size_t n, const char *want_out, const char *want_seen)
{
    for (size_t step = 1; step <= n; step++) {
        struct server s;
        start(&s);
        assert_int_equal(feed_in(&s, in, n, step), 0);
        assert_out(&s, want_out);
        assert_seen(&s, want_seen);
        stop(&s);
    }
}

#define CHECK(in, want_out, want_seen) check(in, sizeof(in) - 1, want_out, want_seen)

#define ERROR(id, code, text)                                                                      \
    HEAD "\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}\n"
#define RESULT(id, text) HEAD "\"id\":" id ",\"result\":" text "}\n"
#define CANCEL(id)       HEAD "\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" id "}}\n"

#define NO_OBJECT  ERROR("null", "-32600", "Invalid request: a message is a JSON object")
#define NO_VERSION ERROR("null", "-32600", "Invalid request: \\\"jsonrpc\\\" must be \\\"2.0\\\"")
#define NO_METHOD  ERROR("null", "-32600", "Invalid request: \\\"method\\\" must be a string")
#define NO_BATCH                                                                                   \
    ERROR("null", "-32600", "Invalid request: batches are not supported, send one message a line")
#define NO_ID                                                                                      \
    ERROR("null", "-32600", "Invalid request: \\\"id\\\" must be a string, a number or null")
#define NO_PARAMS(id)                                                                              \
    ERROR(id, "-32600", "Invalid request: \\\"params\\\" must be an object or an array")

/* ---- what comes in ----------------------------------------------------------------------- */

static void requests_are_answered(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":{\"a\":[1,\"\\u00e9\"]}}\n",
          RESULT("1", "{\"a\":[1,\"\xc3\xa9\"]}"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":[1,2]}\n", RESULT("1", "[1,2]"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n", RESULT("1", "null"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":null}\r\n\r\n  \n", RESULT("1", "null"),
          "");
    CHECK("{\"params\":{},\"method\":\"\\u0065cho\",\"id\":1,\"jsonrpc\":\"2.0\"}\n",
          RESULT("1", "{}"), "");
    CHECK(HEAD "\"id\":2,\"method\":\"fail\",\"params\":{\"x\":1}}\n",
          HEAD "\"id\":2,\"error\":{\"code\":-32602,\"message\":\"bad\",\"data\":{\"x\":1}}}\n",
          "");
}

static void ids_come_back_byte_for_byte(void **state)
{
    (void)state;
    static const char *const ids[] = {"0",
                                      "-1",
                                      "9007199254740993",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "1.5",
                                      "1e3",
                                      "1000000000000000",
                                      "123456789012345678901234567890",
                                      "\"\"",
                                      "\"1\"",
                                      "\"a\\u0000b\"",
                                      "\"\\ud800\"",
                                      "\"\xf0\x9f\x98\x80\"",
                                      "\"\\/\\u0041\"",
                                      "null"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        char in[200], want[200];
        snprintf(in, sizeof in, HEAD "\"method\":\"echo\",\"id\" : %s ,\"params\":{}}\n", ids[i]);
        snprintf(want, sizeof want, HEAD "\"id\":%s,\"result\":{}}\n", ids[i]);
        check(in, strlen(in), want, "");
    }
}

static void unknown_methods_are_refused(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"no/such\"}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"no/such\"}}}\n",
          "");
    /* A NUL does not turn one method into another. */
    CHECK(HEAD "\"id\":1,\"method\":\"echo\\u0000x\"}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"echo\xef\xbf\xbdx\"}}}\n",
          "");
    CHECK(HEAD "\"id\":1,\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n",
          HEAD "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not "
               "found\",\"data\":{\"method\":\"$/cancel_request\"}}}\n",
          "");
}

static void a_long_method_is_not_sent_back(void **state)
{
    (void)state;
    struct server s;
    struct buf line = {0};
    start(&s);
    buf_adds(&line, HEAD "\"id\":1,\"method\":\"x");
    for (int i = 0; i < 300; i++)
        buf_adds(&line, "\xc3\xa9"); /* cut between characters */
    buf_adds(&line, "\"}\n");
    assert_int_equal(peer_feed(s.peer, line.p, line.n), 0);
    assert_true(s.out.n < 400);
    assert_null(strstr(buf_cstr(&s.out), "\xef\xbf\xbd"));
    buf_deinit(&line);
    stop(&s);
}

static void notifications_are_never_answered(void **state)
{
    (void)state;
    CHECK(HEAD "\"method\":\"note\",\"params\":{\"a\":1}}\n", "", "note{\"a\":1};");
    CHECK(HEAD "\"method\":\"note\"}\n", "", "note;");
    CHECK(HEAD "\"method\":\"note\",\"params\":null}\n", "", "note;");
    CHECK(HEAD "\"method\":\"note\",\"params\":[]}\n", "", "note[];");
    CHECK(HEAD "\"method\":\"note\",\"params\":7}\n", "", "");
    CHECK(HEAD "\"method\":\"note\",\"params\":\"x\"}\n", "", "");
    CHECK(HEAD "\"method\":\"$/foo\",\"params\":{}}\n", "", "$/foo{};");
}

static void broken_json_is_a_parse_error(void **state)
{
    (void)state;
    struct server s;
    static const char *const lines[] = {
        "{",          "nope",       "{\"a\":1}}",       "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}",
        "{'a':1}",    "[1,]",       "\"\xed\xa0\x80\"", "{\"a\":01}",       "\"tab\there\"",
        "{\"id\":1,", "{\"a\":1} x"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        start(&s);
        assert_int_equal(feed(&s, lines[i]), 0);
        assert_int_equal(feed(&s, "\n" HEAD "\"id\":1,\"method\":\"echo\"}\n"), 0);
        assert_non_null(buf_cstr(&s.out));
        const char want[] =
            HEAD "\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error: ";
        assert_memory_equal(s.out.p, want, sizeof want - 1);
        assert_string_equal(strchr(s.out.p, '\n') + 1, RESULT("1", "null"));
        stop(&s);
    }
}

static void too_deep_is_a_parse_error(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(feed(&s, "["), 0);
    assert_int_equal(feed(&s, "\n"), 0);
    assert_non_null(strstr(buf_cstr(&s.out), "\"id\":null,\"error\":{\"code\":-32700"));
    stop(&s);
}

static void long_lines_are_dropped(void **state)
{
    (void)state;
    char junk[MAX_LINE + 100];
    struct server s;
    memset(junk, 'x', sizeof junk);
    for (size_t step = 1; step < 2 * sizeof junk; step *= 2) {
        start(&s);
        assert_int_equal(feed_in(&s, junk, sizeof junk, step), 0);
        assert_int_equal(feed(&s, "\n" HEAD "\"id\":1,\"method\":\"echo\"}\n"), 0);
        assert_out(&s, ERROR("null", "-32700", "Parse error: the line is longer than 4000 bytes")
                           RESULT("1", "null"));
        stop(&s);
    }
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    CHECK("42\n", NO_OBJECT, "");
    CHECK("null\n", NO_OBJECT, "");
    CHECK("\"x\"\n", NO_OBJECT, "");
    CHECK("true\n", NO_OBJECT, "");
    CHECK("{}\n", NO_VERSION, "");
    CHECK("{\"foo\":\"bar\"}\n", NO_VERSION, "");
    CHECK("{\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"echo\"}\n", NO_VERSION, "");
    CHECK("{\"jsonrpc\":\"1.0\",\"method\":\"note\"}\n", NO_VERSION, "");
    CHECK(HEAD "\"id\":1}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":1,\"method\":42}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":1,\"method\":null}\n", NO_METHOD, "");
    CHECK(HEAD "\"method\":[\"note\"]}\n", NO_METHOD, "");
    CHECK(HEAD "\"id\":{\"x\":1},\"method\":\"echo\"}\n", NO_ID, "");
    CHECK(HEAD "\"id\":true,\"method\":\"echo\"}\n", NO_ID, "");
    CHECK(HEAD "\"id\":[1],\"method\":\"echo\"}\n", NO_ID, "");
}

static void batches_are_refused_once(void **state)
{
    (void)state;
    CHECK("[]\n", NO_BATCH, "");
    CHECK("[" HEAD "\"id\":1,\"method\":\"echo\"}]\n", NO_BATCH, "");
    CHECK("[1,2,3]\n", NO_BATCH, "");
    CHECK("[" HEAD "\"id\":1,\"method\":\"echo\"}," HEAD "\"method\":\"note\"}]\n", NO_BATCH, "");
}

static void scalar_params_are_refused(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":\"a\",\"method\":\"echo\",\"params\":7}\n", NO_PARAMS("\"a\""), "");
    CHECK(HEAD "\"id\":null,\"method\":\"echo\",\"params\":\"x\"}\n", NO_PARAMS("null"), "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"params\":false}\n", NO_PARAMS("1"), "");
}

static void stray_responses_are_ignored(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":99,\"result\":{}}\n", "", "");
    CHECK(HEAD "\"id\":null,\"result\":{}}\n", "", "");
    CHECK(HEAD "\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n", "", "");
    CHECK(HEAD "\"id\":\"1\",\"error\":null}\n", "", "");
    CHECK("{\"result\":7}\n", "", "");
    CHECK("{\"id\":[],\"error\":7}\n", "", "");
    CHECK(HEAD "\"id\":1e400,\"result\":{}}\n" HEAD "\"id\":-1,\"result\":{}}\n", "", "");
}

static void a_method_makes_it_a_request(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\",\"result\":{},\"error\":{}}\n", RESULT("1", "null"),
          "");
    CHECK(HEAD "\"method\":\"note\",\"result\":{}}\n", "", "note;");
}

static void of_duplicates_the_last_counts(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"id\":2,\"method\":\"x\",\"method\":\"echo\",\"params\":{\"a\":1},"
               "\"params\":{\"b\":2}}\n",
          RESULT("2", "{\"b\":2}"), "");
}

static void order_is_kept_in_a_burst(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n" HEAD "\"method\":\"a\"}\n"
               "nope\n" HEAD "\"method\":\"b\"}\n" HEAD "\"id\":2,\"method\":\"echo\"}\n",
          RESULT("1", "null") ERROR("null", "-32700", "Parse error: value expected at byte 0")
              RESULT("2", "null"),
          "a;b;");
}

/* ---- cancelling -------------------------------------------------------------------------- */

static void a_cancel_reaches_its_request(void **state)
{
    (void)state;
    CHECK(HEAD "\"id\":1,\"method\":\"cancellable\"}\n" CANCEL("1") CANCEL("1"),
          ERROR("1", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":\"\\u0061\",\"method\":\"cancellable\"}\n" CANCEL("\"a\""),
          ERROR("\"\\u0061\"", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":null,\"method\":\"cancellable\"}\n" CANCEL("null"),
          ERROR("null", "-32800", "Request cancelled"), "cancel;");
    CHECK(HEAD "\"id\":9007199254740993,\"method\":\"cancellable\"}\n" CANCEL("9007199254740992")
              CANCEL("9007199254740993"),
          ERROR("9007199254740993", "-32800", "Request cancelled"), "cancel;");
}

static void other_cancels_are_silent(void **state)
{
    (void)state;
    CHECK(CANCEL("1"), "", "");
    CHECK(HEAD "\"id\":1,\"method\":\"echo\"}\n" CANCEL("1"), RESULT("1", "null"), "");
    CHECK(HEAD "\"method\":\"$/cancel_request\"}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":7}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":[1]}\n", "", "");
    CHECK(HEAD "\"method\":\"$/cancel_request\",\"params\":{}}\n", "", "");
    CHECK(CANCEL("{}") CANCEL("[1]") CANCEL("true") CANCEL("\"x\""), "", "");
}

static void a_cancel_is_for_one_request(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"cancellable\"}\n");
    feed(&s, HEAD "\"id\":\"1\",\"method\":\"cancellable\"}\n");
    feed(&s, HEAD "\"id\":2,\"method\":\"keep\"}\n");
    feed(&s, CANCEL("\"1\""));
    assert_out(&s, ERROR("\"1\"", "-32800", "Request cancelled"));
    feed(&s, CANCEL("2")); /* has no callback: runs on */
    assert_true(rpc_request_cancelled(s.kept[0]));
    reply_text(s.kept[--s.n_kept], "done");
    assert_out(&s, RESULT("2", "\"done\""));
    feed(&s, CANCEL("1"));
    assert_out(&s, ERROR("1", "-32800", "Request cancelled"));
    stop(&s);
}

/* A prompt that waits in a queue when its cancel arrives hears of it all the same. */
static void an_early_cancel_is_not_lost(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n" CANCEL("1"));
    assert_seen(&s, "");
    rpc_request_on_cancel(s.kept[--s.n_kept], on_cancel, &s);
    assert_seen(&s, "cancel;");
    assert_out(&s, ERROR("1", "-32800", "Request cancelled"));
    stop(&s);
}

/* ---- calls ------------------------------------------------------------------------------- */

static void calls_complete_in_any_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    call(&s, "c");
    assert_out(&s, HEAD "\"id\":1,\"method\":\"a\",\"params\":[]}\n" HEAD
                        "\"id\":2,\"method\":\"b\",\"params\":[]}\n" HEAD
                        "\"id\":3,\"method\":\"c\",\"params\":[]}\n");
    feed(&s, HEAD "\"id\":2,\"result\":{\"x\":1}}\n" HEAD "\"id\":2,\"result\":{\"x\":2}}\n");
    assert_seen(&s, "result{\"x\":1};");
    feed(&s, HEAD "\"id\":1.0,\"error\":{\"code\":1},\"result\":null}\n");
    assert_seen(&s, "error{\"code\":1};");
    feed(&s, HEAD "\"id\":\"3\",\"result\":1}\n");
    assert_seen(&s, "");
    feed(&s, "{\"result\":null,\"error\":null,\"id\":3}\n");
    assert_seen(&s, "resultnull;");
    assert_out(&s, "");
    stop(&s);
}

static void odd_answers_complete_too(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 4; i++)
        call(&s, "a");
    feed(&s, HEAD "\"id\":1,\"error\":null}\n");
    feed(&s, HEAD "\"id\":2,\"error\":\"boom\"}\n");
    feed(&s, HEAD "\"id\":3,\"result\":{},\"error\":{\"code\":-1,\"message\":\"m\"}}\n");
    feed(&s, HEAD "\"id\":4,\"result\":\"\\ud800\"}\n");
    assert_seen(&s, "errornull;error\"boom\";error{\"code\":-1,\"message\":\"m\"};"
                    "result\"\xef\xbf\xbd\";");
    stop(&s);
}

static void calls_can_be_cancelled_and_abandoned(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    struct rpc_call *a = call(&s, "a"), *b = call(&s, "b");
    s.out.n = 0;
    rpc_call_cancel(a);
    rpc_call_cancel(a);
    assert_out(&s, CANCEL("1"));
    feed(&s, HEAD "\"id\":1,\"error\":{\"code\":-32800}}\n");
    assert_seen(&s, "error{\"code\":-32800};");
    rpc_call_abandon(b);
    feed(&s, HEAD "\"id\":2,\"result\":{}}\n");
    assert_seen(&s, "");
    assert_out(&s, "");
    stop(&s);
    assert_null(s.seen.p);
}

struct self {
    struct rpc_call *call;
    struct peer *peer;
    int calls, rc;
};

static void touch_own_call(void *ctx, const struct rpc_outcome *outcome)
{
    struct self *self = ctx;
    self->calls++;
    self->rc = outcome->rc;
    rpc_call_cancel(self->call);
    rpc_call_abandon(self->call);
    peer_close(self->peer);
    jw_null(peer_call_begin(self->peer, "again"));
    assert_int_equal(peer_call_end(self->peer, touch_own_call, self, NULL), E_CLOSED);
    jw_null(peer_notify_begin(self->peer, "again"));
    assert_int_equal(peer_notify_end(self->peer), E_CLOSED);
}

static void a_callback_may_do_anything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    struct self self = {.peer = s.peer};
    jw_null(peer_call_begin(s.peer, "x"));
    assert_int_equal(peer_call_end(s.peer, touch_own_call, &self, &self.call), 0);
    call(&s, "y");
    assert_int_equal(feed(&s, HEAD "\"id\":1,\"result\":{}}\n" HEAD "\"method\":\"never\"}\n"),
                     E_CLOSED);
    assert_int_equal(self.calls, 1);
    assert_seen(&s, "closed;");
    s.peer = NULL;
    stop(&s);
}

static void many_open_calls_and_requests(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    char line[200];
    for (int i = 1; i <= 5000; i++) {
        call(&s, "a");
        snprintf(line, sizeof line, HEAD "\"id\":%d,\"method\":\"cancellable\"}\n", i);
        assert_int_equal(feed(&s, line), 0);
    }
    for (int i = 5000; i > 0; i--) {
        s.out.n = s.seen.n = 0;
        snprintf(line, sizeof line, CANCEL("%d") HEAD "\"id\":%d,\"result\":%d}\n", i, i, i);
        assert_int_equal(feed(&s, line), 0);
        snprintf(line, sizeof line, "cancel;result%d;", i);
        assert_seen(&s, line);
    }
    stop(&s);
}

/* ---- closing ----------------------------------------------------------------------------- */

static void closing_completes_calls_in_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    s.out.n = 0;
    peer_close(s.peer);
    s.peer = NULL;
    assert_seen(&s, "closed;closed;");
    reply_text(s.kept[--s.n_kept], "too late");
    assert_out(&s, "");
    stop(&s);
}

static void inert_requests_swallow_everything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    for (int i = 0; i < 4; i++)
        feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    peer_close(s.peer);
    s.peer = NULL;
    rpc_request_on_cancel(s.kept[0], on_cancel, &s);
    reply_text(s.kept[0], "x");
    rpc_reply_empty(s.kept[1]);
    rpc_fail(s.kept[2], -1, "x", NULL);
    rpc_fail_kv(s.kept[3], -1, "x", "k", "v");
    s.n_kept = 0;
    assert_out(&s, "");
    assert_seen(&s, "");
    stop(&s);
}

/* Whatever a callback is in the middle of, closing there is safe, and nothing comes after it. */
static void closing_inside_every_callback(void **state)
{
    (void)state;
    static const char *const closers[] = {
        HEAD "\"id\":1,\"method\":\"close\"}\n", HEAD "\"id\":1,\"method\":\"close-keep\"}\n",
        HEAD "\"id\":1,\"method\":\"close-unknown\"}\n", HEAD "\"method\":\"close\"}\n"};
    for (size_t i = 0; i < ARRAY_LEN(closers); i++) {
        struct server s;
        start(&s);
        assert_int_equal(buf_adds(&s.seen, ""), 0);
        struct buf in = {0};
        buf_adds(&in, closers[i]);
        buf_adds(&in, HEAD "\"id\":2,\"method\":\"echo\"}\nnope\n");
        assert_int_equal(peer_feed(s.peer, in.p, in.n), E_CLOSED);
        s.peer = NULL;
        assert_out(&s, "");
        buf_deinit(&in);
        stop(&s);
    }
}

static void closing_inside_on_output(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    s.close_in_output = true;
    call(&s, "a"); /* closes */
    assert_seen(&s, "closed;");
    s.peer = NULL;
    stop(&s);
    start(&s);
    s.close_in_output = true;
    feed(&s, HEAD "\"id\":1,\"method\":\"echo\"}\n"); /* closes once all is handled */
    assert_out(&s, RESULT("1", "null"));
    s.peer = NULL;
    stop(&s);
}

static void close_on_cancel(void *ctx, struct rpc_request *req)
{
    struct server *s = ctx;
    peer_close(s->peer);
    s->peer = NULL;
    rpc_reply_empty(req);
}

static void closing_inside_on_cancel(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    rpc_request_on_cancel(s.kept[--s.n_kept], close_on_cancel, &s);
    assert_int_equal(feed(&s, CANCEL("1") HEAD "\"method\":\"never\"}\n"), E_CLOSED);
    assert_seen(&s, "");
    stop(&s);
}

static void null_may_be_closed(void **state)
{
    (void)state;
    peer_close(NULL);
}

/* ---- end of input, pausing, output ------------------------------------------------------- */

static void eof_ends_the_last_line(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    call(&s, "b");
    s.out.n = 0;
    feed(&s, HEAD "\"id\":9,\"method\":\"keep\"}\n" HEAD "\"id\":1,\"result\":1}");
    assert_seen(&s, "");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_seen(&s, "result1;closed;");
    jw_null(peer_call_begin(s.peer, "late"));
    assert_int_equal(peer_call_end(s.peer, on_answer, &s, NULL), E_CLOSED);
    reply_text(s.kept[--s.n_kept], "still answered");
    assert_out(&s, RESULT("9", "\"still answered\""));
    stop(&s);
}

static void eof_in_the_middle_of_a_message(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, "{\"jsonrpc\":");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_non_null(strstr(buf_cstr(&s.out), "-32700"));
    stop(&s);
}

static void pausing_keeps_everything(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    call(&s, "a");
    s.out.n = 0;
    feed(&s, HEAD "\"id\":1,\"method\":\"pause\"}\n" HEAD "\"method\":\"x\"}\n" HEAD
                  "\"id\":1,\"result\":5}\n" HEAD "\"method\":\"y\"");
    feed(&s, "}\n" HEAD "\"method\":\"z\"}");
    assert_int_equal(peer_eof(s.peer), 0);
    assert_out(&s, RESULT("1", "{}"));
    assert_seen(&s, "");
    peer_pause(s.peer, false);
    assert_seen(&s, "x;result5;y;z;");
    stop(&s);
}

static void resuming_inside_a_handler_keeps_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    peer_pause(s.peer, true);
    feed(&s, HEAD "\"id\":1,\"method\":\"pause\"}\n" HEAD "\"method\":\"x\"}\n");
    peer_pause(s.peer, false); /* its first message pauses again */
    assert_seen(&s, "");
    peer_pause(s.peer, false);
    assert_seen(&s, "x;");
    stop(&s);
}

static void feeding_inside_a_handler_keeps_order(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s,
         HEAD "\"id\":1,\"method\":\"feed\",\"params\":{\"a\":1}}\n" HEAD "\"method\":\"x\"}\n");
    assert_out(&s, RESULT("1", "{}"));
    assert_seen(&s, "feed{\"a\":1};x;nested;");
    stop(&s);
}

static void output_is_told_once_a_burst(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"echo\"}\n" HEAD "\"id\":2,\"method\":\"call\"}\nnope\n");
    assert_int_equal(s.outputs, 1);
    feed(&s, HEAD "\"method\":\"x\"}\n");
    assert_int_equal(s.outputs, 1);
    call(&s, "a");
    assert_int_equal(s.outputs, 2);
    stop(&s);
}

static void a_result_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct server s;
    start(&s);
    feed(&s, HEAD "\"id\":1,\"method\":\"keep\"}\n");
    struct jsonw *w = rpc_reply_begin(s.kept[--s.n_kept]);
    for (int i = 0; i < JW_DEPTH; i++)
        jw_open(w, '[');
    for (int i = 0; i < JW_DEPTH; i++)
        jw_close(w);
    rpc_reply_end(s.kept[s.n_kept]);
    assert_out(&s, HEAD "\"id\":1,\"error\":{\"code\":-32603,\"message\":\"The result could not be "
                        "written\",\"data\":{\"reason\":\"too big\"}}}\n");
    stop(&s);
}

/* Two peers back to back: each has the other's id 1 and its own id 1 open at once. */
static void carry(struct server *from, struct server *to)
{
    struct buf line = from->out;
    from->out = (struct buf){0};
    assert_int_equal(peer_feed(to->peer, line.p, line.n), 0);
    buf_deinit(&line);
}

static void id_spaces_are_separate(void **state)
{
    (void)state;
    struct server a, b;
    start(&a);
    start(&b);
    call(&a, "keep");
    call(&b, "keep");
    struct buf later = b.out;
    b.out = (struct buf){0};
    carry(&a, &b);
    carry(&(struct server){.out = later}, &a);
    reply_text(a.kept[--a.n_kept], "from a");
    reply_text(b.kept[--b.n_kept], "from b");
    carry(&a, &b);
    carry(&b, &a);
    assert_seen(&a, "result\"from b\";");
    assert_seen(&b, "result\"from a\";");
    stop(&a);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(ids_come_back_byte_for_byte),
        cmocka_unit_test(unknown_methods_are_refused),
        cmocka_unit_test(a_long_method_is_not_sent_back),
        cmocka_unit_test(notifications_are_never_answered),
        cmocka_unit_test(broken_json_is_a_parse_error),
        cmocka_unit_test(too_deep_is_a_parse_error),
        cmocka_unit_test(long_lines_are_dropped),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(batches_are_refused_once),
        cmocka_unit_test(scalar_params_are_refused),
        cmocka_unit_test(stray_responses_are_ignored),
        cmocka_unit_test(a_method_makes_it_a_request),
        cmocka_unit_test(of_duplicates_the_last_counts),
        cmocka_unit_test(order_is_kept_in_a_burst),
        cmocka_unit_test(a_cancel_reaches_its_request),
        cmocka_unit_test(other_cancels_are_silent),
        cmocka_unit_test(a_cancel_is_for_one_request),
        cmocka_unit_test(an_early_cancel_is_not_lost),
        cmocka_unit_test(calls_complete_in_any_order),
        cmocka_unit_test(odd_answers_complete_too),
        cmocka_unit_test(calls_can_be_cancelled_and_abandoned),
        cmocka_unit_test(a_callback_may_do_anything),
        cmocka_unit_test(many_open_calls_and_requests),
        cmocka_unit_test(closing_completes_calls_in_order),
        cmocka_unit_test(inert_requests_swallow_everything),
        cmocka_unit_test(closing_inside_every_callback),
        cmocka_unit_test(closing_inside_on_output),
        cmocka_unit_test(closing_inside_on_cancel),
        cmocka_unit_test(null_may_be_closed),
        cmocka_unit_test(eof_ends_the_last_line),
        cmocka_unit_test(eof_in_the_middle_of_a_message),
        cmocka_unit_test(pausing_keeps_everything),
        cmocka_unit_test(resuming_inside_a_handler_keeps_order),
        cmocka_unit_test(feeding_inside_a_handler_keeps_order),
        cmocka_unit_test(output_is_told_once_a_burst),
        cmocka_unit_test(a_result_that_cannot_be_written_is_an_error),
        cmocka_unit_test(id_spaces_are_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
