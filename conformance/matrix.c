#include "conformance/matrix.h"

#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/outcome.h"
#include "conformance/requirement.h"

#include <stdlib.h>
#include <string.h>

static const char *const levels[MATRIX_LEVELS] = {"MUST",   "MUST NOT",   "SCHEMA",
                                                  "SHOULD", "SHOULD NOT", "MAY"};

const char *matrix_level(size_t i)
{
    return levels[i];
}

static bool is_of(const struct matrix_row *row, const struct case_file *c)
{
    return case_area(c) == row->area_n && strncmp(c->id, row->area, row->area_n) == 0;
}

static void count_check(struct matrix *m, struct matrix_row *row, const struct check_result *c)
{
    for (size_t i = 0; c->rule && i < MATRIX_LEVELS; i++) {
        struct matrix_cell *cell = &row->levels[i];
        if (strcmp(c->rule->level, levels[i]) != 0)
            continue;
        m->used[i] = true;
        cell->n++;
        cell->counts[c->verdict]++;
        cell->worst = verdict_worse(cell->worst, c->verdict);
    }
}

int matrix_build(const struct outcome *o, struct matrix *ret)
{
    *ret = (struct matrix){.rows = calloc(o->n + 1, sizeof *ret->rows)};
    if (!ret->rows)
        return E_NOMEM;
    for (size_t i = 0; i < o->n; i++) {
        const struct case_result *r = &o->cases[i].result;
        if (ret->n == 0 || !is_of(&ret->rows[ret->n - 1], r->file))
            ret->rows[ret->n++] =
                (struct matrix_row){.area = r->file->id, .area_n = case_area(r->file), .first = i};
        struct matrix_row *row = &ret->rows[ret->n - 1];
        row->n++;
        row->cases[r->verdict]++;
        for (size_t k = 0; r->verdict != VERDICT_SKIP && k < r->n; k++)
            count_check(ret, row, &r->checks[k]);
    }
    return 0;
}

void matrix_deinit(struct matrix *m)
{
    free(m->rows);
    *m = (struct matrix){0};
}
