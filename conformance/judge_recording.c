#include "conformance/judge_recording.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/failure.h"
#include "conformance/replay.h"
#include "conformance/style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int recording_tell(const struct case_result *result, const char *path, const char *what)
{
    struct buf text = {0};
    bool colour = style_wanted(stdout);
    if (result->verdict != VERDICT_PASS && failure_write(result, NULL, colour, &text) == 0)
        printf("%s\n", buf_cstr(&text));
    printf("%s: %s %s\n", path, verdict_name(result->verdict), what);
    buf_deinit(&text);
    unsigned counts[VERDICT_COUNT] = {0};
    counts[result->verdict]++;
    return (int)verdict_exit_code(counts);
}

/* A case that only has a name. 0 or E_NOMEM. */
static int name_file(struct case_file *ret, const char *path)
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
    int rc = name_file(&file, path);
    rc = rc == 0 ? result_init(&result, &file, reqs, cli->strict) : rc;
    if (rc == 0) {
        result.both_sides = true;
        result.trace = r->trace;
        r->trace = (struct trace){0};
        rc = replay_judge(&result);
    }
    if (rc == 0)
        exit_code = recording_tell(&result, path, "by what the monitors see in it");
    result_deinit(&result);
    case_file_deinit(&file);
    return rc < 0 ? cli_no_verdict("%s", err_text(rc)) : exit_code;
}
