#ifndef UNIT_PROVIDER_KIT_H
#define UNIT_PROVIDER_KIT_H

/* For tests of the mock provider: one in this process, called over HTTP, its events as a text. */
#include "base/err.h"
#include "http/fetch.h"
#include "http/sse.h"
#include "mock-provider/provider.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    uv_loop_t loop;
    struct fetch *fetch;
    struct provider *provider;
    struct buf log; /* "request 1;part 1 text Hi;" */
    unsigned closed;
    const char *release_at; /* from inside the hold's event */
};

/* One call of the API. */
struct chat {
    struct fixture *f;
    const char *header; /* one more, or NULL */
    struct fetch_req *req;
    struct sse sse;
    struct buf body;    /* as it came */
    struct buf text;    /* contents joined */
    struct buf thought; /* reasoning joined */
    struct buf args;    /* tool call fragments, "|" before each call */
    struct buf finish;  /* finish reasons, usage and [DONE]: "stop usage:9/2 [DONE]" */
    struct fetch_result result;
    bool done;
};

#define HI "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define HI_FLOW                                                                                    \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define READ "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"read_file\"}}]"
#define HI_TOOLS                                                                                   \
    "{\"model\":\"m\",\"stream\":true," READ                                                       \
    ",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define BYE_FLOW                                                                                   \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"bye\"}]}"

/* --- the provider's side --- */

static inline void on_event(void *ctx, const struct provider_event *e)
{
    struct fixture *f = ctx;
    assert_int_equal(buf_addf(&f->log, "%s %u", provider_event_name(e->kind), e->n), 0);
    if (e->action)
        assert_int_equal(buf_addf(&f->log, " %s", e->action), 0);
    if (e->text)
        assert_int_equal(buf_addf(&f->log, " %s", e->text), 0);
    if (e->check)
        assert_int_equal(buf_addf(&f->log, " (%s)", e->check), 0);
    assert_int_equal(buf_addc(&f->log, ';'), 0);
    if (e->kind == PROVIDER_REQUEST)
        assert_int_equal(json_get_int(e->request, "n", 0), e->n);
    if (e->kind == PROVIDER_HOLD && f->release_at)
        assert_int_equal(provider_release(f->provider, f->release_at), 0);
}

static inline void on_closed(void *ctx)
{
    ((struct fixture *)ctx)->closed++;
}

static const struct provider_ops ops = {.on_event = on_event, .on_closed = on_closed};

static inline cJSON *parse(const char *text)
{
    cJSON *json = NULL;
    struct json_error e;
    if (json_parse(text, strlen(text), &json, &e) < 0)
        fail_msg("%s: %s", text, e.text);
    return json;
}

static inline void open_with(struct fixture *f, const char *script, const char *intents)
{
    struct provider_options o = {.seed = 7, .control = true};
    cJSON *s = parse(script), *i = intents ? parse(intents) : NULL;
    o.script = s;
    o.intents = i;
    assert_int_equal(provider_open(&f->loop, &o, &ops, f, &f->provider), 0);
    cJSON_Delete(s);
    cJSON_Delete(i);
}

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    alarm(120); /* a guard against hanging, nothing is timed */
    setenv("no_proxy", "127.0.0.1", 1);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    assert_int_equal(fetch_create(&f->loop, &f->fetch), 0);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    fetch_close(f->fetch, NULL, NULL);
    if (f->provider)
        provider_close(f->provider);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(f->closed, f->provider != NULL);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    buf_deinit(&f->log);
    free(f);
    return 0;
}

static inline const char *log_of(struct fixture *f)
{
    return buf_cstr(&f->log);
}

/* --- the caller's side --- */

static inline void add(struct buf *b, const char *text)
{
    assert_int_equal(buf_adds(b, text ? text : ""), 0);
}

static inline void take_delta(struct chat *c, const cJSON *delta)
{
    const cJSON *call;
    add(&c->text, json_get_str(delta, "content"));
    add(&c->thought, json_get_str(delta, "reasoning_content"));
    cJSON_ArrayForEach(call, json_get(delta, "tool_calls"))
    {
        const cJSON *function = json_get(call, "function");
        if (json_get(call, "id"))
            assert_int_equal(buf_addf(&c->args, "|%lld %s ",
                                      (long long)json_get_int(call, "index", -1),
                                      json_get_str(function, "name")),
                             0);
        else
            add(&c->args, ".");
        add(&c->args, json_get_str(function, "arguments"));
    }
}

static inline void take_usage(struct chat *c, const cJSON *usage)
{
    if (usage)
        assert_int_equal(buf_addf(&c->finish, "usage:%lld/%lld ",
                                  (long long)json_get_int(usage, "prompt_tokens", -1),
                                  (long long)json_get_int(usage, "completion_tokens", -1)),
                         0);
}

