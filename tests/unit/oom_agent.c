/* The pure parts of the agent with every allocation refused once. */
#include "agent/compact.h"
#include "agent/config.h"
#include "agent/entry.h"
#include "agent/llm.h"
#include "agent/media.h"
#include "agent/prompt.h"
#include "agent/session.h"
#include "agent/toolset.h"
#include "base/err.h"
#include "oom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ignore_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    (void)ctx;
    (void)kind;
    (void)p;
    (void)n;
}

static int read_answer(void *ctx)
{
    const char *in = ctx;
    struct llm_reply reply;
    struct llm_reader *r = llm_openai_chat.reader_create(ignore_text, NULL);
    if (!r)
        return E_NOMEM;
    int rc = llm_openai_chat.reader_feed(r, in, strlen(in));
    int end = llm_openai_chat.reader_finish(r, &reply);
    if (rc >= 0)
        rc = end;
    if (rc == 0)
        assert_int_equal(reply.finish, LLM_FINISH_STOP);
    llm_reply_deinit(&reply);
    llm_openai_chat.reader_destroy(r);
    return rc;
}

static void test_reader(void **state)
{
    (void)state;
    char stream[] =
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"reasoning\":\"hm\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
        "{\"name\":\"f\",\"arguments\":\"{\"},\"extra_content\":{\"x\":1}}]}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":"
        "{\"arguments\":\"}\"}},{\"index\":1,\"function\":{\"name\":\"g\",\"arguments\":{}}}]},"
        "\"finish_reason\":\"tool_calls\"}]}\n\n";
    char json[] = "{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}";
    oom_fail_each(read_answer, stream);
    oom_fail_each(read_answer, json);
}

static int converse(void *ctx)
{
    static const struct llm_target to = {.dialect = &llm_openai_chat,
                                         .base = "http://h",
                                         .key = "k",
                                         .model = "m",
                                         .input = MEDIA_IMAGE};
    struct history h = {0};
    struct buf body = {0};
    struct llm_request req = {.to = &to, .system = "s", .history = &h};
    (void)ctx;
    int rc = history_add_prompt(
        &h, "question", "[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGk=\"}]");
    struct history_call *call = rc == 0 ? calloc(1, sizeof *call) : NULL;
    if (call) {
        *call = (struct history_call){strdup("a"), strdup("f"), strdup("{}"), NULL};
        rc = call->id && call->name && call->args ? 0 : E_NOMEM;
    } else {
        rc = E_NOMEM;
    }
    if (rc == 0)
        rc = history_add_assistant(&h, "", "thought", call, 1);
    else if (call)
        history_free_calls(call, 1);
    if (rc == 0)
        rc = history_add_tool(&h, "a", "result");
    if (rc == 0)
        rc = llm_openai_chat.write_body(&req, &body);
    buf_deinit(&body);
    history_deinit(&h);
    return rc;
}

static void test_history(void **state)
{
    (void)state;
    oom_fail_each(converse, NULL);
}

static int render(void *params)
{
    struct prompt p = {0};
    struct json_error err;
    int rc = prompt_read(params, MEDIA_IMAGE, &p, &err);
    char *text = rc == 0 ? prompt_render(&p) : NULL;
    if (rc == 0 && !text)
        rc = E_NOMEM;
    free(text);
    prompt_deinit(&p);
    return rc;
}

static void test_prompt(void **state)
{
    (void)state;
    const char *json =
        "{\"prompt\":[{\"type\":\"text\",\"text\":\"look at these, please, all of them\"},"
        "{\"type\":\"resource_link\",\"uri\":\"file:///w/a\",\"name\":\"a\"},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"u\",\"text\":\"t\"}},"
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGk=\"},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"u\",\"blob\":\"AAEC\"}},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"u\",\"blob\":\"aGk=\"}}]}";
    cJSON *params = NULL;
    assert_int_equal(json_parse(json, strlen(json), &params, NULL), 0);
    oom_fail_each(render, params);
    cJSON_Delete(params);
}

static int gather_tools(void *ctx)
{
    struct tool a = {.spec = {.name = "a"}}, b = {.spec = {.name = "b"}};
    struct toolset ts = {0};
    struct toolset_specs specs;
    (void)ctx;
    int rc = toolset_add(&ts, &a);
    if (rc == 0)
        rc = toolset_specs(&ts, false, &specs);
    if (rc == 0)
        rc = toolset_add(&ts, &b);
    toolset_deinit(&ts);
    return rc;
}

static int prepare_tool(void *ctx)
{
    static const struct toolset none;
    struct tool_call c = {0};
    struct history_call from = {strdup(""), strdup("read_file"), strdup(ctx), NULL};
    int rc = from.id && from.name && from.args ? 0 : E_NOMEM;
    if (rc == 0)
        rc = tool_prepare(&c, &none, "/w", &from);
    if (rc == 0)
        rc = tool_sanitize(&from, &c, "call_1");
    tool_call_deinit(&c);
    free(from.id);
    free(from.name);
    free(from.args);
    return rc;
}

