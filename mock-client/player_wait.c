#include "mock-client/player_int.h"

#include "base/err.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The verbs that wait for messages and for the process. */

/* ---- saw, never, count -------------------------------------------------------------------------
 */

int play_saw_begin(struct player *p, struct play_step *s)
{
    s->found = 0;
    return play_since(p, s, &s->cursor) ? PLAY_WAIT : PLAY_NEXT;
}

/* The next matching message at or behind s->cursor; NULL if there is none yet. */
static const struct trace_event *next_match(struct player *p, struct play_step *s)
{
    const struct trace *t = p->options.trace;
    while (s->cursor < t->n) {
        const struct trace_event *e = t->events[s->cursor++];
        if (e->agent == s->agent->name && play_is_agent_message(p, e) &&
            json_match(s->value, e->json, NULL) == 1)
            return e;
    }
    return NULL;
}

static int saw_found(struct player *p, struct play_step *s, const struct trace_event *e)
{
    const char *as = json_get_str(s->step, "as");
    struct play_ref *ref = as ? play_ref_add(p, as) : NULL;
    if (as && !ref)
        return play_error(p, s, "out of memory");
    if (ref)
        ref->message = e;
    int rc = play_expect(p, s, e);
    return rc < 0 ? rc : PLAY_NEXT;
}

int play_saw_poll(struct player *p, struct play_step *s)
{
    const struct trace_event *e;
    int64_t want = json_get_int(s->step, "count", 1);
    while ((e = next_match(p, s)) != NULL)
        if ((int64_t)++s->found >= want)
            return saw_found(p, s, e);
    return PLAY_WAIT;
}

int play_never_begin(struct player *p, struct play_step *s)
{
    if (s->agent->fence_broken) {
        play_unreached(p, s, "the agent did not answer the fence before it");
        return PLAY_NEXT;
    }
    if (!play_since(p, s, &s->cursor))
        return PLAY_NEXT;
    const struct trace_event *e = next_match(p, s);
    struct play_finding f = {.outcome = e ? PLAYER_BROKEN : PLAYER_HELD,
                             .event = e,
                             .text = e ? "a message came that must not come" : NULL};
    play_tell(p, s, NULL, &f);
    return PLAY_NEXT;
}

int play_count_begin(struct player *p, struct play_step *s)
{
    struct json_mismatch m = {0};
    size_t n = 0;
    if (!play_since(p, s, &s->cursor))
        return PLAY_NEXT;
    while (next_match(p, s))
        n++;
    bool held = play_in_range(json_get(s->step, "is"), n, m.expected, sizeof m.expected);
    snprintf(m.got, sizeof m.got, "%zu", n);
    play_tell(p, s, NULL,
              &(struct play_finding){.outcome = held ? PLAYER_HELD : PLAYER_BROKEN,
                                     .mismatch = held ? NULL : &m});
    return PLAY_NEXT;
}

/* ---- text --------------------------------------------------------------------------------------
 */

static const char *chunk_kind(const char *who)
{
    return !strcmp(who, "agent")     ? "agent_message_chunk"
           : !strcmp(who, "thought") ? "agent_thought_chunk"
                                     : "user_message_chunk";
}

/* The text of a chunk of that kind and session; NULL if the message is none. */
static const char *chunk_text(const cJSON *message, const char *kind, const char *session)
{
    const char *method = json_get_str(message, "method");
    const cJSON *params = json_get(message, "params"), *update = json_get(params, "update");
    const char *id = json_get_str(params, "sessionId");
    const char *own = json_get_str(update, "sessionUpdate");
    if (!method || strcmp(method, "session/update") != 0 || !own || strcmp(own, kind) != 0)
        return NULL;
    if (session && (!id || strcmp(id, session) != 0))
        return NULL;
    return json_get_str(json_get(update, "content"), "text");
}

static bool said_in_prompt(const cJSON *message, const char *text)
{
    const char *method = json_get_str(message, "method");
    const cJSON *block;
    if (!method || strcmp(method, "session/prompt") != 0)
        return false;
    cJSON_ArrayForEach(block, json_get(json_get(message, "params"), "prompt"))
    {
        const char *said = json_get_str(block, "text");
        if (said && strstr(said, text))
            return true;
    }
    return false;
}

/* True if user or model said these words in this play. */
static bool was_said(const struct player *p, const char *text)
{
    const struct trace *t = p->options.trace;
    for (size_t i = 0; i < t->n; i++) {
        const struct trace_event *e = t->events[i];
        const char *said = e->side == TRACE_MODEL_EVENT ? json_get_str(e->json, "text") : NULL;
        if ((said && strstr(said, text)) ||
            (e->side == TRACE_CLIENT && said_in_prompt(e->json, text)))
            return true;
    }
    return false;
}

