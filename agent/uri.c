#include "agent/uri.h"

#include "base/err.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex(char c)
{
    if (!isxdigit((unsigned char)c))
        return -1;
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Decodes in place. False if a byte would be NUL. */
static bool decode(char *s)
{
    char *to = s;
    for (; *s; s++) {
        int high = *s == '%' ? hex(s[1]) : -1;
        int low = high >= 0 ? hex(s[2]) : -1;
        if (low >= 0) {
            *to = (char)(high << 4 | low);
            s += 2;
        } else {
            *to = *s;
        }
        if (*to++ == '\0')
            return false;
    }
    *to = '\0';
    return true;
}

/* Skips "file://" and the host, which must be this one. NULL: no file URI. */
static const char *skip_authority(const char *uri)
{
    if (strncasecmp(uri, "file:", 5) != 0)
        return NULL;
    uri += 5;
    if (strncmp(uri, "//", 2) != 0)
        return *uri == '/' ? uri : NULL;
    uri += 2;
    if (strncasecmp(uri, "localhost/", 10) == 0)
        uri += 9;
    return *uri == '/' ? uri : NULL;
}

int uri_to_path(const char *uri, char **ret)
{
    const char *start = *uri == '/' ? uri : skip_authority(uri);
    if (!start)
        return E_INVALID;
    size_t n = start == uri ? strlen(start) : strcspn(start, "?#");
    char *path = strndup(start, n);
    if (!path)
        return E_NOMEM;
    if (start != uri && !decode(path)) {
        free(path);
        return E_INVALID;
    }
    *ret = path;
    return 0;
}
