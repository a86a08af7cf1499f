#ifndef AGENT_SETTINGS_H
#define AGENT_SETTINGS_H

#include "agent/config.h"
#include "agent/mode.h"
#include "base/buf.h"

/*
 * What a session's user has chosen. Lasts with the session, as the text that settings_write gives.
 */
struct settings {
    enum mode mode;
    enum work work;
    enum approval approval;
    char *model;         /* owned; "provider/model"; NULL: the default one */
    char *effort;        /* owned; NULL: auto */
    bool auto_compact;   /* the conversation is shortened when the model's window fills */
    enum mode told_mode; /* what the model has been told */
    enum work told_work;
};

void settings_init(struct settings *s);
void settings_deinit(struct settings *s);

/* Append: 0 or E_NOMEM. */
int settings_write(const struct settings *s, struct buf *out);
/* What the text does not say, or says in a way this version does not know, stays as it is. json may
 * be NULL. 0 or E_NOMEM. */
int settings_read(struct settings *s, const char *json);

/* What a new session begins with: flags, else .acp-agent/config.json of cwd or the nearest folder
 * above that has one, else config.json. 0, E_NOMEM, or E_INVALID: that file is broken, error has
 * the sentence. */
struct settings_start {
    const struct config *config;
    const char *model, *work_mode; /* of the command line, or NULL */
    const char *last;              /* the model used last, for want of another; or NULL */
    const char *cwd;
    bool safe_mode; /* the project is not asked, and every change is to be */
    char error[640];
};
int settings_begin(struct settings *s, struct settings_start *start);

/* The effort to ask the model for; NULL: none. Lent. */
const char *settings_effort(const struct settings *s, const struct config *c);

/* "provider/model" for what config_resolve makes of spec (NULL: the default); the caller frees it.
 * *ret is NULL if there is none. 0 or E_NOMEM. */
int settings_name_model(const struct config *c, const char *spec, char **ret);

#endif
