#ifndef UNIT_PLAY_H
#define UNIT_PLAY_H

/*
 * Plays one case against a small agent (data/agent.sh unless said otherwise) and writes down what
 * the player reports, one line per check: "A-1 held", "A-1 broken: text", "A-1 unreached: text",
 * and at the end "finished", "stopped: text", "no handshake: text" or "error: text".
 */
#include "mock-client/player.h"
#include "mock-client/trace.h"

#include "base/buf.h"
#include "base/err.h"
#include "uvio/loop.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef TEST_DATA
#define TEST_DATA "tests/unit/data"
#endif

struct play {
    uv_loop_t loop;
    struct trace trace;
    struct player *player;
    struct buf log;
    char cwd[64];
    const char *mode;        /* argument of the agent, or NULL */
    const char *const *argv; /* instead of the agent, or NULL */
    const struct client_wire *wire;
    const struct player_model *model;
    void (*on_event)(void *ctx, const struct trace_event *e);
    uint64_t (*linger)(void *ctx);
    bool validate;
    double scale;
    uint64_t eof_ms, term_ms;
    const cJSON *after_session;
    int done, lingered;
};

static inline void play_on_check(void *ctx, const struct player_check *c)
{
    static const char *const words[] = {"held", "broken", "unreached"};
    struct play *p = ctx;
    assert_int_equal(
        buf_addf(&p->log, "%s %s%s%s\n", c->id, words[c->outcome], c->text[0] ? ": " : "", c->text),
        0);
}

static inline int play_validate(void *ctx, const struct trace_event *e, char *err, size_t n)
{
    struct play *p = ctx;
    const char *method = json_get_str(e->json, "method");
    if (!p->validate || (e->json && (!method || strcmp(method, "_bad") != 0)))
        return 0;
    snprintf(err, n, "it is bad");
    return E_INVALID;
}

static inline void play_on_done(void *ctx, enum player_why why, const char *text)
{
    static const char *const words[] = {"finished", "stopped", "no handshake", "error"};
    struct play *p = ctx;
    p->done++;
    assert_int_equal(buf_addf(&p->log, "%s%s%s\n", words[why], text[0] ? ": " : "", text), 0);
}

static inline uint64_t play_linger(void *ctx)
{
    struct play *p = ctx;
    return p->linger ? p->linger(p) : 0;
}

static const struct player_ops play_ops = {
    .on_check = play_on_check,
    .validate = play_validate,
    .linger = play_linger,
    .on_done = play_on_done,
};

static inline cJSON *play_parse(const char *text)
{
    struct buf json = {0};
    cJSON *root = NULL;
    struct json_error err = {0};
    for (const char *c = text; *c; c++) /* ' for ", as the cases here are C strings */
        assert_int_equal(buf_addc(&json, *c == '\'' ? '"' : *c), 0);
    assert_non_null(buf_cstr(&json));
    if (json_parse(json.p, json.n, &root, &err) < 0)
        fail_msg("%s in %s", err.text, text);
    buf_deinit(&json);
    return root;
}

static inline void play_init(struct play *p)
{
    *p = (struct play){.scale = 1};
    snprintf(p->cwd, sizeof p->cwd, "/tmp/acp-play-XXXXXX");
    assert_non_null(mkdtemp(p->cwd));
    trace_init(&p->trace, uv_hrtime());
    assert_int_equal(uv_loop_init(&p->loop), 0);
}

/* Plays it; what was reported stands in p->log. */
static inline void play_case(struct play *p, const char *text)
{
    const char *argv[] = {"sh", TEST_DATA "/agent.sh", p->mode, NULL};
    cJSON *play = play_parse(text);
    struct player_options options = {
        .play = play,
        .argv = p->argv ? p->argv : argv,
        .cwd = p->cwd,
        .provider_url = "http://127.0.0.1:1",
        .trace = &p->trace,
        .wire = p->wire,
        .model = p->model,
        .model_ctx = p,
        .on_event = p->on_event,
        .after_session = p->after_session,
        .timeout_scale = p->scale,
        .eof_ms = p->eof_ms,
        .term_ms = p->term_ms,
    };
    alarm(60); /* a broken test ends */
    assert_int_equal(player_open(&p->loop, &options, &play_ops, p, &p->player), 0);
    assert_int_equal(loop_finish(&p->loop), 0);
    assert_int_equal(p->done, 1);
    assert_non_null(buf_cstr(&p->log));
    cJSON_Delete(play);
}

static inline void play_deinit(struct play *p)
{
    char command[128];
    trace_deinit(&p->trace);
    buf_deinit(&p->log);
    snprintf(command, sizeof command, "rm -rf %s", p->cwd);
    assert_int_equal(system(command), 0);
}

/* A case of these steps, played by the usual agent. */
static inline void play_expect_log(const char *text, const char *log)
{
    struct play p;
    play_init(&p);
    play_case(&p, text);
    assert_string_equal(p.log.p, log);
    play_deinit(&p);
}

#endif
