#include "conformance/coverage.h"

#include "base/err.h"
#include "conformance/grow.h"
#include "conformance/monitor.h"
#include "conformance/proof.h"
#include "json/json.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *head; /* head: how a reason of that kind begins */
} states[COVERAGE_STATES] = {
    [COVERAGE_OPEN] = {"open", NULL},
    [COVERAGE_COVERED] = {"covered", NULL},
    [COVERAGE_NEEDS] = {"needs", "needs: "},
    [COVERAGE_NOT_OBSERVABLE] = {"not-observable", "not observable: "},
    [COVERAGE_CLIENT] = {"client", "client side"},
};

const char *coverage_state_name(enum coverage_state s)
{
    return states[s].name;
}

/* "... (issue 5)" */
static bool names_an_issue(const char *reason)
{
    const char *open = strrchr(reason, '(');
    size_t n = open && strncmp(open, "(issue ", 7) == 0 ? strspn(open + 7, "0123456789") : 0;
    return n > 0 && strcmp(open + 7 + n, ")") == 0;
}

enum coverage_state coverage_state_of(const char *reason)
{
    for (size_t i = 0; i < COVERAGE_STATES; i++) {
        const char *head = states[i].head;
        size_t n = head ? strlen(head) : 0;
        if (!head || strncmp(reason, head, n) != 0)
            continue;
        bool whole = i == COVERAGE_NOT_OBSERVABLE ? reason[n] != '\0' : names_an_issue(reason);
        return whole ? (enum coverage_state)i : COVERAGE_OPEN;
    }
    return COVERAGE_OPEN;
}

bool coverage_is_due(const struct requirement *r)
{
    return strcmp(r->party, "client") != 0;
}

/* ---- reading the cases --------------------------------------------------------------------------
 */

static struct coverage_row *row_of(struct coverage *c, const struct requirements *reqs,
                                   const char *id)
{
    const struct requirement *r = requirements_find(reqs, id);
    return r ? &c->rows[r - reqs->rows] : NULL;
}

