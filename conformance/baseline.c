#include "conformance/baseline.h"

#include "base/buf.h"
#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "acp-conformance-baseline";

static struct baseline_entry *find_entry(const struct baseline *b, const char *case_id,
                                         const char *check)
{
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->entries[i].case_id, case_id) == 0 && strcmp(b->entries[i].check, check) == 0)
            return &b->entries[i];
    return NULL;
}

static void entry_deinit(struct baseline_entry *e)
{
    free(e->case_id);
    free(e->check);
    free(e->reason);
}

/* The new entry, zeroed but for its texts; NULL: out of memory. */
static struct baseline_entry *add_entry(struct baseline *b, const char *case_id, const char *check,
                                        const char *reason)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 16;
        struct baseline_entry *more = realloc(b->entries, cap * sizeof *more);
        if (!more)
            return NULL;
        b->entries = more;
        b->cap = cap;
    }
    struct baseline_entry e = {strdup(case_id), strdup(check), strdup(reason), false, false, 0, 0};
    if (!e.case_id || !e.check || !e.reason) {
        entry_deinit(&e);
        return NULL;
    }
    b->entries[b->n] = e;
    return &b->entries[b->n++];
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static int read_entry(struct baseline *b, const cJSON *json, const char *where, char *err,
                      size_t err_n)
{
    struct {
        const char *case_id, *check, *status, *reason;
    } row = {.status = "known"};
    static const struct json_field fields[] = {
        {"case", JSON_STR, JSON_REQUIRED, 0},
        {"check", JSON_STR, JSON_REQUIRED, sizeof(char *)},
        {"status", JSON_STR, JSON_OPTIONAL, 2 * sizeof(char *)},
        {"reason", JSON_STR, JSON_REQUIRED, 3 * sizeof(char *)},
    };
    struct json_error fault;
    if (!cJSON_IsObject(json) ||
        json_read(json, where, fields, ARRAY_LEN(fields), &row, &fault) < 0) {
        snprintf(err, err_n, "%s", cJSON_IsObject(json) ? fault.text : "an entry is no object");
        return E_INVALID;
    }
    bool flaky = strcmp(row.status, "flaky") == 0;
    const char *wrong = !flaky && strcmp(row.status, "known") != 0
                            ? "status: neither known nor flaky"
                        : row.reason[0] == '\0' ? "reason: empty; say why this may fail"
                        : find_entry(b, row.case_id, row.check) ? "check: a second entry for it"
                                                                : NULL;
    if (wrong) {
        snprintf(err, err_n, "%s.%s", where, wrong);
        return E_INVALID;
    }
    struct baseline_entry *e = add_entry(b, row.case_id, row.check, row.reason);
    if (!e)
        return E_NOMEM;
    e->flaky = flaky;
    e->told = true;
    return 0;
}

static int read_entries(struct baseline *b, const cJSON *json, char *err, size_t err_n)
{
    const char *format = json_get_str(json, "format");
    const cJSON *entries = json_get(json, "entries"), *entry;
    size_t i = 0;
    int rc = 0;
    if (!format || strcmp(format, format_name) != 0 || json_get_int(json, "version", 0) != 1 ||
        !cJSON_IsArray(entries)) {
        snprintf(err, err_n,
                 "no baseline: \"format\": \"%s\", \"version\": 1 and \"entries\" are "
                 "wanted",
                 format_name);
        return E_INVALID;
    }
    cJSON_ArrayForEach(entry, entries)
    {
        char where[32];
        snprintf(where, sizeof where, "entries[%zu]", i++);
        rc = rc < 0 ? rc : read_entry(b, entry, where, err, err_n);
    }
    return rc;
}

int baseline_parse(const char *text, size_t n, struct baseline *b, char *err, size_t err_n)
{
    struct json_error fault;
    cJSON *json = NULL;
    int rc = json_parse(text, n, &json, &fault);
    if (rc < 0)
        snprintf(err, err_n, "%s", rc == E_NOMEM ? err_text(rc) : fault.text);
    else
        rc = read_entries(b, json, err, err_n);
    cJSON_Delete(json);
    return rc;
}

