#include "conformance/run_case.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/mutant.h"
#include "conformance/profile.h"
#include "conformance/tmpdir.h"
#include "conformance/watches.h"
#include "mock-client/player.h"
#include "mock-provider/provider.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_TIMEOUT_MS = 5000,
    MS = 1000,
    GRACE_MS = 2000, /* for an agent to end after EOF, and after SIGTERM */
    LEAST_GRACE_MS = 200,
    MAX_EVENTS = 400000,          /* of one case; agents that say more are cut short */
    MAX_BYTES = 512 * 1024 * 1024 /* of one case's trace */
};

struct run_case {
    uv_loop_t *loop;
    const struct run_setting *setting;
    struct run_case_options options;
    const cJSON *play;
    double scale;
    struct tmpdir dirs;
    struct provider *provider;
    struct player *player;
    struct mutant mutant;
    bool mutated;
    struct client_wire wire;
    struct watches watches;
    unsigned model_requests, model_misses;
    struct case_result result;
    uv_idle_t soon; /* for what cannot be done inside a callback: starts that failed, floods */
    size_t traced;  /* bytes */
    uint64_t began_ns;
};

/* ---- the end: player, then provider, then the rest ----------------------------------------------
 */

static void destroy(struct run_case *r)
{
    watches_deinit(&r->watches);
    mutant_deinit(&r->mutant);
    result_deinit(&r->result);
    tmpdir_remove(&r->dirs);
    free(r);
}

static void on_soon_closed(uv_handle_t *handle)
{
    struct run_case *r = handle->data;
    tmpdir_remove(&r->dirs); /* before anybody is told that nothing is left */
    r->result.duration_us = (uv_hrtime() - r->began_ns) / MS;
    r->result.overdue =
        r->watches.deadline_us > 0 && r->result.duration_us >= r->watches.deadline_us;
    result_conclude(&r->result);
    r->options.cb(r->options.ctx, &r->result, r->mutant.applied);
    destroy(r);
}

static void finish(struct run_case *r)
{
    uv_close((uv_handle_t *)&r->soon, on_soon_closed);
}

static void on_provider_closed(void *ctx)
{
    finish(ctx);
}

static void close_provider(struct run_case *r)
{
    if (r->provider)
        provider_close(r->provider);
    else
        finish(r);
}

static void on_soon(uv_idle_t *handle)
{
    struct run_case *r = handle->data;
    uv_idle_stop(handle);
    if (r->player)
        player_abort(r->player, "the agent floods the harness with output: the case was cut short");
    else
        close_provider(r);
}

/* ---- the model ----------------------------------------------------------------------------------
 */

static void add_request(void *ctx, cJSON *request)
{
    struct run_case *r = ctx;
    trace_model_request(&r->result.trace, request, uv_hrtime());
}

static void see_request(struct run_case *r, const struct provider_event *e)
{
    cJSON *copy = cJSON_Duplicate(e->request, true);
    r->model_requests++;
    if (!copy)
        r->result.rc = E_NOMEM;
    else if (r->mutated)
        mutant_model_request(&r->mutant, copy, add_request, r);
    else
        add_request(r, copy);
}

static bool add_members(cJSON *to, const cJSON *from)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, from)
    {
        cJSON *copy = cJSON_Duplicate(member, true);
        if (!copy || !cJSON_AddItemToObject(to, member->string, copy)) {
            cJSON_Delete(copy);
            return false;
        }
    }
    return true;
}

static cJSON *describe(const struct provider_event *e)
{
    cJSON *json = cJSON_CreateObject();
    bool ok = json && cJSON_AddStringToObject(json, "kind", provider_event_name(e->kind)) &&
              cJSON_AddNumberToObject(json, "n", e->n);
    ok = ok && (!e->action || cJSON_AddStringToObject(json, "action", e->action));
    ok = ok && (!e->text || cJSON_AddStringToObject(json, "text", e->text));
    ok = ok && (!e->check || cJSON_AddStringToObject(json, "check", e->check));
    ok = ok && (!e->request || add_members(json, e->request));
    if (ok)
        return json;
    cJSON_Delete(json);
    return NULL;
}

