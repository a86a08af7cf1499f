#include "mock-client/player_int.h"

#include "mock-client/base64.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* The verb `send`: bytes that need not be messages. */

static int add_text(struct buf *out, const cJSON *step)
{
    const char *base64 = json_get_str(step, "base64"), *text = json_get_str(step, "send");
    if (base64)
        return base64_decode(out, base64, strlen(base64));
    return buf_adds(out, text ? text : "");
}

static int add_repeat(struct buf *out, const cJSON *repeat)
{
    const char *text = json_get_str(repeat, "text");
    int64_t count = json_get_int(repeat, "count", 0);
    int rc = 0;
    for (int64_t i = 0; text && i < count && rc == 0; i++)
        rc = buf_adds(out, text);
    return rc;
}

static int make_bytes(struct buf *out, const cJSON *step)
{
    int rc = add_text(out, step);
    if (rc == 0)
        rc = add_repeat(out, json_get(step, "repeat"));
    if (rc == 0)
        rc = buf_adds(out, json_get_str(step, "then") ? json_get_str(step, "then") : "");
    if (rc == 0 && !cJSON_IsFalse(json_get(step, "newline")))
        rc = buf_addc(out, '\n');
    return rc;
}

/* N pieces of N bytes each, or the sizes given; the last size repeats. */
static size_t *make_sizes(const cJSON *chunks, size_t *ret_n)
{
    const cJSON *first = cJSON_IsArray(chunks) ? chunks->child : chunks, *m = first;
    size_t n = cJSON_IsArray(chunks) ? (size_t)cJSON_GetArraySize(chunks) : 1;
    size_t *sizes = calloc(n ? n : 1, sizeof *sizes);
    for (size_t i = 0; sizes && i < n && m; i++, m = m->next)
        sizes[i] = m->valuedouble >= 1 ? (size_t)m->valuedouble : 1;
    *ret_n = n;
    return sizes;
}

static const struct trace_event *send_bytes(struct client *c, const struct buf *bytes,
                                            const cJSON *chunks)
{
    size_t n;
    if (!chunks)
        return client_send_raw(c, bytes->p ? bytes->p : "", bytes->n);
    size_t *sizes = make_sizes(chunks, &n);
    if (!sizes)
        return NULL;
    const struct trace_event *e = client_send_cut(c, bytes->p, bytes->n, sizes, n);
    free(sizes);
    return e;
}

/* The bytes hold a request: its answer can be awaited by name. */
static int name_request(struct player *p, const struct play_step *s, const struct trace_event *e)
{
    const cJSON *step = s->step;
    const char *as = json_get_str(step, "as");
    const cJSON *id = json_get(step, "id");
    struct play_ref *ref = as ? play_ref_add(p, as) : NULL;
    if (!as)
        return 0;
    if (!ref)
        return E_NOMEM;
    ref->sent = e;
    ref->agent = s->agent;
    ref->id = id ? cJSON_Duplicate(id, true) : NULL;
    return id && !ref->id ? E_NOMEM : 0;
}

int play_send_begin(struct player *p, struct play_step *s)
{
    struct buf bytes = {0};
    int rc = make_bytes(&bytes, s->step);
    const struct trace_event *e =
        rc == 0 ? send_bytes(s->agent->client, &bytes, json_get(s->step, "chunks")) : NULL;
    if (rc == 0)
        rc = e ? name_request(p, s, e) : E_NOMEM;
    buf_deinit(&bytes);
    return rc < 0 ? play_error(p, s, "%s", err_text(rc)) : PLAY_NEXT;
}

static bool are_sizes(const cJSON *chunks)
{
    const cJSON *m = cJSON_IsArray(chunks) ? chunks->child : chunks;
    if (!m)
        return false;
    if (cJSON_IsNumber(chunks))
        return chunks->valuedouble >= 1;
    for (; m; m = m->next)
        if (!cJSON_IsNumber(m) || m->valuedouble < 1)
            return false;
    return true;
}

int play_send_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *repeat = json_get(step, "repeat"), *chunks = json_get(step, "chunks");
    const char *base64 = json_get_str(step, "base64");
    struct buf bytes = {0};
    int rc = base64 ? base64_decode(&bytes, base64, strlen(base64)) : 0;
    buf_deinit(&bytes);
    if (rc < 0)
        return play_lint_fail(reterr, "send.base64", "is no base64");
    if (base64 && json_get_str(step, "send") && json_get_str(step, "send")[0])
        return play_lint_fail(reterr, "send", "with base64 its text must be \"\"");
    if (repeat && (!json_get_str(repeat, "text") || json_get_int(repeat, "count", -1) < 0))
        return play_lint_fail(reterr, "send.repeat", "needs a text and a count");
    if (chunks && !are_sizes(chunks))
        return play_lint_fail(reterr, "send.chunks",
                              "is a size or a list of sizes, each 1 or more");
    if (!json_get(step, "as") != !json_get(step, "id"))
        return play_lint_fail(reterr, "send", "as and id go together");
    return 0;
}
