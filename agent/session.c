#include "agent/session.h"

#include "agent/extension.h"
#include "agent/mcp_set.h"
#include "agent/restore.h"
#include "agent/roots.h"
#include "agent/system_prompt.h"
#include "agent/turn.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n random bytes in hexadecimal. */
static int add_random(char *to, size_t n)
{
    unsigned char random[16];
    int rc = uv_random(NULL, NULL, random, n, 0, NULL);
    for (size_t i = 0; rc == 0 && i < n; i++)
        snprintf(to + 2 * i, 3, "%02x", random[i]);
    return rc;
}

/* Not to be guessed: whoever knows an id may read the session. */
int session_make_id(char ret[SESSION_ID_MAX])
{
    int head = snprintf(ret, SESSION_ID_MAX, "ses_");
    return add_random(ret + head, 16);
}

static int allocate(struct env *env, struct session **ret)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return E_NOMEM;
    s->env = env;
    list_init(&s->node);
    settings_init(&s->settings);
    int rc = add_random(s->tag, 4);
    if (rc < 0)
        free(s);
    else
        *ret = s;
    return rc;
}

/* cwd and roots; false: out of memory. */
static bool settle(struct session *s, const struct session_place *place)
{
    s->cwd = strdup(place->cwd);
    s->roots = roots_copy(place->roots);
    return s->cwd && (s->roots || !place->roots);
}

int session_create(struct env *env, const struct session_place *place, struct session **ret)
{
    struct session *s = NULL;
    int rc = allocate(env, &s);
    if (rc == 0)
        rc = session_make_id(s->id);
    if (rc < 0)
        goto fail;
    rc = E_NOMEM;
    s->title = env->title ? strdup(env->title) : NULL;
    s->system = settle(s, place) ? system_prompt_make(place, env->append) : NULL;
    if (!s->system || (env->title && !s->title))
        goto fail;
    *ret = s;
    return 0;

fail:
    session_destroy(s);
    return rc;
}

static char *find_system(const struct store_session *stored, const struct session_place *place,
                         const char *append)
{
    bool same = stored->system && strcmp(stored->cwd, place->cwd) == 0;
    return same ? strdup(stored->system) : system_prompt_make(place, append);
}

int session_reopen(struct env *env, const struct store_session *stored,
                   const struct session_place *place, struct session **ret)
{
    struct session *s = NULL;
    int rc = allocate(env, &s);
    if (rc < 0)
        return rc;
    snprintf(s->id, sizeof s->id, "%s", stored->id);
    s->title = stored->title ? strdup(stored->title) : NULL;
    s->system = settle(s, place) ? find_system(stored, place, env->append) : NULL;
    s->updated = stored->updated;
    rc = settings_read(&s->settings, stored->settings);
    if (env->safe_mode)
        s->settings.approval = APPROVAL_ASK;
    if (rc < 0 || !s->system || (stored->title && !s->title)) {
        session_destroy(s);
        return E_NOMEM;
    }
    *ret = s;
    return 0;
}

void session_destroy(struct session *s)
{
    if (!s)
        return;
    restore_abort(s->restore);
    if (s->turn)
        turn_cancel(s->turn);
    list_remove(&s->node);
    history_deinit(&s->history);
    settings_deinit(&s->settings);
    mcp_set_close(s->servers);
    toolset_deinit(&s->tools);
    slash_list_deinit(&s->commands);
    extension_destroy(s->extension);
    free(s->cwd);
    roots_free(s->roots);
    free(s->system);
    free(s->title);
    free(s->told_system);
    free(s->note);
    free(s);
}

const char *const *session_roots(const struct session *s)
{
    return (const char *const *)s->roots;
}

int session_resolve(const struct session *s, struct llm_target *ret)
{
    const struct env *env = s->env;
    int rc = config_resolve(&env->config, s->settings.model ? s->settings.model : env->model, ret);
    if (rc == 0)
        ret->effort = settings_effort(&s->settings, &env->config);
    return rc;
}

uint32_t session_max_tokens(const struct session *s)
{
    const struct config *c = &s->env->config;
    const struct config_model *m =
        s->settings.model ? config_find_model(c, s->settings.model) : NULL;
    uint32_t n = s->env->max_tokens > 0 ? s->env->max_tokens : c->max_tokens;
    return m && m->max_output > 0 && n > m->max_output ? m->max_output : n;
}

static char *describe_change(const struct session_place *place)
{
    struct buf out = {0}, text = {0};
    int rc = system_prompt_add_instructions(&text, place);
    if (rc == 0 && text.n == 0)
        rc = buf_adds(&out, "[The workspace has no AGENTS.md any more: what it said no longer "
                            "counts.]");
    else if (rc == 0)
        rc =
            buf_addf(&out, "[The AGENTS.md files of the workspace have changed. They now say:]%.*s",
                     (int)text.n, text.p);
    char *note = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    buf_deinit(&text);
    return note;
}

int session_reload(struct session *s)
{
    const struct session_place place = {s->cwd, session_roots(s)};
    char *fresh = system_prompt_make(&place, s->env->append);
    if (!fresh)
        return E_NOMEM;
    if (strcmp(fresh, s->told_system ? s->told_system : s->system) == 0) {
        free(fresh);
        return 0;
    }
    char *note = describe_change(&place);
    if (!note) {
        free(fresh);
        return E_NOMEM;
    }
    free(s->told_system);
    free(s->note);
    s->told_system = fresh;
    s->note = note;
    return 0;
}

int session_tell_again(struct session *s)
{
    free(s->told_system);
    s->told_system = NULL;
    return session_reload(s);
}

struct client_to session_client(const struct session *s)
{
    const struct env *env = s->env;
    return (struct client_to){.loop = env->loop,
                              .peer = env->peer,
                              .session_id = s->id,
                              .reads = env->reads_files,
                              .writes = env->writes_files,
                              .terminals = env->runs_terminals,
                              .forms = env->forms};
}

struct update_to session_updates(const struct session *s)
{
    return (struct update_to){.peer = s->env->peer, .session_id = s->id};
}

const char *session_wire_id(const struct session *s, const char *kind, unsigned n,
                            char ret[SESSION_WIRE_ID_MAX])
{
    snprintf(ret, SESSION_WIRE_ID_MAX, "%s_%s_%u", kind, s->tag, n);
    return ret;
}

const char *session_thought_id(const char *message_id, char ret[SESSION_WIRE_ID_MAX])
{
    snprintf(ret, SESSION_WIRE_ID_MAX, "%.30s_thought", message_id);
    return ret;
}
