#include "agent/llm_reader.h"

#include "agent/llm_error.h"
#include "base/err.h"
#include "base/log.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENT (64u << 20) /* one event, or a whole JSON answer */
#define KEPT_MARK "{\"dialect\":"

static void on_event(void *ctx, const struct sse_event *event);

static void on_think(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct llm_reader *r = ctx;
    r->on_text(r->ctx, kind, p, n);
}

struct llm_reader *llm_reader_create(const struct llm_format *format, llm_text_cb on_text,
                                     void *ctx)
{
    struct llm_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->format = format;
    r->on_text = on_text;
    r->ctx = ctx;
    r->think.on_text = on_think;
    r->think.ctx = r;
    sse_init(&r->sse, MAX_EVENT, on_event, r);
    return r;
}

void llm_reader_destroy(struct llm_reader *r)
{
    if (!r)
        return;
    sse_deinit(&r->sse);
    buf_deinit(&r->json);
    llm_calls_deinit(&r->calls);
    cJSON_Delete(r->kept);
    cJSON_Delete(r->open);
    free(r);
}

/* ---- for the takers -----------------------------------------------------------------------------
 */

void llm_reader_fail(struct llm_reader *r, const char *text, bool retry)
{
    r->failed = true;
    r->error.retry = retry;
    llm_error_set(&r->error, text);
}

void llm_reader_text(struct llm_reader *r, const char *text)
{
    if (text && *text)
        llm_think_feed(&r->think, text, strlen(text));
}

void llm_reader_thought(struct llm_reader *r, const char *text)
{
    if (text && *text)
        r->on_text(r->ctx, LLM_THOUGHT, text, strlen(text));
}

static bool add_text(cJSON *obj, const char *name, const char *text)
{
    return !text || cJSON_AddStringToObject(obj, name, text);
}

void llm_reader_call(struct llm_reader *r, long index, const char *id, const char *name,
                     const char *args)
{
    cJSON *fragment = cJSON_CreateObject();
    cJSON *function = fragment ? cJSON_AddObjectToObject(fragment, "function") : NULL;
    bool ok = function && cJSON_AddNumberToObject(fragment, "index", (double)index) &&
              add_text(fragment, "id", id) && add_text(function, "name", name) &&
              add_text(function, "arguments", args);
    if (!ok || llm_calls_add(&r->calls, fragment) < 0)
        r->rc = E_NOMEM;
    cJSON_Delete(fragment);
}

void llm_reader_end(struct llm_reader *r, const char *reason, const struct llm_finish_row *table)
{
    if (!reason || !*reason)
        return;
    r->finish = LLM_FINISH_STOP;
    for (; table->wire; table++)
        if (strcmp(table->wire, reason) == 0)
            r->finish = table->finish;
    if (r->finish == LLM_FINISH_FAILED && !r->failed)
        llm_reader_fail(r, reason, true);
}

/* ---- what goes back unchanged -------------------------------------------------------------------
 */

void llm_reader_keep(struct llm_reader *r, cJSON *item)
{
    if (!r->kept)
        r->kept = cJSON_CreateArray();
    if (!item || !r->kept || !cJSON_AddItemToArray(r->kept, item)) {
        cJSON_Delete(item);
        r->rc = E_NOMEM;
    }
}

/* It travels with the first call: only turns that call tools have to bring it back. */
static int give_kept(struct llm_reader *r, struct history_call *calls, size_t n)
{
    if (!r->kept || n == 0 || calls[0].extra)
        return 0;
    char *list = cJSON_PrintUnformatted(r->kept);
    struct buf out = {0};
    int rc =
        list ? buf_addf(&out, KEPT_MARK "\"%s\",\"items\":%s}", r->format->dialect, list) : E_NOMEM;
    calls[0].extra = rc == 0 ? buf_take(&out) : NULL;
    buf_deinit(&out);
    cJSON_free(list);
    return calls[0].extra ? 0 : E_NOMEM;
}

bool llm_is_kept(const char *extra)
{
    return strncmp(extra, KEPT_MARK, strlen(KEPT_MARK)) == 0;
}

cJSON *llm_kept(const struct history_call *calls, size_t n, const char *dialect)
{
    cJSON *root = NULL, *items = NULL;
    const char *extra = n > 0 ? calls[0].extra : NULL;
    if (!extra || !llm_is_kept(extra) || json_parse(extra, strlen(extra), &root, NULL) < 0)
        return NULL;
    const char *owner = json_get_str(root, "dialect");
    if (owner && strcmp(owner, dialect) == 0)
        items = cJSON_DetachItemFromObjectCaseSensitive(root, "items");
    cJSON_Delete(root);
    return items;
}

void llm_write_kept(struct jsonw *w, const struct history_message *m, const char *dialect)
{
    cJSON *items = llm_kept(m->calls, m->n_calls, dialect);
    const cJSON *item;
    cJSON_ArrayForEach(item, items) jw_tree(w, item);
    cJSON_Delete(items);
}

/* ---- the body -----------------------------------------------------------------------------------
 */

static void take(struct llm_reader *r, const cJSON *root)
{
    r->saw_chunk = true;
    if (llm_error_in_json(root, &r->error))
        r->failed = true;
    else
        r->format->take(r, root);
}