static void test_tool(void **state)
{
    (void)state;
    char good[] = "{\"path\":\"a\",\"line\":3}", bad[] = "{\"path\":5}", worse[] = "{\"path\"";
    oom_fail_each(gather_tools, NULL);
    oom_fail_each(prepare_tool, good);
    oom_fail_each(prepare_tool, bad);
    oom_fail_each(prepare_tool, worse);
}

static const char *env(const char *name)
{
    return strcmp(name, "OPENAI_API_KEY") == 0 ? "sk" : NULL;
}

static int load_config(void *ctx)
{
    struct config c;
    struct buf names = {0};
    (void)ctx;
    config_init(&c);
    int rc = config_load(&c, env);
    if (rc == 0)
        rc = config_list_keys(&names);
    if (rc == 0)
        rc = config_list_providers(&c, &names);
    buf_deinit(&names);
    config_deinit(&c);
    return rc;
}

static void test_config(void **state)
{
    (void)state;
    oom_fail_each(load_config, NULL);
}

/* The JSON of entries, written and read back. */
static int keep_entry(void *ctx)
{
    static char id[] = "a", name[] = "f", args[] = "{}", extra[] = "[1]";
    const struct history_call call = {id, name, args, extra};
    struct history_call *calls = NULL;
    struct buf out = {0}, runs = {0};
    size_t n = 0;
    (void)ctx;
    int rc = entry_write_calls(&out, &call, 1);
    if (rc == 0)
        rc = buf_cstr(&out) ? entry_read_calls(out.p, &calls, &n) : E_NOMEM;
    history_free_calls(calls, n);
    for (unsigned i = 0; rc == 0 && i < 20; i++)
        rc = entry_add_run(&runs, i % 2 ? LLM_TEXT : LLM_THOUGHT, 1);
    out.n = 0;
    if (rc == 0)
        rc = entry_write_runs(&out, &runs);
    const struct entry_texts texts = {"0123456789", "0123456789"};
    if (rc == 0)
        rc = buf_cstr(&out) ? entry_show_runs(out.p, &texts, ignore_text, NULL) : E_NOMEM;
    buf_deinit(&out);
    buf_deinit(&runs);
    return rc;
}

static void test_entry(void **state)
{
    (void)state;
    oom_fail_each(keep_entry, NULL);
}

static const char *const roots[] = {"/etc", "/usr", NULL};

static int make_session(void *cwd)
{
    const struct session_place place = {cwd, roots};
    struct env shared = {.append = "more", .title = "t"};
    struct session *s = NULL;
    int rc = session_create(&shared, &place, &s);
    session_destroy(s);
    return rc;
}

static int reopen_session(void *cwd)
{
    static const struct store_session stored = {
        .id = "ses_1", .cwd = "/", .title = "t", .system = "s"};
    const struct session_place place = {cwd, roots};
    struct env shared = {.append = "more"};
    struct session *s = NULL;
    int rc = session_reopen(&shared, &stored, &place, &s);
    session_destroy(s);
    return rc;
}

static void test_session(void **state)
{
    (void)state;
    char cwd[] = "/";
    oom_fail_each(make_session, cwd);
    char other[] = "/tmp";
    oom_fail_each(reopen_session, cwd);
    oom_fail_each(reopen_session, other);
}

static int keep_commands(void *ctx)
{
    const struct slash_command c = {
        .name = "n", .description = "d", .hint = "h", .source = ctx, .text = "t"};
    struct slash_list l = {0};
    struct buf out = {0};
    int rc = slash_add(&l, &c);
    if (rc == 0)
        rc = slash_expand(slash_at(&l, slash_builtin_n), "a", &out);
    buf_deinit(&out);
    slash_list_deinit(&l);
    return rc;
}

static void test_commands(void **state)
{
    (void)state;
    char source[] = "user";
    oom_fail_each(keep_commands, source);
}

static int shorten(void *ctx)
{
    struct history h = {0};
    struct compact_question q = {0};
    char *wrapped = NULL;
    int rc = history_add_user(&h, ctx);
    if (rc == 0)
        rc = history_add_assistant(&h, "a", NULL, NULL, 0);
    if (rc == 0)
        rc = history_add_user(&h, "b");
    if (rc == 0)
        rc = compact_question_make(&h, 1, "w", &q);
    if (rc == 0)
        rc = (wrapped = compact_wrap("s")) ? 0 : E_NOMEM;
    if (rc == 0)
        rc = history_compact(&h, wrapped, 1);
    free(wrapped);
    compact_question_deinit(&q);
    history_deinit(&h);
    return rc;
}

static void test_compaction(void **state)
{
    (void)state;
    char first[] = "one";
    oom_fail_each(shorten, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader),     cmocka_unit_test(test_history),
        cmocka_unit_test(test_prompt),     cmocka_unit_test(test_tool),
        cmocka_unit_test(test_config),     cmocka_unit_test(test_session),
        cmocka_unit_test(test_entry),      cmocka_unit_test(test_commands),
        cmocka_unit_test(test_compaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
