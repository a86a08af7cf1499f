#include "agent/method.h"

#include "acp/methods.h"
#include "agent/file.h"
#include "agent/record.h"
#include "base/err.h"

#include <stdlib.h>

#define PAGE_SIZE 50

struct list_params {
    const char *cwd, *cursor;
};

struct page {
    struct agent *agent;
    struct jsonw w;
};

/* The further folders of a session are those it was opened with, so only an open one has any. */
static void write_roots(struct jsonw *w, const struct session *s)
{
    const char *const *root = s ? session_roots(s) : NULL;
    if (!root)
        return;
    jw_kopen(w, "additionalDirectories", '[');
    for (; *root; root++)
        jw_cstr(w, *root);
    jw_close(w);
}

static void write_session(void *ctx, const struct store_session *session)
{
    struct page *page = ctx;
    struct jsonw *w = &page->w;
    char time[STORE_TIME_SIZE];
    jw_open(w, '{');
    jw_kstr(w, "sessionId", session->id);
    jw_kstr(w, "cwd", session->cwd);
    write_roots(w, agent_find_session(page->agent, session->id));
    if (session->title)
        jw_kstr(w, "title", session->title);
    jw_kstr(w, "updatedAt", store_format_time(session->updated, time));
    jw_close(w);
}

/* All sessions of this process are in the store, so what is there is what there is. */
static int write_page(struct agent *a, const struct store_query *query, struct buf *out)
{
    struct page page = {.agent = a};
    char next[STORE_CURSOR_SIZE] = "";
    jw_begin(&page.w, out);
    jw_open(&page.w, '{');
    jw_kopen(&page.w, "sessions", '[');
    int rc = store_list_sessions(a->env.store, query, write_session, &page, next);
    jw_close(&page.w);
    if (*next)
        jw_kstr(&page.w, "nextCursor", next);
    jw_close(&page.w);
    int written = jw_end(&page.w);
    return rc < 0 ? rc : written;
}

static void list(struct agent *a, struct rpc_request *req, const struct list_params *p)
{
    struct buf page = {0};
    char *cwd = p->cwd ? file_join("/", p->cwd) : NULL;
    const struct store_query query = {.cwd = cwd, .cursor = p->cursor, .limit = PAGE_SIZE};
    int rc = p->cwd && !cwd ? E_NOMEM : write_page(a, &query, &page);
    if (rc == 0) {
        jw_raw(rpc_reply_begin(req), page.p, page.n);
        rpc_reply_end(req);
    } else if (rc == E_INVALID) {
        rpc_fail_kv(req, RPC_INVALID_PARAMS, record_error(&a->env, rc), "path", "params.cursor");
    } else {
        method_fail_store(a, req, rc);
    }
    buf_deinit(&page);
    free(cwd);
}

void method_session_list(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    static const struct json_field fields[] = {
        {"cwd", JSON_STR, JSON_NULLABLE, offsetof(struct list_params, cwd)},
        {"cursor", JSON_STR, JSON_NULLABLE, offsetof(struct list_params, cursor)},
    };
    struct list_params p = {NULL, NULL};
    struct json_error err;
    if (!method_has_store(a, req, acp_methods[ACP_SESSION_LIST].name))
        return;
    if (json_read(params, "params", fields, ARRAY_LEN(fields), &p, &err) < 0)
        method_fail_params(req, &err);
    else if (p.cwd && p.cwd[0] != '/')
        rpc_fail_kv(req, RPC_INVALID_PARAMS, "params.cwd: must be an absolute path", "path",
                    "params.cwd");
    else
        list(a, req, &p);
}

void method_session_delete(struct agent *a, struct rpc_request *req, const cJSON *params)
{
    if (!method_has_store(a, req, acp_methods[ACP_SESSION_DELETE].name))
        return;
    const char *id = method_read_id(req, params);
    if (!id)
        return;
    session_destroy(agent_find_session(a, id));
    int rc = store_delete_session(a->env.store, id);
    if (rc < 0)
        method_fail_store(a, req, rc);
    else
        rpc_reply_empty(req);
}
