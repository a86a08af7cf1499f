#include "conformance/mutant.h"

#include "conformance/mutant_fill.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"
#include "json/match.h"
#include "json/pointer.h"
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------
 */

static int kind_of(const cJSON *json)
{
    for (int k = 0; k < MUTANT_KINDS; k++)
        if (json_get(json, mutant_kinds[k].name))
            return k;
    return -1;
}

static int side_of(const char *name)
{
    return strcmp(name, "agent") == 0    ? TRACE_AGENT
           : strcmp(name, "client") == 0 ? TRACE_CLIENT
           : strcmp(name, "model") == 0  ? TRACE_MODEL
                                         : -1;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = c ? strchr(digits, c) : NULL;
    return p ? (int)(p - digits) : -1;
}

/* Stops at the first character that is none of the 64: padding, or what lint has refused. */
static int decode_base64(const char *text, struct buf *out)
{
    unsigned bits = 0, have = 0;
    int rc = 0;
    for (int digit; rc == 0 && (digit = base64_digit(*text)) >= 0; text++) {
        bits = (bits << 6 | (unsigned)digit) & 0xffffu;
        have += 6;
        if (have >= 8) {
            have -= 8;
            rc = buf_addc(out, (char)(unsigned char)(bits >> have));
        }
    }
    return rc;
}

static int take_bytes(struct mutant *m, const cJSON *json)
{
    struct buf bytes = {0};
    const char *text = cJSON_GetStringValue(m->value);
    int rc = json_get_bool(json, "base64") ? decode_base64(text, &bytes) : buf_adds(&bytes, text);
    const cJSON *newline = json_get(json, "newline");
    if (rc == 0 && !cJSON_IsFalse(newline))
        rc = buf_addc(&bytes, '\n');
    m->n = bytes.n;
    m->bytes = rc == 0 ? buf_take(&bytes) : NULL;
    buf_deinit(&bytes);
    return m->bytes ? 0 : E_NOMEM;
}

int mutant_init(struct mutant *m, const cJSON *json)
{
    int kind = kind_of(json);
    const char *from = json_get_str(json, "from"), *where = json_get_str(json, "where");
    if (kind < 0)
        return E_INVALID;
    *m = (struct mutant){.kind = (enum mutant_kind)kind, .from = TRACE_AGENT};
    m->on = json_get(json, "on");
    m->agent = json_get_str(json, "agent");
    m->value = json_get(json, mutant_kinds[kind].name);
    m->remove = json_get(json, "remove");
    m->nth = (unsigned)json_get_int(json, "nth", 0);
    m->before = where && strcmp(where, "before") == 0;
    if (from && side_of(from) >= 0)
        m->from = (enum trace_side)side_of(from);
    return mutant_kinds[kind].has_bytes ? take_bytes(m, json) : 0;
}

void mutant_deinit(struct mutant *m)
{
    free(m->bytes);
    buf_deinit(&m->held);
    *m = (struct mutant){0};
}

/* ---- editing ----------------------------------------------------------------------------------
 */

static bool set_members(const cJSON *values, cJSON *message)
{
    bool changed = false;
    const cJSON *v;
    cJSON_ArrayForEach(v, values)
    {
        cJSON *copy = cJSON_Duplicate(v, true);
        changed |= copy && json_pointer_set(message, v->string, copy) == 0;
    }
    return changed;
}

static bool remove_members(const cJSON *pointers, cJSON *message)
{
    bool changed = false;
    const cJSON *v;
    cJSON_ArrayForEach(v, pointers)
    {
        changed |= json_pointer_remove(message, v->valuestring) == 0;
    }
    return changed;
}

/* Applies set and remove to a message. A pointer that leads nowhere changes nothing. */
static bool edit_tree(const struct mutant *m, cJSON *message)
{
    bool changed = m->kind == MUTANT_SET && set_members(m->value, message);
    return remove_members(m->remove, message) || changed;
}

static bool is_about(const struct mutant *m, const struct client *c)
{
    const char *name = client_agent(c);
    return !m->agent || (name && strcmp(m->agent, name) == 0);
}

static bool hit(struct mutant *m, const cJSON *message)
{
    if (m->on && json_match(m->on, message, NULL) != 1)
        return false;
    m->seen++;
    return m->nth == 0 || m->seen == m->nth;
}

/* What is on its way: the bytes, and the message they hold. */
struct passing {
    struct client *c;
    enum trace_side from;
    const char *bytes;
    size_t n;
    cJSON *message; /* owned; NULL if the mutant is not about such bytes */
};

static void deliver(const struct passing *p)
{
    client_deliver(p->c, p->from, p->bytes, p->n);
}

static void deliver_own(const struct mutant *m, const struct passing *p)
{
    struct buf bytes = {0};
    if (mutant_fill(&bytes, m->bytes, m->n, p->message) == 0)
        client_deliver(p->c, p->from, bytes.p, bytes.n);
    buf_deinit(&bytes);
}

static void deliver_edited(struct mutant *m, const struct passing *p)
{
    struct buf line = {0};
    struct jsonw w;
    m->applied |= edit_tree(m, p->message);
    jw_begin(&w, &line);
    jw_tree(&w, p->message);
    if (jw_end(&w) == 0 && buf_addc(&line, '\n') == 0)
        client_deliver(p->c, p->from, line.p, line.n);
    buf_deinit(&line);
}