/* Bytes that are not UTF-8 spoil only themselves, not the event they stand in. */
static int parse_repaired(const char *p, size_t n, cJSON **ret)
{
    struct buf whole = {0};
    int rc = utf8_append_repaired(&whole, p, n);
    if (rc == 0)
        rc = buf_cstr(&whole) ? json_parse(whole.p, whole.n, ret, NULL) : E_NOMEM;
    buf_deinit(&whole);
    return rc;
}

static int parse_text(const char *p, size_t n, cJSON **ret)
{
    int rc = json_parse(p, n, ret, NULL);
    if (rc == E_PARSE && utf8_valid_prefix(p, n) < n)
        rc = parse_repaired(p, n, ret);
    return rc;
}

static void on_event(void *ctx, const struct sse_event *event)
{
    struct llm_reader *r = ctx;
    cJSON *root = NULL;
    if (r->done || r->failed || event->data_n == 0)
        return;
    if (strncmp(event->data, "[DONE]", 6) == 0) {
        r->done = true;
        return;
    }
    int rc = parse_text(event->data, event->data_n, &root);
    if (rc == 0)
        take(r, root);
    else if (rc == E_NOMEM)
        r->rc = rc;
    else if (strcmp(event->name, "error") == 0)
        llm_reader_fail(r, event->data, true);
    else
        log_warn("model stream: an event that is not JSON was skipped"); /* keep-alives look so */
    cJSON_Delete(root);
}

/* Some servers send blank lines first, and some answer with one JSON object where a stream was
 * asked for: the first byte that means something tells. Returns where that byte stands. */
static size_t find_kind(struct llm_reader *r, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (strchr(" \t\r\n\xef\xbb\xbf", p[i]) != NULL && p[i] != '\0'))
        i++;
    if (i < n)
        r->kind = p[i] == '{' || p[i] == '[' ? LLM_BODY_JSON : LLM_BODY_STREAM;
    return i;
}

static int add_json(struct llm_reader *r, const char *p, size_t n)
{
    if (r->json.n + n > MAX_EVENT) {
        llm_reader_fail(r, "the answer is larger than 64 MiB", false);
        return 1;
    }
    return buf_add(&r->json, p, n);
}

int llm_reader_feed(struct llm_reader *r, const char *bytes, size_t n)
{
    if (r->kind == LLM_BODY_UNKNOWN) {
        size_t skip = find_kind(r, bytes, n);
        bytes += skip;
        n -= skip;
    }
    if (n == 0)
        return r->rc;
    if (r->kind == LLM_BODY_JSON)
        return add_json(r, bytes, n);
    int rc = sse_feed(&r->sse, bytes, n);
    if (rc == E_TOOBIG)
        log_warn("model stream: an event over 64 MiB was skipped");
    else if (rc < 0)
        return rc;
    return r->rc < 0 ? r->rc : r->done || r->failed;
}

/* Gemini sends a stream as one list, or an error in one, where no events were asked for. */
static void take_body(struct llm_reader *r, const cJSON *root)
{
    const cJSON *item;
    if (!cJSON_IsArray(root)) {
        take(r, root);
        return;
    }
    cJSON_ArrayForEach(item, root)
    {
        if (!r->done && !r->failed)
            take(r, item);
    }
}

static int finish_body(struct llm_reader *r)
{
    if (r->kind != LLM_BODY_JSON) {
        int rc = sse_finish(&r->sse); /* the last event may lack its blank line */
        return rc == E_NOMEM ? rc : r->rc;
    }
    cJSON *root = NULL;
    int rc = buf_cstr(&r->json) ? parse_text(r->json.p, r->json.n, &root) : E_NOMEM;
    if (rc == 0)
        take_body(r, root);
    cJSON_Delete(root);
    return rc == E_NOMEM ? rc : r->rc;
}

static void settle_finish(struct llm_reader *r)
{
    char text[96];
    snprintf(text, sizeof text, "the answer was no %s", r->format->noun);
    if (r->failed)
        r->finish = LLM_FINISH_FAILED;
    else if (r->finish == LLM_FINISH_NONE)
        llm_reader_fail(r, r->saw_chunk ? "the answer ended before its end mark" : text, true);
    else if (r->finish == LLM_FINISH_STOP && r->refused)
        r->finish = LLM_FINISH_REFUSAL;
}

int llm_reader_finish(struct llm_reader *r, struct llm_reply *ret)
{
    *ret = (struct llm_reply){0};
    int rc = r->rc < 0 || r->done || r->failed ? r->rc : finish_body(r);
    llm_think_finish(&r->think);
    settle_finish(r);
    ret->finish = r->finish;
    ret->usage = r->usage;
    ret->error = r->error;
    if (rc == 0 && r->finish == LLM_FINISH_STOP)
        rc = llm_calls_take(&r->calls, &ret->calls, &ret->n_calls);
    if (rc == 0)
        rc = give_kept(r, ret->calls, ret->n_calls);
    if (rc < 0) {
        ret->finish = LLM_FINISH_FAILED;
        ret->error = (struct llm_error){0};
        llm_error_set(&ret->error, "out of memory");
    }
    return rc;
}
