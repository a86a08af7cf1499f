#include "conformance/requirement.h"

#include "base/err.h"
#include "conformance/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 9 };

static size_t count_lines(const char *p, size_t n)
{
    size_t lines = 0;
    for (const char *end = p + n; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

/* "file.mdx#part [keyword]" -> "keyword"; the field keeps its whole text, so the tag is cut from a
 * copy that stands behind it (see requirements_load). */
static const char *cut_tag(const char *source, char *room)
{
    const char *open = strrchr(source, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    size_t n = close ? (size_t)(close - open - 1) : 0;
    if (n > 0)
        memcpy(room, open + 1, n);
    room[n] = '\0';
    return room;
}

static int parse_row(char *line, char *room, struct requirement *ret)
{
    char *field[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        char *tab = strchr(line, '\t');
        if ((tab != NULL) != (i < FIELDS - 1))
            return E_PARSE;
        field[i] = line;
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    *ret = (struct requirement){field[0], field[1], field[2], field[3], field[4],
                                field[5], field[6], field[7], field[8], cut_tag(field[7], room)};
    return 0;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct requirement *)a)->id, ((const struct requirement *)b)->id);
}

static int parse_rows(struct requirements *t, char *room)
{
    char *line = strchr(t->text, '\n'); /* behind the head line */
    while (line && line[1]) {
        char *end = strchr(++line, '\n');
        if (end)
            *end = '\0';
        int rc = parse_row(line, room, &t->rows[t->n]);
        if (rc < 0)
            return rc;
        room += strlen(room) + 1;
        t->n++;
        line = end;
    }
    qsort(t->rows, t->n, sizeof *t->rows, by_id);
    return 0;
}

int requirements_load(const char *tsv, size_t n, struct requirements *ret)
{
    struct requirements t = {0};
    int rc = E_NOMEM;
    t.text = malloc(2 * n + 2); /* the tags stand behind the table */
    t.rows = calloc(count_lines(tsv, n) + 1, sizeof *t.rows);
    if (!t.text || !t.rows)
        goto fail;
    memcpy(t.text, tsv, n);
    t.text[n] = '\0';
    rc = parse_rows(&t, t.text + n + 1);
    if (rc < 0)
        goto fail;
    *ret = t;
    return 0;

fail:
    requirements_deinit(&t);
    return rc;
}

void requirements_deinit(struct requirements *t)
{
    free(t->text);
    free(t->rows);
    *t = (struct requirements){0};
}

static int id_against_row(const void *id, const void *row)
{
    return strcmp(id, ((const struct requirement *)row)->id);
}

const struct requirement *requirements_find(const struct requirements *t, const char *id)
{
    return t->n == 0 ? NULL : bsearch(id, t->rows, t->n, sizeof *t->rows, id_against_row);
}

const char *requirements_nearest(const struct requirements *t, const char *id)
{
    struct nearest best = nearest_begin(id);
    for (size_t i = 0; i < t->n; i++)
        nearest_try(&best, t->rows[i].id);
    return best.name;
}
