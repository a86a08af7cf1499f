#ifndef CONFORMANCE_MONITORS_H
#define CONFORMANCE_MONITORS_H

#include "conformance/monitor.h"

/* Every monitor there is, one row each; mon_<name>.c defines monitor_<name>. */
#define MONITORS(X)                                                                                \
    X(frame)                                                                                       \
    X(message)                                                                                     \
    X(answer)                                                                                      \
    X(schema)                                                                                      \
    X(names)                                                                                       \
    X(session)                                                                                     \
    X(turn)                                                                                        \
    X(tool)                                                                                        \
    X(permission)                                                                                  \
    X(gate)                                                                                        \
    X(path)                                                                                        \
    X(terminal)                                                                                    \
    X(text)                                                                                        \
    X(error_code)                                                                                  \
    X(option)                                                                                      \
    X(usage)                                                                                       \
    X(message_id)                                                                                  \
    X(compaction)                                                                                  \
    X(value)                                                                                       \
    X(elicitation)                                                                                 \
    X(announce)

#define X(name) extern const struct monitor monitor_##name;
MONITORS(X)
#undef X

#endif
