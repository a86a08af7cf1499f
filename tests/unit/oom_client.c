/* Every allocation of client and player fails once: nothing leaks, nothing is judged. */
#include "base/buf.h"
#include "mock-client/base64.h"
#include "mock-client/lines.h"
#include "mock-client/policy.h"
#include "mock-client/subst.h"
#include "mock-client/trace.h"
#include "oom.h"
#include "play.h"

/* ---- pure parts --------------------------------------------------------------------------------
 */

static int log_things(void *ctx)
{
    struct trace t;
    struct buf out = {0};
    int rc = 0;
    (void)ctx;
    trace_init(&t, 0);
    for (int i = 0; i < 70 && rc == 0; i++)
        rc = trace_note(&t, TRACE_NOTE, "note", "text", 0) ? 0 : E_NOMEM;
    if (rc == 0 && !trace_add(&t, TRACE_AGENT, "line", "{\"a\":[1,\"x\"]}", 13, NULL, 0))
        rc = E_NOMEM;
    if (rc == 0 && !trace_model_event(&t, "hold", 1, "h", "A-1", 0))
        rc = E_NOMEM;
    if (rc == 0 && !trace_add(&t, TRACE_AGENT, "rest", "\377", 1, NULL, 0))
        rc = E_NOMEM;
    for (size_t i = 0; i < t.n && rc == 0; i++)
        rc = trace_write_event(&out, t.events[i]);
    buf_deinit(&out);
    trace_deinit(&t);
    return rc;
}

static void test_trace(void **state)
{
    (void)state;
    oom_fail_each(log_things, NULL);
}

static int split(void *ctx)
{
    struct lines d;
    char *p;
    size_t n;
    int rc;
    (void)ctx;
    lines_init(&d, 100);
    rc = lines_feed(&d, "one\ntw", 6);
    if (rc == 0)
        rc = lines_next(&d, &p, &n) == 1 ? 0 : E_INVALID;
    for (int i = 0; i < 20 && rc == 0; i++)
        rc = lines_feed(&d, "a part of a longer line", 23);
    lines_deinit(&d);
    return rc;
}

static void test_lines(void **state)
{
    (void)state;
    oom_fail_each(split, NULL);
}

static int value_of(void *ctx, const char *name, size_t n, cJSON **ret)
{
    (void)ctx;
    (void)name;
    *ret = n == 1 ? cJSON_CreateString("a text that makes the copy grow, and grow, and grow on")
                  : cJSON_CreateObject();
    return *ret ? 0 : E_NOMEM;
}

static int fill(void *json)
{
    struct json_error err;
    cJSON *out = NULL;
    int rc = subst_apply(json, value_of, NULL, &out, &err);
    cJSON_Delete(out);
    return rc;
}

static void test_subst(void **state)
{
    (void)state;
    cJSON *json = play_parse("{'a': ['${x}', 'y ${x} ${yy} z', 1, null], 'b': {'c': '$${x}'}}");
    oom_fail_each(fill, json);
    cJSON_Delete(json);
}

static int answer(void *json)
{
    struct buf out = {0};
    struct json_slice id = {.p = "1", .n = 1};
    int rc = policy_answer(NULL, json, id, &out);
    buf_deinit(&out);
    return rc < 0 ? rc : 0;
}

static void test_policy(void **state)
{
    (void)state;
    cJSON *json = play_parse("{'method': 'session/request_permission', 'params': {}}");
    oom_fail_each(answer, json);
    cJSON_Delete(json);
    json = play_parse("{'method': 'x'}");
    oom_fail_each(answer, json);
    cJSON_Delete(json);
}

static int code(void *ctx)
{
    struct buf out = {0};
    int rc = base64_encode(&out, "foo", 3);
    (void)ctx;
    if (rc == 0)
        rc = base64_decode(&out,
                           "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFy"
                           "Zm9vYmFyZm9vYmFy",
                           80);
    buf_deinit(&out);
    return rc;
}

static void test_base64(void **state)
{
    (void)state;
    oom_fail_each(code, NULL);
}

/* ---- a whole play ------------------------------------------------------------------------------
 */

struct outcome {
    int opened, done, held, broken;
    enum player_why why;
};

static void on_check(void *ctx, const struct player_check *check)
{
    struct outcome *o = ctx;
    o->held += check->outcome == PLAYER_HELD;
    o->broken += check->outcome == PLAYER_BROKEN;
}

static void on_done(void *ctx, enum player_why why, const char *text)
{
    struct outcome *o = ctx;
    (void)text;
    o->done++;
    o->why = why;
}

static struct outcome play_once(const cJSON *play, const char *cwd)
{
    static const struct player_ops ops = {.on_check = on_check, .on_done = on_done};
    const char *argv[] = {"cat", NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    struct outcome o = {0};
    struct trace trace;
    uv_loop_t loop;
    struct player *player;
    struct player_options options = {
        .play = play, .argv = argv, .env = env, .cwd = cwd, .trace = &trace, .timeout_scale = 0.02};
    trace_init(&trace, 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    o.opened = player_open(&loop, &options, &ops, &o, &player) == 0;
    assert_int_equal(loop_finish(&loop), 0);
    assert_int_equal(o.done, o.opened);
    trace_deinit(&trace);
    return o;
}

/* The agent is cat: what is sent comes back, so a raw response answers the request before it. */
static void test_play(void **state)
{
    (void)state;
    char cwd[] = "/tmp/acp-oom-XXXXXX";
    assert_non_null(mkdtemp(cwd));
    cJSON *play = play_parse(
        "{'checks': ['A-1'], 'handshake': false, 'env': {'A': 'b'}, 'args': ['-'], 'client': "
        "{'policy': {'x': 'never'}}, 'files': {'d/f': 'x'}, 'steps': ["
        "{'batch': [{'request': 'x', 'as': 'p', 'params': {'a': '${cwd}'}, 'expect': {'result': "
        "1}},"
        "{'send': '{\\'id\\':1,\\'result\\':1}', 'invalid': true}]}, {'saw': {'method': 'x'}},"
        "{'send': 'x', 'chunks': 1, 'invalid': true}, {'file': 'd/f', 'equals': 'x'}, {'order': "
        "[{'client': {}}, {'agent': {}}]}, {'close_stdin': true}, {'exit': {'code': 0}}]}");
    oom_reset(-1);
    struct outcome o = play_once(play, cwd);
    long n = oom_seen();
    assert_int_equal(o.why, PLAYER_FINISHED);
    assert_int_equal(o.held, 5);
    for (long i = 0; i < n; i++) {
        oom_reset(i);
        o = play_once(play, cwd);
        if (o.broken)
            fail_msg("allocation %ld failed, and the agent was blamed", i);
    }
    oom_reset(-1);
    cJSON_Delete(play);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", cwd);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),  cmocka_unit_test(test_lines),  cmocka_unit_test(test_subst),
        cmocka_unit_test(test_policy), cmocka_unit_test(test_base64), cmocka_unit_test(test_play),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
