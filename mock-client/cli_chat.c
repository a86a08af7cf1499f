#include "mock-client/cli.h"

#include "mock-client/chat_print.h"
#include "mock-client/client.h"
#include "mock-client/lines.h"
#include "mock-client/policy.h"
#include "mock-client/trace.h"

#include "base/buf.h"
#include "base/err.h"
#include "uvio/loop.h"
#include "uvio/stream.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The dialogue of acp-mock-client: a line of stdin is a prompt. */

#define MAX_PROMPT ((size_t)1 << 20)

enum chat_state { CHAT_INITIALIZE, CHAT_SESSION, CHAT_IDLE, CHAT_TURN, CHAT_ENDING };

struct chat {
    const struct cli *cli;
    char cwd[PATH_MAX];
    uv_loop_t loop;
    struct trace trace;
    struct client *client;
    struct stream *input;
    uv_idle_t tick;
    uv_signal_t interrupt;
    struct chat_print print;
    struct lines lines; /* of stdin */
    bool input_eof, asks;
    enum chat_state state;
    int64_t id;                         /* of the request whose answer the state waits for */
    char *session;                      /* owned */
    const struct trace_event *question; /* a permission request the user is looking at */
    size_t booked;
    bool cancelled;
    enum cli_exit code;
};

static void wake(struct chat *c);

/* ---- the end -----------------------------------------------------------------------------------
 */

static void on_handle_closed(uv_handle_t *handle)
{
    (void)handle;
}

static void chat_end(struct chat *c, enum cli_exit code)
{
    if (c->state == CHAT_ENDING)
        return;
    c->state = CHAT_ENDING;
    c->code = code;
    if (c->input)
        stream_close(c->input, 0);
    client_close(c->client);
    uv_close((uv_handle_t *)&c->tick, on_handle_closed);
    uv_close((uv_handle_t *)&c->interrupt, on_handle_closed);
}

static void agent_failed(struct chat *c, const char *text)
{
    const char *tail = client_stderr_tail(c->client);
    chat_print_trouble(&c->print, "%s%s%s", text, tail[0] ? "; its last words on stderr:\n" : "",
                       tail);
    chat_end(c, CLI_BROKEN);
}

/* ---- sending -----------------------------------------------------------------------------------
 */

static void begin_message(struct jsonw *w, struct buf *line, const char *method, int64_t id)
{
    jw_begin(w, line);
    jw_open(w, '{');
    jw_kstr(w, "jsonrpc", "2.0");
    if (id)
        jw_kint(w, "id", id);
    jw_kstr(w, "method", method);
    jw_kopen(w, "params", '{');
}

static void end_message(struct chat *c, struct jsonw *w, struct buf *line)
{
    jw_close(w);
    jw_close(w);
    if (jw_end(w) < 0 || !client_send(c->client, line->p, line->n))
        agent_failed(c, err_text(E_NOMEM));
    buf_deinit(line);
}

static void send_initialize(struct chat *c)
{
    struct buf line = {0};
    struct jsonw w;
    begin_message(&w, &line, "initialize", ++c->id);
    jw_kint(&w, "protocolVersion", 1);
    jw_kopen(&w, "clientCapabilities", '{');
    jw_close(&w);
    jw_kopen(&w, "clientInfo", '{');
    jw_kstr(&w, "name", "acp-mock-client");
    jw_kstr(&w, "version", ACP_VERSION);
    jw_close(&w);
    end_message(c, &w, &line);
}

static void send_session(struct chat *c)
{
    struct buf line = {0};
    struct jsonw w;
    c->state = CHAT_SESSION;
    begin_message(&w, &line, "session/new", ++c->id);
    jw_kstr(&w, "cwd", c->cwd);
    jw_kopen(&w, "mcpServers", '[');
    jw_close(&w);
    end_message(c, &w, &line);
}

