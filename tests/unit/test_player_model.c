/* The verbs about the model's side, with a model that is played by the test. */
#include "play.h"

#define CASE(steps) "{'checks': ['A-1'], 'steps': [{'session': 's'}, " steps "]}"

static cJSON *request(const char *text)
{
    cJSON *json = cJSON_CreateObject();
    assert_non_null(json);
    assert_non_null(cJSON_AddStringToObject(json, "model", "m"));
    assert_non_null(cJSON_AddStringToObject(json, "system", text));
    return json;
}

/* For each prompt one request reaches the model, and its reply holds at "h". */
static void on_event(void *ctx, const struct trace_event *e)
{
    struct play *p = ctx;
    if (e->side != TRACE_CLIENT || !strstr(e->bytes, "session/prompt"))
        return;
    trace_model_request(&p->trace, request(strstr(e->bytes, "hang") ? "hang" : "other"), 1);
    trace_model_event(&p->trace, "hold", 1, "h", NULL, 1);
}

static int release(void *ctx, const char *hold)
{
    struct play *p = ctx;
    if (strcmp(hold, "nowhere") == 0)
        return E_NOTFOUND;
    trace_model_event(&p->trace, "release", 1, hold, NULL, 1);
    trace_model_event(&p->trace, "gone", 1, NULL, NULL, 1);
    return 0;
}

static const struct player_model model = {.release = release};

static void check(const char *text, const char *log)
{
    struct play p;
    play_init(&p);
    p.model = &model;
    p.on_event = on_event;
    play_case(&p, text);
    assert_string_equal(p.log.p, log);
    play_deinit(&p);
}

static void test_hold_and_release(void **state)
{
    (void)state;
    check(CASE("{'prompt': 'hang', 'wait': false}, {'hold': 'h', 'check': 'A-2'}, {'release': 'h'},"
               "{'model_gone': true}, {'order': [{'client': {'method': 'session/prompt'}}, "
               "{'model': {'system': 'hang'}}, {'model_event': {'kind': 'hold', 'text': 'h'}}, "
               "{'model_event': {'kind': 'gone'}}]}, {'prompt': 'hello'}, {'hold': 'h'}"),
          "A-2 held\nA-1 held\nA-1 held\nfinished\n");
}

static void test_hold_in_vain(void **state)
{
    (void)state;
    check(CASE("{'hold': 'h', 'within': 1, 'check': 'A-2'}, {'alive': true}"),
          "A-2 unreached: steps[1] (hold): did not come: no request has reached the model\n"
          "A-1 unreached: not reached: steps[1] (hold): did not come: no request has reached the "
          "model\nstopped: steps[1] (hold): did not come: no request has reached the model\n");
    check(CASE("{'prompt': 'hello'}, {'hold': 'h'}, {'hold': 'h', 'within': 1}"),
          "A-1 broken: did not come: hold: not within 1 ms\n"
          "stopped: steps[3] (hold): did not come: hold: not within 1 ms\n");
}

static void test_model_saw(void **state)
{
    (void)state;
    check(CASE("{'prompt': 'hello'}, {'prompt': 'hang', 'wait': false},"
               "{'model_saw': {'system': 'hang'}}, {'model_saw': {'system': 'other'}, 'nth': 1},"
               "{'model_saw': {'system': 'other'}, 'nth': 2}, {'model_count': 2}, {'model_count': "
               "{'max': 1}}, {'model_saw': {'system': 'x'}, 'within': 1}"),
          "A-1 held\nA-1 held\nA-1 broken: /system: expected \"other\", got \"hang\"\nA-1 held\n"
          "A-1 broken: expected 0 to 1, got 2\nA-1 broken: did not come: model_saw: not within 1 ms"
          "\nstopped: steps[8] (model_saw): did not come: model_saw: not within 1 ms\n");
}

static void test_order_broken(void **state)
{
    (void)state;
    check(CASE("{'prompt': 'hello'}, {'order': [{'model': {'model': 'm'}}, {'client': {'method': "
               "'session/prompt'}}]}"),
          "A-1 broken: /order/1: expected {\"client\":{\"method\":\"session/prompt\"}} behind the "
          "one before, got none\nfinished\n");
}

static void test_wrong_release(void **state)
{
    (void)state;
    check(CASE("{'release': 'nowhere'}"),
          "error: steps[1] (release): the model's script cannot go on: not found\n");
}

static void test_no_model(void **state)
{
    static const char *const steps[] = {"{'hold': 'h'}", "{'release': 'h'}", "{'model_saw': {}}",
                                        "{'model_count': 1}", "{'model_gone': true}"};
    static const char *const verbs[] = {"hold", "release", "model_saw", "model_count",
                                        "model_gone"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        char text[200], log[200];
        snprintf(text, sizeof text, "{'checks': ['A-1'], 'steps': [%s]}", steps[i]);
        snprintf(log, sizeof log,
                 "error: steps[0] (%s): this step needs the model's script, which is not played "
                 "here; run the case with acp-conformance\n",
                 verbs[i]);
        play_expect_log(text, log);
    }
}

/* Many cases run at once in one loop; none may see another's events. */
static void test_two_at_once(void **state)
{
    (void)state;
    struct play a, b;
    struct player *second;
    const char *argv[] = {"sh", TEST_DATA "/agent.sh", NULL};
    play_init(&a);
    play_init(&b);
    cJSON *play = play_parse(CASE("{'prompt': 'hello'}, {'text': 'agent', 'equals': 'Hello'}"));
    struct player_options options = {.play = play, .argv = argv, .cwd = b.cwd, .trace = &b.trace};
    assert_int_equal(player_open(&a.loop, &options, &play_ops, &b, &second), 0);
    play_case(&a, CASE("{'prompt': 'hang', 'wait': false}, {'cancel': 's'}, {'saw': {'result': "
                       "{'stopReason': 'cancelled'}}}"));
    assert_string_equal(a.log.p, "A-1 held\nfinished\n");
    assert_string_equal(buf_cstr(&b.log), "A-1 held\nfinished\n");
    cJSON_Delete(play);
    assert_int_equal(uv_loop_close(&b.loop), 0);
    play_deinit(&a);
    play_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hold_and_release), cmocka_unit_test(test_hold_in_vain),
        cmocka_unit_test(test_model_saw),        cmocka_unit_test(test_order_broken),
        cmocka_unit_test(test_wrong_release),    cmocka_unit_test(test_no_model),
        cmocka_unit_test(test_two_at_once),
    };
    loop_setup_process();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
