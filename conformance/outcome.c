#include "conformance/outcome.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/probe.h"

#include <stdlib.h>
#include <string.h>

static void forget_trace(struct case_result *r)
{
    trace_deinit(&r->trace);
    for (size_t i = 0; i < r->n; i++)
        r->checks[i].event = NULL;
}

static void case_deinit(struct outcome_case *c)
{
    result_deinit(&c->result);
    free(c->failure);
    excerpt_deinit(&c->excerpt);
}

static int put(struct outcome *o, struct outcome_case *c, struct case_result *r, char *failure)
{
    *c = (struct outcome_case){.failure = failure};
    int rc = o->keep_excerpts ? excerpt_take(r, &c->excerpt) : 0;
    forget_trace(r);
    o->counts[r->verdict]++;
    c->result = *r;
    *r = (struct case_result){0};
    return rc;
}

int outcome_add(struct outcome *o, struct case_result *r, char *failure)
{
    if (o->n == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 64;
        struct outcome_case *more = realloc(o->cases, cap * sizeof *more);
        if (!more) {
            result_deinit(r);
            free(failure);
            return E_NOMEM;
        }
        o->cases = more;
        o->cap = cap;
    }
    return put(o, &o->cases[o->n++], r, failure);
}

int outcome_replace(struct outcome *o, size_t place, struct case_result *r, char *failure)
{
    struct outcome_case *c = &o->cases[place];
    o->counts[c->result.verdict]--;
    case_deinit(c);
    return put(o, c, r, failure);
}

static int by_id(const void *a, const void *b)
{
    const struct outcome_case *x = a, *y = b;
    return strcmp(x->result.file->id, y->result.file->id);
}

void outcome_sort(struct outcome *o)
{
    if (o->n > 0)
        qsort(o->cases, o->n, sizeof *o->cases, by_id);
}

void outcome_deinit(struct outcome *o)
{
    for (size_t i = 0; i < o->n; i++)
        case_deinit(&o->cases[i]);
    free(o->cases);
    free(o->agent_name);
    free(o->agent_version);
    *o = (struct outcome){0};
}

enum exit_code outcome_exit_code(const struct outcome *o)
{
    enum exit_code code = verdict_exit_code(o->counts);
    if (code != EXIT_CONFORMS)
        return code;
    return o->interrupted ? EXIT_NO_VERDICT : o->stale > 0 ? EXIT_STALE : code;
}

const char *outcome_words(const struct outcome *o)
{
    static const char *const words[] = {"conforms", "does not conform", "usage", "no verdict",
                                        "stale baseline"};
    return words[outcome_exit_code(o)];
}

char *outcome_again(const struct outcome *o, const struct case_file *c)
{
    struct buf text = {0};
    bool first_look = strcmp(c->id, PROBE_CASE) == 0; /* no case that could be asked for */
    int rc = buf_adds(&text, "acp-conformance run");
    if (rc == 0 && !first_look)
        rc = buf_addf(&text, " %s", c->id);
    rc = rc < 0 ? rc : buf_adds(&text, o->again ? o->again : "");
    char *again = rc == 0 ? buf_take(&text) : NULL;
    buf_deinit(&text);
    return again;
}

void outcome_started(const struct outcome *o, char *text, size_t n)
{
    struct tm utc;
    if (!gmtime_r(&o->started, &utc) || strftime(text, n, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
}
