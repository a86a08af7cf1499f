#include "mock-client/player_int.h"

#include "mock-client/policy.h"
#include "mock-client/response.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the client serves by itself, as far as it has announced it, and the verbs about it. */

/* ---- holds -------------------------------------------------------------------------------------
 */

bool play_hold_reached(struct player *p, const char *name)
{
    trace_note(p->options.trace, TRACE_NOTE, "hold", name, uv_hrtime());
    return json_get(p->released, name) != NULL;
}

int play_release_hold(struct player *p, const char *name)
{
    if (!json_get(p->released, name) && !cJSON_AddTrueToObject(p->released, name))
        return E_NOMEM;
    if (p->terminals)
        terminals_release_hold(p->terminals, name);
    return play_asks_release(p, name);
}

/* ---- the beginning and the end ------------------------------------------------------------------
 */

static void on_terminal_answer(void *ctx, const struct trace_event *request, const struct buf *line)
{
    struct player *p = ctx;
    struct play_agent *a = play_agent_of(p, request);
    if (a)
        play_send_answer(a, line, false);
}

static bool on_terminal_hold(void *ctx, const char *name)
{
    return play_hold_reached(ctx, name);
}

static void on_terminal_change(void *ctx)
{
    play_wake(ctx);
}

static void on_terminals_closed(void *ctx)
{
    struct player *p = ctx;
    p->terminals = NULL;
    play_part_gone(p);
}

int play_services_open(struct player *p)
{
    static const struct terminals_ops ops = {.answer = on_terminal_answer,
                                             .on_hold = on_terminal_hold,
                                             .on_change = on_terminal_change,
                                             .on_closed = on_terminals_closed};
    struct terminals_options options = {.script = json_get(p->client_side, "terminal"),
                                        .cwd = p->cwd,
                                        .env = (const char *const *)p->env};
    p->released = cJSON_CreateObject();
    int rc = p->released ? files_init(&p->files, json_get(p->client_side, "fs"), p->cwd) : E_NOMEM;
    return rc < 0 ? rc : terminals_open(p->loop, &options, &ops, p, &p->terminals);
}

void play_services_close(struct player *p)
{
    if (p->terminals)
        terminals_close(p->terminals);
}

void play_services_deinit(struct player *p)
{
    files_deinit(&p->files);
    policy_state_deinit(&p->policy);
    cJSON_Delete(p->released);
}

/* ---- serving -----------------------------------------------------------------------------------
 */

static int give(struct play_agent *a, int rc, struct buf *line)
{
    if (rc >= 0)
        play_send_answer(a, line, false);
    buf_deinit(line);
    return rc < 0 ? rc : 0;
}

/* Permission, and what was not announced. */
static int serve_default(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    return give(a, policy_answer(NULL, e->json, e->scan.id, &line), &line);
}

static int serve_read(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    const cJSON *params = json_get(e->json, "params");
    return give(a, files_read(&a->player->files, params, e->scan.id, &line), &line);
}

static int serve_write(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    const cJSON *params = json_get(e->json, "params");
    return give(a, files_write(&a->player->files, params, e->scan.id, &line), &line);
}

static int serve_terminal(struct play_agent *a, const struct trace_event *e)
{
    int rc = terminals_request(a->player->terminals, e);
    return rc == E_NOTFOUND ? serve_default(a, e) : rc;
}

static int decline(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    cJSON *word = cJSON_CreateString("decline");
    int rc = word ? policy_answer(word, e->json, e->scan.id, &line) : E_NOMEM;
    cJSON_Delete(word);
    return give(a, rc, &line);
}

static int serve_elicitation(struct play_agent *a, const struct trace_event *e)
{
    struct buf line = {0};
    const char *mode = json_get_str(json_get(e->json, "params"), "mode");
    const cJSON *modes = json_get(a->caps, "elicitation");
    struct play_ask ask = {.e = e,
                           .agent = a,
                           .value = json_get(a->player->client_side, "elicitation"),
                           .fallback = decline};
    if (mode && cJSON_IsObject(json_get(modes, mode)))
        return play_ask_by(&ask);
    struct response_error error = {.code = -32602,
                                   .message = "params.mode: was not announced by this client"};
    return give(a, response_error(e->scan.id, &error, &line), &line);
}

/* NULL: nobody. */
static int (*server_of(const struct play_agent *a, const char *method))(struct play_agent *,
                                                                        const struct trace_event *)
{
    const cJSON *fs = json_get(a->caps, "fs");
    if (!strcmp(method, "fs/read_text_file") && json_get_bool(fs, "readTextFile"))
        return serve_read;
    if (!strcmp(method, "fs/write_text_file") && json_get_bool(fs, "writeTextFile"))
        return serve_write;
    if (!strncmp(method, "terminal/", 9) && json_get_bool(a->caps, "terminal"))
        return serve_terminal;
    if (!strcmp(method, POLICY_ELICITATION) && cJSON_IsObject(json_get(a->caps, "elicitation")))
        return serve_elicitation;
    return serve_default;
}

