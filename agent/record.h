#ifndef AGENT_RECORD_H
#define AGENT_RECORD_H

#include "agent/session.h"

/*
 * What a session writes into the store while it lives. A call that returns 0 has made it last; one
 * that fails has written nothing (failures: store.h), and record_error has the sentence. Where
 * there is no store nothing is written, and everything succeeds.
 */

/* Milliseconds since 1970, UTC. */
int64_t record_now(void);

/* The new session itself. */
int record_session(struct session *s);
/* s->settings. */
int record_settings(struct session *s);
/* s->title. */
int record_title(struct session *s);

/* Appends entries, all of the present time. */
int record_entries(struct session *s, struct store_entry *entries, size_t n);
/* The end of the call that was appended as entry `number`. */
int record_call_end(struct session *s, int64_t number, struct store_entry *end);

/* Takes back what came after entry `number`. If another process has written to this session
 * meanwhile, or the store fails, it stays: that is only logged. */
void record_cut(struct session *s, int64_t number);

/* Why rc: one sentence, for the failures of restore.h as well. Lent until the next call. */
const char *record_error(const struct env *env, int rc);

#endif
