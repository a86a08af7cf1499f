/*
 * Any lines from an agent, between a client's ordinary ones: the monitors have an opinion, and keep
 * it to themselves how they got there. Input: lines; the first byte of each says whose it is (A, C,
 * X, M, E, P as in tests/unit/monitor_kit.h; anything else is taken for the agent's).
 */
#include "conformance/monitor.h"
#include "mock-client/trace.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static cJSON *parse(const char *p, size_t n)
{
    cJSON *json = NULL;
    char *text = malloc(n + 1);
    if (text) {
        memcpy(text, p, n);
        text[n] = '\0';
        json_parse(text, n, &json, NULL);
    }
    free(text);
    return json;
}

static void add(struct trace *t, const char *p, size_t n, uint64_t now)
{
    char who = n > 0 ? *p : 'A';
    t->invalid_ok = who == 'X';
    if (n > 0 && strchr("ACXMEPR", who))
        p++, n--;
    if (who == 'M')
        trace_add(t, TRACE_MODEL, "request", "", 0, parse(p, n), now);
    else if (who == 'E')
        trace_add(t, TRACE_MODEL_EVENT, n % 2 ? "part" : "done", "", 0, parse(p, n), now);
    else if (who == 'P')
        trace_add(t, TRACE_PROCESS, n % 3 ? "start" : "eof-sent", "", 0, NULL, now);
    else if (who == 'R')
        trace_add(t, TRACE_CLIENT, "raw", p, n, NULL, now);
    else
        trace_add(t, who == 'C' || who == 'X' ? TRACE_CLIENT : TRACE_AGENT, n % 7 ? "line" : "rest",
                  p, n, NULL, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace trace;
    struct watch watch;
    const char *p = (const char *)data, *end = p + size;
    uint64_t now = 0;
    size_t fed = 0;
    trace_init(&trace, 0);
    if (watch_init(&watch, 1000) == 0) {
        while (p < end) {
            const char *lf = memchr(p, '\n', (size_t)(end - p));
            size_t n = (size_t)((lf ? lf : end) - p);
            add(&trace, p, n, now += 100000);
            for (; fed < trace.n; fed++)
                watch_feed(&watch, trace.events[fed]);
            p += n + (lf != NULL);
        }
        watch_ending(&watch, now / 1000 + 10000);
        watch_end(&watch);
    }
    watch_deinit(&watch);
    trace_deinit(&trace);
    return 0;
}
