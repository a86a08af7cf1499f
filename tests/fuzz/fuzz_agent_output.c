/*
 * Any bytes as an agent's stdout, in cuts of any size (the first byte says which): no byte is lost
 * or invented, every event can be written to a trace file, every request can be answered.
 */
#include "base/buf.h"
#include "base/err.h"
#include "mock-client/lines.h"
#include "mock-client/policy.h"
#include "mock-client/trace.h"
#include "json/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void must_be_json(struct buf *text, const char *what)
{
    struct json_scan scan;
    must(json_scan(text->p, text->n, &scan) == 0, what);
    must(!memchr(text->p, '\n', text->n), "one line");
    text->n = 0;
}

static void answer(const struct trace_event *e)
{
    struct buf out = {0};
    if (cJSON_IsObject(e->json) && e->scan.id.kind != JSON_KIND_NONE) {
        must(policy_answer(NULL, e->json, e->scan.id, &out) == POLICY_ANSWER, "an answer");
        must_be_json(&out, "an answer is JSON");
    }
    must(trace_write_event(&out, e) == 0, "an event can be written");
    must_be_json(&out, "an event is JSON");
    buf_deinit(&out);
}

/* What the lines are, put together again; lines over the limit are left out on both sides. */
static void take_lines(struct lines *d, struct trace *t, struct buf *again)
{
    char *p;
    size_t n;
    int rc;
    while ((rc = lines_next(d, &p, &n)) != 0) {
        const char *kind = rc < 0 ? "too-long" : "line";
        const struct trace_event *e = trace_add(t, TRACE_AGENT, kind, p, n, NULL, 0);
        must(e != NULL, "memory");
        must(rc == 1 ? n <= MAX_LINE : n == MAX_LINE, "the limit");
        answer(e);
        if (rc == 1)
            must(buf_add(again, p, n) == 0 && buf_addc(again, '\n') == 0, "memory");
    }
}

static void expected(const char *p, size_t n, struct buf *out)
{
    for (const char *end = p + n, *nl; p < end; p = nl + 1) {
        nl = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((nl ? nl : end) - p);
        if (len <= MAX_LINE)
            must(buf_add(out, p, nl ? len + 1 : len) == 0, "memory");
        if (!nl)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *p = (const char *)data + 1;
    size_t n = size - 1, step = data[0] ? data[0] : 1, rest_n;
    struct buf again = {0}, want = {0};
    struct lines d;
    struct trace t;
    char *rest;
    lines_init(&d, MAX_LINE);
    trace_init(&t, 0);
    for (size_t at = 0; at < n; at += step) {
        must(lines_feed(&d, p + at, n - at < step ? n - at : step) == 0, "memory");
        take_lines(&d, &t, &again);
    }
    if (lines_rest(&d, &rest, &rest_n) == 1) {
        answer(trace_add(&t, TRACE_AGENT, "rest", rest, rest_n, NULL, 0));
        must(buf_add(&again, rest, rest_n) == 0, "memory");
    }
    expected(p, n, &want);
    must(again.n == want.n && (!want.n || !memcmp(again.p, want.p, want.n)), "nothing is lost");
    buf_deinit(&again);
    buf_deinit(&want);
    lines_deinit(&d);
    trace_deinit(&t);
    return 0;
}
