#include "conformance/monitors.h"

#include "base/err.h"
#include "base/utf8.h"

#include <string.h>

/*
 * The message stream is lines of UTF-8, each one JSON object. What does not parse is kept for a
 * while: lines that parse once they are joined are one message with raw newlines in it (TRANS-02),
 * which is another fault than chatter between messages (TRANS-04, TRANS-05).
 */
enum { JOIN_LINES = 200 };

struct frame {
    struct buf joined;               /* lines since `first`, newlines replaced by spaces */
    const struct trace_event *first; /* NULL: nothing is pending */
    unsigned lines;
};

static void blame_chatter(struct watch *w, const struct trace_event *e)
{
    struct blame b = {
        .id = e->side == TRACE_AGENT ? "TRANS-04" : "TRANS-05", .side = e->side, .event = e};
    if (e->parse_rc == 0)
        watch_blame(w, &b, "a line that is no JSON object on the message stream");
    else
        watch_blame(w, &b, "a line that is not JSON on the message stream: %s at byte %zu",
                    e->scan.error_text, e->scan.error_at);
}

static void drop_pending(struct frame *f)
{
    f->first = NULL;
    f->joined.n = 0;
    f->lines = 0;
}

/* What was pending is no message after all. */
static void give_up(struct watch *w, struct frame *f)
{
    if (f->first)
        blame_chatter(w, f->first);
    drop_pending(f);
}

static bool ends_early(const struct json_scan *scan, size_t n)
{
    return scan->error_at >= n;
}

static void join(struct watch *w, struct frame *f, const struct trace_event *e)
{
    struct json_scan scan;
    if (!f->first && (e->bytes[0] != '{' || !ends_early(&e->scan, e->n))) {
        blame_chatter(w, e);
        return;
    }
    f->first = f->first ? f->first : e;
    if (buf_add(&f->joined, e->bytes, e->n) < 0 || buf_addc(&f->joined, ' ') < 0) {
        w->rc = E_NOMEM;
        return;
    }
    int rc = json_scan(f->joined.p, f->joined.n, &scan);
    if (rc == 0) {
        struct blame b = {.id = "TRANS-02", .side = e->side, .event = f->first};
        watch_blame(w, &b, "one message is spread over %u lines", f->lines + 1);
        drop_pending(f);
    } else if (rc != E_PARSE || !ends_early(&scan, f->joined.n) || ++f->lines > JOIN_LINES) {
        give_up(w, f);
    }
}

/* True if nothing more is to be said about the bytes. */
static bool judge_bytes(struct watch *w, const struct trace_event *e)
{
    struct blame b = {.id = "TRANS-01", .side = e->side, .event = e};
    size_t valid = utf8_valid_prefix(e->bytes, e->n);
    if (valid < e->n) {
        watch_blame(w, &b, "byte %zu of the line (0x%02x) is not UTF-8", valid,
                    (unsigned char)e->bytes[valid]);
        return true;
    }
    if (e->n >= 3 && memcmp(e->bytes, "\xef\xbb\xbf", 3) == 0) {
        b.at_most = VERDICT_INFO;
        watch_blame(w, &b, "the line begins with a byte order mark");
        return true;
    }
    b.at_most = VERDICT_INFO;
    if (e->parse_rc == 0 && e->scan.lone_surrogate)
        watch_blame(w, &b, "a string holds half of a surrogate pair");
    return false;
}

/* Bytes behind the last LF: an unfinished message may have been cut by a kill, anything else is
 * chatter. */
static void judge_rest(struct watch *w, const struct trace_event *e)
{
    if (e->parse_rc != 0 && e->bytes[0] != '{') {
        blame_chatter(w, e);
    } else if (e->parse_rc == 0) {
        struct blame b = {.id = "TRANS-03", .at_most = VERDICT_INFO, .side = e->side, .event = e};
        watch_blame(w, &b, "the last message ends without a line feed");
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    struct frame *f = state;
    const struct trace_event *e = m->e;
    if (e->side == TRACE_AGENT && strcmp(e->kind, "rest") == 0)
        judge_rest(w, e);
    bool wire = e->side == TRACE_AGENT || (e->side == TRACE_CLIENT && !e->invalid_ok);
    if (!wire || strcmp(e->kind, "line") != 0 || judge_bytes(w, e))
        return;
    if (e->parse_rc == E_PARSE) {
        join(w, f, e);
        return;
    }
    give_up(w, f);
    if (e->parse_rc != 0 || e->scan.kind == JSON_KIND_OBJECT)
        return;
    if (e->scan.kind != JSON_KIND_ARRAY)
        blame_chatter(w, e);
    else if (!w->wire.arrays_sent) {
        struct blame b = blame_of(m, "TRANS-11");
        watch_blame(w, &b, "a line holds an array: v1 has no batches");
    }
}

static void end(struct watch *w, void *state)
{
    give_up(w, state);
}

static void deinit(void *state)
{
    struct frame *f = state;
    buf_deinit(&f->joined);
}

static const char *const ids[] = {"TRANS-01", "TRANS-02", "TRANS-03", "TRANS-04",
                                  "TRANS-05", "TRANS-11", NULL};

const struct monitor monitor_frame = {
    .ids = ids,
    .title = "every line is one JSON object in UTF-8",
    .state_n = sizeof(struct frame),
    .feed = feed,
    .end = end,
    .deinit = deinit,
};
