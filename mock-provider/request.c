/* A model call in neutral form: what every dialect has in common, around what the dialect reads. */
#include "internal.h"

#include "base/err.h"
#include "json/json.h"
#include "json/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int add(cJSON *obj, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(obj, name, item))
        return 0;
    cJSON_Delete(item);
    return E_NOMEM;
}

/* --- headers --- */

static bool is_secret(const char *name)
{
    static const char *const names[] = {
        "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

/* Keeps the scheme ("Bearer"), so that scripts can tell that a key was sent, and how. */
static cJSON *redacted(const char *value)
{
    char text[80];
    const char *space = strchr(value, ' ');
    size_t scheme = space && space - value < 32 ? (size_t)(space - value) + 1 : 0;
    snprintf(text, sizeof text, "%.*s<redacted>", (int)scheme, value);
    return cJSON_CreateString(text);
}

static int add_header(cJSON *headers, const struct httpd_header *h)
{
    char name[128];
    size_t n = strlen(h->name);
    if (n >= sizeof name)
        return 0; /* nobody matches on such a name */
    for (size_t i = 0; i <= n; i++)
        name[i] = (char)tolower((unsigned char)h->name[i]);
    return add(headers, name, is_secret(name) ? redacted(h->value) : cJSON_CreateString(h->value));
}

int request_add_headers(cJSON *neutral, const struct httpd_req *req)
{
    const struct httpd_header *list;
    size_t n = httpd_headers(req, &list);
    cJSON *headers = cJSON_AddObjectToObject(neutral, "headers");
    int rc = headers ? 0 : E_NOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_header(headers, &list[i]);
    return rc;
}

/* --- body --- */

static int read_body(const struct httpd_req *req, cJSON **ret, struct fault *fault)
{
    size_t n;
    struct json_scan scan;
    const char *body = httpd_body(req, &n);
    int rc = json_scan(body, n, &scan);
    if (rc < 0)
        return fault_set(fault, 400, "", "the body is not valid JSON: %s at byte %zu",
                         rc == E_PARSE ? scan.error_text : "nested too deep", scan.error_at);
    if (scan.lone_surrogate)
        return fault_set(fault, 400, "",
                         "the body holds half of a surrogate pair (\\ud800-\\udfff)");
    return json_parse_scanned(body, n, &scan, ret);
}

static int add_known(cJSON *neutral, const struct dialect *d, const struct httpd_req *req,
                     unsigned n)
{
    int rc = add(neutral, "dialect", cJSON_CreateString(d->name));
    if (rc == 0)
        rc = add(neutral, "n", cJSON_CreateNumber(n));
    if (rc == 0)
        rc = add(neutral, "path", cJSON_CreateString(httpd_path(req)));
    return rc < 0 ? rc : request_add_headers(neutral, req);
}

int request_read(const struct dialect *d, const struct httpd_req *req, unsigned n, cJSON **ret,
                 struct fault *fault)
{
    cJSON *neutral = cJSON_CreateObject(), *body = NULL;
    int rc = neutral ? add_known(neutral, d, req, n) : E_NOMEM;
    int verdict = rc == 0 ? read_body(req, &body, fault) : rc;
    if (verdict == 0)
        verdict = d->read(body, neutral, fault);
    if (body && add(neutral, "body", body) < 0)
        verdict = E_NOMEM;
    if (verdict < 0 && verdict != E_INVALID) {
        cJSON_Delete(neutral);
        return verdict;
    }
    *ret = neutral;
    return verdict;
}
