#include "agent/gate.h"

#include "agent/update.h"
#include "base/err.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options, in the order of the list. An id is the kind's own name. */
static const struct {
    enum acp_permission_kind kind;
    const char *name;
    enum gate_answer answer;
} options[] = {
    {ACP_PERMISSION_ALLOW_ONCE, "Allow", GATE_ALLOWED},
    {ACP_PERMISSION_ALLOW_ALWAYS, "Always allow in this session", GATE_ALLOWED_ALWAYS},
    {ACP_PERMISSION_REJECT_ONCE, "Reject", GATE_DENIED},
};

static bool has(const unsigned char *set, const struct tool *tool)
{
    unsigned i = tool_index(tool);
    return (set[i / 8] >> i % 8 & 1) != 0;
}

static void put(unsigned char *set, const struct tool *tool)
{
    unsigned i = tool_index(tool);
    set[i / 8] = (unsigned char)(set[i / 8] | 1u << i % 8);
}

/* The word of a stranger does for `auto`, but not where everything is to ask. Strangers' files are
 * not ours to judge, so an edit of theirs is like a command. */
static bool is_harmless(const struct tool *tool, enum approval approval)
{
    enum acp_tool_kind kind = tool->kind;
    if (tool->foreign && approval != APPROVAL_AUTO)
        return false;
    if (kind == ACP_KIND_EDIT)
        return approval == APPROVAL_AUTO && !tool->foreign;
    return kind == ACP_KIND_READ || kind == ACP_KIND_SEARCH || kind == ACP_KIND_THINK;
}

bool gate_must_ask(const struct gate_rules *rules, enum approval approval,
                   const struct tool_call *c)
{
    if (approval == APPROVAL_YOLO)
        return false;
    if (c->outside)
        return !has(rules->always_outside, c->tool);
    return !is_harmless(c->tool, approval) && !has(rules->always_inside, c->tool);
}

void gate_allow_always(struct gate_rules *rules, const struct tool_call *c)
{
    put(c->outside ? rules->always_outside : rules->always_inside, c->tool);
}

struct gate {
    struct client_call *call;
    struct gate_question q;
};

static bool is_offered(size_t i, bool once_only)
{
    return !once_only || options[i].answer != GATE_ALLOWED_ALWAYS;
}

enum gate_answer gate_read(const cJSON *result, bool once_only)
{
    const cJSON *outcome = json_get(result, "outcome");
    const char *is = json_get_str(outcome, "outcome");
    const char *id = json_get_str(outcome, "optionId");
    if (!is || !id || strcmp(is, acp_permission_outcome_name(ACP_OUTCOME_SELECTED)) != 0)
        return GATE_DENIED;
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (is_offered(i, once_only) && strcmp(id, acp_permission_kind_name(options[i].kind)) == 0)
            return options[i].answer;
    return GATE_DENIED;
}

/* What the model is told of a no. */
static void explain(const struct rpc_outcome *o, char *text, size_t n)
{
    const char *is = json_get_str(json_get(o->result, "outcome"), "outcome");
    const char *id = json_get_str(json_get(o->result, "outcome"), "optionId");
    const char *reject = acp_permission_kind_name(ACP_PERMISSION_REJECT_ONCE);
    if (client_call_failed(o, "Not allowed", text, n))
        return;
    if (is && id && strcmp(id, reject) == 0)
        snprintf(text, n, "The user did not allow this.");
    else if (is && strcmp(is, acp_permission_outcome_name(ACP_OUTCOME_CANCELLED)) == 0)
        snprintf(text, n, "Not allowed: the question was cancelled.");
    else
        snprintf(text, n, "Not allowed: the client's answer is none of the options.");
}

static void on_answer(void *ctx, const struct rpc_outcome *o)
{
    struct gate *g = ctx;
    struct gate_question q = g->q;
    char why[512] = "";
    enum gate_answer answer =
        o->rc < 0 || o->error ? GATE_DENIED : gate_read(o->result, q.once_only);
    free(g);
    if (answer == GATE_DENIED)
        explain(o, why, sizeof why);
    q.cb(q.ctx, answer, why);
}

static const char *name_of(size_t i, const struct gate_question *q)
{
    const char *own = options[i].answer == GATE_ALLOWED  ? q->yes
                      : options[i].answer == GATE_DENIED ? q->no
                                                         : NULL;
    return own ? own : options[i].name;
}

static void write_options(struct jsonw *w, const struct gate_question *q)
{
    jw_kopen(w, "options", '[');
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const char *kind = acp_permission_kind_name(options[i].kind);
        if (!is_offered(i, q->once_only))
            continue;
        jw_open(w, '{');
        jw_kstr(w, "optionId", kind);
        jw_kstr(w, "name", name_of(i, q));
        jw_kstr(w, "kind", kind);
        jw_close(w);
    }
    jw_close(w);
}

static void write_question(struct jsonw *w, const struct gate_question *q)
{
    jw_kopen(w, "toolCall", '{');
    jw_kstr(w, "toolCallId", q->call_id);
    update_write_call(w, q->call);
    if (q->call->diff.known) {
        jw_kopen(w, "content", '[');
        update_write_diff(w, q->call->path, &q->call->diff);
        jw_close(w);
    }
    jw_close(w);
    write_options(w, q);
}

int gate_ask(const struct gate_question *q, struct gate **ret)
{
    struct gate *g = calloc(1, sizeof *g);
    if (!g)
        return E_NOMEM;
    g->q = *q;
    struct client_wait wait = {.ms = q->wait_ms, .cb = on_answer, .ctx = g};
    struct jsonw *w = client_call_begin(&q->call->client, ACP_SESSION_REQUEST_PERMISSION);
    write_question(w, q);
    int rc = client_call_end(&q->call->client, w, &wait, &g->call);
    if (rc < 0)
        free(g);
    else
        *ret = g;
    return rc;
}

void gate_withdraw(struct gate *g)
{
    if (!g)
        return;
    client_call_drop(g->call);
    free(g);
}
