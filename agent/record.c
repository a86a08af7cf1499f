#include "agent/record.h"

#include "base/err.h"
#include "base/log.h"

#include <time.h>

int64_t record_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int record_session(struct session *s)
{
    s->updated = record_now();
    struct buf settings = {0};
    int rc = settings_write(&s->settings, &settings);
    if (rc == 0 && !buf_cstr(&settings))
        rc = E_NOMEM;
    const struct store_session row = {.id = s->id,
                                      .cwd = s->cwd,
                                      .title = s->title,
                                      .settings = settings.p,
                                      .system = s->system,
                                      .created = s->updated};
    if (rc == 0 && s->env->store)
        rc = store_add_session(s->env->store, &row);
    buf_deinit(&settings);
    return rc;
}

int record_settings(struct session *s)
{
    struct buf settings = {0};
    int rc = settings_write(&s->settings, &settings);
    if (rc == 0 && !buf_cstr(&settings))
        rc = E_NOMEM;
    if (rc == 0 && s->env->store)
        rc = store_set_settings(s->env->store, s->id, settings.p);
    buf_deinit(&settings);
    return rc;
}

int record_title(struct session *s)
{
    return s->env->store ? store_set_title(s->env->store, s->id, s->title, s->updated) : 0;
}

int record_entries(struct session *s, struct store_entry *entries, size_t n)
{
    int64_t time = record_now();
    for (size_t i = 0; i < n; i++)
        entries[i].time = time;
    int rc = s->env->store ? store_append(s->env->store, s->id, entries, n, &s->last) : 0;
    if (rc == 0)
        s->updated = time;
    return rc;
}

int record_call_end(struct session *s, int64_t number, struct store_entry *end)
{
    end->time = record_now();
    int rc = s->env->store ? store_finish_call(s->env->store, s->id, number, end) : 0;
    if (rc == 0)
        s->updated = end->time;
    return rc;
}

void record_cut(struct session *s, int64_t number)
{
    struct store_session row;
    if (!s->env->store || s->last == number)
        return;
    int rc = store_find_session(s->env->store, s->id, &row);
    if (rc == 0 && row.last != s->last)
        rc = E_STATE;
    if (rc == 0)
        rc = store_cut(s->env->store, s->id, number);
    if (rc < 0)
        log_warn("a turn that should be forgotten stays in the session store: %s",
                 record_error(s->env, rc));
}

const char *record_error(const struct env *env, int rc)
{
    if (rc == E_NOMEM)
        return "Out of memory.";
    if (rc == E_PROTOCOL)
        return "An entry of this session in the session store is damaged: the session cannot be "
               "opened. session/delete removes it.";
    if (rc == E_STATE)
        return "Another process has gone on with this session.";
    return env->store ? store_error(env->store) : err_text(rc);
}