/* The row's entry of that case, made if it is not there; cases come one after the other. */
static struct coverage_case *entry(struct coverage_row *row, struct case_file *file)
{
    struct coverage_case *more;
    if (row->n > 0 && row->cases[row->n - 1].file == file)
        return &row->cases[row->n - 1];
    more = realloc(row->cases, (row->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    row->cases = more;
    row->cases[row->n] = (struct coverage_case){.file = file};
    return &row->cases[row->n++];
}

static int add_kill(struct coverage_row *row, struct case_file *file, unsigned index)
{
    struct coverage_case *e = entry(row, file);
    unsigned *more = e ? realloc(e->mutant, (e->mutants + 1) * sizeof *more) : NULL;
    if (!more)
        return E_NOMEM;
    e->mutant = more;
    e->mutant[e->mutants++] = index;
    return 0;
}

static int read_mutant(struct coverage *c, const struct requirements *reqs, struct case_file *file,
                       const cJSON *mutant, unsigned index)
{
    const cJSON *id;
    int rc = 0;
    cJSON_ArrayForEach(id, json_get(mutant, "fails"))
    {
        int verdict = VERDICT_NOT_EXERCISED; /* what was not reached was not caught */
        const char *name = cJSON_IsString(id) ? proof_entry(id->valuestring, &verdict) : NULL;
        struct coverage_row *row = verdict != VERDICT_NOT_EXERCISED ? row_of(c, reqs, name) : NULL;
        rc = row && rc == 0 ? add_kill(row, file, index) : rc;
    }
    return rc;
}

static int read_case(struct coverage *c, const struct requirements *reqs, struct case_file *file)
{
    char err[256];
    const cJSON *root = case_json(file, err, sizeof err), *v;
    unsigned index = 0;
    int rc = 0;
    cJSON_ArrayForEach(v, json_get(root, "checks"))
    {
        struct coverage_row *row = cJSON_IsString(v) ? row_of(c, reqs, v->valuestring) : NULL;
        if (row && !entry(row, file))
            rc = E_NOMEM;
    }
    cJSON_ArrayForEach(v, json_get(root, "mutants"))
    {
        rc = rc == 0 ? read_mutant(c, reqs, file, v, index) : rc;
        index++;
    }
    return rc;
}

static void conclude(struct coverage_row *row)
{
    enum coverage_state reason = coverage_state_of(row->rule->reason);
    bool killed = false;
    for (size_t i = 0; i < row->n; i++)
        killed |= row->cases[i].mutants > 0;
    row->state = killed ? COVERAGE_COVERED : reason;
    row->stale = killed && row->rule->reason[0] != '\0' && coverage_is_due(row->rule);
    row->watched = monitor_judges(row->rule->id);
}

int coverage_init(struct coverage *c, const struct requirements *reqs, const struct catalog *cases)
{
    int rc = 0;
    *c = (struct coverage){calloc(reqs->n + 1, sizeof *c->rows), reqs->n};
    if (!c->rows)
        return E_NOMEM;
    for (size_t i = 0; i < reqs->n; i++)
        c->rows[i].rule = &reqs->rows[i];
    for (size_t i = 0; rc == 0 && i < cases->n; i++)
        rc = read_case(c, reqs, &cases->cases[i]);
    for (size_t i = 0; i < reqs->n; i++)
        conclude(&c->rows[i]);
    if (rc < 0)
        coverage_deinit(c);
    return rc;
}

void coverage_deinit(struct coverage *c)
{
    for (size_t i = 0; c->rows && i < c->n; i++) {
        for (size_t j = 0; j < c->rows[i].n; j++)
            free(c->rows[i].cases[j].mutant);
        free(c->rows[i].cases);
    }
    free(c->rows);
    *c = (struct coverage){0};
}

/* ---- choosing -----------------------------------------------------------------------------------
 */

enum sort { SORT_ID, SORT_AREA, SORT_PARTY, SORT_LEVEL, SORT_STATE, SORTS };

/* "MUST-NOT" is "MUST NOT": a word of a command line has no blank. */
static bool is_level(const char *word, const char *level)
{
    for (; *word && *level; word++, level++)
        if (*word != *level && !(*level == ' ' && (*word == '-' || *word == '_')))
            return false;
    return *word == *level;
}

static bool fits(enum sort sort, const char *word, const struct coverage_row *row)
{
    const struct requirement *r = row->rule;
    switch (sort) {
    case SORT_ID:
        return fnmatch(word, r->id, 0) == 0;
    case SORT_AREA:
        return strcmp(word, r->area) == 0;
    case SORT_PARTY:
        return strcmp(word, r->party) == 0;
    case SORT_LEVEL:
        return is_level(word, r->level);
    case SORT_STATE:
        return strcmp(word, states[row->state].name) == 0;
    case SORTS:
        break;
    }
    return false;
}

static bool is_state(const char *word)
{
    for (int s = 0; s < COVERAGE_STATES; s++)
        if (s != COVERAGE_CLIENT && strcmp(word, states[s].name) == 0)
            return true;
    return false;
}

static bool is_party(const char *word)
{
    return strcmp(word, "agent") == 0 || strcmp(word, "client") == 0 || strcmp(word, "both") == 0;
}

static bool is_level_word(const char *word)
{
    static const char *const levels[] = {"MUST",       "MUST NOT", "SHOULD",
                                         "SHOULD NOT", "MAY",      "SCHEMA"};
    for (size_t i = 0; i < ARRAY_LEN(levels); i++)
        if (is_level(word, levels[i]))
            return true;
    return false;
}

static enum sort sort_of(const char *word)
{
    if (is_state(word))
        return SORT_STATE;
    if (is_party(word))
        return SORT_PARTY;
    if (is_level_word(word))
        return SORT_LEVEL;
    return isupper((unsigned char)word[0]) ? SORT_ID : SORT_AREA;
}

bool coverage_means(const struct coverage_words *w, const struct coverage_row *row)
{
    bool says_party = false;
    for (int sort = 0; sort < SORTS; sort++) {
        bool asked = false, met = false;
        for (size_t i = 0; i < w->n; i++) {
            if (sort_of(w->words[i]) != (enum sort)sort)
                continue;
            asked = true;
            met |= fits((enum sort)sort, w->words[i], row);
        }
        if (asked && !met)
            return false;
        says_party |= asked && (sort == SORT_PARTY || sort == SORT_ID);
    }
    return says_party || coverage_is_due(row->rule);
}

const char *coverage_bad_word(const struct coverage_words *w, const struct requirements *reqs)
{
    for (size_t i = 0; i < w->n; i++) {
        enum sort sort = sort_of(w->words[i]);
        bool known = sort == SORT_STATE;
        for (size_t r = 0; r < reqs->n && !known; r++) {
            struct coverage_row row = {.rule = &reqs->rows[r]};
            known = fits(sort, w->words[i], &row);
        }
        if (!known)
            return w->words[i];
    }
    return NULL;
}
