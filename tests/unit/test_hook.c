/* Hooks: what they are told, what their exit codes mean, and that none of them can do harm by
 * hanging, flooding or leaving others behind. */
#include "agent/hook.h"
#include "base/err.h"
#include "plugin_kit.h"
#include "uvio/loop.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GUARD_MS 60000

struct trial {
    struct plugin_kit kit;
    struct plugin_set *set;
    uv_loop_t loop;
    uv_timer_t guard;
    int calls;
    char *reason;
};

static const char *env(const char *name)
{
    if (strcmp(name, "OPENAI_API_KEY") == 0)
        return "sk-secret";
    return strcmp(name, "PATH") == 0 ? "/usr/bin:/bin" : NULL;
}

static void on_guard(uv_timer_t *t)
{
    (void)t;
    abort();
}

static void on_done(void *ctx, const char *reason)
{
    struct trial *t = ctx;
    t->calls++;
    t->reason = reason ? strdup(reason) : NULL;
    uv_close((uv_handle_t *)&t->guard, NULL);
}

/* `hooks` is the object of plugin.json. */
static void begin(struct trial *t, const char *hooks)
{
    char manifest[2000], user[128];
    *t = (struct trial){.calls = 0};
    kit_begin(&t->kit);
    snprintf(manifest, sizeof manifest, "{\"name\":\"p\",\"hooks\":{%s}}", hooks);
    kit_write(&t->kit, "plugins/p/plugin.json", manifest);
    snprintf(user, sizeof user, "%s/plugins", t->kit.home);
    const struct plugin_search where = {user, NULL, NULL};
    assert_int_equal(plugin_set_load(&where, &t->set), 0);
    assert_null(t->set->problems);
    assert_int_equal(uv_loop_init(&t->loop), 0);
    uv_timer_init(&t->loop, &t->guard);
    uv_timer_start(&t->guard, on_guard, GUARD_MS, 0);
    t->guard.data = t;
}

static struct hook_question question(struct trial *t, enum hook_event event)
{
    return (struct hook_question){.loop = &t->loop,
                                  .env = env,
                                  .set = t->set,
                                  .event = event,
                                  .session_id = "ses_1",
                                  .cwd = t->kit.home,
                                  .cb = on_done,
                                  .ctx = t};
}

static void end(struct trial *t)
{
    assert_int_equal(loop_finish(&t->loop), 0);
    plugin_set_destroy(t->set);
    free(t->reason);
    kit_end(&t->kit);
}

static void run(struct trial *t, enum hook_event event)
{
    struct hook_run *running = NULL;
    struct hook_question q = question(t, event);
    q.tool = event == HOOK_BEFORE_TOOL ? "bash" : NULL;
    assert_int_equal(hook_start(&q, &running), 1);
    assert_int_equal(t->calls, 0);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_int_equal(t->calls, 1);
}

static char *read_kit(const struct trial *t, const char *name)
{
    char path[256];
    static char text[4000];
    snprintf(path, sizeof path, "%s/%s", t->kit.home, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void test_codes(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"exit 0", NULL},
        {"exit 1", NULL},
        {"echo no >&2; exit 3", NULL},
        {"kill -9 $$", NULL},
        {"kill -2 $$", NULL},
        {"echo aside; echo ' because ' >&2; exit 2", "The plugin p objects:  because"},
        {"echo only this; exit 2", "The plugin p objects: only this"},
        {"exit 2", "The plugin p objects: It did not say why."},
        {"printf '\\377x' >&2; exit 2", "The plugin p objects: \xef\xbf\xbdx"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct trial t;
        char hooks[300];
        snprintf(hooks, sizeof hooks, "\"turnEnd\":[{\"command\":[\"sh\",\"run.sh\"]}]");
        begin(&t, hooks);
        kit_write(&t.kit, "plugins/p/run.sh", cases[i].line);
        run(&t, HOOK_TURN_END);
        if (cases[i].reason)
            assert_string_equal(t.reason, cases[i].reason);
        else
            assert_null(t.reason);
        end(&t);
    }
}

static void test_no_program(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "\"turnEnd\":[{\"command\":[\"./not-there\"]},{\"command\":[\"sh\",\"-c\","
              "\"exit 2\"]}]");
    run(&t, HOOK_TURN_END);
    assert_non_null(t.reason);
    end(&t);
}

/* The first objection is the last word; those of other events and tools are not asked. */
static void test_order(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "\"beforeTool\":["
              "{\"command\":[\"sh\",\"-c\",\"echo a>>../../log\"]},"
              "{\"command\":[\"sh\",\"-c\",\"echo b>>../../log\"],\"tools\":[\"grep\",\"glob\"]},"
              "{\"command\":[\"sh\",\"-c\",\"echo c>>../../log; exit 2\"],\"tools\":[\"grep\","
              "\"bash\"]},"
              "{\"command\":[\"sh\",\"-c\",\"echo d>>../../log\"]}],"
              "\"turnEnd\":[{\"command\":[\"sh\",\"-c\",\"echo e>>../../log\"]}]");
    run(&t, HOOK_BEFORE_TOOL);
    assert_non_null(t.reason);
    assert_string_equal(read_kit(&t, "log"), "a\nc\n");
    end(&t);
}

