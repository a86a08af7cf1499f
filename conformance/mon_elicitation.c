#include "conformance/monitors.h"

#include "base/err.h"
#include "json/json.h"

#include <string.h>

/* Questions to the user: flat forms, addresses without secrets, ids that are told apart. */

static bool is_one_of(const char *text, const char *const *set)
{
    for (; *set; set++)
        if (strcmp(text, *set) == 0)
            return true;
    return false;
}

static bool is(const char *text, const char *name)
{
    return text && strcmp(text, name) == 0;
}

/* Words of one's own begin with an underscore. */
static void judge_word(struct watch *w, const struct blame *b, const char *what, const char *word,
                       const char *const *known)
{
    if (word && word[0] != '_' && !is_one_of(word, known))
        watch_blame(w, b, "the %s \"%.60s\" is none of the protocol and has no underscore", what,
                    word);
}

/* ---- forms --------------------------------------------------------------------------------------
 */

static void judge_property(struct watch *w, const struct wire_msg *m, const cJSON *property)
{
    static const char *const types[] = {"string", "number", "integer", "boolean", "array", NULL};
    static const char *const items[] = {"string", NULL};
    const char *type = json_get_str(property, "type");
    struct blame b = blame_of(m, "ELIC-08");
    b.pointer = "/params/requestedSchema/properties";
    b.at_most = VERDICT_WARN;
    judge_word(w, &b, "property type", type, types);
    b.id = "ELIC-22";
    if (is(type, "array"))
        judge_word(w, &b, "item type", json_get_str(json_get(property, "items"), "type"), items);
}

static void judge_form(struct watch *w, const struct wire_msg *m)
{
    const cJSON *schema = json_get(m->params, "requestedSchema"), *property;
    struct blame b = blame_of(m, "ELIC-07");
    b.pointer = "/params/requestedSchema";
    b.at_most = VERDICT_WARN;
    if (!cJSON_IsObject(schema))
        return;
    if (!json_get(schema, "type") || !json_get(schema, "properties"))
        watch_blame(w, &b, "the form does not say both type and properties");
    cJSON_ArrayForEach(property, json_get(schema, "properties")) judge_property(w, m, property);
}

/* ---- addresses ----------------------------------------------------------------------------------
 */

static bool is_loopback(const char *host, size_t n)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]", NULL};
    for (const char *const *h = hosts; *h; h++)
        if (strlen(*h) == n && strncmp(host, *h, n) == 0)
            return true;
    return false;
}

static void judge_url(struct watch *w, const struct wire_msg *m)
{
    const char *url = json_get_str(m->params, "url"), *host = url ? strstr(url, "://") : NULL;
    struct blame b = blame_of(m, "ELIC-33");
    b.pointer = "/params/url";
    b.at_most = VERDICT_WARN;
    if (!host)
        return;
    host += 3;
    size_t authority = strcspn(host, "/?#");
    const char *at = memchr(host, '@', authority);
    if (at && memchr(host, ':', (size_t)(at - host)))
        watch_blame(w, &b, "the address holds a name and a password");
    const char *name = at ? at + 1 : host;
    size_t n = name[0] == '[' ? strcspn(name, "]") + 1 : strcspn(name, ":/?#");
    b.id = "ELIC-34";
    if (strncmp(url, "https://", 8) != 0 && !is_loopback(name, n))
        watch_blame(w, &b, "the address is not https");
}

/* ---- ids ----------------------------------------------------------------------------------------
 */

/* A url request of the agent with this elicitation id, other than `self`; open: and not answered.
 */
static bool has_asked(const struct watch *w, const struct wire_call *self, const char *id,
                      bool open)
{
    for (size_t i = 0; i < w->wire.n_calls; i++) {
        const struct wire_call *c = w->wire.calls[i];
        if (c == self || c->side != TRACE_AGENT || c->connection != w->wire.connection ||
            strcmp(c->method, "elicitation/create") != 0 ||
            !is(json_get_str(c->params, "elicitationId"), id))
            continue;
        if (!open || !c->answer)
            return true;
    }
    return false;
}

static void judge_scope(struct watch *w, const struct wire_msg *m)
{
    const cJSON *request = json_get(m->params, "requestId");
    struct blame b = blame_of(m, "ELIC-06");
    b.pointer = "/params/requestId";
    b.at_most = VERDICT_WARN;
    if (request && json_get(m->params, "sessionId"))
        watch_blame(w, &b, "the question belongs to a session and to a request");
    b.id = "ELIC-41";
    if (request && !cJSON_IsNull(request) &&
        !wire_call_find(&w->wire, TRACE_CLIENT, request, false))
        watch_blame(w, &b, "the question belongs to a request that is not open");
}

static void judge_request(struct watch *w, const struct wire_msg *m)
{
    static const char *const modes[] = {"form", "url", NULL};
    const char *mode = json_get_str(m->params, "mode");
    const char *id = json_get_str(m->params, "elicitationId");
    struct blame b = blame_of(m, "ELIC-22");
    b.pointer = "/params/mode";
    b.at_most = VERDICT_WARN;
    judge_word(w, &b, "mode", mode, modes);
    judge_scope(w, m);
    if (is(mode, "form"))
        judge_form(w, m);
    if (!is(mode, "url"))
        return;
    judge_url(w, m);
    struct blame twice = blame_of(m, "ELIC-25");
    twice.pointer = "/params/elicitationId";
    if (id && m->call && has_asked(w, m->call, id, true))
        watch_blame(w, &twice, "two questions are open with the id \"%.60s\"", id);
}

static void judge_complete(struct watch *w, const struct wire_msg *m)
{
    const char *id = json_get_str(m->params, "elicitationId");
    struct blame b = blame_of(m, "ELIC-28");
    b.pointer = "/params/elicitationId";
    if (m->kind == WIRE_REQUEST)
        watch_blame(w, &b, "elicitation/complete is a notification, but it was sent with an id");
    else if (!id)
        watch_blame(w, &b, "elicitation/complete names no elicitation");
    else if (!has_asked(w, NULL, id, false))
        watch_blame(w, &b, "nothing was asked under the id \"%.60s\"", id);
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->e->side != TRACE_AGENT || !m->method)
        return;
    if (m->kind == WIRE_REQUEST && strcmp(m->method, "elicitation/create") == 0)
        judge_request(w, m);
    else if (strcmp(m->method, "elicitation/complete") == 0)
        judge_complete(w, m);
}

static const char *const ids[] = {"ELIC-06", "ELIC-07", "ELIC-08", "ELIC-22", "ELIC-25",
                                  "ELIC-28", "ELIC-33", "ELIC-34", "ELIC-41", NULL};

const struct monitor monitor_elicitation = {
    .ids = ids,
    .title = "questions to the user are flat forms or safe addresses, and can be told apart",
    .feed = feed,
};
