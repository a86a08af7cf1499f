/* Every allocation of the client's services fails once: nothing leaks, and it is told. */
#include "base/err.h"
#include "mock-client/elicitation.h"
#include "mock-client/files.h"
#include "mock-client/proctree.h"
#include "mock-client/terminals.h"
#include "oom.h"
#include "play.h"

static const struct json_slice id = {.p = "1", .n = 1};

static int fill_form(void *schema)
{
    cJSON *content = elicitation_fill(schema);
    int rc = content ? 0 : E_NOMEM;
    cJSON_Delete(content);
    return rc;
}

static void test_elicitation(void **state)
{
    (void)state;
    cJSON *schema = play_parse(
        "{'type': 'object', 'required': ['a', 'b', 'c', 'd', 'e'], 'properties': {'a': {'type': "
        "'string', 'minLength': 4}, 'b': {'type': 'integer', 'minimum': 3}, 'c': {'type': "
        "'boolean'}, 'd': {'type': 'string', 'enum': ['x', 'y']}, 'e': {'type': 'array', "
        "'minItems': 1, 'items': {'type': 'string', 'enum': ['z']}}, 'f': {'type': 'string', "
        "'default': 'q'}}}");
    oom_fail_each(fill_form, schema);
    cJSON_Delete(schema);
}

/* ---- files -------------------------------------------------------------------------------------
 */

struct desk {
    char cwd[32];
    cJSON *config, *read, *read_disk, *write;
};

static int use_files(void *ctx)
{
    const struct desk *d = ctx;
    struct files f = {0};
    struct buf out = {0};
    int rc = files_init(&f, d->config, d->cwd);
    rc = rc < 0 ? rc : files_read(&f, d->read, id, &out);
    rc = rc < 0 ? rc : files_set_buffer(&f, "b.txt", "text");
    rc = rc < 0 ? rc : files_write(&f, d->write, id, &out);
    rc = rc < 0 ? rc : files_read(&f, d->read_disk, id, &out);
    buf_deinit(&out);
    files_deinit(&f);
    return rc;
}

static void test_files(void **state)
{
    struct desk d = {.cwd = "/tmp/acp-oom-XXXXXX"};
    char text[128];
    (void)state;
    assert_non_null(mkdtemp(d.cwd));
    d.config = play_parse("{'buffers': {'a.txt': 'one\\ntwo\\nthree\\n'}, 'errors': {'c.txt': "
                          "{'code': -32603, 'message': 'm'}}}");
    snprintf(text, sizeof text, "{'path': '%s/a.txt', 'line': 2, 'limit': 1}", d.cwd);
    d.read = play_parse(text);
    snprintf(text, sizeof text, "{'path': '%s/new/d.txt', 'content': 'text'}", d.cwd);
    d.write = play_parse(text);
    d.read_disk = d.write;
    oom_fail_each(use_files, &d);
    cJSON_Delete(d.config);
    cJSON_Delete(d.read);
    cJSON_Delete(d.write);
    snprintf(text, sizeof text, "rm -rf %s", d.cwd);
    assert_int_equal(system(text), 0);
}

/* ---- terminals ---------------------------------------------------------------------------------
 */

struct shop {
    const cJSON *script; /* NULL: commands run */
    struct trace trace;  /* the requests */
    int answers;
};

static void on_answer(void *ctx, const struct trace_event *request, const struct buf *line)
{
    struct shop *s = ctx;
    (void)request;
    (void)line;
    s->answers++;
}

static bool on_hold(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return true;
}

static void ignore(void *ctx)
{
    (void)ctx;
}

/* An answer that was lost is told by terminals_error; a wait may still be open then, so the whole
 * is closed and not waited for. */
static int use_terminals(void *ctx)
{
    static const struct terminals_ops ops = {
        .answer = on_answer, .on_hold = on_hold, .on_change = ignore, .on_closed = ignore};
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct shop *s = ctx;
    struct terminals_options options = {.script = s->script, .cwd = "/", .env = env};
    struct terminals *t;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    s->answers = 0;
    int rc = terminals_open(&loop, &options, &ops, s, &t);
    if (rc == 0) {
        for (size_t i = 0; i < s->trace.n && rc == 0; i++) {
            rc = terminals_request(t, s->trace.events[i]);
            rc = rc == 0 ? terminals_error(t) : rc;
        }
        terminals_close(t);
    }
    assert_int_equal(loop_finish(&loop), 0);
    return rc;
}

static const char *const requests[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"terminal/create\",\"params\":{\"sessionId\":\"s\","
    "\"command\":\"true\",\"args\":[\"x\"],\"env\":[{\"name\":\"A\",\"value\":\"b\"}]}}",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"terminal/output\",\"params\":{\"sessionId\":\"s\","
    "\"terminalId\":\"term-1\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"terminal/wait_for_exit\",\"params\":{\"sessionId\":"
    "\"s\",\"terminalId\":\"term-1\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"terminal/kill\",\"params\":{\"sessionId\":\"s\","
    "\"terminalId\":\"term-1\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"terminal/release\",\"params\":{\"sessionId\":\"s\","
    "\"terminalId\":\"term-1\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"terminal/output\",\"params\":{\"sessionId\":\"s\","
    "\"terminalId\":\"nobody\"}}",
};

static void test_terminals(void **state)
{
    struct shop s = {0};
    (void)state;
    oom_reset(-1);
    trace_init(&s.trace, 0);
    for (size_t i = 0; i < ARRAY_LEN(requests); i++)
        assert_non_null(
            trace_add(&s.trace, TRACE_AGENT, "line", requests[i], strlen(requests[i]), NULL, 0));
    oom_fail_each(use_terminals, &s);
    oom_reset(-1);
    cJSON *script = play_parse("[{'match': {'command': 'true'}, 'output': 'text', 'hold': 'h'}]");
    s.script = script;
    oom_fail_each(use_terminals, &s);
    oom_reset(-1);
    cJSON_Delete(script);
    trace_deinit(&s.trace);
}

/* ---- processes ---------------------------------------------------------------------------------
 */

/* Of itself: at least one process of the machine has to be read. */
static int count_processes(void *ctx)
{
    const struct proctree *tree = ctx;
    int n = proctree_signal(tree, PROCTREE_ALL, 0);
    return n < 0 ? E_NOMEM : 0;
}

static void test_proctree(void **state)
{
    struct proctree tree = {.root = getpid(), .mark = "ACP_OOM=none"};
    (void)state;
    oom_reset(-1);
    assert_int_equal(count_processes(&tree), 0);
    long n = oom_seen();
    for (long i = 0; i < n && i < 20; i++) {
        oom_reset(i);
        count_processes(&tree); /* too few or "cannot be told": both is said, and nothing leaks */
    }
    oom_reset(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elicitation),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_proctree),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