static void send_prompt(struct chat *c, const char *text, size_t n)
{
    struct buf line = {0};
    struct jsonw w;
    c->state = CHAT_TURN;
    c->cancelled = false;
    begin_message(&w, &line, "session/prompt", ++c->id);
    jw_kstr(&w, "sessionId", c->session);
    jw_kopen(&w, "prompt", '[');
    jw_open(&w, '{');
    jw_kstr(&w, "type", "text");
    jw_key(&w, "text");
    jw_str(&w, text, n);
    jw_close(&w);
    jw_close(&w);
    end_message(c, &w, &line);
}

static void send_cancel(struct chat *c)
{
    struct buf line = {0};
    struct jsonw w;
    c->cancelled = true;
    begin_message(&w, &line, "session/cancel", 0);
    jw_kstr(&w, "sessionId", c->session);
    end_message(c, &w, &line);
}

/* ---- permission --------------------------------------------------------------------------------
 */

static void send_answer(struct chat *c, const cJSON *policy, const struct trace_event *e)
{
    struct buf line = {0};
    int rc = policy_answer(policy, e->json, e->scan.id, &line);
    if (rc >= 0)
        client_send(c->client, line.p, line.n);
    buf_deinit(&line);
}

static void answer_word(struct chat *c, const char *word, const struct trace_event *e)
{
    cJSON *policy = cJSON_CreateString(word);
    send_answer(c, policy, e);
    cJSON_Delete(policy);
}

static void on_agent_request(struct chat *c, const struct trace_event *e)
{
    const char *method = json_get_str(e->json, "method");
    if (strcmp(method, "session/request_permission") != 0) {
        send_answer(c, NULL, e);
    } else if (c->cancelled) {
        answer_word(c, "cancelled", e);
    } else if (c->asks && !c->question) {
        c->question = e;
        chat_print_question(&c->print, json_get(e->json, "params"));
    } else {
        answer_word(c, c->cli->answer == CLI_ALLOW ? "allow_once" : "reject_once", e);
    }
}

static void send_choice(struct chat *c, const char *option_id)
{
    struct buf line = {0};
    struct jsonw w;
    const struct trace_event *e = c->question;
    c->question = NULL;
    jw_begin(&w, &line);
    jw_open(&w, '{');
    jw_kstr(&w, "jsonrpc", "2.0");
    jw_key(&w, "id");
    jw_raw(&w, e->scan.id.p, e->scan.id.n);
    jw_kopen(&w, "result", '{');
    jw_kopen(&w, "outcome", '{');
    jw_kstr(&w, "outcome", "selected");
    jw_kstr(&w, "optionId", option_id);
    jw_close(&w);
    end_message(c, &w, &line);
}

/* The user's answer: a number of the list; an empty line cancels. */
static void on_choice(struct chat *c, const char *text)
{
    const cJSON *options = json_get(json_get(c->question->json, "params"), "options");
    const cJSON *option = cJSON_GetArrayItem(options, (int)strtol(text, NULL, 10) - 1);
    const char *id = json_get_str(option, "optionId");
    const struct trace_event *e = c->question;
    if (id) {
        send_choice(c, id);
    } else if (!text[strspn(text, " \t\r")]) {
        c->question = NULL;
        answer_word(c, "cancelled", e);
    } else {
        chat_print_question(&c->print, json_get(e->json, "params"));
    }
}

/* ---- from the agent ----------------------------------------------------------------------------
 */

static void on_error(struct chat *c, const cJSON *error)
{
    char text[400];
    const char *message = json_get_str(error, "message");
    static const char *const what[] = {"initialize", "session/new", "", "the prompt", ""};
    snprintf(text, sizeof text, "%s was answered with error %lld: %s", what[c->state],
             (long long)json_get_int(error, "code", 0), message ? message : "no message");
    if (c->state != CHAT_TURN) {
        agent_failed(c, text);
        return;
    }
    chat_print_trouble(&c->print, "%s", text);
    c->code = CLI_BROKEN;
    c->state = CHAT_IDLE;
    chat_print_prompt(&c->print);
}