static int read_all(const char *path, struct buf *out)
{
    char piece[4096];
    size_t n;
    int rc = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    while (rc == 0 && (n = fread(piece, 1, sizeof piece, f)) > 0)
        rc = buf_add(out, piece, n);
    if (rc == 0 && ferror(f))
        rc = E_IO;
    fclose(f);
    return rc == 0 && !buf_cstr(out) ? E_NOMEM : rc;
}

int baseline_read(const char *path, struct baseline *b, char *err, size_t err_n)
{
    struct buf text = {0};
    char why[512] = "";
    int rc = read_all(path, &text);
    if (rc < 0)
        snprintf(why, sizeof why, "%s", err_text(rc));
    else
        rc = baseline_parse(text.p, text.n, b, why, sizeof why);
    if (rc < 0)
        snprintf(err, err_n, "%s: %s", path, why);
    buf_deinit(&text);
    return rc;
}

/* ---- judging ------------------------------------------------------------------------------------
 */

static int excuse(const struct baseline_entry *e, struct check_result *c)
{
    struct buf note = {0};
    int rc = buf_addf(&note, "%s, says the baseline: %s", e->flaky ? "flaky" : "known", e->reason);
    char *text = rc == 0 ? buf_take(&note) : NULL;
    buf_deinit(&note);
    if (!text)
        return E_NOMEM;
    free(c->note);
    c->note = text;
    c->verdict = VERDICT_INFO;
    return 0;
}

static int take_failure(struct baseline *b, const struct case_result *r, struct check_result *c)
{
    struct baseline_entry *e = find_entry(b, r->file->id, c->id);
    if (!e)
        e = add_entry(b, r->file->id, c->id,
                      c->text && c->text[0] ? c->text : "not looked into yet");
    if (!e)
        return E_NOMEM;
    e->failed++;
    return e->told ? excuse(e, c) : 0;
}

/* Entries whose requirement was judged and did not fail; what was not reached tells nothing. */
static void count_passes(struct baseline *b, const struct case_result *r)
{
    for (size_t i = 0; i < b->n; i++) {
        struct baseline_entry *e = &b->entries[i];
        bool passed = strcmp(e->case_id, r->file->id) == 0;
        for (size_t k = 0; passed && k < r->n; k++)
            if (strcmp(r->checks[k].id, e->check) == 0)
                passed = r->checks[k].verdict != VERDICT_FAIL &&
                         r->checks[k].verdict != VERDICT_NOT_EXERCISED;
        e->passed += passed;
    }
}

int baseline_apply(struct baseline *b, struct case_result *r)
{
    enum verdict verdict = VERDICT_PASS;
    int rc = 0;
    if (r->verdict == VERDICT_SKIP || r->error)
        return 0;
    if (r->verdict != VERDICT_NOT_EXERCISED)
        count_passes(b, r);
    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        if (r->checks[i].verdict == VERDICT_FAIL)
            rc = take_failure(b, r, &r->checks[i]);
        verdict = verdict_worse(verdict, r->checks[i].verdict);
    }
    r->verdict = verdict;
    return rc;
}

bool baseline_is_stale(const struct baseline_entry *e, const struct catalog *c)
{
    if (!e->told || e->flaky || e->failed > 0)
        return false;
    return e->passed > 0 || !catalog_find(c, e->case_id);
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static void write_entry(struct jsonw *w, const struct baseline_entry *e)
{
    jw_open(w, '{');
    jw_kstr(w, "case", e->case_id);
    jw_kstr(w, "check", e->check);
    jw_kstr(w, "status", e->flaky || e->passed > 0 ? "flaky" : "known");
    jw_kstr(w, "reason", e->reason);
    jw_close(w);
}

int baseline_write(const struct baseline *b, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "format", format_name);
    jw_kint(&w, "version", 1);
    jw_kopen(&w, "entries", '[');
    for (size_t i = 0; i < b->n; i++) {
        const struct baseline_entry *e = &b->entries[i];
        if (e->failed > 0 || e->flaky || (e->told && e->passed == 0))
            write_entry(&w, e);
    }
    jw_close(&w);
    jw_close(&w);
    int rc = jw_end(&w);
    return rc < 0 ? rc : buf_addc(out, '\n');
}

void baseline_deinit(struct baseline *b)
{
    for (size_t i = 0; i < b->n; i++)
        entry_deinit(&b->entries[i]);
    free(b->entries);
    *b = (struct baseline){0};
}
