#include "agent/option.h"

#include "agent/record.h"
#include "base/err.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUTO         "auto"
#define AUTO_COMPACT "auto_compact"

/* --- writing --- */

static void write_value(struct jsonw *w, const struct choice *c)
{
    jw_open(w, '{');
    jw_kstr(w, "value", c->value);
    jw_kstr(w, "name", c->name);
    if (c->description)
        jw_kstr(w, "description", c->description);
    jw_close(w);
}

struct option {
    const char *id, *name, *description, *category;
};

static void open_option(struct jsonw *w, const struct option *o, const char *current)
{
    jw_open(w, '{');
    jw_kstr(w, "id", o->id);
    jw_kstr(w, "name", o->name);
    jw_kstr(w, "description", o->description);
    jw_kstr(w, "category", o->category);
    jw_kstr(w, "type", acp_config_type_name(ACP_CONFIG_SELECT));
    jw_kstr(w, "currentValue", current);
    jw_kopen(w, "options", '[');
}

static void close_option(struct jsonw *w)
{
    jw_close(w);
    jw_close(w);
}

static void write_mode(struct jsonw *w, const struct session *s, const struct option *o)
{
    open_option(w, o, mode_choice(s->settings.mode)->value);
    for (int i = 0; i < MODE_COUNT; i++)
        write_value(w, mode_choice((enum mode)i));
    close_option(w);
}

static void write_work(struct jsonw *w, const struct session *s, const struct option *o)
{
    open_option(w, o, work_choice(s->settings.work)->value);
    for (int i = 0; i < WORK_COUNT; i++)
        write_value(w, work_choice((enum work)i));
    close_option(w);
}

static bool may_approve(const struct session *s, enum approval a)
{
    return a == APPROVAL_ASK || !s->env->safe_mode;
}

static void write_approval(struct jsonw *w, const struct session *s, const struct option *o)
{
    open_option(w, o, approval_choice(s->settings.approval)->value);
    for (int i = 0; i < APPROVAL_COUNT; i++)
        if (may_approve(s, (enum approval)i))
            write_value(w, approval_choice((enum approval)i));
    close_option(w);
}

static bool is_offered(const struct config_provider *p)
{
    return p->wanted && config_is_usable(p);
}

static bool is_listed(const struct config *c, const char *spec)
{
    const char *slash = strchr(spec, '/');
    const struct config_provider *p =
        slash ? config_find_provider(c, spec, (size_t)(slash - spec)) : NULL;
    return p && is_offered(p) && config_find_model(c, spec);
}

static void write_provider(struct jsonw *w, const struct config_provider *p)
{
    char spec[300];
    for (size_t i = 0; i < p->n_models; i++) {
        const struct config_model *m = &p->models[i];
        snprintf(spec, sizeof spec, "%s/%s", p->id, m->id);
        write_value(w, &(struct choice){spec, m->name ? m->name : m->id, p->id});
    }
}

/* A model without an entry in the lists: the one of --model, or the one in use. */
static void write_unlisted(struct jsonw *w, const char *spec)
{
    const size_t provider = strcspn(spec, "/");
    const struct choice one = {spec, spec[provider] ? spec + provider + 1 : spec, NULL};
    write_value(w, &one);
}

/* The model of --model by its whole name, or NULL; the caller frees it. */
static char *flag_model(const struct env *env)
{
    char *name = NULL;
    if (env->model)
        settings_name_model(&env->config, env->model, &name);
    return name;
}

static void write_model(struct jsonw *w, const struct session *s, const struct option *o)
{
    const struct config *c = &s->env->config;
    const char *current = s->settings.model;
    char *flag = flag_model(s->env);
    open_option(w, o, current ? current : "");
    for (size_t i = 0; i < c->n; i++)
        if (is_offered(&c->providers[i]))
            write_provider(w, &c->providers[i]);
    if (flag && !is_listed(c, flag))
        write_unlisted(w, flag);
    if (!current || (!is_listed(c, current) && !(flag && strcmp(flag, current) == 0)))
        write_unlisted(w, current ? current : "");
    close_option(w);
    free(flag);
}

static const char *efforts_of(const struct session *s)
{
    const struct config_model *m =
        s->settings.model ? config_find_model(&s->env->config, s->settings.model) : NULL;
    return m ? m->efforts : "";
}

static const char *current_effort(const struct session *s)
{
    const char *effort = s->settings.effort;
    return effort && config_has_word(efforts_of(s), effort) ? effort : AUTO;
}

static void write_effort(struct jsonw *w, const struct session *s, const struct option *o)
{
    open_option(w, o, current_effort(s));
    write_value(w, &(struct choice){AUTO, "Auto", NULL});
    for (const char *at = efforts_of(s); *at;) {
        char word[40], name[40];
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        snprintf(name, sizeof name, "%s", word);
        name[0] = (char)toupper((unsigned char)name[0]);
        write_value(w, &(struct choice){word, name, NULL});
        at += n + (at[n] == ' ');
    }
    close_option(w);
}

/* For clients that know nothing of the kind it is always on. */
static void write_auto_compact(struct jsonw *w, const struct session *s, const struct option *o)
{
    if (!s->env->booleans)
        return;
    jw_open(w, '{');
    jw_kstr(w, "id", o->id);
    jw_kstr(w, "name", o->name);
    jw_kstr(w, "description", o->description);
    jw_kstr(w, "category", o->category);
    jw_kstr(w, "type", acp_config_type_name(ACP_CONFIG_BOOLEAN));
    jw_kbool(w, "currentValue", s->settings.auto_compact);
    jw_close(w);
}

/* --- setting --- */