static void on_session(struct chat *c, const cJSON *result)
{
    const char *id = json_get_str(result, "sessionId");
    c->session = id ? strdup(id) : NULL;
    if (!c->session) {
        agent_failed(c, "the answer to session/new holds no sessionId");
        return;
    }
    c->state = CHAT_IDLE;
    chat_print_prompt(&c->print);
}

static void on_turn_over(struct chat *c, const cJSON *result)
{
    const char *reason = json_get_str(result, "stopReason");
    c->state = CHAT_IDLE;
    c->question = NULL;
    chat_print_end_of_turn(&c->print, reason ? reason : "no stop reason");
    chat_print_prompt(&c->print);
}

static void on_response(struct chat *c, const cJSON *message)
{
    const cJSON *result = json_get(message, "result");
    if (json_get_int(message, "id", -1) != c->id || c->state == CHAT_IDLE)
        return;
    if (!result)
        on_error(c, json_get(message, "error"));
    else if (c->state == CHAT_INITIALIZE)
        send_session(c);
    else if (c->state == CHAT_SESSION)
        on_session(c, result);
    else
        on_turn_over(c, result);
}

static void on_agent_line(struct chat *c, const struct trace_event *e)
{
    const char *method = json_get_str(e->json, "method");
    if (!e->json) {
        chat_print_trouble(&c->print, "the agent wrote a line that is not JSON: %.200s", e->bytes);
        return;
    }
    chat_print_message(&c->print, e->bytes, e->n);
    if (method && e->scan.id.kind != JSON_KIND_NONE)
        on_agent_request(c, e);
    else if (method && !strcmp(method, "session/update"))
        chat_print_update(&c->print, json_get(json_get(e->json, "params"), "update"));
    else if (!method)
        on_response(c, e->json);
}

/* ---- from the user -----------------------------------------------------------------------------
 */

/* The next line of stdin, as far as it is wanted now. */
static bool take_line(struct chat *c)
{
    char *text;
    size_t n;
    int rc = lines_next(&c->lines, &text, &n);
    if (rc == 0 && c->input_eof)
        rc = lines_rest(&c->lines, &text, &n);
    if (rc == 0)
        return false;
    while (n && text[n - 1] == '\r')
        n--;
    text[n] = '\0';
    if (rc < 0)
        chat_print_trouble(&c->print, "a prompt over %zu bytes was left out", MAX_PROMPT);
    else if (c->question)
        on_choice(c, text);
    else if (text[strspn(text, " \t")])
        send_prompt(c, text, n);
    else
        chat_print_prompt(&c->print);
    return true;
}

static void use_input(struct chat *c)
{
    while (c->state == CHAT_IDLE || (c->state == CHAT_TURN && c->question))
        if (!take_line(c))
            break;
    if (c->state == CHAT_IDLE && c->input_eof)
        chat_end(c, c->code);
    else if (c->state == CHAT_TURN && c->question && c->input_eof) {
        const struct trace_event *e = c->question;
        c->question = NULL;
        answer_word(c, "cancelled", e);
    }
}

static void on_input(void *ctx, const char *bytes, size_t n)
{
    struct chat *c = ctx;
    if (lines_feed(&c->lines, bytes, n) < 0)
        agent_failed(c, err_text(E_NOMEM));
    wake(c);
}

static void on_input_eof(void *ctx, int rc)
{
    struct chat *c = ctx;
    (void)rc;
    c->input_eof = true;
    wake(c);
}

static void on_input_closed(void *ctx, int why)
{
    struct chat *c = ctx;
    (void)why;
    c->input = NULL;
}

/* The first Ctrl-C cancels the turn, one more, or one outside a turn, ends. */
static void on_interrupt(uv_signal_t *handle, int signum)
{
    struct chat *c = handle->data;
    (void)signum;
    if (c->state != CHAT_TURN || c->cancelled) {
        chat_end(c, c->code);
        return;
    }
    send_cancel(c);
    if (c->question) {
        const struct trace_event *e = c->question;
        c->question = NULL;
        answer_word(c, "cancelled", e);
    }
}

