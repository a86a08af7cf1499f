#include "base/buf.h"
#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/lint.h"
#include "conformance/requirement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct requirements reqs;

static int load(void **state)
{
    const struct embed_file *f = embed_find("requirements.tsv");
    (void)state;
    return requirements_load(f->text, (size_t)(f->end - f->text), &reqs);
}

static int unload(void **state)
{
    (void)state;
    requirements_deinit(&reqs);
    return 0;
}

static void note(void *ctx, const struct lint_fault *f)
{
    assert_int_equal(buf_addf(ctx, "%u:%u %s: %s\n", f->at.line, f->at.column, f->pointer, f->text),
                     0);
}

/* All faults of a case, one a line. */
static unsigned lint(const char *text, struct buf *out)
{
    struct case_file c = {
        .text = text, .n = strlen(text), .id = strdup("a/b"), .path = strdup("a/b.json")};
    unsigned n = lint_case(&c, &reqs, note, out);
    case_file_deinit(&c);
    return n;
}

#define HEAD "{\"title\": \"t\", \"checks\": [\"PROMPT-11\"],\n"
#define STEPS                                                                                      \
    "\"steps\": [{\"session\": \"s\"}, {\"prompt\": \"hi\", \"expect\": {\"result\": {}}}],\n"
#define MUTANTS                                                                                    \
    "\"mutants\": [{\"on\": {\"result\": {}}, \"drop\": true, \"fails\": [\"PROMPT-11\"]}]}"

static void a_good_case_has_no_faults(void **state)
{
    static const char *const good[] = {
        HEAD STEPS MUTANTS,
        HEAD "\"why\": \"w\", \"tags\": [\"a\"], \"needs\": [\"cap:loadSession\", \"no-cap:x.y\", "
             "\"intent:read\", \"auth:none\",\n"
             "\"modes\", \"profile:x\"], \"files\": {\"a.txt\": \"x\", \"l\": {\"link\": "
             "\"a.txt\"}}, \"env\": {\"A\": null, "
             "\"B\": \"c\"}, \"args\": [\"x\"], \"handshake\": true,\n"
             "\"timeout\": 100, \"client\": {\"capabilities\": {}, \"policy\": "
             "{\"session/request_permission\": \"allow_once\"}},\n"
             "\"model\": [{\"reply\": [{\"text\": \"x\"}]}],\n" STEPS MUTANTS,
        /* a monitor judges it, no step has to */
        "{\"title\": \"t\", \"checks\": [\"PROMPT-11\", \"TOOL-25\"],\n" STEPS MUTANTS,
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        struct buf out = {0};
        if (lint(good[i], &out) != 0)
            fail_msg("%s", buf_cstr(&out));
        buf_deinit(&out);
    }
}

