#ifndef AGENT_OPTION_H
#define AGENT_OPTION_H

#include "agent/session.h"
#include "json/jsonw.h"

/*
 * The choices of a session as the client sees them: `modes` and `configOptions`, and their changes.
 */

/* The members `modes` and `configOptions` of an open object. */
void option_write_state(struct jsonw *w, const struct session *s);
/* The member `configOptions`. */
void option_write_list(struct jsonw *w, const struct session *s);

/* Has the session an option of this id? */
bool option_exists(const struct session *s, const char *id);
/* Is it on or off? Its values are the texts "true" and "false". */
bool option_is_boolean(const char *id);

/* Changes one (option_exists) and makes it last. 0; E_INVALID: no such value; E_NOMEM or a
 * failure of the store (record_error; then nothing changed). Works at any time: a running turn
 * takes the new value up with its next model request. */
int option_set(struct session *s, const char *id, const char *value);

/* Tells the client of a change that it did not ask for in these words. */
int option_tell_list(const struct session *s);
int option_tell_mode(const struct session *s);

#endif