static void on_model_event(void *ctx, const struct provider_event *e)
{
    struct run_case *r = ctx;
    if (e->kind == PROVIDER_REQUEST) {
        see_request(r, e);
        return;
    }
    cJSON *json = describe(e);
    if (!json || !trace_add(&r->result.trace, TRACE_MODEL_EVENT, provider_event_name(e->kind), "",
                            0, json, uv_hrtime()))
        r->result.rc = E_NOMEM;
    if (e->kind == PROVIDER_MISS)
        r->model_misses++;
    if (e->kind == PROVIDER_UNDECLARED) {
        char text[256];
        snprintf(text, sizeof text, "the agent did not declare the tool %s to the model",
                 e->text ? e->text : "");
        result_not_exercised(&r->result, "tool", text);
    }
    if (e->kind == PROVIDER_MISMATCH && e->check)
        result_add_mismatch(&r->result, e->check, e->text);
}

static int release_hold(void *ctx, const char *hold)
{
    struct run_case *r = ctx;
    return provider_release(r->provider, hold);
}

/* ---- the play -----------------------------------------------------------------------------------
 */

static void on_event(void *ctx, const struct trace_event *e)
{
    struct run_case *r = ctx;
    watches_feed(&r->watches, e);
    r->traced += e->n;
    if (e->seq == MAX_EVENTS || (r->traced > MAX_BYTES && r->traced - e->n <= MAX_BYTES))
        uv_idle_start(&r->soon, on_soon);
}

static void on_check(void *ctx, const struct player_check *check)
{
    struct run_case *r = ctx;
    result_add_check(&r->result, check);
}

static uint64_t now_us(const struct run_case *r)
{
    return (uv_hrtime() - r->result.trace.t0_ns) / MS;
}

/* Nothing that is owed is missed by a moment, and nobody is accused too early. */
static uint64_t linger(void *ctx)
{
    struct run_case *r = ctx;
    return (watches_owed(&r->watches, now_us(r)) + MS - 1) / MS;
}

static const cJSON *turns_of(const cJSON *play)
{
    const cJSON *model = json_get(play, "model");
    return cJSON_IsArray(model) ? model : json_get(model, "turns");
}

/* Turns of the model that the case needs and the agent never asked for. */
static void judge_turns(struct run_case *r)
{
    char text[160];
    const cJSON *turn;
    unsigned used = r->model_requests - r->model_misses, needed = 0;
    cJSON_ArrayForEach(turn, turns_of(r->play))
    {
        if (json_get(turn, "when"))
            return; /* which turn a request used cannot be told from here */
        needed++;
        if (needed <= used && json_get_str(turn, "check"))
            result_add_held(&r->result, json_get_str(turn, "check"), "model");
    }
    if (used >= needed)
        return;
    snprintf(text, sizeof text, "the agent asked the model %u times, the case has answers for %u",
             used, needed);
    result_not_exercised(&r->result, "model", text);
}

static void on_ending(void *ctx, enum player_why why, const char *text)
{
    struct run_case *r = ctx;
    watches_ending(&r->watches, now_us(r));
    if (why == PLAYER_ERROR)
        result_error(&r->result, text);
    else if (why == PLAYER_NO_HANDSHAKE)
        result_not_exercised(&r->result, "handshake", text);
    else if (why == PLAYER_FINISHED)
        judge_turns(r);
    if (r->model_requests == 0 && cJSON_GetArraySize(turns_of(r->play)) > 0)
        result_excuse_effects(&r->result);
}

static void add_finding(void *ctx, const struct finding *f)
{
    struct run_case *r = ctx;
    result_add_finding(&r->result, f, TRACE_AGENT);
}

static void on_done(void *ctx, enum player_why why, const char *text)
{
    struct run_case *r = ctx;
    (void)why;
    (void)text;
    watches_end(&r->watches);
    watches_each(&r->watches, add_finding, r);
    if (r->watches.rc < 0)
        r->result.rc = r->watches.rc;
    r->result.stderr_tail = strdup(player_stderr_tail(r->player));
    r->result.cwd = strdup(r->dirs.cwd);
    r->player = NULL;
    uv_idle_stop(&r->soon);
    close_provider(r);
}

/* ---- the start ----------------------------------------------------------------------------------
 */

static const struct player_ops player_ops = {
    .on_check = on_check,
    .linger = linger,
    .on_ending = on_ending,
    .on_done = on_done,
};
static const struct player_model player_model = {.release = release_hold};
static const struct provider_ops provider_ops = {.on_event = on_model_event,
                                                 .on_closed = on_provider_closed};