/* ---- the loop ----------------------------------------------------------------------------------
 */

static void on_tick(uv_idle_t *handle)
{
    struct chat *c = handle->data;
    uv_idle_stop(&c->tick);
    while (c->booked < c->trace.n && c->state != CHAT_ENDING) {
        const struct trace_event *e = c->trace.events[c->booked++];
        if (e->side == TRACE_AGENT && strcmp(e->kind, "blank") != 0)
            on_agent_line(c, e);
    }
    if (c->state != CHAT_ENDING && !client_running(c->client))
        agent_failed(c, "the agent has ended");
    if (c->state != CHAT_ENDING)
        use_input(c);
}

static void wake(struct chat *c)
{
    if (c->state != CHAT_ENDING)
        uv_idle_start(&c->tick, on_tick);
}

static void on_trace(void *ctx, const struct trace_event *e)
{
    (void)e;
    wake(ctx);
}

static void on_agent_exit(void *ctx)
{
    wake(ctx);
}

static void on_agent_closed(void *ctx)
{
    struct chat *c = ctx;
    c->client = NULL;
}

static const struct client_ops client_callbacks = {
    .on_exit = on_agent_exit,
    .on_closed = on_agent_closed,
};

static const struct stream_ops input_callbacks = {
    .on_read = on_input,
    .on_eof = on_input_eof,
    .on_closed = on_input_closed,
};

static int start_agent(struct chat *c)
{
    struct client_options options = {
        .argv = c->cli->agent,
        .cwd = c->cwd,
        .trace = &c->trace,
    };
    int rc = client_open(&c->loop, &options, &client_callbacks, c, &c->client);
    if (rc < 0)
        chat_print_trouble(&c->print, "cannot start %s: %s", c->cli->agent[0], err_text(rc));
    return rc;
}

static int start(struct chat *c)
{
    int rc = start_agent(c);
    if (rc < 0)
        return rc;
    uv_idle_init(&c->loop, &c->tick);
    uv_signal_init(&c->loop, &c->interrupt);
    c->tick.data = c->interrupt.data = c;
    uv_signal_start(&c->interrupt, on_interrupt, SIGINT);
    uv_unref((uv_handle_t *)&c->interrupt);
    c->trace.on_add = on_trace;
    c->trace.ctx = c;
    send_initialize(c);
    rc = stream_open(&c->loop, STDIN_FILENO, -1, &input_callbacks, c, &c->input);
    if (rc < 0)
        agent_failed(c, "cannot read stdin");
    return 0;
}

static bool find_cwd(struct chat *c)
{
    const char *wanted = c->cli->cwd ? c->cli->cwd : ".";
    if (realpath(wanted, c->cwd))
        return true;
    fprintf(stderr, "acp-mock-client: --cwd %s: %s\n", wanted, strerror(errno));
    return false;
}

enum cli_exit cli_chat(const struct cli *cli)
{
    struct chat c = {.cli = cli, .code = CLI_OK};
    if (!find_cwd(&c))
        return CLI_USAGE;
    chat_print_init(&c.print, cli->json);
    c.asks = cli->answer == CLI_ASK && c.print.terminal && isatty(STDIN_FILENO);
    lines_init(&c.lines, MAX_PROMPT);
    trace_init(&c.trace, uv_hrtime());
    if (uv_loop_init(&c.loop) < 0)
        return CLI_UNJUDGED;
    if (start(&c) < 0)
        c.code = CLI_UNJUDGED;
    if (loop_finish(&c.loop) < 0)
        c.code = CLI_UNJUDGED;
    if (cli->trace_file && !cli_write_trace(&c.trace, cli->trace_file))
        c.code = CLI_UNJUDGED;
    lines_deinit(&c.lines);
    trace_deinit(&c.trace);
    free(c.session);
    return c.code;
}
