#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

/*
 * One space of error numbers for the whole project: 0 or positive is success, negative is failure.
 * libuv's own codes (-4096 < e < 0) pass through unchanged; ours lie below -5000 so the two never
 * collide.
 */
#define ERR_LIST(X)                                                                                \
    X(E_NOMEM, -5001, "out of memory")                                                             \
    X(E_INVALID, -5002, "invalid value")                                                           \
    X(E_TOOBIG, -5003, "too big")                                                                  \
    X(E_CLOSED, -5004, "closed")                                                                   \
    X(E_CANCELLED, -5005, "cancelled")                                                             \
    X(E_TIMEOUT, -5006, "timed out")                                                               \
    X(E_NOTFOUND, -5007, "not found")                                                              \
    X(E_EXISTS, -5008, "already there")                                                            \
    X(E_STATE, -5009, "not allowed in this state")                                                 \
    X(E_PARSE, -5010, "syntax error")                                                              \
    X(E_PROTOCOL, -5011, "protocol violation")                                                     \
    X(E_IO, -5012, "input/output error")                                                           \
    X(E_UNSUPPORTED, -5013, "not supported")

enum err {
#define X(name, value, text) name = (value),
    ERR_LIST(X)
#undef X
};

/* A short text for any code of the space, libuv's included ("Unknown error 4000" at worst). The
 * result is static or lent until the next call. */
const char *err_text(int code);

#define ARRAY_LEN(a)                    (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#endif