int play_serve(struct play_agent *a, const struct trace_event *e)
{
    return server_of(a, json_get_str(e->json, "method"))(a, e);
}

/* ---- the verbs ---------------------------------------------------------------------------------
 */

int play_write_buffer_begin(struct player *p, struct play_step *s)
{
    int rc = files_set_buffer(&p->files, s->value->valuestring, json_get_str(s->step, "content"));
    return rc < 0 ? play_error(p, s, "%s", err_text(rc)) : PLAY_NEXT;
}

int play_buffer_begin(struct player *p, struct play_step *s)
{
    const char *path = s->value->valuestring, *text = files_buffer(&p->files, path);
    bool want_absent = json_get_bool(s->step, "absent");
    if (!text && want_absent)
        play_held(p, s, NULL);
    else if (!text)
        play_broken(p, s, "there is no unsaved text of %s", path);
    else if (want_absent)
        play_broken(p, s, "there is an unsaved text of %s, and should not be", path);
    else
        play_judge_text(p, s, text);
    return PLAY_NEXT;
}

/* True if as many as the step wants, or it does not say. */
static bool is_count(const cJSON *wanted, size_t n, char *text, size_t text_n)
{
    snprintf(text, text_n, "any number");
    return !wanted || play_in_range(wanted, n, text, text_n);
}

static bool look_at_terminals(const struct player *p, const struct play_step *s,
                              struct json_mismatch *m)
{
    char open[64], running[64];
    size_t n_open, n_running;
    terminals_count(p->terminals, &n_open, &n_running);
    bool held = is_count(json_get(s->value, "open"), n_open, open, sizeof open);
    held &= is_count(json_get(s->value, "running"), n_running, running, sizeof running);
    snprintf(m->expected, sizeof m->expected, "%s open, %s running", open, running);
    snprintf(m->got, sizeof m->got, "%zu open, %zu running", n_open, n_running);
    return held;
}

int play_terminals_begin(struct player *p, struct play_step *s)
{
    (void)p;
    (void)s;
    return PLAY_WAIT;
}

int play_terminals_poll(struct player *p, struct play_step *s)
{
    struct json_mismatch m = {0};
    if (!look_at_terminals(p, s, &m))
        return PLAY_WAIT;
    play_held(p, s, NULL);
    return PLAY_NEXT;
}

/* What is not so in time is judged, and the case goes on. */
int play_terminals_late(struct player *p, struct play_step *s, const char *why)
{
    struct json_mismatch m = {0};
    (void)why;
    look_at_terminals(p, s, &m);
    play_tell(p, s, NULL, &(struct play_finding){.outcome = PLAYER_BROKEN, .mismatch = &m});
    return PLAY_NEXT;
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

static int check_text(const cJSON *step, const char *verb, struct json_error *reterr)
{
    if (json_get_str(step, verb)[0])
        return 0;
    return play_lint_fail(reterr, verb, "needs a path");
}

int play_write_buffer_check(const cJSON *step, struct json_error *reterr)
{
    if (!json_get_str(step, "content"))
        return play_lint_fail(reterr, "write_buffer", "needs \"content\"");
    return check_text(step, "write_buffer", reterr);
}

int play_buffer_check(const cJSON *step, struct json_error *reterr)
{
    if (!json_get(step, "equals") && !json_get(step, "contains") && !json_get(step, "match") &&
        !json_get(step, "absent"))
        return play_lint_fail(reterr, "buffer", "needs equals, contains, match or absent");
    return check_text(step, "buffer", reterr);
}

int play_terminals_check(const cJSON *step, struct json_error *reterr)
{
    return play_ranges_check(step, "terminals", "open running", reterr);
}

int player_check_client(const cJSON *client, char *err, size_t err_n)
{
    const cJSON *fs = json_get(client, "fs"), *terminal = json_get(client, "terminal");
    const cJSON *elicitation = json_get(client, "elicitation");
    int rc = policy_check(json_get(client, "policy"), err, err_n);
    if (rc == 0 && fs)
        rc = files_check(fs, err, err_n);
    if (rc == 0 && terminal)
        rc = terminals_check(terminal, err, err_n);
    if (rc == 0 && elicitation)
        rc = policy_check_value(POLICY_ELICITATION, elicitation, err, err_n);
    return rc;
}
