#include "base/err.h"
#include "conformance/mutant.h"
#include "conformance/shape.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What the filter hands on, in place of a client: "A:" towards the harness, "C:" to the agent. */
static struct buf out;

void client_deliver(struct client *c, enum trace_side from, const char *bytes, size_t n)
{
    (void)c;
    assert_int_equal(buf_adds(&out, from == TRACE_AGENT ? "A:" : "C:"), 0);
    assert_int_equal(buf_add(&out, bytes, n), 0);
}

/* Clients are known by the name of their process here: NULL is the first. */
const char *client_agent(const struct client *c)
{
    return (const char *)c;
}

static struct client *process(char *name)
{
    return (struct client *)(void *)name;
}

static cJSON *parse(const char *text)
{
    cJSON *json = NULL;
    assert_int_equal(json_parse(text, strlen(text), &json, NULL), 0);
    return json;
}

struct play {
    cJSON *json;
    struct mutant m;
    struct client_wire wire;
};

static void begin(struct play *p, const char *mutant)
{
    p->json = parse(mutant);
    assert_int_equal(mutant_init(&p->m, p->json), 0);
    p->wire = mutant_wire(&p->m);
    p->wire.on_start(p->wire.ctx, NULL);
}

static void agent(struct play *p, const char *bytes)
{
    p->wire.pass(p->wire.ctx, NULL, TRACE_AGENT, bytes, strlen(bytes));
}

static void client(struct play *p, const char *bytes)
{
    p->wire.pass(p->wire.ctx, NULL, TRACE_CLIENT, bytes, strlen(bytes));
}

static void finish(struct play *p, const char *want, bool applied)
{
    p->wire.on_end(p->wire.ctx, NULL);
    assert_string_equal(buf_cstr(&out), want);
    assert_int_equal(p->m.applied, applied);
    buf_deinit(&out);
    mutant_deinit(&p->m);
    mutant_deinit(&p->m);
    cJSON_Delete(p->json);
}

static void play_agent(const char *mutant, const char *const *lines, const char *want, bool applied)
{
    struct play p;
    begin(&p, mutant);
    for (; *lines; lines++)
        agent(&p, *lines);
    finish(&p, want, applied);
}

static const char *const three[] = {"{\"a\":1}\n", "{\"b\":2}\n", "{\"a\":3}\n", NULL};

