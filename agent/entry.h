#ifndef AGENT_ENTRY_H
#define AGENT_ENTRY_H

#include "agent/llm.h"

#include <stdint.h>

/* The JSON inside entries of the store, written and read. */

/* The wire id of entries that tell the usage: only the last of them is shown again. */
#define ENTRY_USAGE_ID "usage"
/* That of entries that tell of a compaction: only clients that know such are shown it. */
#define ENTRY_COMPACTION_ID "compaction"

/* The calls of a reply. Append: 0 or E_NOMEM. Read: the caller frees with history_free_calls; 0,
 * E_NOMEM, or E_PARSE: no text of ours. */
int entry_write_calls(struct buf *out, const struct history_call *calls, size_t n);
int entry_read_calls(const char *json, struct history_call **ret, size_t *ret_n);

/*
 * How text and thoughts of one reply took turns: a list of lengths in bytes, those of thoughts
 * negative. `runs` holds them as int64_t. What a reply without a list shows is its thought, then
 * its text.
 */
int entry_add_run(struct buf *runs, enum llm_text_kind kind, size_t n);
/* Is it what is shown without a list? */
bool entry_runs_are_plain(const struct buf *runs);
int entry_write_runs(struct buf *out, const struct buf *runs);
/* Gives each run to `show`; what the list says beyond the texts is ignored. 0, E_NOMEM, E_PARSE. */
struct entry_texts {
    const char *text, *thought; /* never NULL */
};
int entry_show_runs(const char *json, const struct entry_texts *texts, llm_text_cb show, void *ctx);

#endif
