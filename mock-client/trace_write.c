#include "mock-client/base64.h"
#include "mock-client/trace.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "json/jsonw.h"

#include <string.h>

/* The text of the message without the white space around it; a message that was written over
 * several lines would break the trace file's own lines and is written as text. */
static bool is_one_line(const struct trace_event *e, struct json_slice *ret)
{
    const char *p = e->bytes;
    size_t n = e->n;
    while (n && strchr(" \t\r\n", p[n - 1]))
        n--;
    *ret = (struct json_slice){.p = p, .n = n};
    return e->parse_rc == 0 && n && !memchr(p, '\n', n) && !memchr(p, '\r', n);
}

static int write_bytes(struct jsonw *w, const struct trace_event *e)
{
    struct buf text = {0};
    if (utf8_valid_prefix(e->bytes, e->n) == e->n) {
        jw_key(w, "text");
        jw_str(w, e->bytes, e->n);
        return 0;
    }
    int rc = base64_encode(&text, e->bytes, e->n);
    if (rc == 0) {
        jw_key(w, "base64");
        jw_str(w, text.p, text.n);
    }
    buf_deinit(&text);
    return rc;
}

static int write_content(struct jsonw *w, const struct trace_event *e)
{
    struct json_slice line;
    if (strcmp(e->kind, "raw") == 0)
        return write_bytes(w, e); /* each byte counts, line ends too */
    if (is_one_line(e, &line)) {
        jw_key(w, "message");
        jw_raw(w, line.p, line.n);
        return 0;
    }
    if (e->json) {
        jw_ktree(w, "message", e->json);
        return 0;
    }
    return write_bytes(w, e);
}

int trace_write_event(struct buf *out, const struct trace_event *e)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kint(&w, "seq", (int64_t)e->seq);
    jw_key(&w, "t");
    jw_double(&w, (double)e->t_us / 1000.0);
    jw_kstr(&w, "side", trace_side_name(e->side));
    jw_kstr(&w, "kind", e->kind);
    jw_kint(&w, "step", e->step);
    if (e->agent)
        jw_kstr(&w, "agent", e->agent);
    if (e->invalid_ok)
        jw_kbool(&w, "invalid", true);
    int rc = write_content(&w, e);
    jw_close(&w);
    int end = jw_end(&w);
    return rc < 0 ? rc : end;
}
