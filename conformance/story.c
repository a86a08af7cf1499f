#include "conformance/story.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/grow.h"
#include "conformance/wire.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is said of one session, or (the first) of the connection as a whole. */
struct chapter {
    const struct wire_session *session; /* lent; NULL: the connection */
    struct buf text;                    /* of the chunks that came one after the other */
    const char *kind;                   /* lent; of these chunks, or NULL */
    struct story lines;
};

struct teller {
    struct wire wire;
    struct chapter **chapters; /* owned */
    size_t n, cap;
    int rc;
};

/* ---- lines --------------------------------------------------------------------------------------
 */

static void add_line(struct teller *t, struct story *s, struct buf *line)
{
    if (!buf_cstr(line) || grow_pointers(&s->lines, s->n, &s->cap) < 0) {
        t->rc = E_NOMEM;
        buf_deinit(line);
        return;
    }
    s->lines[s->n++] = buf_take(line);
}

static void end_text(struct teller *t, struct chapter *c)
{
    struct buf line = {0};
    if (!c->kind)
        return;
    if (buf_addf(&line, "%s \"%.*s\"", c->kind, (int)c->text.n, c->text.n ? c->text.p : "") < 0)
        t->rc = E_NOMEM;
    add_line(t, &c->lines, &line);
    c->text.n = 0;
    c->kind = NULL;
}

static struct chapter *chapter_of(struct teller *t, const struct wire_session *session)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->chapters[i]->session == session)
            return t->chapters[i];
    struct chapter *c = calloc(1, sizeof *c);
    if (!c || grow_pointers(&t->chapters, t->n, &t->cap) < 0) {
        free(c);
        t->rc = E_NOMEM;
        return NULL;
    }
    c->session = session;
    t->chapters[t->n++] = c;
    return c;
}

/* ---- what is told -------------------------------------------------------------------------------
 */

static void add_chunk(struct teller *t, struct chapter *c, const char *kind, const cJSON *update)
{
    const cJSON *content = json_get(update, "content");
    const char *text = json_get_str(content, "text"), *type = json_get_str(content, "type");
    if (c->kind && strcmp(c->kind, kind) != 0)
        end_text(t, c);
    c->kind = kind;
    if (text ? buf_adds(&c->text, text) < 0
             : buf_addf(&c->text, "[%s]", type ? type : "nothing") < 0)
        t->rc = E_NOMEM;
}

/* Updates come when they come, so only those that are part of the answer are told. */
static void tell_update(struct teller *t, struct chapter *c, const struct wire_msg *m)
{
    struct buf line = {0};
    const char *kind = m->update_kind ? m->update_kind : "";
    if (strstr(kind, "_chunk")) {
        add_chunk(t, c, kind, m->update);
        return;
    }
    if (strcmp(kind, "session_info_update") == 0 || strcmp(kind, "usage_update") == 0 ||
        strcmp(kind, "available_commands_update") == 0)
        return;
    if (strncmp(kind, "tool_call", strlen("tool_call")) == 0 || strcmp(kind, "plan") == 0)
        end_text(t, c);
    const char *word = json_get_str(m->update, "kind"), *status = json_get_str(m->update, "status");
    if (buf_addf(&line, "%s%s%s%s%s", kind, word ? " " : "", word ? word : "", status ? " " : "",
                 status ? status : "") < 0)
        t->rc = E_NOMEM;
    add_line(t, &c->lines, &line);
}

static int describe_answer(const struct wire_msg *m, struct buf *out)
{
    const cJSON *code = json_get(m->error, "code");
    const char *stop = json_get_str(m->result, "stopReason");
    int rc = buf_addf(out, "%s -> ", m->call->method);
    if (rc < 0)
        return rc;
    if (cJSON_IsNumber(code))
        return buf_addf(out, "error %.0f", code->valuedouble);
    if (stop)
        return buf_adds(out, stop);
    return buf_adds(out, m->error ? "error" : cJSON_IsNull(m->result) ? "null" : "result");
}

/* A text goes on over what comes in between by chance, up to the answer it belongs to. How far it
 * had come when it was cancelled is chance too. */
static void end_turn(struct teller *t, struct chapter *c, const struct wire_msg *m)
{
    const char *stop = json_get_str(m->result, "stopReason");
    if (m->kind != WIRE_RESPONSE || !m->call ||
        (!strstr(m->call->method, "prompt") && !strstr(m->call->method, "load")))
        return;
    if (m->error || (stop && strcmp(stop, "cancelled") == 0)) {
        c->text.n = 0;
        c->kind = NULL;
    }
    end_text(t, c);
}

