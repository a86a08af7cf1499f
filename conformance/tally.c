#include "conformance/tally.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdlib.h>

static struct tally_row *find_row(const struct tally *t, const struct case_file *file)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].file == file)
            return &t->rows[i];
    return NULL;
}

int tally_add(struct tally *t, const struct case_result *r, size_t place, struct tally_row **retrow)
{
    struct tally_row *row = find_row(t, r->file);
    if (!row && t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        struct tally_row *more = realloc(t->rows, cap * sizeof *more);
        if (!more)
            return E_NOMEM;
        t->rows = more;
        t->cap = cap;
    }
    if (!row) {
        row = &t->rows[t->n++];
        *row = (struct tally_row){.file = r->file, .place = place};
    }
    row->counts[r->verdict]++;
    *retrow = row;
    return 0;
}

unsigned tally_rounds(const struct tally_row *row)
{
    unsigned n = 0;
    for (size_t v = 0; v < VERDICT_COUNT; v++)
        n += row->counts[v];
    return n;
}

bool tally_is_flaky(const struct tally_row *row)
{
    size_t kinds = 0;
    for (size_t v = 0; v < VERDICT_COUNT; v++)
        kinds += row->counts[v] > 0;
    return kinds > 1;
}

size_t tally_flaky(const struct tally *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += tally_is_flaky(&t->rows[i]);
    return n;
}

int tally_write(const struct tally_row *row, struct buf *out)
{
    unsigned rounds = tally_rounds(row);
    const char *between = "";
    int rc = 0;
    for (int v = 0; rc == 0 && v < VERDICT_COUNT; v++) {
        if (row->counts[v] == 0)
            continue;
        rc = buf_addf(out, "%s%u of %u %s", between, row->counts[v], rounds,
                      verdict_name((enum verdict)v));
        between = ", ";
    }
    return rc;
}

void tally_deinit(struct tally *t)
{
    free(t->rows);
    *t = (struct tally){0};
}
