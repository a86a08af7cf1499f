#include "mock-client/player_int.h"

#include "mock-client/env.h"

#include "mock-client/subst.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The start of a case: its files, the first process, the handshake. */

/* One member of the case with ${cwd} and ${provider} filled in; *ret NULL if it is absent. */
static int fill_member(struct player *p, const char *name, cJSON **ret)
{
    struct json_error err;
    const cJSON *value = json_get(p->options.play, name);
    *ret = NULL;
    if (!value)
        return 0;
    int rc = play_fill(p, value, ret, &err);
    return rc == E_NOTFOUND ? play_error(p, &p->now, "%s: %s", name, err.text) : rc;
}

static int apply_member(struct player *p, const char *name, char ***list,
                        int (*apply)(char ***list, const cJSON *))
{
    cJSON *value;
    int rc = fill_member(p, name, &value);
    if (rc == 0)
        rc = apply(list, value);
    cJSON_Delete(value);
    return rc;
}

int play_write_files(struct player *p)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, json_get(p->options.play, "files"))
    {
        int rc = play_file_make(p, file);
        if (rc < 0)
            return play_error(p, &p->now, "files: cannot write %s: %s", file->string, err_text(rc));
    }
    return 0;
}

/* ---- the handshake -----------------------------------------------------------------------------
 */

int play_merge(cJSON *base, const cJSON *over)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, over)
    {
        cJSON_DeleteItemFromObjectCaseSensitive(base, m->string);
        if (cJSON_IsNull(m))
            continue;
        cJSON *copy = cJSON_Duplicate(m, true);
        if (!copy || !cJSON_AddItemToObject(base, m->string, copy)) {
            cJSON_Delete(copy);
            return E_NOMEM;
        }
    }
    return 0;
}

static bool add_copy(cJSON *to, const char *name, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateObject();
    if (copy && cJSON_AddItemToObject(to, name, copy))
        return true;
    cJSON_Delete(copy);
    return false;
}

static bool add_client_info(cJSON *to, const cJSON *info)
{
    if (info)
        return add_copy(to, "clientInfo", info);
    cJSON *own = cJSON_AddObjectToObject(to, "clientInfo");
    return own && cJSON_AddStringToObject(own, "name", "acp-mock-client") &&
           cJSON_AddStringToObject(own, "version", ACP_VERSION);
}

cJSON *play_initialize_params(const struct player *p, const cJSON *members)
{
    cJSON *params = cJSON_CreateObject();
    bool ok = params && cJSON_AddNumberToObject(params, "protocolVersion", 1) &&
              add_copy(params, "clientCapabilities", json_get(p->client_side, "capabilities")) &&
              add_client_info(params, json_get(p->client_side, "info")) &&
              play_merge(params, members) == 0;
    if (ok)
        return params;
    cJSON_Delete(params);
    return NULL;
}

static int send_initialize(struct player *p, struct play_step *s)
{
    struct play_call call = {.name = "initialize", .method = "initialize"};
    cJSON *params = play_initialize_params(p, NULL);
    call.params = params;
    s->ref = params ? play_send_request(s->agent, &call) : NULL;
    cJSON_Delete(params);
    return s->ref ? PLAY_WAIT : play_error(p, s, "out of memory");
}

int play_handshake_begin(struct player *p, struct play_step *s)
{
    const cJSON *own = json_get(s->step, "handshake");
    const cJSON *wanted = own ? own : json_get(p->options.play, "handshake");
    return cJSON_IsFalse(wanted) ? PLAY_NEXT : send_initialize(p, s);
}

int play_handshake_poll(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return PLAY_WAIT;
    const cJSON *error = json_get(s->ref->response->json, "error");
    if (!error)
        return PLAY_NEXT;
    const char *message = json_get_str(error, "message");
    play_error(p, s, "initialize was answered with an error: %s", message ? message : "no message");
    return PLAY_STOP;
}

static int first_begin(struct player *p, struct play_step *s)
{
    s->verb = &play_start;
    s->raw = json_get(p->options.play, "client"); /* it has no `within` */
    int rc = fill_member(p, "client", &p->client_side);
    if (rc == 0)
        rc = apply_member(p, "env", &p->env, env_apply);
    if (rc == 0)
        rc = apply_member(p, "args", &p->argv, env_add_args);
    if (rc == 0)
        rc = play_services_open(p);
    if (rc == 0)
        rc = play_write_files(p);
    if (rc == 0) {
        s->agent = play_agent_add(p, NULL);
        rc = s->agent ? play_agent_launch(s->agent) : E_NOMEM;
    }
    if (rc < 0)
        return rc == E_INVALID ? rc : play_error(p, s, "%s", err_text(rc));
    return play_handshake_begin(p, s);
}

static int first_late(struct player *p, struct play_step *s, const char *why)
{
    play_error(p, s, "initialize was not answered: %s", why);
    return PLAY_STOP;
}

const struct play_verb play_start = {
    .name = "start",
    .flags = PLAY_AGENT,
    .begin = first_begin,
    .poll = play_handshake_poll,
    .late = first_late,
};
