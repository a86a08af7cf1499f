#include "conformance/facts.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/profile.h"
#include "conformance/wire.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------
 */

struct reading {
    struct facts *facts;
    int rc;
};

static void keep(struct reading *r, cJSON **to, const cJSON *value)
{
    if (!value || *to)
        return;
    *to = cJSON_Duplicate(value, true);
    if (!*to)
        r->rc = E_NOMEM;
}

static void on_message(void *ctx, const struct wire_msg *m)
{
    struct reading *r = ctx;
    if (m->kind != WIRE_RESPONSE || !m->call || m->e->side != TRACE_AGENT)
        return;
    if (strcmp(m->call->method, "initialize") == 0)
        keep(r, &r->facts->initialize, m->result);
    if (strcmp(m->call->method, "session/new") != 0)
        return;
    keep(r, &r->facts->session, m->result);
    r->facts->auth_needed |= json_get_int(m->error, "code", 0) == -32000;
}

int facts_read(struct facts *f, const struct trace *trace)
{
    struct wire wire = {0};
    struct reading r = {f, 0};
    for (size_t i = 0; i < trace->n; i++)
        wire_feed(&wire, trace->events[i], on_message, &r);
    int rc = wire.rc < 0 ? wire.rc : r.rc;
    wire_deinit(&wire);
    return rc;
}

void facts_deinit(struct facts *f)
{
    cJSON_Delete(f->initialize);
    cJSON_Delete(f->session);
    *f = (struct facts){0};
}

bool facts_other_version(const struct facts *f)
{
    const cJSON *version = json_get(f->initialize, "protocolVersion");
    return cJSON_IsNumber(version) && version->valueint != 1;
}

/* ---- needs --------------------------------------------------------------------------------------
 */

static bool has_capability(const struct facts *f, const char *path)
{
    const cJSON *v = json_get(f->initialize, "agentCapabilities");
    while (*path && v) {
        char name[96];
        size_t n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        v = json_get(v, name);
        path += n + (path[n] == '.');
    }
    return cJSON_IsTrue(v) || cJSON_IsObject(v);
}

/* An agent-handled login is one without type, or of a type other than terminal. */
static bool has_agent_login(const struct facts *f)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, json_get(f->initialize, "authMethods"))
    {
        const char *type = json_get_str(m, "type");
        if (!type || strcmp(type, "terminal") != 0)
            return true;
    }
    return false;
}

struct asked {
    const struct facts *facts;
    const struct profile *profile;
    char *text;
    size_t n;
};

static const char *refuse(const struct asked *a, const char *code, const char *what,
                          const char *name)
{
    snprintf(a->text, a->n, "%s%s", what, name);
    return code;
}

static const char *unmet(const struct asked *a, const char *need)
{
    const struct facts *f = a->facts;
    if (strncmp(need, "intent:", 7) == 0 && !profile_has_intent(a->profile, need + 7))
        return refuse(a, "intent", "the profile names no tool of the agent for the intent ",
                      need + 7);
    if (strncmp(need, "profile:", 8) == 0 && !profile_provides(a->profile, need + 8))
        return refuse(a, "profile", "the profile does not provide ", need + 8);
    if (strncmp(need, "cap:", 4) == 0 && !has_capability(f, need + 4))
        return refuse(a, "capability", "the agent does not advertise ", need + 4);
    if (strncmp(need, "no-cap:", 7) == 0 && has_capability(f, need + 7))
        return refuse(a, "capability", "the agent advertises ", need + 7);
    if (strcmp(need, "auth:none") == 0 &&
        cJSON_GetArraySize(json_get(f->initialize, "authMethods")) > 0)
        return refuse(a, "auth", "the agent has login methods", "");
    if (strcmp(need, "auth:agent") == 0 && !has_agent_login(f))
        return refuse(a, "auth", "the agent has no login method that it handles itself", "");
    bool member = strcmp(need, "modes") == 0 || strcmp(need, "configOptions") == 0;
    if (member && (!json_get(f->session, need) || cJSON_IsNull(json_get(f->session, need))))
        return refuse(a, "capability", "the agent's sessions carry no ", need);
    return NULL;
}

static bool opens_session(const cJSON *steps)
{
    const cJSON *step;
    cJSON_ArrayForEach(step, steps)
    {
        if ((json_get(step, "session") && !json_get(step, "prompt")) ||
            opens_session(json_get(step, "batch")))
            return true;
    }
    return false;
}

const char *facts_skip(const struct facts *f, const struct profile *p, struct case_file *c,
                       char *text, size_t n)
{
    struct asked a = {f, p, text, n};
    char err[64];
    const cJSON *root = case_json(c, err, sizeof err), *need;
    const char *code = NULL;
    if (facts_other_version(f))
        return refuse(&a, "version", "the agent speaks another version of the protocol than 1", "");
    cJSON_ArrayForEach(need, json_get(root, "needs"))
    {
        code = cJSON_IsString(need) ? unmet(&a, need->valuestring) : NULL;
        if (code)
            return code;
    }
    if (f->auth_needed && opens_session(json_get(root, "steps")))
        return refuse(&a, "auth", "the agent wants a login before it makes sessions", "");
    return NULL;
}
