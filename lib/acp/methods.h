#ifndef ACP_METHODS_H
#define ACP_METHODS_H

/*
 * Every method of stable ACP v1 and every closed enum, once (methods.def, enums.def).
 *   ACP_METHOD(ID, "wire/name", receiver AGENT|CLIENT|BOTH, kind REQUEST|NOTIFICATION, "gate")
 * gate: the capability that must be advertised first, as a dotted path below agentCapabilities or
 * clientCapabilities; "" for the baseline.
 */

enum acp_method {
#define ACP_METHOD(id, name, receiver, kind, gate) ACP_##id,
#include "acp/methods.def"
#undef ACP_METHOD
    ACP_METHOD_COUNT,
    ACP_METHOD_UNKNOWN = ACP_METHOD_COUNT
};

enum acp_receiver { ACP_TO_AGENT = 1, ACP_TO_CLIENT = 2, ACP_TO_BOTH = 3 };

struct acp_method_info {
    const char *name;
    enum acp_receiver receiver;
    int is_notification;
    const char *gate;
};

extern const struct acp_method_info acp_methods[ACP_METHOD_COUNT];

/* The method of that wire name, ACP_METHOD_UNKNOWN if none (name may be NULL). */
enum acp_method acp_method_find(const char *name);

/* ACP's own error codes beside JSON-RPC's (ERR-04). */
enum acp_code {
    ACP_REQUEST_CANCELLED = -32800,
    ACP_AUTH_REQUIRED = -32000,
    ACP_RESOURCE_NOT_FOUND = -32002
};

/*
 * One enum per closed set of enums.def:
 *   ACP_ENUM_BEGIN(stop_reason, STOP, "StopReason", "")
 *   ACP_ENUM_VALUE(stop_reason, STOP_END_TURN, "end_turn") ...
 *   ACP_ENUM_END(stop_reason, STOP)
 * gives enum acp_stop_reason {ACP_STOP_END_TURN, ...}, ACP_STOP_COUNT (outside the enum, so that a
 * switch needs no case for it), acp_stop_reason_name(v) (NULL if v is none) and
 * acp_stop_reason_find(text) (-1 if unknown; text may be NULL). The texts name the schema's
 * definition and, for a union of objects, the member that tells its branches apart.
 */
#define ACP_ENUM_BEGIN(set, prefix, def, tag)                                                      \
    enum acp_##set                                                                                 \
    {
#define ACP_ENUM_VALUE(set, id, text) ACP_##id,
#define ACP_ENUM_END(set, prefix)                                                                  \
    }                                                                                              \
    ;                                                                                              \
    const char *acp_##set##_name(enum acp_##set v);                                                \
    int acp_##set##_find(const char *text);
#include "acp/enums.def"
#undef ACP_ENUM_BEGIN
#undef ACP_ENUM_VALUE
#undef ACP_ENUM_END

#define ACP_ENUM_BEGIN(set, prefix, def, tag) enum { ACP_##prefix##_COUNT = 0
#define ACP_ENUM_VALUE(set, id, text)         +1
#define ACP_ENUM_END(set, prefix)                                                                  \
    }                                                                                              \
    ;
#include "acp/enums.def"
#undef ACP_ENUM_BEGIN
#undef ACP_ENUM_VALUE
#undef ACP_ENUM_END

#endif
