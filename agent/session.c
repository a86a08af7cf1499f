#include "agent/session.h"

#include "agent/system_prompt.h"
#include "agent/turn.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not to be guessed: whoever knows an id may read the session. */
static int make_id(char ret[SESSION_ID_MAX])
{
    unsigned char random[16];
    int rc = uv_random(NULL, NULL, random, sizeof random, 0, NULL);
    size_t n = (size_t)snprintf(ret, SESSION_ID_MAX, "ses_");
    for (size_t i = 0; rc == 0 && i < sizeof random; i++)
        n += (size_t)snprintf(ret + n, SESSION_ID_MAX - n, "%02x", random[i]);
    return rc;
}

int session_create(struct env *env, const char *cwd, const char *append, struct session **ret)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return E_NOMEM;
    s->env = env;
    list_init(&s->node);
    int rc = make_id(s->id);
    if (rc < 0)
        goto fail;
    s->cwd = strdup(cwd);
    s->system = s->cwd ? system_prompt_make(cwd, append) : NULL;
    if (!s->system) {
        rc = E_NOMEM;
        goto fail;
    }
    *ret = s;
    return 0;

fail:
    session_destroy(s);
    return rc;
}

void session_destroy(struct session *s)
{
    if (!s)
        return;
    if (s->turn)
        turn_cancel(s->turn);
    list_remove(&s->node);
    history_deinit(&s->history);
    free(s->cwd);
    free(s->system);
    free(s);
}

struct update_to session_updates(const struct session *s)
{
    return (struct update_to){.peer = s->env->peer, .session_id = s->id};
}
