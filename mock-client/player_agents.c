#include "mock-client/player_int.h"

#include "mock-client/env.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The processes of the agent, and the verbs that start and end them. */

struct play_agent *play_agent_find(const struct player *p, const char *name)
{
    for (struct list *l = p->agents.next; l != &p->agents; l = l->next) {
        struct play_agent *a = CONTAINER_OF(l, struct play_agent, node);
        if (name ? a->name && !strcmp(a->name, name) : !a->name)
            return a;
    }
    return NULL;
}

struct play_agent *play_agent_of(const struct player *p, const struct trace_event *e)
{
    return play_agent_find(p, e->agent);
}

static void agent_destroy(struct play_agent *a)
{
    if (!a)
        return;
    env_free(a->argv);
    env_free(a->env);
    free(a);
}

void play_agents_deinit(struct player *p)
{
    while (!list_empty(&p->agents)) {
        struct play_agent *a = CONTAINER_OF(p->agents.next, struct play_agent, node);
        list_remove(&a->node);
        agent_destroy(a);
    }
}

/* Its children inherit the mark, also those that leave its session. */
static int mark(struct play_agent *a)
{
    static const char variable[] = "ACP_HARNESS_AGENT";
    snprintf(a->mark, sizeof a->mark, "%s=%d.%llx", variable, (int)getpid(),
             (unsigned long long)uv_hrtime());
    return env_set(&a->env, variable, a->mark + sizeof variable);
}

struct play_agent *play_agent_add(struct player *p, const char *name)
{
    struct play_agent *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->player = p;
    a->name = name ? trace_name_agent(p->options.trace, name) : NULL;
    a->argv = env_copy((const char *const *)p->argv);
    a->env = env_copy((const char *const *)p->env);
    if (!a->argv || !a->env || (name && !a->name) || mark(a) < 0) {
        agent_destroy(a);
        return NULL;
    }
    list_append(&p->agents, &a->node);
    return a;
}

/* ---- the process -------------------------------------------------------------------------------
 */

static void on_client_exit(void *ctx)
{
    struct play_agent *a = ctx;
    snprintf(a->stderr_tail, sizeof a->stderr_tail, "%s", client_stderr_tail(a->client));
    play_wake(a->player);
}

static void on_client_closed(void *ctx)
{
    struct play_agent *a = ctx;
    a->client = NULL;
    play_part_gone(a->player);
}

int play_agent_launch(struct play_agent *a)
{
    static const struct client_ops ops = {.on_exit = on_client_exit, .on_closed = on_client_closed};
    struct player *p = a->player;
    struct client_options options = {
        .argv = (const char *const *)a->argv,
        .env = (const char *const *)a->env,
        .cwd = p->options.start_dir ? p->options.start_dir : p->cwd,
        .trace = p->options.trace,
        .agent = a->name,
        .mark = a->mark,
        .wire = p->options.wire,
        .max_line = p->options.max_line,
        .eof_ms = p->options.eof_ms,
        .term_ms = p->options.term_ms,
    };
    a->caps = NULL;
    a->fence_broken = false;
    int rc = client_open(p->loop, &options, &ops, a, &a->client);
    return rc == 0 ? 0
                   : play_error(p, &p->now, "cannot start %s: %s; is the agent's command right?",
                                a->argv[0], err_text(rc));
}

/* What the step adds to command and environment. */
static int apply_members(struct play_step *s)
{
    int rc = env_apply(&s->agent->env, json_get(s->step, "env"));
    return rc < 0 ? rc : env_add_args(&s->agent->argv, json_get(s->step, "args"));
}

static int launch_step(struct player *p, struct play_step *s)
{
    int rc = apply_members(s);
    if (rc < 0)
        return play_error(p, s, "%s", err_text(rc));
    rc = play_agent_launch(s->agent);
    if (rc == 0)
        rc = play_handshake_begin(p, s);
    if (rc == PLAY_NEXT && json_get(s->raw, "check"))
        play_held(p, s, NULL);
    return rc;
}

static int look_at_handshake(struct player *p, struct play_step *s)
{
    int rc = play_handshake_poll(p, s);
    if (rc == PLAY_NEXT && json_get(s->raw, "check"))
        play_held(p, s, s->ref->response);
    return rc;
}

/* ---- start, kill -------------------------------------------------------------------------------
 */