/* A chunk with words of the agent's own (a warning, a hint): neither what is expected nor what
 * anybody else has said. No rule forbids them. */
static bool is_notice(const struct player *p, const char *text, const char *expected)
{
    return expected && expected[0] && !strstr(expected, text) && !was_said(p, text);
}

/* expected: what a text without the agent's own notices may equal; NULL: all of it. */
static int join_text(struct player *p, const struct play_step *s, size_t from, const char *expected,
                     struct buf *out)
{
    const struct trace *t = p->options.trace;
    const char *kind = chunk_kind(s->value->valuestring);
    const char *name = json_get_str(s->step, "session");
    const char *session = name ? play_session_id(p, name) : play_last_session(p, s->agent);
    int rc = 0;
    for (size_t i = from; i < t->n && rc == 0; i++) {
        const struct trace_event *e = t->events[i];
        bool own = e->side == TRACE_AGENT && e->agent == s->agent->name;
        const char *text = own ? chunk_text(e->json, kind, session) : NULL;
        rc = text && !is_notice(p, text, expected) ? buf_adds(out, text) : 0;
    }
    return rc;
}

/* What the step is to look at: the text, or if it does not hold only for the agent's own notices,
 * the text without them. */
static int text_to_judge(struct player *p, const struct play_step *s, size_t from, struct buf *out)
{
    const char *equals = json_get_str(s->step, "equals");
    struct buf bare = {0};
    int rc = join_text(p, s, from, NULL, out);
    const char *whole = rc == 0 ? buf_cstr(out) : NULL;
    if (!whole)
        return E_NOMEM;
    if (!equals || strcmp(s->value->valuestring, "agent") != 0 || play_text_holds(s, whole))
        return 0;
    rc = join_text(p, s, from, equals, &bare);
    if (rc == 0 && !buf_cstr(&bare))
        rc = E_NOMEM;
    if (rc == 0 && play_text_holds(s, bare.p)) {
        struct buf kept = *out;
        *out = bare;
        bare = kept;
    }
    buf_deinit(&bare);
    return rc;
}

static int keep_text(struct player *p, const struct play_step *s, const char *text)
{
    const char *as = json_get_str(s->step, "as");
    struct play_ref *ref = as ? play_ref_add(p, as) : NULL;
    if (!as)
        return 0;
    if (!ref)
        return E_NOMEM;
    ref->mark = p->options.trace->n;
    ref->text = strdup(text);
    return ref->text ? 0 : E_NOMEM;
}

int play_text_begin(struct player *p, struct play_step *s)
{
    struct buf text = {0};
    size_t from;
    if (!play_since(p, s, &from))
        return PLAY_NEXT;
    int rc = text_to_judge(p, s, from, &text);
    const char *whole = rc == 0 ? buf_cstr(&text) : NULL;
    rc = whole ? keep_text(p, s, whole) : E_NOMEM;
    if (rc == 0 && play_step_judges(s->verb, s->raw))
        rc = play_judge_text(p, s, whole);
    buf_deinit(&text);
    return rc < 0 ? play_error(p, s, "out of memory") : PLAY_NEXT;
}

/* ---- fence, alive ------------------------------------------------------------------------------
 */

#define QUIET_TURNS 2 /* the first look may come before this turn's reading */

int play_fence_begin(struct player *p, struct play_step *s)
{
    struct play_call call = {.method = "_acp.conformance/fence"};
    cJSON *params = cJSON_CreateObject();
    call.params = params;
    s->ref = params ? play_send_request(s->agent, &call) : NULL;
    cJSON_Delete(params);
    if (!s->ref)
        return play_error(p, s, "out of memory");
    s->ref->is_fence = true;
    return PLAY_WAIT;
}

int play_fence_poll(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return PLAY_WAIT;
    uint64_t now = client_bytes_read(s->agent->client);
    s->phase = now == s->bytes_read ? s->phase + 1 : 0;
    s->bytes_read = now;
    if (s->phase < QUIET_TURNS && client_stdout_open(s->agent->client)) {
        play_wake(p);
        return PLAY_WAIT;
    }
    s->agent->fence_broken = false;
    if (json_get(s->raw, "check"))
        play_held(p, s, s->ref->response);
    return PLAY_NEXT;
}

/* No rule makes an agent answer it, so it only tells that what follows cannot be judged. */
int play_fence_late(struct player *p, struct play_step *s, const char *why)
{
    s->agent->fence_broken = true;
    play_error(p, s, "the fence was not answered: %s", why);
    if (json_get(s->raw, "check"))
        play_unreached(p, s, p->why_text);
    return PLAY_NEXT;
}

