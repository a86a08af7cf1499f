#include "agent/entry.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>

int entry_write_calls(struct buf *out, const struct history_call *calls, size_t n)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '[');
    for (size_t i = 0; i < n; i++) {
        jw_open(&w, '{');
        jw_kstr(&w, "id", calls[i].id);
        jw_kstr(&w, "name", calls[i].name);
        jw_kstr(&w, "args", calls[i].args);
        if (calls[i].extra)
            jw_kstr(&w, "extra", calls[i].extra);
        jw_close(&w);
    }
    jw_close(&w);
    return jw_end(&w);
}

static int read_call(const cJSON *item, struct history_call *ret)
{
    const char *id = json_get_str(item, "id"), *name = json_get_str(item, "name");
    const char *args = json_get_str(item, "args"), *extra = json_get_str(item, "extra");
    if (!id || !name || !args)
        return E_PARSE;
    ret->id = strdup(id);
    ret->name = strdup(name);
    ret->args = strdup(args);
    ret->extra = extra ? strdup(extra) : NULL;
    return ret->id && ret->name && ret->args && (ret->extra || !extra) ? 0 : E_NOMEM;
}

static int read_list(const cJSON *list, struct history_call **ret, size_t *ret_n)
{
    size_t n = 0, size = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (size == 0)
        return E_PARSE;
    struct history_call *calls = calloc(size, sizeof *calls);
    int rc = calls ? 0 : E_NOMEM;
    for (const cJSON *item = list->child; rc == 0 && item; item = item->next)
        rc = read_call(item, &calls[n++]);
    if (rc < 0) {
        history_free_calls(calls, n);
        return rc;
    }
    *ret = calls;
    *ret_n = n;
    return 0;
}

int entry_read_calls(const char *json, struct history_call **ret, size_t *ret_n)
{
    cJSON *list = NULL;
    int rc = json_parse(json, strlen(json), &list, NULL);
    if (rc == 0)
        rc = read_list(list, ret, ret_n);
    cJSON_Delete(list);
    return rc;
}

/* --- runs --- */

static size_t count(const struct buf *runs)
{
    return runs->n / sizeof(int64_t);
}

static int64_t at(const struct buf *runs, size_t i)
{
    int64_t v;
    memcpy(&v, runs->p + i * sizeof v, sizeof v);
    return v;
}

int entry_add_run(struct buf *runs, enum llm_text_kind kind, size_t n)
{
    int64_t v = kind == LLM_TEXT ? (int64_t)n : -(int64_t)n;
    int64_t last = runs->n > 0 ? at(runs, count(runs) - 1) : 0;
    if (last != 0 && (last < 0) == (v < 0)) {
        v += last;
        runs->n -= sizeof v;
    }
    return buf_add(runs, &v, sizeof v);
}

bool entry_runs_are_plain(const struct buf *runs)
{
    size_t n = count(runs);
    return n < 2 || (n == 2 && at(runs, 0) < 0);
}

int entry_write_runs(struct buf *out, const struct buf *runs)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '[');
    for (size_t i = 0; i < count(runs); i++)
        jw_int(&w, at(runs, i));
    jw_close(&w);
    return jw_end(&w);
}

/* Gives out the next n bytes of a text and moves it on. */
static void show_run(const char **text, size_t n, enum llm_text_kind kind, llm_text_cb show,
                     void *ctx)
{
    n = strnlen(*text, n);
    if (n > 0)
        show(ctx, kind, *text, n);
    *text += n;
}

static int show_list(const cJSON *list, const struct entry_texts *texts, llm_text_cb show,
                     void *ctx)
{
    struct entry_texts left = *texts;
    const cJSON *run;
    if (!cJSON_IsArray(list))
        return E_PARSE;
    cJSON_ArrayForEach(run, list)
    {
        double n = cJSON_IsNumber(run) ? run->valuedouble : 0;
        if (n > 0)
            show_run(&left.text, (size_t)n, LLM_TEXT, show, ctx);
        else
            show_run(&left.thought, (size_t)-n, LLM_THOUGHT, show, ctx);
    }
    return 0;
}

int entry_show_runs(const char *json, const struct entry_texts *texts, llm_text_cb show, void *ctx)
{
    cJSON *list = NULL;
    int rc = json_parse(json, strlen(json), &list, NULL);
    if (rc == 0)
        rc = show_list(list, texts, show, ctx);
    cJSON_Delete(list);
    return rc;
}
