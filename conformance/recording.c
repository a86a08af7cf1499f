#include "conformance/recording.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_MS = 1000000 };

struct entries {
    struct recorded **v; /* owned */
    size_t n, cap;
};

static int complain(struct trace_fault *fault, unsigned line, const char *what)
{
    fault->line = line;
    snprintf(fault->text, sizeof fault->text, "%s", what);
    return E_PARSE;
}

/* ---- entries ------------------------------------------------------------------------------------
 */

static bool is_message(const cJSON *m)
{
    if (!cJSON_IsObject(m))
        return false;
    return json_get(m, "jsonrpc") || json_get_str(m, "method") ||
           (json_get(m, "id") && (json_get(m, "result") || json_get(m, "error")));
}

static int copy_message(const cJSON *from, cJSON **ret)
{
    *ret = cJSON_Duplicate(from, true);
    return *ret ? 0 : E_NOMEM;
}

/* The message that an entry wraps, as an object or as the text of one; the caller owns it, NULL if
 * there is none. 0 or E_NOMEM. */
static int find_message(const cJSON *entry, cJSON **ret)
{
    const cJSON *member;
    *ret = NULL;
    if (is_message(entry))
        return copy_message(entry, ret);
    cJSON_ArrayForEach(member, entry)
    {
        if (is_message(member))
            return copy_message(member, ret);
        if (!cJSON_IsString(member) || member->valuestring[0] != '{')
            continue;
        int rc = json_parse(member->valuestring, strlen(member->valuestring), ret, NULL);
        if (rc == E_NOMEM || (rc == 0 && is_message(*ret)))
            return rc;
        if (rc == 0)
            cJSON_Delete(*ret);
        *ret = NULL;
    }
    return 0;
}

static const char *find_label(const cJSON *entry)
{
    static const char *const names[] = {"dir", "direction", "from", "source", "sender", "side"};
    if (is_message(entry))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (json_get_str(entry, names[i]))
            return json_get_str(entry, names[i]);
    return NULL;
}

/* Recorders agree on no unit and no name; what is not plainly a number of milliseconds since the
 * start only tells the order, and that the file tells as well. */
static double find_ms(const cJSON *entry, double before)
{
    const cJSON *t = is_message(entry) ? NULL : json_get(entry, "t");
    return t && cJSON_IsNumber(t) && t->valuedouble > before ? t->valuedouble : before;
}

static void free_recorded(struct recorded *r)
{
    if (!r)
        return;
    cJSON_Delete(r->message);
    cJSON_Delete(r->entry);
    free(r);
}

/* Takes entry. */
static int add_entry(struct entries *e, cJSON *entry, unsigned at)
{
    struct recorded *r = calloc(1, sizeof *r);
    if (!r || grow_pointers(&e->v, e->n, &e->cap) < 0) {
        cJSON_Delete(entry);
        free(r);
        return E_NOMEM;
    }
    double before = e->n > 0 ? e->v[e->n - 1]->ms : 0;
    *r = (struct recorded){entry, NULL, find_label(entry), -1, find_ms(entry, before), at};
    e->v[e->n++] = r;
    return find_message(entry, &r->message);
}

static void free_entries(struct entries *e)
{
    for (size_t i = 0; i < e->n; i++)
        free_recorded(e->v[i]);
    free(e->v);
}

/* ---- forms --------------------------------------------------------------------------------------
 */

static cJSON *find_list(cJSON *document)
{
    cJSON *member;
    if (cJSON_IsArray(document))
        return document;
    if (is_message(document))
        return NULL;
    cJSON_ArrayForEach(member, document)
    {
        if (cJSON_IsArray(member) && cJSON_IsObject(member->child))
            return member;
    }
    return NULL;
}

/* One document with a list in it: what programs export. Takes nothing if it is none. */
static int read_document(struct entries *e, const char *text, size_t n)
{
    cJSON *document = NULL;
    unsigned at = 0;
    int rc = json_parse(text, n, &document, NULL);
    cJSON *list = rc == 0 ? find_list(document) : NULL;
    rc = rc == E_NOMEM ? rc : 0;
    while (rc == 0 && list && list->child)
        rc = add_entry(e, cJSON_DetachItemFromArray(list, 0), ++at);
    cJSON_Delete(document);
    return rc;
}

