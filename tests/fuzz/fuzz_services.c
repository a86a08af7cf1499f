/*
 * Any JSON as what a case says of the client's side, and as what an agent asks of it: what the
 * checks accept can be used, and every request gets one line of JSON.
 */
#include "base/buf.h"
#include "base/err.h"
#include "mock-client/elicitation.h"
#include "mock-client/files.h"
#include "mock-client/policy.h"
#include "mock-client/terminals.h"
#include "json/json.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct json_slice id = {.p = "1", .n = 1};

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void must_be_a_line(struct buf *out)
{
    struct json_scan scan;
    must(json_scan(out->p, out->n, &scan) == 0, "an answer is JSON");
    must(!memchr(out->p, '\n', out->n), "an answer is one line");
    out->n = 0;
}

/* Nothing is written: all there is lies in a folder that is none. */
static void use_files(const cJSON *config, const cJSON *params)
{
    struct files f;
    struct buf out = {0};
    char err[384];
    if (files_check(config, err, sizeof err) < 0 || json_get_bool(config, "outside"))
        return;
    must(files_init(&f, config, "/dev/null/none") == 0, "files that are accepted can be used");
    must(files_read(&f, params, id, &out) == 0, "a read is answered");
    must_be_a_line(&out);
    must(files_write(&f, params, id, &out) == 0, "a write is answered");
    must_be_a_line(&out);
    buf_deinit(&out);
    files_deinit(&f);
}

static void use_policy(const cJSON *policy, const cJSON *request)
{
    struct buf out = {0};
    char err[256];
    if (policy_check(policy, err, sizeof err) < 0 || !cJSON_IsObject(request))
        return;
    const char *method = json_get_str(request, "method");
    const cJSON *value = method ? policy_find(policy, method) : NULL, *plain;
    struct policy_state state = {0};
    struct policy_request what = {.params = json_get(request, "params"), .kind = "edit"};
    for (int i = 0; i < 3; i++) {
        must(policy_choose(&state, value, &what, &plain) == 0, "a policy comes to an answer");
        int act = policy_answer(plain, request, id, &out);
        must(act >= 0, "what is accepted answers");
        if (act == POLICY_ANSWER)
            must_be_a_line(&out);
    }
    policy_state_deinit(&state);
    buf_deinit(&out);
}

static void fill_form(const cJSON *schema)
{
    cJSON *content = elicitation_fill(schema);
    must(cJSON_IsObject(content), "a form is filled with an object");
    cJSON_Delete(content);
}

/* {"fs", "params", "policy", "request", "terminal", "schema"}, all or some. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char err[384];
    cJSON *all = NULL;
    struct buf text = {0};
    must(buf_add(&text, (const char *)data, size) == 0 && buf_cstr(&text), "memory");
    int rc = json_parse(text.p, size, &all, NULL);
    buf_deinit(&text);
    if (rc < 0)
        return 0;
    use_files(json_get(all, "fs"), json_get(all, "params"));
    use_policy(json_get(all, "policy"), json_get(all, "request"));
    if (json_get(all, "terminal"))
        terminals_check(json_get(all, "terminal"), err, sizeof err);
    fill_form(json_get(all, "schema"));
    cJSON_Delete(all);
    return 0;
}