static void test_nothing_to_run(void **state)
{
    (void)state;
    struct trial t;
    struct hook_run *running = NULL;
    begin(&t, "\"beforeTool\":[{\"command\":[\"true\"],\"tools\":[\"grep\"]}]");
    struct hook_question q = question(&t, HOOK_BEFORE_TOOL);
    q.tool = "bash";
    assert_int_equal(hook_start(&q, &running), 0);
    q = question(&t, HOOK_TURN_END);
    assert_int_equal(hook_start(&q, &running), 0);
    q.set = NULL;
    assert_int_equal(hook_start(&q, &running), 0);
    uv_close((uv_handle_t *)&t.guard, NULL);
    uv_run(&t.loop, UV_RUN_DEFAULT);
    assert_int_equal(t.calls, 0);
    end(&t);
}

static void test_input(void **state)
{
    (void)state;
    struct trial t;
    struct hook_run *running = NULL;
    begin(&t, "\"afterTool\":[{\"command\":[\"sh\",\"-c\",\"cat>../../input; env>../../env; pwd>>"
              "../../env\"]}]");
    struct hook_question q = question(&t, HOOK_AFTER_TOOL);
    cJSON *args = cJSON_Parse("{\"command\":\"ls \\\"x\\\"\"}");
    q.tool = "bash";
    q.args = args;
    q.result = "a\nb";
    q.failed = true;
    assert_int_equal(hook_start(&q, &running), 1);
    cJSON_Delete(args);
    uv_run(&t.loop, UV_RUN_DEFAULT);
    char want[400];
    snprintf(want, sizeof want,
             "{\"event\":\"afterTool\",\"sessionId\":\"ses_1\",\"cwd\":\"%s\",\"tool\":{\"name\":"
             "\"bash\",\"arguments\":{\"command\":\"ls \\\"x\\\"\"}},\"result\":{\"failed\":true,"
             "\"text\":\"a\\nb\"}}\n",
             t.kit.home);
    assert_string_equal(read_kit(&t, "input"), want);
    const char *seen = read_kit(&t, "env");
    assert_null(strstr(seen, "sk-secret"));
    assert_null(strstr(seen, "API_KEY"));
    assert_non_null(strstr(seen, "PATH=/usr/bin:/bin\n"));
    assert_non_null(strstr(seen, "ACP_PLUGIN=p\n"));
    assert_non_null(strstr(seen, "/plugins/p\n"));
    end(&t);
}

/* It is stopped, its children with it, and nothing is blocked by that. */
static void test_hanging(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "\"turnEnd\":[{\"command\":[\"sh\",\"-c\",\"trap '' TERM; sleep 1000 & echo "
              "$!>../../pid; exec sleep 1000\"],\"timeoutSeconds\":1}]");
    run(&t, HOOK_TURN_END);
    assert_null(t.reason);
    pid_t pid = (pid_t)strtol(read_kit(&t, "pid"), NULL, 10);
    assert_true(pid > 1);
    while (kill(pid, 0) == 0 || errno != ESRCH) /* until somebody has waited for it */
        usleep(1000);
    end(&t);
}

static void test_flood(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "\"turnEnd\":[{\"command\":[\"sh\",\"-c\",\"head -c 20000000 /dev/zero | tr '\\\\0' "
              "x >&2; exit 2\"]}]");
    run(&t, HOOK_TURN_END);
    assert_non_null(t.reason);
    assert_in_range(strlen(t.reason), 1000, 4100);
    end(&t);
}

/* More input than a pipe takes, for a program that does not read. */
static void test_unread_input(void **state)
{
    (void)state;
    struct trial t;
    struct hook_run *running = NULL;
    size_t n = 3000000;
    char *text = malloc(n + 1);
    assert_non_null(text);
    memset(text, 'x', n);
    text[n] = '\0';
    begin(&t, "\"afterTool\":[{\"command\":[\"true\"]}]");
    struct hook_question q = question(&t, HOOK_AFTER_TOOL);
    q.tool = "bash";
    q.result = text;
    assert_int_equal(hook_start(&q, &running), 1);
    uv_run(&t.loop, UV_RUN_DEFAULT);
    assert_int_equal(t.calls, 1);
    free(text);
    end(&t);
}

static void on_stop(uv_timer_t *timer)
{
    hook_stop(timer->data);
    uv_close((uv_handle_t *)timer, NULL);
}

/* Before it began, and while it runs. */
static void test_stopped(void **state)
{
    (void)state;
    for (unsigned ms = 0; ms <= 100; ms += 50) {
        struct trial t;
        struct hook_run *running = NULL;
        uv_timer_t stop;
        begin(&t, "\"turnEnd\":[{\"command\":[\"sleep\",\"1000\"]}]");
        struct hook_question q = question(&t, HOOK_TURN_END);
        assert_int_equal(hook_start(&q, &running), 1);
        uv_timer_init(&t.loop, &stop);
        stop.data = running;
        uv_timer_start(&stop, on_stop, ms, 0);
        uv_unref((uv_handle_t *)&t.guard);
        uv_run(&t.loop, UV_RUN_DEFAULT);
        assert_int_equal(t.calls, 0);
        uv_close((uv_handle_t *)&t.guard, NULL);
        end(&t);
    }
    hook_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),   cmocka_unit_test(test_no_program),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_nothing_to_run),
        cmocka_unit_test(test_input),   cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_flood),   cmocka_unit_test(test_unread_input),
        cmocka_unit_test(test_stopped),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