static int read_lines(struct entries *e, char *text, size_t n)
{
    unsigned line = 0;
    for (size_t at = 0; at < n;) {
        char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;
        cJSON *entry = NULL;
        line++;
        text[at + len] = '\0';
        bool blank = strspn(text + at, " \t\r") == len;
        int rc = blank ? 0 : json_parse(text + at, len, &entry, NULL);
        if (rc == E_NOMEM)
            return rc;
        if (!blank)
            rc = add_entry(e, entry, line);
        if (rc == E_NOMEM)
            return rc;
        at += len + 1;
    }
    return 0;
}

/* ---- into the trace -----------------------------------------------------------------------------
 */

static int add_message(struct trace *t, const struct recorded *r)
{
    char *text = cJSON_PrintUnformatted(r->message);
    uint64_t now = t->t0_ns + (uint64_t)(r->ms * NS_PER_MS);
    bool ok = text && trace_add(t, (enum trace_side)r->side, "line", text, strlen(text), NULL, now);
    cJSON_free(text);
    return ok ? 0 : E_NOMEM;
}

static int fill_trace(struct recording *r, const struct entries *e)
{
    struct trace *t = &r->trace;
    int rc = trace_note(t, TRACE_PROCESS, "start", "", t->t0_ns) ? 0 : E_NOMEM;
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        if (e->v[i]->side >= 0 && e->v[i]->message) {
            rc = add_message(t, e->v[i]);
            continue;
        }
        r->skipped_at = r->skipped == 0 ? e->v[i]->at : r->skipped_at;
        r->skipped++;
    }
    return rc;
}

static int read_others(struct recording *r, char *text, size_t n, struct trace_fault *fault)
{
    struct entries e = {0};
    int rc = read_document(&e, text, n);
    if (rc == 0 && e.n == 0)
        rc = read_lines(&e, text, n);
    rc = rc == 0 ? recording_find_sides(e.v, e.n) : rc;
    rc = rc == 0 ? fill_trace(r, &e) : rc;
    if (rc == 0 && r->skipped == e.n)
        rc = complain(fault, 1,
                      e.n == 0 ? "nothing is recorded in it"
                               : "no message of the protocol is in it");
    free_entries(&e);
    return rc;
}

/* The first line as JSON, NULL if it is none; the caller owns it. 0 or E_NOMEM. */
static int read_first(const char *text, size_t n, cJSON **ret)
{
    const char *end = memchr(text, '\n', n);
    char *line = strndup(text, end ? (size_t)(end - text) : n);
    *ret = NULL;
    int rc = line ? json_parse(line, strlen(line), ret, NULL) : E_NOMEM;
    free(line);
    return rc == E_NOMEM ? rc : 0;
}

/* 1, 0 or E_NOMEM. */
static int is_ours(const char *text, size_t n)
{
    cJSON *first;
    int rc = read_first(text, n, &first);
    if (rc < 0)
        return rc;
    bool ours = json_get(first, "trace") || (json_get(first, "side") && json_get(first, "kind"));
    cJSON_Delete(first);
    return ours;
}

static bool has_start(const struct trace *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *method = json_get_str(t->events[i]->json, "method");
        if (t->events[i]->side == TRACE_CLIENT && method && strcmp(method, "initialize") == 0)
            return true;
    }
    return false;
}

int recording_read(struct recording *ret, char *text, size_t n, struct trace_fault *fault)
{
    *fault = (struct trace_fault){0};
    *ret = (struct recording){0};
    trace_init(&ret->trace, 0);
    int rc = is_ours(text, n);
    if (rc >= 0)
        rc = rc ? trace_read(&ret->trace, text, n, &ret->header, fault)
                : read_others(ret, text, n, fault);
    if (rc == 0 && ret->trace.n == 0)
        rc = complain(fault, 1, "nothing is recorded in it"); /* but a header */
    ret->from_start = rc == 0 && (ret->header || has_start(&ret->trace));
    return rc;
}

void recording_deinit(struct recording *r)
{
    cJSON_Delete(r->header);
    trace_deinit(&r->trace);
    *r = (struct recording){0};
}

bool recording_is(const char *text, size_t n)
{
    cJSON *json = NULL;
    if (json_parse(text, n, &json, NULL) <
        0) /* several values: lines, if the first stands in one */
        read_first(text, n, &json);
    bool recorded = json && !json_get(json, "steps") && !json_get(json, "title");
    cJSON_Delete(json);
    return recorded;
}