static inline void on_sse(void *ctx, const struct sse_event *event)
{
    struct chat *c = ctx;
    cJSON *json = NULL;
    if (strcmp(event->data, "[DONE]") == 0) {
        add(&c->finish, "[DONE]");
        return;
    }
    if (json_parse(event->data, event->data_n, &json, NULL) < 0) {
        add(&c->finish, "broken ");
        return;
    }
    const cJSON *choice = cJSON_GetArrayItem(json_get(json, "choices"), 0);
    take_delta(c, json_get(choice, "delta"));
    if (json_get_str(choice, "finish_reason"))
        assert_int_equal(buf_addf(&c->finish, "%s ", json_get_str(choice, "finish_reason")), 0);
    take_usage(c, json_get(json, "usage"));
    if (json_get(json, "error"))
        assert_int_equal(
            buf_addf(&c->finish, "error:%s ", json_get_str(json_get(json, "error"), "message")), 0);
    cJSON_Delete(json);
}

static inline void on_data(void *ctx, const char *bytes, size_t n)
{
    struct chat *c = ctx;
    assert_int_equal(buf_add(&c->body, bytes, n), 0);
    assert_int_equal(sse_feed(&c->sse, bytes, n), 0);
}

static inline void on_done(void *ctx, const struct fetch_result *result)
{
    struct chat *c = ctx;
    c->result = *result;
    c->done = true;
}

static const struct fetch_ops fetch_ops = {.on_data = on_data, .on_done = on_done};

static inline void call_path(struct chat *c, const char *method, const char *path, const char *body)
{
    char url[160];
    const char *const headers[] = {"Content-Type: application/json", "Authorization: Bearer k",
                                   c->header, NULL};
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", provider_port(c->f->provider), path);
    const struct fetch_options o = {.method = method,
                                    .url = url,
                                    .headers = headers,
                                    .body = body,
                                    .body_n = body ? strlen(body) : 0};
    sse_init(&c->sse, 1u << 20, on_sse, c);
    assert_int_equal(fetch_start(c->f->fetch, &o, &fetch_ops, c, &c->req), 0);
}

static inline void start(struct chat *c, const char *body)
{
    call_path(c, "POST", "/v1/chat/completions", body);
}

static inline void wait_done(struct chat *c)
{
    while (!c->done)
        uv_run(&c->f->loop, UV_RUN_ONCE);
}

static inline void wait_log(struct fixture *f, const char *text)
{
    while (f->log.n == 0 || !strstr(log_of(f), text))
        uv_run(&f->loop, UV_RUN_ONCE);
}

static inline const char *str(struct buf *b)
{
    return b->n ? buf_cstr(b) : "";
}

static inline void free_chat(struct chat *c)
{
    sse_deinit(&c->sse);
    buf_deinit(&c->body);
    buf_deinit(&c->text);
    buf_deinit(&c->thought);
    buf_deinit(&c->args);
    buf_deinit(&c->finish);
}

/* A whole call whose text and end are known. */
static inline void check(struct fixture *f, const char *body, const char *text, const char *finish)
{
    struct chat c = {.f = f};
    start(&c, body);
    wait_done(&c);
    assert_string_equal(str(&c.text), text);
    assert_string_equal(str(&c.finish), finish);
    assert_int_equal(c.result.rc, 0);
    assert_int_equal(c.result.status, 200);
    free_chat(&c);
}

/* The JSON of an answer that is not streamed. */
static inline cJSON *whole(struct fixture *f, const char *body, long status)
{
    struct chat c = {.f = f};
    start(&c, body);
    wait_done(&c);
    assert_int_equal(c.result.rc, 0);
    assert_int_equal(c.result.status, status);
    cJSON *json = parse(str(&c.body));
    free_chat(&c);
    return json;
}

/* What comes back for a body, as one text; "200 " and the body. The caller frees it. */
static inline char *answer_of(struct chat *c, const char *method, const char *path,
                              const char *body)
{
    struct buf got = {0};
    call_path(c, method, path, body);
    wait_done(c);
    assert_int_equal(buf_addf(&got, "%ld %s", c->result.status, str(&c->body)), 0);
    free_chat(c);
    return buf_take(&got);
}

/* `want` is in what comes back. */
static inline void check_answer(struct chat c, const char *path, const char *body, const char *want)
{
    char *got = answer_of(&c, body ? "POST" : "GET", path, body);
    if (!strstr(got, want))
        fail_msg("%s\n  want: %s\n  got:  %s", body ? body : path, want, got);
    free(got);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
