/* A sidecar and hooks with every allocation refused once: nobody waits for ever, nothing is left.
 */
#include "agent/hook.h"
#include "agent/sidecar.h"
#include "base/err.h"
#include "oom.h"
#include "plugin_kit.h"
#include "uvio/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct trial {
    struct plugin_set *set;
    struct sidecar *side;
    struct hook_run *hook;
    bool over;
};

static void close_it(struct trial *t)
{
    sidecar_close(t->side);
    t->side = NULL;
}

static void on_publish(void *ctx, const struct surface *s)
{
    (void)ctx;
    (void)s;
}

static void on_ask(void *ctx, const struct surface *form, struct rpc_request *req)
{
    struct trial *t = ctx;
    (void)form;
    sidecar_answer(t->side, req, "cancel", NULL);
}

static void on_gone(void *ctx, const char *why)
{
    struct trial *t = ctx;
    (void)why;
    t->side = NULL;
}

static void on_acted(void *ctx, bool failed, const char *text)
{
    struct trial *t = ctx;
    (void)failed;
    (void)text;
    t->over = true;
    close_it(t);
}

static int run_sidecar(struct trial *t, uv_loop_t *loop)
{
    static const struct sidecar_ops ops = {on_publish, on_ask, on_gone};
    const struct sidecar_options options = {.loop = loop,
                                            .plugin = &t->set->list[0],
                                            .session_id = "ses_1",
                                            .cwd = "/",
                                            .limit_ms = 2000};
    const struct sidecar_action action = {"show", "", on_acted, t};
    int rc = sidecar_open(&options, &ops, t, &t->side);
    if (rc == 0)
        rc = sidecar_act(t->side, &action);
    if (rc < 0 && t->side)
        close_it(t);
    uv_run(loop, UV_RUN_DEFAULT);
    close_it(t);
    uv_run(loop, UV_RUN_DEFAULT);
    return rc;
}

static void on_hooked(void *ctx, const char *reason)
{
    struct trial *t = ctx;
    (void)reason;
    t->over = true;
}

static int run_hook(struct trial *t, uv_loop_t *loop)
{
    const struct hook_question q = {.loop = loop,
                                    .set = t->set,
                                    .event = HOOK_TURN_END,
                                    .session_id = "ses_1",
                                    .cwd = "/",
                                    .stop_reason = "end_turn",
                                    .cb = on_hooked,
                                    .ctx = t};
    int rc = hook_start(&q, &t->hook);
    uv_run(loop, UV_RUN_DEFAULT);
    return rc < 0 ? rc : 0;
}

/* With one allocation after the other refused: what began also ends. */
static void each(struct trial *t, int (*run)(struct trial *, uv_loop_t *))
{
    long n = 1;
    for (long i = -1; i < n; i++) {
        uv_loop_t loop;
        assert_int_equal(uv_loop_init(&loop), 0);
        t->over = false;
        oom_reset(i);
        int rc = run(t, &loop);
        if (i < 0)
            n = oom_seen();
        oom_reset(-1);
        assert_true(t->over || rc == E_NOMEM || rc == UV_ENOMEM);
        assert_int_equal(loop_finish(&loop), 0);
    }
}

static void test_all(void **state)
{
    (void)state;
    struct plugin_kit k;
    char user[128];
    struct trial t = {NULL};
    kit_begin(&k);
    kit_write(&k, "plugins/p/plugin.json",
              "{\"name\":\"p\",\"sidecar\":{\"command\":[\"sh\",\"side.sh\"]},\"hooks\":{"
              "\"turnEnd\":[{\"command\":[\"sh\",\"-c\",\"echo no >&2; exit 2\"]}]}}");
    kit_write(&k, "plugins/p/side.sh",
              "read -r hello; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; echo "
              "'{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"host/ui/request\",\"params\":{"
              "\"surfaceId\":\"f\",\"payload\":{\"title\":\"T\",\"fields\":[{\"name\":\"n\","
              "\"type\":\"text\"}]}}}'; read -r act; echo "
              "'{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"text\":\"x\"}}'; cat >/dev/null");
    snprintf(user, sizeof user, "%s/plugins", k.home);
    const struct plugin_search where = {user, NULL, NULL};
    assert_int_equal(plugin_set_load(&where, &t.set), 0);
    each(&t, run_sidecar);
    each(&t, run_hook);
    plugin_set_destroy(t.set);
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