int play_alive_begin(struct player *p, struct play_step *s)
{
    return play_fence_begin(p, s);
}

int play_alive_poll(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return PLAY_WAIT;
    s->agent->fence_broken = false;
    play_held(p, s, s->ref->response);
    return PLAY_NEXT;
}

/* ---- the process -------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    int number;
} signals[] = {
    {"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},   {"HUP", SIGHUP},   {"QUIT", SIGQUIT},
    {"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},
    {"ABRT", SIGABRT}, {"SEGV", SIGSEGV}, {"BUS", SIGBUS},   {"FPE", SIGFPE},   {"ILL", SIGILL},
};

int play_signal_number(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (!strcmp(signals[i].name, name))
            return signals[i].number;
    return -1;
}

const char *play_signal_name(int signum)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (signals[i].number == signum)
            return signals[i].name;
    return NULL;
}

int play_close_stdin_begin(struct player *p, struct play_step *s)
{
    (void)p;
    client_close_stdin(s->agent->client);
    return PLAY_NEXT;
}

int play_signal_begin(struct player *p, struct play_step *s)
{
    (void)p;
    client_signal(s->agent->client, play_signal_number(s->value->valuestring));
    return PLAY_NEXT;
}

static bool describe_end(cJSON *end, const struct client *c)
{
    int signum = client_exit_signal(c);
    const char *name = play_signal_name(signum);
    if (!signum)
        return cJSON_AddNumberToObject(end, "code", (double)client_exit_code(c));
    return name ? !!cJSON_AddStringToObject(end, "signal", name)
                : !!cJSON_AddNumberToObject(end, "signal", signum);
}

int play_exit_begin(struct player *p, struct play_step *s)
{
    (void)p;
    (void)s;
    return PLAY_WAIT;
}

int play_exit_poll(struct player *p, struct play_step *s)
{
    if (client_running(s->agent->client))
        return PLAY_WAIT;
    cJSON *end = cJSON_CreateObject();
    int rc = end && describe_end(end, s->agent->client) ? play_judge(p, s, s->value, end, NULL)
                                                        : play_error(p, s, "out of memory");
    cJSON_Delete(end);
    return rc < 0 ? rc : PLAY_NEXT;
}

/* Of the process that ran last. */
static const char *find_rest(const struct trace *t, const struct play_agent *a)
{
    for (size_t i = t->n; i > 0; i--) {
        const struct trace_event *e = t->events[i - 1];
        if (e->agent != a->name)
            continue;
        if (e->side == TRACE_AGENT && !strcmp(e->kind, "rest"))
            return e->bytes;
        if (e->side == TRACE_PROCESS && !strcmp(e->kind, "start"))
            break;
    }
    return "";
}

int play_stdout_rest_begin(struct player *p, struct play_step *s)
{
    struct play_step view = *s; /* equals, contains and match stand in the verb's own value */
    view.step = json_get(s->step, "stdout_rest");
    if (client_stdout_open(s->agent->client)) {
        play_unreached(p, s, "its stdout is still open: an exit step belongs before it");
        return PLAY_NEXT;
    }
    return play_judge_text(p, &view, find_rest(p->options.trace, s->agent)) < 0 ? PLAY_STOP
                                                                                : PLAY_NEXT;
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

int play_signal_check(const cJSON *step, struct json_error *reterr)
{
    const char *name = json_get_str(step, "signal");
    if (play_signal_number(name) >= 0)
        return 0;
    return play_lint_fail(reterr, "signal", "unknown signal \"%s\" (write TERM, KILL, INT ...)",
                          name);
}

int play_text_check(const cJSON *step, struct json_error *reterr)
{
    const char *who = json_get_str(step, "text");
    if (strcmp(who, "agent") != 0 && strcmp(who, "thought") != 0 && strcmp(who, "user") != 0)
        return play_lint_fail(reterr, "text", "is \"agent\", \"thought\" or \"user\"");
    if (json_get(step, "equals") || json_get(step, "contains") || json_get(step, "match") ||
        json_get(step, "as"))
        return 0;
    return play_lint_fail(reterr, "text", "needs equals, contains, match or as");
}

int play_stdout_rest_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *value = json_get(step, "stdout_rest");
    if (json_get_str(value, "equals") || json_get_str(value, "contains") ||
        json_get_str(value, "match"))
        return 0;
    return play_lint_fail(reterr, "stdout_rest", "needs equals, contains or match");
}

int play_count_check(const cJSON *step, struct json_error *reterr)
{
    return json_get(step, "is") ? 0 : play_lint_fail(reterr, "count", "needs \"is\"");
}
