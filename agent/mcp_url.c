#include "agent/mcp_url.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Of "http://host:1/path" the length up to the path. 0: it is no such URL. */
static size_t origin_length(const char *url)
{
    size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
                    : strncasecmp(url, "https://", 8) == 0 ? 8
                                                           : 0;
    size_t host = scheme ? strcspn(url + scheme, "/?#") : 0;
    return host ? scheme + host : 0;
}

/* Up to and with the last slash of the path. */
static size_t folder_length(const char *url, size_t origin)
{
    size_t end = origin + strcspn(url + origin, "?#");
    while (end > origin && url[end - 1] != '/')
        end--;
    return end;
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 127)
            return false;
    return true;
}

int mcp_url_resolve(const char *base, const char *reference, char **ret)
{
    struct buf url = {0};
    size_t origin = origin_length(base), own = origin_length(reference), keep = origin;
    bool whole = strstr(reference, "://") != NULL && strcspn(reference, "/?#") > 0 &&
                 strcspn(reference, ":") < strcspn(reference, "/?#");
    if (!origin || !*reference || !is_plain(reference) || strncmp(reference, "//", 2) == 0)
        return E_INVALID;
    if (whole && (own != origin || strncasecmp(base, reference, origin) != 0))
        return E_INVALID;
    if (whole)
        keep = 0;
    else if (*reference != '/')
        keep = folder_length(base, origin);
    int rc = buf_add(&url, base, keep);
    if (rc == 0 && !whole && keep == origin && *reference != '/')
        rc = buf_addc(&url, '/');
    if (rc == 0)
        rc = buf_adds(&url, reference);
    *ret = rc == 0 ? buf_take(&url) : NULL;
    buf_deinit(&url);
    return *ret ? 0 : E_NOMEM;
}
