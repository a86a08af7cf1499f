#include "conformance/select.h"

#include "base/err.h"
#include "json/json.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool holds(const cJSON *list, const char *word)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, list) if (cJSON_IsString(v) &&
                                    strcmp(v->valuestring, word) == 0) return true;
    return false;
}

/* A file that varies is all of its cases. */
static bool is_file_of(const struct case_file *c, const char *word)
{
    size_t n = strcspn(c->id, "@");
    return c->id[n] && strlen(word) == n && strncmp(c->id, word, n) == 0;
}

/* Looks into the case only if its name does not tell. */
static bool means(struct case_file *c, const char *word)
{
    char err[64];
    size_t area = case_area(c);
    if (strcmp(c->id, word) == 0 || is_file_of(c, word) ||
        (strlen(word) == area && strncmp(c->id, word, area) == 0))
        return true;
    if (strpbrk(word, "*?["))
        return fnmatch(word, c->id, 0) == 0;
    if (strchr(word, '/'))
        return false;
    const cJSON *json = case_json(c, err, sizeof err);
    return holds(json_get(json, "tags"), word) || holds(json_get(json, "checks"), word);
}

static size_t mark(const struct catalog *c, const char *word, bool value, bool *marks)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!means(&c->cases[i], word))
            continue;
        marks[i] = value;
        n++;
    }
    return n;
}

static int nothing(const struct catalog *c, const char *word, char *err, size_t err_n)
{
    const char *near = catalog_nearest(c, word);
    snprintf(err, err_n,
             "no case, area, tag or judged requirement is called \"%s\"%s%s%s; `acp-conformance "
             "list` names all cases",
             word, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return E_NOTFOUND;
}

static int mark_all(const struct catalog *c, const struct selection_words *w, bool *marks,
                    char *err, size_t err_n)
{
    for (size_t i = 0; w->n_take == 0 && i < c->n; i++)
        marks[i] = true;
    for (size_t i = 0; i < w->n_take; i++)
        if (mark(c, w->take[i], true, marks) == 0)
            return nothing(c, w->take[i], err, err_n);
    for (size_t i = 0; i < w->n_drop; i++)
        if (mark(c, w->drop[i], false, marks) == 0)
            return nothing(c, w->drop[i], err, err_n);
    return 0;
}

static bool is_of_shard(const struct selection_words *w, size_t place)
{
    return w->shards == 0 || place % w->shards == w->shard - 1;
}

int select_cases(const struct catalog *c, const struct selection_words *words,
                 struct selection *ret, char *err, size_t err_n)
{
    struct selection s = {calloc(c->n + 1, sizeof *s.cases), 0};
    bool *marks = calloc(c->n + 1, sizeof *marks);
    int rc = s.cases && marks ? mark_all(c, words, marks, err, err_n) : E_NOMEM;
    size_t place = 0;
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        if (marks[i] && is_of_shard(words, place++))
            s.cases[s.n++] = &c->cases[i];
    free(marks);
    if (rc < 0)
        selection_deinit(&s);
    else
        *ret = s;
    return rc;
}

void selection_deinit(struct selection *s)
{
    free(s->cases);
    *s = (struct selection){0};
}
