/*
 * Any text as a case file: lint answers, every fault lies inside the text, and what lint accepts
 * can be taken apart further.
 */
#include "base/buf.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/lint.h"
#include "conformance/mutant.h"
#include "conformance/requirement.h"
#include "conformance/result.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_fault(void *ctx, const struct lint_fault *f)
{
    const struct case_file *c = ctx;
    if (f->at.line > c->n + 1 || f->at.column > c->n + 1)
        abort();
}

static void take_apart(struct case_file *c, const struct requirements *reqs)
{
    struct case_result r;
    const cJSON *mutant;
    cJSON_ArrayForEach(mutant, json_get(c->json, "mutants"))
    {
        struct mutant m = {0};
        struct buf text = {0};
        if (mutant_init(&m, mutant) == 0)
            mutant_describe(mutant, &text);
        mutant_deinit(&m);
        buf_deinit(&text);
    }
    if (result_init(&r, c, reqs, false) == 0)
        result_conclude(&r);
    result_deinit(&r);
}

/* Read once: it is larger than all inputs together. */
static const struct requirements *requirements(void)
{
    static struct requirements reqs;
    const struct embed_file *table = embed_find("requirements.tsv");
    if (reqs.n == 0 &&
        requirements_load(table->text, (size_t)(table->end - table->text), &reqs) < 0)
        abort();
    return &reqs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct requirements *reqs = requirements();
    struct case_file c = {.n = size, .owned = malloc(size + 1)};
    if (c.owned) {
        memcpy(c.owned, data, size);
        c.owned[size] = '\0';
        c.text = c.owned;
        c.id = strdup("fuzz/case");
        c.path = strdup("fuzz/case.json");
        if (c.id && c.path && lint_case(&c, reqs, on_fault, &c) == 0)
            take_apart(&c, reqs);
    }
    case_file_deinit(&c);
    return 0;
}
