/* Sidecars: small shell programs that behave, and all the ways in which they may not. */
#include "agent/sidecar.h"
#include "base/err.h"
#include "plugin_kit.h"
#include "uvio/loop.h"

#include <setjmp.h>
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
    struct sidecar *side; /* NULL: gone or closed */
    int acted, published;
    bool failed;
    char text[400], gone[200], shown[400];
    const char *answer; /* to forms */
    bool close_in_publish;
};

static void on_guard(uv_timer_t *t)
{
    (void)t;
    abort();
}

static void close_it(struct trial *t)
{
    sidecar_close(t->side);
    t->side = NULL;
    if (!uv_is_closing((uv_handle_t *)&t->guard))
        uv_close((uv_handle_t *)&t->guard, NULL);
}

static void on_publish(void *ctx, const struct surface *s)
{
    struct trial *t = ctx;
    struct buf out = {0};
    t->published++;
    assert_string_equal(s->plugin, "p");
    assert_int_equal(surface_render(s, &out), 0);
    snprintf(t->shown, sizeof t->shown, "%s", buf_cstr(&out));
    buf_deinit(&out);
    if (t->close_in_publish)
        close_it(t);
}

static void on_ask(void *ctx, const struct surface *form, struct rpc_request *req)
{
    struct trial *t = ctx;
    struct surface_field f;
    assert_true(surface_field_at(form, 0, &f));
    cJSON *content = cJSON_CreateObject();
    cJSON_AddStringToObject(content, f.name, "yes");
    sidecar_answer(t->side, req, t->answer, strcmp(t->answer, "accept") == 0 ? content : NULL);
    cJSON_Delete(content);
}

static void on_gone(void *ctx, const char *why)
{
    struct trial *t = ctx;
    snprintf(t->gone, sizeof t->gone, "%s", why);
    t->side = NULL;
    uv_close((uv_handle_t *)&t->guard, NULL);
}

static const struct sidecar_ops ops = {on_publish, on_ask, on_gone};

static void on_acted(void *ctx, bool failed, const char *text)
{
    struct trial *t = ctx;
    t->acted++;
    t->failed = failed;
    snprintf(t->text, sizeof t->text, "%s", text ? text : "(none)");
    if (t->side && !failed)
        close_it(t);
}

#define REPLY(body) "echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id," body "}\""

/* What it does at the beginning and for an action. */
static void begin(struct trial *t, const char *hello, const char *act)
{
    char script[3000], user[128];
    *t = (struct trial){.answer = "accept"};
    kit_begin(&t->kit);
    kit_write(&t->kit, "plugins/p/plugin.json",
              "{\"name\":\"p\",\"sidecar\":{\"command\":[\"sh\",\"side.sh\"]}}");
    snprintf(script, sizeof script,
             "while read -r line; do\n"
             "echo \"$line\" >> ../../log\n"
             "id=$(printf '%%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')\n"
             "case \"$line\" in\n"
             "*extension/initialize*) %s;;\n"
             "*extension/ui/action*) %s;;\n"
             "*extension/shutdown*) echo bye > ../../bye; exit 0;;\n"
             "esac\ndone\n",
             hello, act);
    kit_write(&t->kit, "plugins/p/side.sh", script);
    snprintf(user, sizeof user, "%s/plugins", t->kit.home);
    const struct plugin_search where = {user, NULL, NULL};
    assert_int_equal(plugin_set_load(&where, &t->set), 0);
    assert_int_equal(uv_loop_init(&t->loop), 0);
    uv_timer_init(&t->loop, &t->guard);
    uv_timer_start(&t->guard, on_guard, GUARD_MS, 0);
}

static void end(struct trial *t)
{
    assert_int_equal(loop_finish(&t->loop), 0);
    plugin_set_destroy(t->set);
    kit_end(&t->kit);
}

static const char *path_only(const char *name)
{
    return strcmp(name, "PATH") == 0 ? "/usr/bin:/bin" : NULL;
}

