#include "conformance/probe.h"

#include "base/err.h"
#include "conformance/runner.h"

#include <stdlib.h>
#include <string.h>

static const char script[] =
    "{\"title\": \"The agent starts and answers initialize\", \"checks\": [\"RPC-05\"],"
    " \"steps\": [{\"session\": \"s\"}]}";

struct probing {
    struct probe *probe;
    struct runner_job job;
    bool given;
};

static const struct runner_job *next(void *ctx)
{
    struct probing *p = ctx;
    if (p->given)
        return NULL;
    p->given = true;
    return &p->job;
}

static bool on_done(void *ctx, const struct runner_job *job, struct case_result *r, bool applied)
{
    struct probing *p = ctx;
    (void)job;
    (void)applied;
    p->probe->result = *r;
    *r = (struct case_result){0};
    return true;
}

int probe_agent(const struct run_setting *setting, struct probe *ret)
{
    static const struct runner_ops ops = {.on_done = on_done, .next = next};
    struct runner_options options = {.setting = setting, .parallel = 1};
    struct probing p = {.probe = ret};
    *ret = (struct probe){.file = {.text = script, .n = strlen(script)}};
    ret->file.id = strdup(PROBE_CASE);
    ret->file.path = strdup("(built in)");
    p.job.options.file = &ret->file;
    int rc = ret->file.id && ret->file.path ? runner_run(&options, &ops, &p) : E_NOMEM;
    if (rc == 0)
        rc = facts_read(&ret->facts, &ret->result.trace);
    ret->ready = rc == 0 && ret->facts.initialize && !ret->result.error;
    return rc;
}

void probe_deinit(struct probe *p)
{
    result_deinit(&p->result);
    facts_deinit(&p->facts);
    case_file_deinit(&p->file);
    *p = (struct probe){0};
}
