#include "mock-client/player_int.h"

#include "mock-client/subst.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the agent's command and environment -------------------------------------------------------
 */

static size_t list_len(char **list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

/* Takes text. */
static int list_add(char ***list, char *text)
{
    size_t n = list_len(*list);
    char **longer = text ? realloc(*list, (n + 2) * sizeof *longer) : NULL;
    if (!longer) {
        free(text);
        return E_NOMEM;
    }
    longer[n] = text;
    longer[n + 1] = NULL;
    *list = longer;
    return 0;
}

static void env_remove(char **env, const char *name)
{
    size_t len = strlen(name), kept = 0;
    for (size_t i = 0; env[i]; i++) {
        if (!strncmp(env[i], name, len) && env[i][len] == '=')
            free(env[i]);
        else
            env[kept++] = env[i];
    }
    env[kept] = NULL;
}

static int env_set(char ***env, const char *name, const char *value)
{
    struct buf text = {0};
    env_remove(*env, name);
    bool ok = buf_addf(&text, "%s=%s", name, value) == 0;
    int rc = list_add(env, ok ? buf_take(&text) : NULL);
    buf_deinit(&text);
    return rc;
}

static int apply_env(struct player *p, const cJSON *env)
{
    int rc = 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, env)
    {
        if (cJSON_IsString(m))
            rc = env_set(&p->env, m->string, m->valuestring);
        else
            env_remove(p->env, m->string);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int apply_args(struct player *p, const cJSON *args)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, args)
    {
        int rc = cJSON_IsString(m) ? list_add(&p->argv, strdup(m->valuestring)) : E_INVALID;
        if (rc < 0)
            return rc;
    }
    return 0;
}

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

static int apply_member(struct player *p, const char *name,
                        int (*apply)(struct player *, const cJSON *))
{
    cJSON *value;
    int rc = fill_member(p, name, &value);
    if (rc == 0)
        rc = apply(p, value);
    cJSON_Delete(value);
    return rc;
}

static int write_file(const struct player *p, const cJSON *file)
{
    if (!cJSON_IsString(file) || play_path_check(file->string) < 0)
        return E_INVALID;
    return play_file_write(p, file->string, file->valuestring);
}

int play_write_files(struct player *p)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, json_get(p->options.play, "files"))
    {
        int rc = write_file(p, file);
        if (rc < 0)
            return play_error(p, &p->now, "files: cannot write %s: %s", file->string, err_text(rc));
    }
    return 0;
}

/* ---- the process -------------------------------------------------------------------------------
 */

static void on_client_exit(void *ctx)
{
    struct player *p = ctx;
    snprintf(p->stderr_tail, sizeof p->stderr_tail, "%s", client_stderr_tail(p->client));
    play_wake(p);
}

static void on_client_closed(void *ctx)
{
    play_client_gone(ctx);
}

static int launch(struct player *p)
{
    static const struct client_ops ops = {.on_exit = on_client_exit, .on_closed = on_client_closed};
    struct client_options options = {
        .argv = (const char *const *)p->argv,
        .env = (const char *const *)p->env,
        .cwd = p->options.start_dir ? p->options.start_dir : p->cwd,
        .trace = p->options.trace,
        .wire = p->options.wire,
        .max_line = p->options.max_line,
        .eof_ms = p->options.eof_ms,
        .term_ms = p->options.term_ms,
    };
    int rc = client_open(p->loop, &options, &ops, p, &p->client);
    return rc == 0 ? 0
                   : play_error(p, &p->now, "cannot start %s: %s; is the agent's command right?",
                                p->argv[0], err_text(rc));
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
    cJSON *params = play_initialize_params(p, NULL);
    if (params)
        s->ref = play_send_request(p, "initialize", NULL, "initialize", params);
    cJSON_Delete(params);
    return s->ref ? PLAY_WAIT : play_error(p, s, "out of memory");
}

static bool wants_handshake(const struct player *p)
{
    return !cJSON_IsFalse(json_get(p->options.play, "handshake"));
}

static int start_begin(struct player *p, struct play_step *s)
{
    s->verb = &play_start;
    s->raw = json_get(p->options.play, "client"); /* it has no `within` */
    int rc = fill_member(p, "client", &p->client_side);
    if (rc == 0)
        rc = apply_member(p, "env", apply_env);
    if (rc == 0)
        rc = apply_member(p, "args", apply_args);
    if (rc == 0)
        rc = play_write_files(p);
    if (rc == 0)
        rc = launch(p);
    if (rc < 0)
        return rc == E_INVALID ? rc : play_error(p, s, "%s", err_text(rc));
    return wants_handshake(p) ? send_initialize(p, s) : PLAY_NEXT;
}

/* 1 if the handshake is done, 0 if not yet, negative if it failed (why_text says how). */
static int handshake_state(struct player *p, struct play_step *s)
{
    if (!s->ref->response)
        return 0;
    const cJSON *error = json_get(s->ref->response->json, "error");
    if (!error)
        return 1;
    const char *message = json_get_str(error, "message");
    play_error(p, s, "initialize was answered with an error: %s", message ? message : "no message");
    return -1;
}

static int start_poll(struct player *p, struct play_step *s)
{
    static const int what[] = {PLAY_STOP, PLAY_WAIT, PLAY_NEXT};
    return what[handshake_state(p, s) + 1];
}

static int start_late(struct player *p, struct play_step *s, const char *why)
{
    play_error(p, s, "initialize was not answered: %s", why);
    return PLAY_STOP;
}

const struct play_verb play_start = {
    .name = "start",
    .flags = PLAY_AGENT,
    .begin = start_begin,
    .poll = start_poll,
    .late = start_late,
};

/* ---- restart -----------------------------------------------------------------------------------
 */

enum { RESTART_ENDING, RESTART_HANDSHAKE };

static void lose_open_requests(struct player *p)
{
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next)
        CONTAINER_OF(l, struct play_ref, node)->lost = true;
    play_asks_deinit(p);
}

int play_restart_begin(struct player *p, struct play_step *s)
{
    s->phase = RESTART_ENDING;
    lose_open_requests(p);
    client_close(p->client);
    return PLAY_WAIT;
}

int play_restart_poll(struct player *p, struct play_step *s)
{
    if (s->phase == RESTART_ENDING) {
        if (p->client)
            return PLAY_WAIT;
        int rc = launch(p);
        if (rc < 0 || !wants_handshake(p))
            return rc < 0 ? rc : PLAY_NEXT;
        s->phase = RESTART_HANDSHAKE;
        return send_initialize(p, s);
    }
    int state = handshake_state(p, s);
    if (state >= 0)
        return state ? PLAY_NEXT : PLAY_WAIT;
    play_broken(p, s, "after the restart %s", p->why_text);
    return PLAY_STOP;
}
