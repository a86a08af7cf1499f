#include "agent/compact.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_PER_TOKEN 4u
#define MEDIA_TOKENS    1500u /* of one image or sound: few models take more */
#define DUE_PERCENT     80u   /* what is left is for the answer, results of tools, the summary */

static const char question[] =
    "[This conversation has to be shortened. Write a summary that takes the place of everything "
    "above: you will go on with it alone. Keep what the user wants, with every requirement and "
    "correction in the user's own words; what was decided and why; which files were read or "
    "changed, with their paths and what matters in them; commands that were run and what they "
    "showed; errors and what mended them; what is done, what is left, and what was to come next. "
    "Be exact, and short. Answer with the summary alone and call no tool.]";

static size_t message_bytes(const struct history_message *m)
{
    size_t n = strlen(m->text) + (m->thought ? strlen(m->thought) : 0);
    for (size_t i = 0; i < m->n_calls; i++)
        n += strlen(m->calls[i].name) + strlen(m->calls[i].args);
    return n + m->media.n * MEDIA_TOKENS * BYTES_PER_TOKEN;
}

static uint64_t tokens_of(uint64_t bytes)
{
    return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}

static uint64_t estimate(const struct history *h, size_t from, size_t to)
{
    uint64_t bytes = 0;
    for (size_t i = from; i < to; i++)
        bytes += message_bytes(&h->messages[i]);
    return tokens_of(bytes);
}

uint64_t compact_estimate(const struct history *h, size_t from)
{
    return estimate(h, from, h->n);
}

bool compact_is_due(uint64_t used, uint64_t context)
{
    return context > 0 && used >= context / 100 * DUE_PERCENT + context % 100 * DUE_PERCENT / 100;
}

/* Messages that history_compact puts before what it keeps: a summary must save some. */
static size_t head_of(const struct history *h, size_t first)
{
    return first == h->n || h->messages[first].role == HISTORY_USER ? 2 : 1;
}

/* A result never begins what is kept: it would have lost its call. */
size_t compact_choose(const struct history *h, uint64_t tokens, uint64_t least)
{
    size_t first = h->n;
    uint64_t bytes = 0;
    for (size_t i = h->n; i-- > 0;) {
        bytes += message_bytes(&h->messages[i]);
        if (first < h->n && tokens_of(bytes) > tokens)
            break;
        if (h->messages[i].role != HISTORY_TOOL)
            first = i;
    }
    bool worth = first >= head_of(h, first) && estimate(h, 0, first) >= least;
    return worth ? h->n - first : h->n;
}

static int write_last(const struct history_message *before, const char *wishes, struct buf *out)
{
    bool joins = before->role == HISTORY_USER;
    int rc = joins ? buf_addf(out, "%s\n\n", before->text) : 0;
    if (rc == 0)
        rc = buf_adds(out, question);
    if (rc == 0 && wishes && *wishes)
        rc = buf_addf(out, "\n[The user says about the summary: %s]", wishes);
    return rc;
}

int compact_question_make(const struct history *h, size_t kept, const char *wishes,
                          struct compact_question *ret)
{
    size_t n = h->n - kept;
    struct buf last = {0};
    struct history_message *messages = calloc(n + 1, sizeof *messages);
    int rc = messages ? write_last(&h->messages[n - 1], wishes, &last) : E_NOMEM;
    char *text = rc == 0 ? buf_take(&last) : NULL;
    buf_deinit(&last);
    if (!text) {
        free(messages);
        return E_NOMEM;
    }
    memcpy(messages, h->messages, n * sizeof *messages);
    if (messages[n - 1].role != HISTORY_USER)
        messages[n++] = (struct history_message){.role = HISTORY_USER};
    messages[n - 1].text = text;
    *ret = (struct compact_question){.history = {.messages = messages, .n = n, .cap = n},
                                     .last = text};
    return 0;
}

void compact_question_deinit(struct compact_question *q)
{
    free(q->history.messages);
    free(q->last);
    *q = (struct compact_question){0};
}

char *compact_wrap(const char *summary)
{
    struct buf out = {0};
    int rc = buf_addf(&out,
                      "[The conversation before this was shortened. Its summary:]\n\n%s\n\n[What "
                      "comes next follows it.]",
                      summary);
    char *text = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    return text;
}