static const struct {
    const char *text, *fault;
} bad_cases[] = {
    {"{\"title\": \"t\",\n  \"checks\": [tru]}", "2:14 : not JSON: "},
    {"[]", "1:1 : expected object, got array"},
    {"{}", ": missing member \"title\""},
    {"{\"title\": 1}", "/title: expected string, got number"},
    {"{\"titel\": \"t\"}", "1:11 /titel: unknown member \"titel\"; did you mean \"title\"?"},
    {HEAD "\"colour\": 1,\n" STEPS MUTANTS,
     "2:11 /colour: unknown member \"colour\"; docs/cases.md has the known ones"},
    {"{\"title\": \"t\", \"checks\": [],\n" STEPS MUTANTS,
     "/checks: name at least one requirement"},
    {"{\"title\": \"t\", \"checks\": [\"PROMPT-11\", \"PROMTP-12\"],\n" STEPS MUTANTS,
     "/checks/1: no requirement has the id \"PROMTP-12\"; did you mean \"PROMPT-12\"?"},
    {"{\"title\": \"t\", \"checks\": [\"PROMPT-11\", \"CANCEL-06\"],\n" STEPS MUTANTS,
     "1:40 /checks/1: nothing judges CANCEL-06: no step, model turn or monitor"},
    {HEAD "\"needs\": [\"loadSession\"],\n" STEPS MUTANTS,
     "/needs/0: unknown need \"loadSession\"; write cap:PATH"},
    {HEAD "\"client\": {\"policies\": {}},\n" STEPS MUTANTS,
     "/client/policies: unknown member \"policies\"; did you mean \"policy\"?"},
    {HEAD "\"client\": {\"policy\": {\"session/request_permission\": \"maybe\"}},\n" STEPS MUTANTS,
     "/client/policy: "},
    {HEAD "\"model\": [{\"reply\": [{\"text\": \"x\"}, {\"txt\": \"x\"}]}],\n" STEPS MUTANTS,
     "2:37 /model/0/reply/1: "},
    {HEAD "\"model\": {\"turns\": [{\"reply\": [{\"txt\": \"x\"}]}]},\n" STEPS MUTANTS,
     "/model/turns/0/reply/0: "},
    {HEAD "\"files\": {\"/etc/passwd\": \"x\"},\n" STEPS MUTANTS,
     "/files/~1etc~1passwd: a path has to be relative"},
    {HEAD "\"files\": {\"a\": {\"lnk\": \"b\"}},\n" STEPS MUTANTS, "/files/a/lnk: unknown member"},
    {HEAD "\"env\": {\"A\": 1},\n" STEPS MUTANTS, "/env/A: expected string or null, got number"},
    {HEAD "\"args\": \"x\",\n" STEPS MUTANTS, "/args: expected array, got string"},
    {HEAD "\"timeout\": 0,\n" STEPS MUTANTS, "/timeout: the deadline is a positive number"},
    {HEAD "\"steps\": [],\n" MUTANTS, "/steps: a case needs at least one step"},
    {HEAD "\"steps\": [{\"session\": \"s\"},\n {\"prompt\": \"x\", \"expct\": {}}],\n" MUTANTS,
     "3:2 /steps/1: prompt: unknown member \"expct\""},
    {HEAD "\"steps\": [{\"jump\": 1}],\n" MUTANTS, "/steps/0: "},
    {HEAD "\"steps\": [{\"session\": \"s\", \"check\": \"NEW-01\", \"expect\": {}}],\n" MUTANTS,
     "/steps/0: it judges NEW-01, which \"checks\""},
    {HEAD "\"steps\": [{\"await\": \"nobody\"}],\n" MUTANTS, "/steps/0"},
    {HEAD "\"model\": [{\"check\": \"NEW-01\", \"expect\": {}, \"reply\": []}],\n" STEPS MUTANTS,
     "/model/0: it judges NEW-01"},
    {HEAD STEPS "\"mutants\": []}", "/mutants: a case needs at least one mutant"},
    {HEAD STEPS "\"mutants\": [{\"on\": {}, \"drop\": true, \"fails\": [\"PROMPT-99\"]}]}",
     "/mutants/0/fails/0: no requirement has the id \"PROMPT-99\""},
    {HEAD STEPS "\"mutants\": [{\"on\": {}, \"drop\": true, \"fails\": [\"NOT-EXERCISED:X\"]}]}",
     "/mutants/0/fails/0: no requirement has the id \"X\""},
    {HEAD STEPS "\"mutants\": [{\"on\": {}, \"drp\": true, \"fails\": [\"PROMPT-11\"]}]}",
     "/mutants/0/drp: unknown member \"drp\"; did you mean \"drop\"?"},
    {HEAD STEPS "\"title\": \"again\",\n" MUTANTS, "/title: the member stands twice"},
};

static void every_fault_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad_cases); i++) {
        struct buf out = {0};
        unsigned n = lint(bad_cases[i].text, &out);
        if (n == 0 || !strstr(buf_cstr(&out), bad_cases[i].fault))
            fail_msg("%s\nexpected \"%s\" in\n%s", bad_cases[i].text, bad_cases[i].fault,
                     buf_cstr(&out));
        buf_deinit(&out);
    }
}

/* What is built in is always in order. */
static void built_in_cases_pass(void **state)
{
    struct catalog c;
    struct buf out = {0};
    (void)state;
    assert_int_equal(catalog_open_embedded(&c), 0);
    for (size_t i = 0; i < c.n; i++)
        if (lint_case(&c.cases[i], &reqs, note, &out) != 0)
            fail_msg("%s: %s", c.cases[i].path, buf_cstr(&out));
    catalog_close(&c);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_case_has_no_faults),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(built_in_cases_pass),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
