#include "agent/history.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void history_free_calls(struct history_call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(calls[i].id);
        free(calls[i].name);
        free(calls[i].args);
        free(calls[i].extra);
    }
    free(calls);
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

static size_t message_bytes(const struct history_message *m)
{
    size_t n = sizeof *m + length(m->text) + length(m->thought);
    for (size_t i = 0; i < m->media.n; i++)
        n += length(m->media.items[i].data);
    for (size_t i = 0; i < m->n_calls; i++)
        n += sizeof *m->calls + length(m->calls[i].args) + length(m->calls[i].extra);
    return n;
}

static void message_deinit(struct history_message *m)
{
    free(m->text);
    media_deinit(&m->media);
    free(m->thought);
    free(m->call_id);
    history_free_calls(m->calls, m->n_calls);
}

void history_cut(struct history *h, size_t n)
{
    while (h->n > n) {
        h->bytes -= message_bytes(&h->messages[--h->n]);
        message_deinit(&h->messages[h->n]);
    }
}

void history_deinit(struct history *h)
{
    history_cut(h, 0);
    free(h->messages);
    *h = (struct history){0};
}

static int make_room(struct history *h)
{
    if (h->messages && h->n < h->cap)
        return 0;
    size_t cap = h->cap ? h->cap * 2 : 8;
    struct history_message *p = realloc(h->messages, cap * sizeof *p);
    if (!p)
        return E_NOMEM;
    h->messages = p;
    h->cap = cap;
    return 0;
}

/* Takes the message. */
static int append(struct history *h, struct history_message *m)
{
    if (make_room(h) < 0) {
        message_deinit(m);
        return E_NOMEM;
    }
    h->messages[h->n++] = *m;
    h->bytes += message_bytes(m);
    return 0;
}

int history_add_prompt(struct history *h, const char *text, const char *blocks)
{
    struct history_message m = {.role = HISTORY_USER};
    if (media_read(blocks, &m.media) < 0)
        return E_NOMEM;
    m.text = strdup(text);
    if (m.text)
        return append(h, &m);
    message_deinit(&m);
    return E_NOMEM;
}

int history_add_user(struct history *h, const char *text)
{
    return history_add_prompt(h, text, NULL);
}

int history_join_user(struct history *h, const char *text)
{
    struct history_message *last = h->n > 0 ? &h->messages[h->n - 1] : NULL;
    struct buf whole = {0};
    if (!last || last->role != HISTORY_USER)
        return history_add_user(h, text);
    int rc = buf_addf(&whole, "%s\n\n%s", last->text, text);
    char *joined = rc == 0 ? buf_take(&whole) : NULL;
    buf_deinit(&whole);
    if (!joined)
        return E_NOMEM;
    h->bytes += strlen(joined) - strlen(last->text);
    free(last->text);
    last->text = joined;
    return 0;
}

int history_add_tool(struct history *h, const char *call_id, const char *text)
{
    struct history_message m = {
        .role = HISTORY_TOOL, .text = strdup(text), .call_id = strdup(call_id)};
    if (m.text && m.call_id)
        return append(h, &m);
    message_deinit(&m);
    return E_NOMEM;
}

int history_add_assistant(struct history *h, const char *text, const char *thought,
                          struct history_call *calls, size_t n_calls)
{
    struct history_message m = {.role = HISTORY_ASSISTANT,
                                .text = strdup(text),
                                .thought = thought ? strdup(thought) : NULL,
                                .calls = calls,
                                .n_calls = n_calls};
    if (m.text && (m.thought || !thought))
        return append(h, &m);
    message_deinit(&m);
    return E_NOMEM;
}

static size_t first_kept(const struct history *h, size_t kept)
{
    size_t first = h->n - (kept < h->n ? kept : h->n);
    while (first > 0 && first < h->n && h->messages[first].role == HISTORY_TOOL)
        first--;
    return first;
}

int history_compact(struct history *h, const char *summary, size_t kept)
{
    size_t first = first_kept(h, kept);
    bool answered = first == h->n || h->messages[first].role == HISTORY_USER;
    size_t head = answered ? 2 : 1;
    if (first < head)
        return 0;
    struct history_message made[] = {{.role = HISTORY_USER, .text = strdup(summary)},
                                     {.role = HISTORY_ASSISTANT, .text = strdup("[Noted.]")}};
    if (!made[0].text || !made[1].text) {
        free(made[0].text);
        free(made[1].text);
        return E_NOMEM;
    }
    if (!answered)
        free(made[1].text);
    for (size_t i = 0; i < first; i++) {
        h->bytes -= message_bytes(&h->messages[i]);
        message_deinit(&h->messages[i]);
    }
    for (size_t i = 0; i < head; i++)
        h->bytes += message_bytes(&made[i]);
    memmove(h->messages + head, h->messages + first, (h->n - first) * sizeof *h->messages);
    memcpy(h->messages, made, head * sizeof *made);
    h->n -= first - head;
    return 0;
}

int history_bound(struct history *h, size_t most)
{
    size_t kept = 0, bytes = 0;
    if (h->bytes <= most)
        return 0;
    while (kept < h->n && (kept == 0 || bytes <= most / 2))
        bytes += message_bytes(&h->messages[h->n - ++kept]);
    if (kept > 1)
        kept--;
    return history_compact(h, "[The beginning of this conversation is left out: it is too long.]",
                           kept);
}
