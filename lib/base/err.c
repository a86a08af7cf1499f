#include "base/err.h"

#include <limits.h>
#include <string.h>

/* libuv's codes that are no negated errno; base knows the numbers but not the library. */
#define UV_ONLY_LIST(X)                                                                            \
    X(-4095, "end of file")                                                                        \
    X(-4094, "unknown error")                                                                      \
    X(-4080, "invalid Unicode character")                                                          \
    X(-3001, "temporary failure in name resolution")                                               \
    X(-3004, "permanent failure in name resolution")                                               \
    X(-3007, "no address for this host name")                                                      \
    X(-3008, "unknown host or service name")

const char *err_text(int code)
{
    switch (code) {
#define X(name, value, text)                                                                       \
    case value:                                                                                    \
        return text;
        ERR_LIST(X)
#undef X
#define X(value, text)                                                                             \
    case value:                                                                                    \
        return text;
        UV_ONLY_LIST(X)
#undef X
    default:
        return code >= 0 ? "success" : strerror(code == INT_MIN ? INT_MAX : -code);
    }
}