/* A limit in milliseconds: 0 is the usual one. */
static void run(struct trial *t, uint64_t limit_ms)
{
    const struct sidecar_options options = {.loop = &t->loop,
                                            .env = path_only,
                                            .plugin = &t->set->list[0],
                                            .session_id = "ses_1",
                                            .cwd = "/work",
                                            .limit_ms = limit_ms};
    const struct sidecar_action action = {"show", "all of \"it\"", on_acted, t};
    assert_int_equal(sidecar_open(&options, &ops, t, &t->side), 0);
    assert_int_equal(sidecar_act(t->side, &action), 0);
    assert_int_equal(sidecar_act(t->side, &action), E_STATE);
    uv_run(&t->loop, UV_RUN_DEFAULT);
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

static void test_good(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, REPLY("\\\"result\\\":{}"),
          "echo '{\"jsonrpc\":\"2.0\",\"method\":\"host/ui/publish\",\"params\":{\"surfaceId\":"
          "\"s\",\"kind\":\"card\",\"payload\":{\"title\":\"T\"}}}'; " REPLY(
              "\\\"result\\\":{\\\"text\\\":\\\"done\\\"}"));
    run(&t, 0);
    assert_int_equal(t.acted, 1);
    assert_false(t.failed);
    assert_string_equal(t.text, "done");
    assert_int_equal(t.published, 1);
    assert_string_equal(t.shown, "**T**\n\n");
    assert_string_equal(t.gone, "");
    assert_string_equal(read_kit(&t, "bye"), "bye\n");
    const char *log = read_kit(&t, "log");
    assert_non_null(strstr(log, "\"method\":\"extension/initialize\",\"params\":{"
                                "\"protocolVersion\":1,\"plugin\":\"p\",\"sessionId\":\"ses_1\","
                                "\"cwd\":\"/work\",\"surfaces\":false,"));
    assert_non_null(strstr(log, "\"params\":{\"action\":\"show\",\"arguments\":\"all of "));
    end(&t);
}

/* A question in the middle of an action, and its answer. */
static void test_form(void **state)
{
    (void)state;
    static const char *const answers[][2] = {
        {"accept", "\"result\":{\"action\":\"accept\",\"content\":{\"ok\":\"yes\"}}"},
        {"decline", "\"result\":{\"action\":\"decline\"}"}};
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct trial t;
        begin(&t, REPLY("\\\"result\\\":{}"),
              "echo '{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"host/ui/request\",\"params\":{"
              "\"surfaceId\":\"f\",\"payload\":{\"title\":\"Sure?\",\"fields\":[{\"name\":\"ok\","
              "\"type\":\"boolean\"}]}}}'; read -r answer; echo \"$answer\" >> ../../log; " REPLY(
                  "\\\"result\\\":{}"));
        t.answer = answers[i][0];
        run(&t, 0);
        assert_false(t.failed);
        assert_string_equal(t.text, "(none)");
        assert_non_null(strstr(read_kit(&t, "log"), answers[i][1]));
        end(&t);
    }
}

/* Broken surfaces are refused, not shown; unknown methods are answered. */
static void test_refused(void **state)
{
    (void)state;
    struct trial t;
    begin(
        &t, REPLY("\\\"result\\\":{}"),
        "echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"host/ui/publish\",\"params\":{}}'; read "
        "-r a; echo '{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"host/other\"}'; read -r b; echo "
        "'{\"jsonrpc\":\"2.0\",\"method\":\"host/ui/publish\",\"params\":[]}'; echo "
        "'not json'; read -r c; echo \"$a$b$c\" >> ../../log; " REPLY("\\\"result\\\":{}"));
    run(&t, 0);
    assert_int_equal(t.published, 0);
    const char *log = read_kit(&t, "log");
    assert_non_null(strstr(log, "-32602"));
    assert_non_null(strstr(log, "params.surfaceId: missing"));
    assert_non_null(strstr(log, "-32601"));
    assert_non_null(strstr(log, "-32700"));
    end(&t);
}

