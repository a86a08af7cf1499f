#include "conformance/redact.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>
#include <strings.h>

#define HIDDEN "***"

static bool contains(const char *name, const char *part)
{
    size_t n = strlen(part);
    for (; *name; name++)
        if (strncasecmp(name, part, n) == 0)
            return true;
    return false;
}

/* Parts of names; case does not matter. */
static bool is_secret_name(const char *name)
{
    static const char *const parts[] = {"apikey", "api_key",       "api-key",    "token", "secret",
                                        "passw",  "authorization", "credential", "cookie"};
    if (!name)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (contains(name, parts[i]))
            return true;
    return false;
}

static bool holds_pairs(const char *name)
{
    return name && (strcmp(name, "env") == 0 || strcmp(name, "headers") == 0);
}

/* The text of an environment or of headers, in both shapes: {"NAME": "x"}, {"name", "value": "x"}.
 */
static bool is_pair_value(const cJSON *item, const cJSON *parent)
{
    return !json_get(parent, "name") || (item->string && strcmp(item->string, "value") == 0);
}

static bool is_secret(const cJSON *item, const cJSON *parent, bool in_pairs)
{
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        return false;
    return is_secret_name(item->string) || (in_pairs && is_pair_value(item, parent));
}

/* Depth is bounded by the scanner. hide false: only looks. */
static bool walk(cJSON *parent, bool in_pairs, bool hide) /* NOLINT(misc-no-recursion): bounded */
{
    bool found = false;
    cJSON *item;
    cJSON_ArrayForEach(item, parent)
    {
        if (is_secret(item, parent, in_pairs)) {
            found = true;
            if (hide)
                cJSON_SetValuestring(item, HIDDEN);
        } else if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
            found |= walk(item, in_pairs || holds_pairs(item->string), hide);
        }
    }
    return found;
}

static int write_hidden(struct buf *out, const struct trace_event *e)
{
    struct trace_event copy = *e;
    copy.json = cJSON_Duplicate(e->json, true);
    int rc = copy.json ? 0 : E_NOMEM;
    if (rc == 0)
        walk(copy.json, false, true);
    copy.bytes = rc == 0 ? cJSON_PrintUnformatted(copy.json) : NULL;
    rc = copy.bytes ? 0 : E_NOMEM;
    if (rc == 0) {
        copy.n = strlen(copy.bytes);
        rc = trace_write_event(out, &copy);
    }
    cJSON_free(copy.bytes);
    cJSON_Delete(copy.json);
    return rc;
}

int redact_write_event(struct buf *out, const struct trace_event *e)
{
    return walk(e->json, false, false) ? write_hidden(out, e) : trace_write_event(out, e);
}
