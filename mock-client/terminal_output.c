#include "mock-client/terminal_int.h"

#include "mock-client/response.h"

#include "base/err.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct waiter {
    struct list node;
    const struct trace_event *request;
};

/* ---- output ------------------------------------------------------------------------------------
 */

/* Twice of what is kept, so that a byte is moved once at most. */
void terminal_print(struct terminal *term, const char *bytes, size_t n)
{
    size_t keep = term->limit < TERMINAL_KEEP ? term->limit : TERMINAL_KEEP;
    if (buf_add(&term->out, bytes, n) < 0) {
        term->all->error = E_NOMEM;
        return;
    }
    if (term->out.n > 2 * keep + 4) {
        buf_consume(&term->out, term->out.n - keep - 4); /* a cut character is dropped later */
        term->cut = true;
    }
}

/* Where the part that fits the limit begins: at a character. */
static size_t fitting(const struct buf *text, size_t limit)
{
    size_t from = text->n > limit ? text->n - limit : 0;
    while (from > 0 && from < text->n && ((unsigned char)text->p[from] & 0xc0) == 0x80)
        from++;
    return from;
}

/* Skips the rest of a character whose beginning was dropped. */
static size_t whole_from(const struct terminal *term)
{
    size_t at = 0;
    while (term->cut && at < term->out.n && at < 3 &&
           ((unsigned char)term->out.p[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Valid text; a character that is still being printed waits. */
static int make_text(const struct terminal *term, struct buf *text)
{
    size_t from = whole_from(term), n = term->out.n - from;
    const char *p = term->out.p ? term->out.p + from : "";
    if (!term->over)
        n -= utf8_incomplete_tail(p, n);
    return utf8_append_repaired(text, p, n);
}

static void write_status(struct jsonw *w, const struct terminal *term)
{
    if (term->signal[0]) {
        jw_key(w, "exitCode");
        jw_null(w);
        jw_kstr(w, "signal", term->signal);
    } else {
        jw_kint(w, "exitCode", term->code);
        jw_kstr(w, "signal", NULL);
    }
}

int terminal_write_output(struct terminal *term, struct json_slice id, struct buf *out)
{
    struct jsonw w;
    struct buf text = {0};
    int rc = make_text(term, &text);
    if (rc < 0) {
        buf_deinit(&text);
        return rc;
    }
    size_t from = fitting(&text, term->limit);
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    jw_key(&w, "output");
    jw_str(&w, text.p ? text.p + from : "", text.n - from);
    jw_kbool(&w, "truncated", term->cut || from > 0);
    if (term->over) {
        jw_kopen(&w, "exitStatus", '{');
        write_status(&w, term);
        jw_close(&w);
    }
    jw_close(&w);
    buf_deinit(&text);
    return response_end(&w);
}

int terminal_write_exit(const struct terminal *term, struct json_slice id, struct buf *out)
{
    struct jsonw w;
    response_begin(&w, out, id);
    jw_kopen(&w, "result", '{');
    write_status(&w, term);
    jw_close(&w);
    return response_end(&w);
}

/* ---- waiting -----------------------------------------------------------------------------------
 */

int terminal_add_waiter(struct terminal *term, const struct trace_event *request)
{
    struct waiter *waiter = calloc(1, sizeof *waiter);
    if (!waiter)
        return E_NOMEM;
    waiter->request = request;
    list_append(&term->waiters, &waiter->node);
    return 0;
}

static const struct trace_event *next_waiter(struct terminal *term)
{
    if (list_empty(&term->waiters))
        return NULL;
    struct waiter *waiter = CONTAINER_OF(term->waiters.next, struct waiter, node);
    const struct trace_event *request = waiter->request;
    list_remove(&waiter->node);
    free(waiter);
    return request;
}

void terminal_drop_waiters(struct terminal *term)
{
    while (next_waiter(term))
        ;
}

void terminal_end(struct terminal *term, int64_t code, const char *signal)
{
    struct terminals *t = term->all;
    const struct trace_event *request;
    term->over = true;
    term->code = code;
    strncpy(term->signal, signal, sizeof term->signal - 1);
    while (!t->closing && (request = next_waiter(term)) != NULL) {
        struct buf line = {0};
        if (terminal_write_exit(term, request->scan.id, &line) < 0)
            t->error = E_NOMEM;
        else
            t->ops->answer(t->ctx, request, &line);
        buf_deinit(&line);
    }
    terminals_look(t);
}
