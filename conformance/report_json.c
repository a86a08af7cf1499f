#include "conformance/report.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/profile.h"
#include "conformance/requirement.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdlib.h>

/* The shape is docs/report.schema.json's; what is added there later leaves `version` as it is. */
enum { REPORT_VERSION = 1 };

static void optional(struct jsonw *w, const char *name, const char *text)
{
    if (text && text[0])
        jw_kstr(w, name, text);
}

static void ms(struct jsonw *w, const char *name, uint64_t us)
{
    jw_key(w, name);
    jw_double(w, (double)us / 1000);
}

static void write_agent(struct jsonw *w, const struct outcome *o)
{
    jw_kopen(w, "agent", '{');
    jw_kstr(w, "profile", o->setting->profile->name);
    jw_ktree(w, "command", json_get(o->setting->profile->json, "command"));
    optional(w, "name", o->agent_name);
    optional(w, "version", o->agent_version);
    jw_close(w);
}

static void write_options(struct jsonw *w, const struct outcome *o)
{
    jw_kopen(w, "options", '{');
    jw_kbool(w, "strict", o->setting->strict);
    jw_key(w, "timeout_scale");
    jw_double(w, o->setting->timeout_scale);
    jw_kint(w, "seed", (int64_t)o->setting->seed);
    jw_kint(w, "jobs", o->jobs);
    jw_close(w);
}

static void write_summary(struct jsonw *w, const struct outcome *o)
{
    jw_kopen(w, "summary", '{');
    jw_kint(w, "cases", (int64_t)o->n);
    jw_kopen(w, "verdicts", '{');
    for (int v = 0; v < VERDICT_COUNT; v++)
        jw_kint(w, verdict_name((enum verdict)v), o->counts[v]);
    jw_close(w);
    jw_kbool(w, "interrupted", o->interrupted);
    jw_kint(w, "stale", o->stale);
    jw_kint(w, "exit_code", outcome_exit_code(o));
    jw_close(w);
}

static void write_check(struct jsonw *w, const struct check_result *c)
{
    jw_open(w, '{');
    jw_kstr(w, "id", c->id);
    if (c->rule) {
        jw_kstr(w, "level", c->rule->level);
        jw_kstr(w, "area", c->rule->area);
    }
    jw_kstr(w, "verdict", verdict_name(c->verdict));
    optional(w, "by", c->by);
    if (c->step >= 0)
        jw_kint(w, "step", c->step);
    optional(w, "pointer", c->pointer);
    optional(w, "expected", c->expected);
    optional(w, "got", c->got);
    optional(w, "text", c->text);
    optional(w, "note", c->note);
    jw_close(w);
}

static void write_reason(struct jsonw *w, const struct case_result *r)
{
    if (!r->reason)
        return;
    jw_kstr(w, "reason", r->reason);
    jw_kstr(w, "reason_code", r->reason_code);
}

static void write_again(struct jsonw *w, const struct outcome *o, const struct case_file *c)
{
    char *again = outcome_again(o, c);
    jw_kstr(w, "again", again);
    if (!again && w->err == 0)
        w->err = E_NOMEM;
    free(again);
}

static void write_case(struct jsonw *w, const struct outcome *o, const struct outcome_case *c)
{
    const struct case_result *r = &c->result;
    const cJSON *tags = json_get(r->file->json, "tags");
    jw_open(w, '{');
    jw_kstr(w, "id", r->file->id);
    jw_key(w, "area");
    jw_str(w, r->file->id, case_area(r->file));
    jw_kstr(w, "title", case_title(r->file));
    if (tags)
        jw_ktree(w, "tags", tags);
    jw_kstr(w, "verdict", verdict_name(r->verdict));
    write_reason(w, r);
    ms(w, "duration_ms", r->duration_us);
    jw_kopen(w, "checks", '[');
    for (size_t i = 0; i < r->n; i++)
        write_check(w, &r->checks[i]);
    jw_close(w);
    optional(w, "stderr", r->stderr_tail);
    optional(w, "failure", c->failure);
    write_again(w, o, r->file);
    jw_close(w);
}

int report_json(const struct outcome *o, struct buf *out)
{
    struct jsonw w;
    char started[32];
    outcome_started(o, started, sizeof started);
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "format", "acp-conformance-report");
    jw_kint(&w, "version", REPORT_VERSION);
    jw_kstr(&w, "tool", ACP_VERSION);
    write_agent(&w, o);
    jw_kstr(&w, "started", started);
    ms(&w, "duration_ms", o->duration_us);
    write_options(&w, o);
    write_summary(&w, o);
    jw_kopen(&w, "cases", '[');
    for (size_t i = 0; i < o->n; i++)
        write_case(&w, o, &o->cases[i]);
    jw_close(&w);
    jw_close(&w);
    int rc = jw_end(&w);
    return rc < 0 ? rc : buf_addc(out, '\n');
}
