#include "conformance/monitors.h"

#include "acp/methods.h"
#include "conformance/official.h"

#include <string.h>

/* Nobody makes up method names without an underscore. */

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if ((m->kind != WIRE_REQUEST && m->kind != WIRE_NOTIFICATION) || m->method[0] == '_' ||
        strncmp(m->method, "$/", 2) == 0 || acp_method_find(m->method) != ACP_METHOD_UNKNOWN)
        return;
    struct blame b = blame_of(m, "EXT-12");
    b.pointer = "/method";
    b.at_most = official_method(m->method) ? VERDICT_INFO : VERDICT_WARN;
    watch_blame(w, &b,
                "the method \"%.80s\" is no method of ACP v1 and does not begin with an underscore",
                m->method);
}

static const char *const ids[] = {"EXT-12", NULL};

const struct monitor monitor_names = {
    .ids = ids,
    .title = "no made-up method without an underscore",
    .feed = feed,
};