static void tell_agent(struct teller *t, const struct wire_msg *m)
{
    struct chapter *c = chapter_of(t, m->session);
    struct buf line = {0};
    if (!c || m->kind == WIRE_OTHER)
        return;
    if (m->update) {
        tell_update(t, c, m);
        return;
    }
    end_turn(t, c, m);
    int rc = 0;
    if (m->kind == WIRE_RESPONSE && m->call)
        rc = describe_answer(m, &line);
    else if (m->kind == WIRE_RESPONSE)
        rc = buf_adds(&line, m->error ? "an error for no request" : "an answer to no request");
    else
        rc = buf_addf(&line, "%s %s", m->kind == WIRE_REQUEST ? "asks" : "says",
                      m->method ? m->method : "what is no message");
    t->rc = rc < 0 ? rc : t->rc;
    add_line(t, &c->lines, &line);
}

static void on_message(void *ctx, const struct wire_msg *m)
{
    struct teller *t = ctx;
    if (m->e->side == TRACE_AGENT)
        tell_agent(t, m);
}

/* "exit 0", wherever it stands: it belongs to no session. */
static void tell_end(struct teller *t, const struct trace_event *e)
{
    struct chapter *c = chapter_of(t, NULL);
    struct buf line = {0};
    if (!c || e->side != TRACE_PROCESS || strcmp(e->kind, "exit") != 0)
        return;
    if (buf_addf(&line, "exit %s", e->bytes) < 0)
        t->rc = E_NOMEM;
    add_line(t, &c->lines, &line);
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

/* number: of the session, in the order in which they were opened. */
static void take_lines(struct teller *t, const struct wire_session *session, size_t number,
                       struct story *ret)
{
    struct chapter *c = chapter_of(t, session);
    if (!c)
        return;
    end_text(t, c);
    for (size_t i = 0; i < c->lines.n; i++) {
        struct buf line = {0};
        int rc = c->session ? buf_addf(&line, "session %zu: %s", number, c->lines.lines[i])
                            : buf_adds(&line, c->lines.lines[i]);
        t->rc = rc < 0 ? rc : t->rc;
        add_line(t, ret, &line);
    }
}

static void teller_deinit(struct teller *t)
{
    for (size_t i = 0; i < t->n; i++) {
        story_deinit(&t->chapters[i]->lines);
        buf_deinit(&t->chapters[i]->text);
        free(t->chapters[i]);
    }
    free(t->chapters);
    wire_deinit(&t->wire);
}

int story_tell(const struct trace *trace, struct story *ret)
{
    struct teller t = {.rc = 0};
    *ret = (struct story){0};
    chapter_of(&t, NULL);
    for (size_t i = 0; t.rc == 0 && i < trace->n; i++) {
        wire_feed(&t.wire, trace->events[i], on_message, &t);
        tell_end(&t, trace->events[i]);
    }
    take_lines(&t, NULL, 0, ret);
    for (size_t i = 0; i < t.wire.n_sessions; i++)
        take_lines(&t, t.wire.sessions[i], i + 1, ret);
    int rc = t.rc < 0 ? t.rc : t.wire.rc;
    teller_deinit(&t);
    if (rc < 0)
        story_deinit(ret);
    return rc;
}

void story_deinit(struct story *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->lines[i]);
    free(s->lines);
    *s = (struct story){0};
}

/* Beyond this the table would not fit: then line is compared with line. */
enum { MAX_TABLE = 16 << 20 };

/* Lengths of the longest common tails, row by row: len[i * (b->n + 1) + j]. */
static unsigned *measure(const struct story *a, const struct story *b)
{
    size_t w = b->n + 1;
    unsigned *len = calloc((a->n + 1) * w, sizeof *len);
    for (size_t i = a->n; len && i-- > 0;) {
        for (size_t j = b->n; j-- > 0;) {
            unsigned down = len[(i + 1) * w + j], right = len[i * w + j + 1];
            len[i * w + j] = strcmp(a->lines[i], b->lines[j]) == 0 ? len[(i + 1) * w + j + 1] + 1
                             : down > right                        ? down
                                                                   : right;
        }
    }
    return len;
}

int story_compare(const struct story *a, const struct story *b, struct buf *out)
{
    size_t i = 0, j = 0, w = b->n + 1;
    bool fits = (a->n + 1) <= MAX_TABLE / w;
    unsigned *len = fits ? measure(a, b) : NULL;
    int n = 0, rc = len || !fits ? 0 : E_NOMEM;
    while (rc == 0 && (i < a->n || j < b->n)) {
        if (i < a->n && j < b->n && strcmp(a->lines[i], b->lines[j]) == 0) {
            i++;
            j++;
            continue;
        }
        bool mine =
            j == b->n || (i < a->n && (fits ? len[(i + 1) * w + j] >= len[i * w + j + 1] : i <= j));
        rc = buf_addf(out, "%s %s\n", mine ? "-" : "+", mine ? a->lines[i++] : b->lines[j++]);
        n++;
    }
    free(len);
    return rc < 0 ? rc : n;
}
