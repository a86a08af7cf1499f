#include "base/err.h"
#include "http/fetch_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int fetch_where(const char *url, struct buf *out)
{
    const char *scheme_end = strstr(url, "://");
    const char *host = scheme_end ? scheme_end + 3 : url;
    size_t n = strcspn(host, "/?#");
    const char *at = host;
    for (size_t i = 0; i < n; i++)
        if (host[i] == '@')
            at = host + i + 1;
    n -= (size_t)(at - host);
    return buf_add(out, at, n) < 0 || !buf_cstr(out) ? E_NOMEM : 0;
}

static const char *why_not_connected(int os_errno)
{
    return os_errno ? strerror(os_errno) : "no route to it";
}

static int explain_connect(struct fetch_req *r)
{
    long os_errno = 0;
    r->f->curl.easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &os_errno);
    if (os_errno == ECONNREFUSED)
        snprintf(r->text, sizeof r->text, "connection refused by %s (is the server running?)",
                 r->where.p);
    else
        snprintf(r->text, sizeof r->text, "cannot connect to %s: %s", r->where.p,
                 why_not_connected((int)os_errno));
    return E_IO;
}

static int explain_lost(struct fetch_req *r)
{
    snprintf(r->text, sizeof r->text, "%s closed the connection %s", r->where.p,
             r->head_done ? "in the middle of the answer" : "before it answered");
    return E_IO;
}

static int explain_other(struct fetch_req *r, CURLcode code)
{
    snprintf(r->text, sizeof r->text, "request to %s failed: %s", r->where.p,
             r->f->curl.easy_strerror(code));
    return E_IO;
}

/* Only codes whose own text by libcurl would not help, or that have a code of their own. */
static int explain_code(struct fetch_req *r, CURLcode code)
{
    size_t n = sizeof r->text;
    switch ((int)code) {
    case CURLE_OK:
        return 0;
    case CURLE_URL_MALFORMAT:
        snprintf(r->text, n, "the address with %s is not a valid URL", r->where.p);
        return E_INVALID;
    case CURLE_COULDNT_RESOLVE_HOST:
        snprintf(r->text, n, "host of %s not found (check the address and the network)",
                 r->where.p);
        return E_IO;
    case CURLE_COULDNT_RESOLVE_PROXY:
        snprintf(r->text, n, "proxy for %s not found (check https_proxy and http_proxy)",
                 r->where.p);
        return E_IO;
    case CURLE_COULDNT_CONNECT:
        return explain_connect(r);
    case CURLE_OPERATION_TIMEDOUT:
        snprintf(r->text, n, "no connection to %s within %llu ms", r->where.p,
                 (unsigned long long)r->connect_ms);
        return E_TIMEOUT;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        return explain_lost(r);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* the URL's was checked; so this is about the answer */
        snprintf(r->text, n, "%s answered with something that is not HTTP", r->where.p);
        return E_PROTOCOL;
    case CURLE_WRITE_ERROR:
        snprintf(r->text, n, "the headers of the answer of %s: %s", r->where.p, err_text(r->fault));
        return r->fault;
    case CURLE_OUT_OF_MEMORY:
        snprintf(r->text, n, "%s", err_text(E_NOMEM));
        return E_NOMEM;
    default:
        return explain_other(r, code);
    }
}

struct fetch_result fetch_explain(struct fetch_req *r, CURLcode code)
{
    struct fetch_result result = {.status = r->status, .text = r->text};
    if (r->cancelled) {
        result.rc = E_CANCELLED;
        snprintf(r->text, sizeof r->text, "request to %s cancelled", r->where.p);
    } else if (r->idle_ended) {
        result.rc = E_TIMEOUT;
        snprintf(r->text, sizeof r->text, "%s sent nothing for %llu ms", r->where.p,
                 (unsigned long long)r->idle_ms);
    } else {
        result.rc = explain_code(r, code);
    }
    return result;
}