static int open_model(struct run_case *r, char *err, size_t err_n)
{
    const cJSON *script = json_get(r->play, "model");
    const struct profile_places places = {"", r->dirs.cwd, r->dirs.home, r->setting->bindir};
    cJSON *none = script ? NULL : cJSON_CreateArray();
    cJSON *intents = profile_intents(r->setting->profile, &places);
    struct provider_options options = {
        .seed = r->setting->seed,
        .script = script ? script : none,
        .intents = intents,
        .side = true,
    };
    int rc = provider_open(r->loop, &options, &provider_ops, r, &r->provider);
    cJSON_Delete(intents);
    cJSON_Delete(none);
    if (rc < 0)
        snprintf(err, err_n, "cannot start the mock provider: %s", err_text(rc));
    return rc;
}

static int open_player(struct run_case *r, char *err, size_t err_n)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", provider_port(r->provider));
    struct profile_places places = {url, r->dirs.cwd, r->dirs.home, r->setting->bindir};
    uint64_t grace = (uint64_t)(GRACE_MS * r->scale);
    grace = grace < LEAST_GRACE_MS ? LEAST_GRACE_MS : grace;
    char **argv = profile_argv(r->setting->profile, &places);
    char **env = profile_env(r->setting->profile, &places);
    struct player_options options = {
        .play = r->play,
        .argv = (const char *const *)argv,
        .env = (const char *const *)env,
        .cwd = r->dirs.cwd,
        /* not the session's: only so NEW-04 can be seen */
        .start_dir = r->setting->profile->bare ? "." : r->dirs.home,
        .provider_url = url,
        .trace = &r->result.trace,
        .wire = r->mutated ? &r->wire : NULL,
        .model = &player_model,
        .model_ctx = r,
        .on_event = on_event,
        .after_session = profile_after_session(r->setting->profile),
        .login = profile_login(r->setting->profile),
        .timeout_scale = r->scale,
        .eof_ms = (uint64_t)profile_eof_ms(r->setting->profile, (int64_t)grace),
        .term_ms = grace,
    };
    int rc = profile_find(r->setting->profile, &places, err, err_n);
    rc = rc < 0 ? rc : profile_furnish(r->setting->profile, &places, err, err_n);
    bool furnished = rc == 0;
    if (furnished)
        rc = argv && env ? player_open(r->loop, &options, &player_ops, r, &r->player) : E_NOMEM;
    profile_free_list(argv);
    profile_free_list(env);
    if (furnished && rc < 0)
        snprintf(err, err_n, "cannot play the case: %s; does it pass `acp-conformance lint`?",
                 err_text(rc));
    return rc;
}

static int open_all(struct run_case *r, const cJSON *mutant, char *err, size_t err_n)
{
    r->play = case_json(r->result.file, err, err_n);
    if (!r->play)
        return E_PARSE;
    int64_t ms = json_get_int(r->play, "timeout", DEFAULT_TIMEOUT_MS);
    int rc = watches_init(&r->watches, (uint64_t)((double)ms * MS * r->scale));
    if (rc == 0 && mutant) {
        rc = mutant_init(&r->mutant, mutant);
        r->mutated = true;
        r->wire = mutant_wire(&r->mutant);
    }
    if (rc < 0) {
        snprintf(err, err_n, "%s", err_text(rc));
        return rc;
    }
    rc = tmpdir_make(&r->dirs, err, err_n);
    rc = rc < 0 ? rc : open_model(r, err, err_n);
    return rc < 0 ? rc : open_player(r, err, err_n);
}

int run_case_start(uv_loop_t *loop, const struct run_setting *setting,
                   const struct run_case_options *options, struct run_case **ret)
{
    char err[512];
    struct run_case *r = calloc(1, sizeof *r);
    if (!r)
        return E_NOMEM;
    *r = (struct run_case){
        .loop = loop, .setting = setting, .options = *options, .began_ns = uv_hrtime()};
    r->scale = (options->scale > 0 ? options->scale : 1) *
               (setting->timeout_scale > 0 ? setting->timeout_scale : 1) *
               profile_timeout_scale(setting->profile);
    int rc = result_init(&r->result, options->file, setting->reqs, setting->strict);
    if (rc < 0) {
        destroy(r);
        return rc;
    }
    trace_init(&r->result.trace, uv_hrtime());
    uv_idle_init(loop, &r->soon);
    r->soon.data = r;
    if (open_all(r, options->mutant, err, sizeof err) < 0) {
        result_error(&r->result, err);
        uv_idle_start(&r->soon, on_soon);
    }
    *ret = r;
    return 0;
}

void run_case_abort(struct run_case *r)
{
    if (r->player)
        player_abort(r->player, "the run was interrupted");
}
