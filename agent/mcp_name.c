#include "agent/mcp_name.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HASH_N 9 /* "_" and eight digits */

/* FNV-1a */
static uint32_t hash(uint32_t h, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        h = (h ^ *p) * 16777619u;
    return h;
}

/* What does not fit is left out. */
static size_t add(char *to, size_t n, const char *text)
{
    for (; *text && n < MCP_NAME_MAX; text++) {
        bool plain = isalnum((unsigned char)*text) || *text == '-' || *text == '_';
        to[n++] = *text;
        if (!plain)
            to[n - 1] = '_';
    }
    return n;
}

void mcp_name_make(const char *server, const char *tool, bool hashed, char ret[MCP_NAME_MAX + 1])
{
    size_t whole = strlen("mcp__") + strlen(server) + strlen("__") + strlen(tool);
    size_t n = add(ret, add(ret, add(ret, add(ret, 0, "mcp__"), server), "__"), tool);
    if (hashed || whole > MCP_NAME_MAX) {
        uint32_t h = hash(hash(hash(2166136261u, server), "/"), tool);
        n = n > MCP_NAME_MAX - HASH_N ? MCP_NAME_MAX - HASH_N : n;
        n += (size_t)snprintf(ret + n, HASH_N + 1, "_%08x", h);
    }
    ret[n] = '\0';
}