static void deliver_injected(const struct mutant *m, const struct passing *p)
{
    if (m->before)
        deliver_own(m, p);
    deliver(p);
    if (!m->before)
        deliver_own(m, p);
}

/* A message the mutant is about. */
static void pass_hit(struct mutant *m, const struct passing *p)
{
    m->applied |= m->kind != MUTANT_SET && m->kind != MUTANT_REMOVE;
    switch (m->kind) {
    case MUTANT_DROP:
        break;
    case MUTANT_DUPLICATE:
        deliver(p);
        deliver(p);
        break;
    case MUTANT_SET:
    case MUTANT_REMOVE:
        deliver_edited(m, p);
        break;
    case MUTANT_AFTER:
        m->holder = p->c;
        buf_add(&m->held, p->bytes, p->n);
        break;
    case MUTANT_INJECT:
        deliver_injected(m, p);
        break;
    case MUTANT_REPLACE:
        deliver_own(m, p);
        break;
    case MUTANT_DEAF:
        m->deaf = true;
        if (p->from == TRACE_AGENT)
            deliver(p);
        break;
    case MUTANT_AT_START:
    case MUTANT_AT_EXIT:
    case MUTANT_EXIT:
    case MUTANT_IGNORE_EOF:
    case MUTANT_KINDS:
        deliver(p);
    }
}

static void release_held(struct mutant *m, struct client *c, enum trace_side from)
{
    struct buf held = m->held;
    if (c != m->holder)
        return;
    m->held = (struct buf){0};
    if (held.n > 0)
        client_deliver(c, from, held.p, held.n);
    buf_deinit(&held);
}

static cJSON *parse_line(const char *bytes, size_t n)
{
    cJSON *message = NULL;
    struct buf line = {0};
    if (n > 0 && bytes[n - 1] == '\n' && buf_add(&line, bytes, n - 1) == 0 && buf_cstr(&line))
        json_parse(line.p, line.n, &message, NULL);
    buf_deinit(&line);
    return message;
}

static void pass(void *ctx, struct client *c, enum trace_side from, const char *bytes, size_t n)
{
    struct mutant *m = ctx;
    struct passing p = {c, from, bytes, n, NULL};
    if (m->deaf && from == TRACE_CLIENT && is_about(m, c))
        return;
    if (from == m->from && m->on && is_about(m, c))
        p.message = parse_line(bytes, n);
    if (p.message && hit(m, p.message)) {
        pass_hit(m, &p);
    } else {
        deliver(&p);
        if (p.message && m->held.n > 0 && json_match(m->value, p.message, NULL) == 1)
            release_held(m, c, from);
    }
    cJSON_Delete(p.message);
}

static void on_start(void *ctx, struct client *c)
{
    struct mutant *m = ctx;
    if (!is_about(m, c))
        return;
    if (m->kind == MUTANT_DEAF && !m->on)
        m->applied = m->deaf = true;
    if (m->kind != MUTANT_AT_START)
        return;
    m->applied = true;
    client_deliver(c, TRACE_AGENT, m->bytes, m->n);
}

static void on_end(void *ctx, struct client *c)
{
    struct mutant *m = ctx;
    if (m->from == TRACE_AGENT)
        release_held(m, c, TRACE_AGENT);
    if (m->kind != MUTANT_AT_EXIT || !is_about(m, c))
        return;
    m->applied = true;
    client_deliver(c, TRACE_AGENT, m->bytes, m->n);
}

static void on_exit_(void *ctx, int64_t *code, int *signum)
{
    struct mutant *m = ctx;
    if (m->kind != MUTANT_EXIT)
        return;
    m->applied = true;
    *code = json_get_int(m->value, "code", 0);
    *signum = (int)json_get_int(m->value, "signal", 0);
}

static bool may_close_stdin(void *ctx)
{
    struct mutant *m = ctx;
    m->applied |= m->kind == MUTANT_IGNORE_EOF;
    return m->kind != MUTANT_IGNORE_EOF && !m->deaf;
}

struct client_wire mutant_wire(struct mutant *m)
{
    return (struct client_wire){.ctx = m,
                                .pass = pass,
                                .on_start = on_start,
                                .on_end = on_end,
                                .on_exit = on_exit_,
                                .may_close_stdin = may_close_stdin};
}

void mutant_model_request(struct mutant *m, cJSON *request, void (*add)(void *ctx, cJSON *request),
                          void *ctx)
{
    if (m->from != TRACE_MODEL || !m->on || !hit(m, request)) {
        add(ctx, request);
        return;
    }
    if (m->kind == MUTANT_SET || m->kind == MUTANT_REMOVE) {
        m->applied |= edit_tree(m, request);
        add(ctx, request);
        return;
    }
    m->applied = true;
    cJSON *twin = m->kind == MUTANT_DUPLICATE ? cJSON_Duplicate(request, true) : NULL;
    if (m->kind == MUTANT_DROP)
        cJSON_Delete(request);
    else
        add(ctx, request);
    if (twin)
        add(ctx, twin);
}