static void edits_of_lines(void **state)
{
    static const struct {
        const char *mutant, *want;
        bool applied;
    } rows[] = {
        {"{\"on\":{\"a\":{\"$any\":true}},\"drop\":true}", "A:{\"b\":2}\n", true},
        {"{\"on\":{\"a\":{\"$any\":true}},\"nth\":2,\"drop\":true}", "A:{\"a\":1}\nA:{\"b\":2}\n",
         true},
        {"{\"on\":{\"b\":2},\"duplicate\":true}",
         "A:{\"a\":1}\nA:{\"b\":2}\nA:{\"b\":2}\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"b\":2},\"set\":{\"/b\":\"x\",\"/c\":null}}",
         "A:{\"a\":1}\nA:{\"b\":\"x\",\"c\":null}\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"b\":2},\"remove\":[\"/b\"]}", "A:{\"a\":1}\nA:{}\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"b\":2},\"remove\":[\"/none\"]}", "A:{\"a\":1}\nA:{\"b\":2}\nA:{\"a\":3}\n",
         false},
        {"{\"on\":{\"a\":1},\"after\":{\"b\":2}}", "A:{\"b\":2}\nA:{\"a\":1}\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"a\":1},\"after\":{\"never\":2}}", "A:{\"b\":2}\nA:{\"a\":3}\nA:{\"a\":1}\n",
         true},
        {"{\"on\":{\"b\":2},\"inject\":\"hi\"}", "A:{\"a\":1}\nA:{\"b\":2}\nA:hi\nA:{\"a\":3}\n",
         true},
        {"{\"on\":{\"b\":2},\"inject\":\"<${/b}${/none}> ${x} ${/\"}",
         "A:{\"a\":1}\nA:{\"b\":2}\nA:<2> ${x} ${/\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"b\":2},\"inject\":\"hi\",\"where\":\"before\",\"newline\":false}",
         "A:{\"a\":1}\nA:hiA:{\"b\":2}\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"b\":2},\"replace\":\"aGk=\",\"base64\":true}",
         "A:{\"a\":1}\nA:hi\nA:{\"a\":3}\n", true},
        {"{\"on\":{\"zzz\":2},\"drop\":true}", "A:{\"a\":1}\nA:{\"b\":2}\nA:{\"a\":3}\n", false},
        {"{\"on\":{\"a\":1},\"from\":\"client\",\"drop\":true}",
         "A:{\"a\":1}\nA:{\"b\":2}\nA:{\"a\":3}\n", false},
        {"{\"at_start\":\"Welcome\"}", "A:Welcome\nA:{\"a\":1}\nA:{\"b\":2}\nA:{\"a\":3}\n", true},
        {"{\"at_exit\":\"bye\",\"newline\":false}", "A:{\"a\":1}\nA:{\"b\":2}\nA:{\"a\":3}\nA:bye",
         true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        play_agent(rows[i].mutant, three, rows[i].want, rows[i].applied);
}

static void lets_other_bytes_through(void **state)
{
    static const char *const odd[] = {"not json\n", "{\"a\":1", "\xff\n", NULL};
    (void)state;
    play_agent("{\"on\":{\"$any\":true},\"drop\":true}", odd, "A:not json\nA:{\"a\":1A:\xff\n",
               false);
}

static void edits_what_the_agent_gets(void **state)
{
    struct play p;
    (void)state;
    begin(&p, "{\"on\":{\"x\":1},\"from\":\"client\",\"set\":{\"/x\":2}}");
    client(&p, "{\"x\":1}\n");
    agent(&p, "{\"x\":1}\n");
    finish(&p, "C:{\"x\":2}\nA:{\"x\":1}\n", true);
}

static void deafness(void **state)
{
    struct play p;
    (void)state;
    begin(&p, "{\"deaf\":true}");
    client(&p, "{\"x\":1}\n");
    assert_false(p.wire.may_close_stdin(p.wire.ctx));
    finish(&p, "", true);

    begin(&p, "{\"deaf\":true,\"on\":{\"y\":1}}");
    client(&p, "{\"x\":1}\n");
    agent(&p, "{\"y\":1}\n");
    client(&p, "{\"x\":2}\n");
    finish(&p, "C:{\"x\":1}\nA:{\"y\":1}\n", true);
}

static void ends_of_processes(void **state)
{
    struct play p;
    int64_t code = 0;
    int signum = 15;
    (void)state;
    begin(&p, "{\"exit\":{\"code\":3}}");
    assert_true(p.wire.may_close_stdin(p.wire.ctx));
    p.wire.on_exit(p.wire.ctx, &code, &signum);
    assert_int_equal(code, 3);
    assert_int_equal(signum, 0);
    finish(&p, "", true);

    begin(&p, "{\"exit\":{\"signal\":9}}");
    p.wire.on_exit(p.wire.ctx, &code, &signum);
    assert_int_equal(code, 0);
    assert_int_equal(signum, 9);
    finish(&p, "", true);

    begin(&p, "{\"ignore_eof\":true}");
    assert_false(p.wire.may_close_stdin(p.wire.ctx));
    p.wire.on_exit(p.wire.ctx, &code, &signum);
    assert_int_equal(signum, 9);
    finish(&p, "", true);
}

static void see_request(void *ctx, cJSON *request)
{
    char *text = cJSON_PrintUnformatted(request);
    (void)ctx;
    assert_int_equal(buf_adds(&out, text), 0);
    cJSON_free(text);
    cJSON_Delete(request);
}

static void edits_of_model_requests(void **state)
{
    static const struct {
        const char *mutant, *want;
    } rows[] = {
        {"{\"from\":\"model\",\"on\":{\"n\":1},\"drop\":true}", ""},
        {"{\"from\":\"model\",\"on\":{\"n\":1},\"duplicate\":true}", "{\"n\":1}{\"n\":1}"},
        {"{\"from\":\"model\",\"on\":{\"n\":1},\"set\":{\"/n\":2}}", "{\"n\":2}"},
        {"{\"from\":\"model\",\"on\":{\"n\":1},\"remove\":[\"/n\"]}", "{}"},
        {"{\"from\":\"model\",\"on\":{\"n\":2},\"drop\":true}", "{\"n\":1}"},
        {"{\"from\":\"agent\",\"on\":{\"n\":1},\"drop\":true}", "{\"n\":1}"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct play p;
        begin(&p, rows[i].mutant);
        mutant_model_request(&p.m, parse("{\"n\":1}"), see_request, NULL);
        finish(&p, rows[i].want, strcmp(rows[i].want, "{\"n\":1}") != 0);
    }
}

/* ---- shape ------------------------------------------------------------------------------------
 */

static void keep_fault(void *ctx, const char *pointer, const char *text)
{
    (void)ctx;
    assert_int_equal(buf_addf(&out, "%s: %s\n", pointer, text), 0);
}

static void checks_shape(void **state)
{
    static const struct {
        const char *mutant, *fault;
    } rows[] = {
        {"{\"on\":{},\"drop\":true,\"fails\":[\"A\"]}", NULL},
        {"{\"at_start\":\"x\",\"fails\":[\"A\"]}", NULL},
        {"{\"deaf\":true,\"fails\":[\"A\"]}", NULL},
        {"{\"on\":{},\"drop\":true}", ": missing member \"fails\""},
        {"{\"on\":{},\"drop\":true,\"fails\":[]}", "\"fails\" is empty"},
        {"{\"on\":{},\"drop\":true,\"fails\":[],\"note\":\"both are right\"}", NULL},
        {"{\"on\":{},\"drop\":true,\"duplicate\":true,\"fails\":[\"A\"]}", "this one makes 2"},
        {"{\"on\":{},\"fails\":[\"A\"]}", "this one makes 0"},
        {"{\"drop\":true,\"fails\":[\"A\"]}", "missing member \"on\""},
        {"{\"on\":{\"$regexp\":\"x\"},\"drop\":true,\"fails\":[\"A\"]}", "/on: "},
        {"{\"on\":{},\"dorp\":true,\"fails\":[\"A\"]}",
         "/dorp: unknown member \"dorp\"; did you mean \"drop\"?"},
        {"{\"on\":{},\"drop\":false,\"fails\":[\"A\"]}", "/drop: write true"},
        {"{\"on\":{},\"nth\":0,\"drop\":true,\"fails\":[\"A\"]}",
         "/nth: matches are counted from 1"},
        {"{\"on\":{},\"from\":\"user\",\"drop\":true,\"fails\":[\"A\"]}",
         "/from: unknown side \"user\""},
        {"{\"on\":{},\"set\":{\"a\":1},\"fails\":[\"A\"]}", "/set: \"a\" is no JSON pointer"},
        {"{\"on\":{},\"remove\":[3],\"fails\":[\"A\"]}", "/remove/0: expected string, got number"},
        {"{\"on\":{},\"inject\":\"x\",\"where\":\"behind\",\"fails\":[\"A\"]}",
         "/where: unknown place"},
        {"{\"on\":{},\"drop\":true,\"newline\":false,\"fails\":[\"A\"]}", "belong to inject"},
        {"{\"exit\":{},\"fails\":[\"A\"]}", "/exit: write {\"code\": N}"},
        {"{\"from\":\"model\",\"on\":{},\"replace\":\"x\",\"fails\":[\"A\"]}",
         "requests on their way to the model"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct shape s;
        cJSON *json = parse(rows[i].mutant);
        shape_init(&s, keep_fault, NULL);
        mutant_check(&s, json);
        assert_int_equal(s.faults > 0, rows[i].fault != NULL);
        if (rows[i].fault && !strstr(buf_cstr(&out), rows[i].fault))
            fail_msg("expected \"%s\" in \"%s\"", rows[i].fault, out.p);
        buf_deinit(&out);
        cJSON_Delete(json);
    }
}

static void describes_itself(void **state)
{
    cJSON *json =
        parse("{\"on\":{\"id\":1},\"from\":\"client\",\"set\":{\"/id\":2},\"fails\":[\"A\"]}");
    (void)state;
    assert_int_equal(mutant_describe(json, &out), 0);
    assert_string_equal(buf_cstr(&out), "set {\"/id\":2} (on client's {\"id\":1})");
    buf_deinit(&out);
    cJSON_Delete(json);
}

static void of_one_process(void **state)
{
    struct play p;
    char b[] = "b";
    (void)state;
    begin(&p, "{\"on\": {\"x\": 1}, \"drop\": true, \"agent\": \"b\", \"fails\": [\"A\"]}");
    agent(&p, "{\"x\":1}\n");
    p.wire.pass(p.wire.ctx, process(b), TRACE_AGENT, "{\"x\":1}\n", 8);
    finish(&p, "A:{\"x\":1}\n", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_of_lines),
        cmocka_unit_test(lets_other_bytes_through),
        cmocka_unit_test(edits_what_the_agent_gets),
        cmocka_unit_test(deafness),
        cmocka_unit_test(ends_of_processes),
        cmocka_unit_test(of_one_process),
        cmocka_unit_test(edits_of_model_requests),
        cmocka_unit_test(checks_shape),
        cmocka_unit_test(describes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
