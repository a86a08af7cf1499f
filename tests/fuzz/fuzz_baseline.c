/* Any text as a baseline: what is read comes out of baseline_write() and is read again, all of it.
 */
#include "base/buf.h"
#include "conformance/baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static bool has(const struct baseline *b, const struct baseline_entry *e)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct baseline_entry *own = &b->entries[i];
        if (!strcmp(own->case_id, e->case_id) && !strcmp(own->check, e->check))
            return !strcmp(own->reason, e->reason) && own->flaky == e->flaky;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct baseline b = {0}, again = {0};
    struct buf text = {0};
    char err[512];
    must(buf_add(&text, (const char *)data, size) == 0 && buf_cstr(&text), "memory");
    if (baseline_parse(text.p, size, &b, err, sizeof err) == 0) {
        text.n = 0;
        must(baseline_write(&b, &text) == 0 && buf_cstr(&text), "memory");
        must(baseline_parse(text.p, text.n, &again, err, sizeof err) == 0, err);
        must(again.n == b.n, "nothing is lost");
        for (size_t i = 0; i < b.n; i++)
            must(has(&again, &b.entries[i]), "an entry stays what it is");
    }
    buf_deinit(&text);
    baseline_deinit(&again);
    baseline_deinit(&b);
    return 0;
}
