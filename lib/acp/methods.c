#include "acp/methods.h"

#include <string.h>

#define AGENT        ACP_TO_AGENT
#define CLIENT       ACP_TO_CLIENT
#define BOTH         ACP_TO_BOTH
#define REQUEST      0
#define NOTIFICATION 1
const struct acp_method_info acp_methods[ACP_METHOD_COUNT] = {
#define ACP_METHOD(id, name, receiver, kind, gate) [ACP_##id] = {name, receiver, kind, gate},
#include "acp/methods.def"
#undef ACP_METHOD
};

enum acp_method acp_method_find(const char *name)
{
    int i = 0;
    while (name && i < ACP_METHOD_COUNT && strcmp(acp_methods[i].name, name) != 0)
        i++;
    return name ? (enum acp_method)i : ACP_METHOD_UNKNOWN;
}

static const char *name_of(const char *const *names, int n, int v)
{
    return v >= 0 && v < n ? names[v] : NULL;
}

static int find_in(const char *const *names, int n, const char *text)
{
    for (int i = 0; text && i < n; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

#define ACP_ENUM_BEGIN(set, prefix, def, tag) static const char *const set##_names[] = {
#define ACP_ENUM_VALUE(set, id, text)         [ACP_##id] = text,
#define ACP_ENUM_END(set, prefix)                                                                  \
    }                                                                                              \
    ;                                                                                              \
    const char *acp_##set##_name(enum acp_##set v)                                                 \
    {                                                                                              \
        return name_of(set##_names, ACP_##prefix##_COUNT, (int)v);                                 \
    }                                                                                              \
    int acp_##set##_find(const char *text)                                                         \
    {                                                                                              \
        return find_in(set##_names, ACP_##prefix##_COUNT, text);                                   \
    }
#include "acp/enums.def"