int play_start_begin(struct player *p, struct play_step *s)
{
    s->agent = play_agent_add(p, s->value->valuestring);
    return s->agent ? launch_step(p, s) : play_error(p, s, "out of memory");
}

/* No rule says that a second process has to work: only a step that says so judges it. */
static int start_failed(struct player *p, struct play_step *s)
{
    char text[sizeof p->why_text];
    memcpy(text, p->why_text, sizeof text);
    if (json_get(s->raw, "check"))
        play_broken(p, s, "%.500s", text);
    return PLAY_STOP;
}

int play_start_poll(struct player *p, struct play_step *s)
{
    int rc = look_at_handshake(p, s);
    return rc == PLAY_STOP ? start_failed(p, s) : rc;
}

int play_start_late(struct player *p, struct play_step *s, const char *why)
{
    play_error(p, s, "initialize was not answered: %s", why);
    return start_failed(p, s);
}

int play_kill_begin(struct player *p, struct play_step *s)
{
    (void)p;
    client_kill(s->agent->client);
    return PLAY_WAIT;
}

int play_kill_poll(struct player *p, struct play_step *s)
{
    (void)p;
    return client_running(s->agent->client) ? PLAY_WAIT : PLAY_NEXT;
}

/* ---- processes ---------------------------------------------------------------------------------
 */

int play_processes_begin(struct player *p, struct play_step *s)
{
    (void)p;
    (void)s;
    return PLAY_WAIT;
}

/* What was told of it; PLAY_WAIT if there are not so many. */
static int look_at_processes(struct player *p, struct play_step *s, bool last)
{
    struct json_mismatch m = {0};
    int n = client_left(s->agent->client);
    if (n < 0) {
        play_unreached(p, s, "processes are looked up in /proc, which is not there");
        return PLAY_NEXT;
    }
    bool held = play_in_range(json_get(s->value, "left"), (size_t)n, m.expected, sizeof m.expected);
    if (!held && !last)
        return PLAY_WAIT;
    snprintf(m.got, sizeof m.got, "%d", n);
    snprintf(m.pointer, sizeof m.pointer, "/left");
    play_tell(p, s, NULL,
              &(struct play_finding){.outcome = held ? PLAYER_HELD : PLAYER_BROKEN,
                                     .mismatch = held ? NULL : &m});
    return PLAY_NEXT;
}

int play_processes_poll(struct player *p, struct play_step *s)
{
    int rc = look_at_processes(p, s, false);
    if (rc == PLAY_WAIT)
        play_wake_later(p);
    return rc;
}

int play_processes_late(struct player *p, struct play_step *s, const char *why)
{
    (void)why;
    return look_at_processes(p, s, true);
}

int play_processes_check(const cJSON *step, struct json_error *reterr)
{
    return play_ranges_check(step, "processes", "left", reterr);
}

/* ---- restart -----------------------------------------------------------------------------------
 */

enum { RESTART_ENDING, RESTART_HANDSHAKE };

static void lose_open_requests(struct player *p, const struct play_agent *a)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->agent == a)
            ref->lost = true;
    }
    play_asks_forget(p, a);
    terminals_forget(p->terminals, a->name);
}

int play_restart_begin(struct player *p, struct play_step *s)
{
    s->phase = RESTART_ENDING;
    lose_open_requests(p, s->agent);
    client_close(s->agent->client);
    return PLAY_WAIT;
}

int play_restart_poll(struct player *p, struct play_step *s)
{
    if (s->phase == RESTART_ENDING && s->agent->client)
        return PLAY_WAIT;
    if (s->phase == RESTART_ENDING) {
        s->phase = RESTART_HANDSHAKE;
        return launch_step(p, s);
    }
    int rc = look_at_handshake(p, s);
    if (rc == PLAY_STOP)
        play_broken(p, s, "after the restart %s", p->why_text);
    return rc;
}

int play_start_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *arg;
    if (!json_get_str(step, "start")[0])
        return play_lint_fail(reterr, "start", "needs a name");
    if (json_get(step, "agent"))
        return play_lint_fail(reterr, "start",
                              "names the process itself, \"agent\" does not go with it");
    cJSON_ArrayForEach(arg, json_get(step, "args")) if (!cJSON_IsString(arg)) return play_lint_fail(
        reterr, "args", "are texts");
    return 0;
}
