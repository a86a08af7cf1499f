#include "agent/mcp_env.h"

#include "agent/config.h"
#include "agent/roots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* Up to and with the "=". */
static size_t name_length(const char *entry)
{
    const char *end = strchr(entry, '=');
    return end ? (size_t)(end - entry) + 1 : strlen(entry);
}

static bool names(const char *const *list, const char *entry)
{
    size_t n = name_length(entry);
    for (size_t i = 0; list && list[i]; i++)
        if (strncmp(list[i], entry, n) == 0)
            return true;
    return false;
}

static bool is_key(const char *entry)
{
    static const char *const ends[] = {"_API_KEY=", "_AUTH_TOKEN="};
    size_t n = name_length(entry);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end_n = strlen(ends[i]);
        if (n >= end_n && strncmp(entry + n - end_n, ends[i], end_n) == 0)
            return true;
    }
    return false;
}

char **mcp_env_make(const char *const *ours, const char *const *added)
{
    size_t n = 0;
    char **list = calloc(count(ours) + count(added) + 1, sizeof *list);
    bool good = list != NULL;
    for (size_t i = 0; good && ours && ours[i]; i++)
        if (!is_key(ours[i]) && !names(added, ours[i]))
            good = (list[n++] = strdup(ours[i])) != NULL;
    for (size_t i = 0; good && added && added[i]; i++)
        good = (list[n++] = strdup(added[i])) != NULL;
    if (good)
        return list;
    roots_free(list);
    return NULL;
}
