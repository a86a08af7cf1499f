#include "conformance/monitors.h"

#include "base/err.h"
#include "json/json.h"

/* Error codes of one's own lie outside the range that JSON-RPC keeps for itself. */

static bool is_defined(int64_t code)
{
    static const int64_t codes[] = {
        -32700, -32600, -32601, -32602, -32603,
        -32800, -32000, -32002, -32022 /* v2: unsupported protocol version */};
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    const cJSON *code = json_get(m->error, "code");
    (void)state;
    if (m->kind != WIRE_RESPONSE || !cJSON_IsNumber(code))
        return;
    int64_t value = json_get_int(m->error, "code", 0);
    if (value < -32768 || value > -32000 || is_defined(value))
        return;
    struct blame b = blame_of(m, "ERR-02");
    b.pointer = "/error/code";
    watch_blame(
        w, &b,
        "the code %lld lies in the range that is reserved, and is none of those defined there",
        (long long)value);
}

static const char *const ids[] = {"ERR-02", NULL};

const struct monitor monitor_error_code = {
    .ids = ids,
    .title = "no made-up error code in the reserved range",
    .feed = feed,
};
