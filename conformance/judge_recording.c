#include "conformance/judge_recording.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/failure.h"
#include "conformance/replay.h"
#include "conformance/report.h"
#include "conformance/style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int recording_open(const char *path, struct recording *ret)
{
    char err[512];
    struct case_file text; /* not a case, but read like one */
    struct trace_fault fault;
    *ret = (struct recording){0};
    if (case_file_read(path, &text, err, sizeof err) < 0)
        return cli_usage_error("%s", err);
    int rc = recording_read(ret, text.owned, text.n, &fault);
    case_file_deinit(&text);
    if (rc == E_NOMEM)
        return cli_no_verdict("%s", err_text(rc));
    if (rc < 0)
        return cli_usage_error("%s:%u: %s; a recording is what run --trace or tap writes, or "
                               "messages one a line",
                               path, fault.line, fault.text);
    if (ret->skipped > 0)
        fprintf(stderr, "%s:%u: %zu entr%s left out: no message, or nothing tells who said it\n",
                path, ret->skipped_at, ret->skipped, ret->skipped == 1 ? "y is" : "ies are");
    return 0;
}

int recording_tell(const struct case_result *result, const char *what, FILE *out)
{
    struct buf text = {0};
    bool colour = style_wanted(out);
    if (result->verdict != VERDICT_PASS && failure_write(result, NULL, colour, &text) == 0)
        fprintf(out, "%s\n", buf_cstr(&text));
    fprintf(out, "%s: %s %s\n", result->file->path, verdict_name(result->verdict), what);
    buf_deinit(&text);
    unsigned counts[VERDICT_COUNT] = {0};
    counts[result->verdict]++;
    return (int)verdict_exit_code(counts);
}

static int write_reports(const struct cli *cli, const struct outcome *o)
{
    int rc = 0;
    for (size_t i = 0; i < cli->n_reports; i++) {
        char err[1200];
        const struct cli_report *wanted = &cli->reports[i];
        if (report_write(wanted->kind->name, wanted->path, o, err, sizeof err) < 0)
            rc = cli_no_verdict("%s", err);
    }
    return rc;
}

/* A recording is a run of one case. */
static int report(const struct cli *cli, const struct run_setting *setting,
                  struct case_result *result)
{
    struct outcome o = {.setting = setting, .jobs = 1, .started = time(NULL)};
    struct buf text = {0};
    o.duration_us = result->trace.n ? result->trace.events[result->trace.n - 1]->t_us : 0;
    for (size_t i = 0; i < cli->n_reports; i++)
        o.keep_excerpts |= cli->reports[i].kind->excerpts;
    int rc = result->verdict == VERDICT_PASS ? 0 : failure_write(result, NULL, false, &text);
    rc = rc < 0 ? rc : outcome_add(&o, result, buf_take(&text));
    rc = rc < 0 ? cli_no_verdict("%s", err_text(rc)) : write_reports(cli, &o);
    outcome_deinit(&o);
    buf_deinit(&text);
    return rc;
}

int recording_report(const struct cli *cli, const struct requirements *reqs,
                     struct case_result *result, FILE *out)
{
    struct profile profile = {.name = result->file->path};
    const struct run_setting setting = {.profile = &profile, .reqs = reqs, .strict = cli->strict};
    int exit_code = recording_tell(result, "by what the monitors see in it", out);
    int rc = cli->n_reports > 0 ? report(cli, &setting, result) : 0;
    return rc != 0 ? rc : exit_code;
}

int recording_name(struct case_file *ret, const char *path)
{
    static const char nothing[] = "{\"title\":\"A recorded conversation\",\"checks\":[]}";
    *ret = (struct case_file){.id = strdup("recording/trace"),
                              .path = strdup(path),
                              .text = nothing,
                              .n = strlen(nothing)};
    return ret->id && ret->path ? 0 : E_NOMEM;
}

int recording_judge(const struct cli *cli, const struct requirements *reqs, const char *path,
                    struct recording *r)
{
    struct case_file file;
    struct case_result result = {0};
    int exit_code = 0;
    if (!r->from_start)
        return cli_no_verdict("%s: it does not begin with the connection (no initialize is in it), "
                              "so what was agreed on is not known",
                              path);
    int rc = recording_name(&file, path);
    rc = rc == 0 ? result_init(&result, &file, reqs, cli->strict) : rc;
    if (rc == 0) {
        result.both_sides = true;
        result.trace = r->trace;
        r->trace = (struct trace){0};
        rc = replay_judge(&result);
    }
    if (rc == 0)
        exit_code = recording_report(cli, reqs, &result, stdout);
    result_deinit(&result);
    case_file_deinit(&file);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : exit_code;
}