static int set_mode(struct settings *to, const struct session *s, const char *value)
{
    int mode = mode_find(value);
    (void)s;
    if (mode < 0)
        return E_INVALID;
    to->mode = (enum mode)mode;
    return 0;
}

static int set_work(struct settings *to, const struct session *s, const char *value)
{
    int work = work_find(value);
    (void)s;
    if (work < 0)
        return E_INVALID;
    to->work = (enum work)work;
    return 0;
}

static int set_approval(struct settings *to, const struct session *s, const char *value)
{
    int approval = approval_find(value);
    if (approval < 0 || !may_approve(s, (enum approval)approval))
        return E_INVALID;
    to->approval = (enum approval)approval;
    return 0;
}

static int replace(char **slot, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        return E_NOMEM;
    *slot = copy;
    return 0;
}

static int set_model(struct settings *to, const struct session *s, const char *value)
{
    char *flag = flag_model(s->env);
    bool known = is_listed(&s->env->config, value) || (flag && strcmp(flag, value) == 0) ||
                 (to->model && strcmp(to->model, value) == 0);
    free(flag);
    return known ? replace(&to->model, value) : E_INVALID;
}

static int set_effort(struct settings *to, const struct session *s, const char *value)
{
    if (strcmp(value, AUTO) == 0)
        return replace(&to->effort, NULL);
    return config_has_word(efforts_of(s), value) ? replace(&to->effort, value) : E_INVALID;
}

static int set_auto_compact(struct settings *to, const struct session *s, const char *value)
{
    (void)s;
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return E_INVALID;
    to->auto_compact = strcmp(value, "true") == 0;
    return 0;
}

/* Important ones first. */
static const struct {
    struct option option;
    void (*write)(struct jsonw *w, const struct session *s, const struct option *o);
    /* Puts the new value into a copy of the session's settings; the old text is not freed. */
    int (*set)(struct settings *to, const struct session *s, const char *value);
} options[] = {
    {{"mode", "Mode", "How the agent works with you.", "mode"}, write_mode, set_mode},
    {{"model", "Model", "Which model answers.", "model"}, write_model, set_model},
    {{"effort", "Effort", "How much the model thinks.", "thought_level"}, write_effort, set_effort},
    {{"work_mode", "Work mode", "How much work goes into an answer.", "_work_mode"},
     write_work,
     set_work},
    {{"tool_approval", "Tool approval", "Which tools ask before they run.", "_tool_approval"},
     write_approval,
     set_approval},
    {{AUTO_COMPACT, "Shorten by itself",
      "Summarises the conversation when the model's window fills.", "_auto_compact"},
     write_auto_compact,
     set_auto_compact},
};

/* --- */

void option_write_list(struct jsonw *w, const struct session *s)
{
    jw_kopen(w, "configOptions", '[');
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        options[i].write(w, s, &options[i].option);
    jw_close(w);
}

void option_write_state(struct jsonw *w, const struct session *s)
{
    jw_kopen(w, "modes", '{');
    jw_kstr(w, "currentModeId", mode_choice(s->settings.mode)->value);
    jw_kopen(w, "availableModes", '[');
    for (int i = 0; i < MODE_COUNT; i++) {
        const struct choice *c = mode_choice((enum mode)i);
        jw_open(w, '{');
        jw_kstr(w, "id", c->value);
        jw_kstr(w, "name", c->name);
        jw_kstr(w, "description", c->description);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
    option_write_list(w, s);
}

/* Texts that differ are new ones of `fresh`, which is what lasts. */
static int swap(struct session *s, struct settings *fresh)
{
    struct settings old = s->settings;
    s->settings = *fresh;
    int rc = record_settings(s);
    struct settings *gone = rc < 0 ? fresh : &old;
    if (rc < 0)
        s->settings = old;
    if (gone->model != s->settings.model)
        free(gone->model);
    if (gone->effort != s->settings.effort)
        free(gone->effort);
    return rc;
}

int option_set(struct session *s, const char *id, const char *value)
{
    struct settings fresh = s->settings;
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        if (strcmp(options[i].option.id, id) != 0)
            continue;
        int rc = options[i].set(&fresh, s, value);
        return rc == 0 ? swap(s, &fresh) : rc;
    }
    return E_NOTFOUND;
}

bool option_is_boolean(const char *id)
{
    return strcmp(id, AUTO_COMPACT) == 0;
}

bool option_exists(const struct session *s, const char *id)
{
    if (option_is_boolean(id))
        return s->env->booleans;
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (strcmp(options[i].option.id, id) == 0)
            return true;
    return false;
}

static struct jsonw *begin(struct jsonw *w, struct buf *out, enum acp_session_update kind)
{
    jw_begin(w, out);
    jw_open(w, '{');
    jw_kstr(w, "sessionUpdate", acp_session_update_name(kind));
    return w;
}

static int finish(const struct session *s, struct jsonw *w, struct buf *out)
{
    jw_close(w);
    int rc = jw_end(w);
    if (rc == 0)
        rc = update_raw(session_updates(s), out->p, out->n);
    buf_deinit(out);
    return rc;
}

int option_tell_list(const struct session *s)
{
    struct buf out = {0};
    struct jsonw w;
    option_write_list(begin(&w, &out, ACP_UPDATE_CONFIG_OPTION_UPDATE), s);
    return finish(s, &w, &out);
}

int option_tell_mode(const struct session *s)
{
    struct buf out = {0};
    struct jsonw w;
    begin(&w, &out, ACP_UPDATE_CURRENT_MODE_UPDATE);
    jw_kstr(&w, "currentModeId", mode_choice(s->settings.mode)->value);
    return finish(s, &w, &out);
}