static const struct {
    const char *hello, *act, *text, *gone;
    uint64_t limit;
} bad[] = {
    {REPLY("\\\"result\\\":{}"),
     REPLY("\\\"error\\\":{\\\"code\\\":1,\\\"message\\\":\\\"no way\\\"}") "; exit 0",
     "The plugin p: no way", "ended with exit code 0", 0},
    {"exit 3", "true", "sidecar ended with exit code 3", "ended with exit code 3", 0},
    {"kill -9 $$", "true", "sidecar was ended by signal 9", "was ended by signal 9", 0},
    {"true", "true", "did not answer in time", "did not answer in time", 300},
    {REPLY("\\\"result\\\":{}"), "sleep 1000", "did not answer in time", "did not answer in time",
     300},
    {"trap '' TERM; sleep 1000", "true", "did not answer in time", "did not answer in time", 300},
    {REPLY("\\\"error\\\":{\\\"code\\\":1,\\\"message\\\":\\\"no\\\"}"), "true",
     "refused extension/initialize", "refused extension/initialize", 0},
    {"exec >&-; sleep 1000", "true", "closed its output", "closed its output", 0},
    {"head -c 9000000 /dev/zero | tr '\\000' x", "true", "writes too much", "writes too much", 0},
    {"yes garbage", "true", "does not read", "does not read", 0},
    {"yes '{\"jsonrpc\":\"2.0\",\"method\":\"host/ui/publish\",\"params\":{\"surfaceId\":\"s\","
     "\"kind\":\"card\",\"payload\":{\"title\":\"T\"}}}'",
     "true", "writes too much", "writes too much", 0},
    {"yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}'", "true", "does not read",
     "does not read", 0},
    {"head -c 300000 /dev/urandom; exit 1", "true", "ended with exit code 1",
     "ended with exit code 1", 0},
};

/* Each is over, the action has failed with a reason, and nothing is left. */
static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct trial t;
        begin(&t, bad[i].hello, bad[i].act);
        run(&t, bad[i].limit);
        assert_int_equal(t.acted, 1);
        assert_true(t.failed);
        assert_null(t.side);
        if (!strstr(t.text, bad[i].text) || !strstr(t.gone, bad[i].gone))
            print_error("%zu: %s / %s\n", i, t.text, t.gone);
        assert_non_null(strstr(t.text, bad[i].text));
        assert_non_null(strstr(t.gone, bad[i].gone));
        assert_in_range(t.published, 0, 200);
        end(&t);
    }
}

/* Closed from inside of one of its own messages, while an action is open. */
static void test_closed_inside(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, REPLY("\\\"result\\\":{}"),
          "for i in 1 2 3; do echo '{\"jsonrpc\":\"2.0\",\"method\":\"host/ui/publish\",\"params\":"
          "{\"surfaceId\":\"s\",\"kind\":\"card\",\"payload\":{\"title\":\"T\"}}}'; done; sleep "
          "1000");
    t.close_in_publish = true;
    run(&t, 0);
    assert_int_equal(t.published, 1);
    assert_int_equal(t.acted, 0);
    assert_string_equal(t.gone, "");
    end(&t);
}

static void test_no_program(void **state)
{
    (void)state;
    struct trial t;
    struct sidecar *side = NULL;
    begin(&t, "", "");
    free(t.set->list[0].sidecar[0]);
    t.set->list[0].sidecar[0] = strdup("./not-there");
    const struct sidecar_options options = {
        .loop = &t.loop, .plugin = &t.set->list[0], .session_id = "ses_1", .cwd = "/work"};
    assert_int_equal(sidecar_open(&options, &ops, &t, &side), UV_ENOENT);
    assert_null(side);
    uv_close((uv_handle_t *)&t.guard, NULL);
    uv_run(&t.loop, UV_RUN_DEFAULT);
    end(&t);
    sidecar_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),          cmocka_unit_test(test_form),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_bad),
        cmocka_unit_test(test_closed_inside), cmocka_unit_test(test_no_program),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
