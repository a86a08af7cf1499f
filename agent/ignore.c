#include "agent/ignore.h"

#include "agent/pattern.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct rule {
    struct pattern *pattern;
    bool in, folders_only;
};

struct ignore {
    struct rule *rules;
    size_t n, cap;
};

void ignore_destroy(struct ignore *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++)
        pattern_destroy(g->rules[i].pattern);
    free(g->rules);
    free(g);
}

static int reserve(struct ignore *g)
{
    if (g->n < g->cap)
        return 0;
    size_t cap = g->cap ? 2 * g->cap : 16;
    struct rule *more = realloc(g->rules, cap * sizeof *more);
    if (!more)
        return E_NOMEM;
    g->rules = more;
    g->cap = cap;
    return 0;
}

/* Blanks at the end do not count, unless quoted. */
static void trim(char *line)
{
    size_t n = strlen(line);
    if (n > 0 && line[n - 1] == '\r')
        line[--n] = '\0';
    while (n > 0 && line[n - 1] == ' ' && (n == 1 || line[n - 2] != '\\'))
        line[--n] = '\0';
}

static int add_rule(struct ignore *g, char *line)
{
    struct pattern_error err;
    struct rule r = {.in = *line == '!'};
    line += r.in;
    size_t n = strlen(line);
    r.folders_only = n > 1 && line[n - 1] == '/';
    if (r.folders_only)
        line[n - 1] = '\0';
    int rc = reserve(g);
    if (rc == 0)
        rc = pattern_compile_glob(line, false, &r.pattern, &err);
    if (rc == 0)
        g->rules[g->n++] = r;
    return rc == E_PARSE ? 0 : rc;
}

static int add_line(struct ignore *g, const char *p, size_t n)
{
    char *line = strndup(p, n);
    if (!line)
        return E_NOMEM;
    trim(line);
    int rc = *line && *line != '#' ? add_rule(g, line) : 0;
    free(line);
    return rc;
}

int ignore_parse(const char *text, size_t n, struct ignore **ret)
{
    int rc = 0;
    const char *end = text + n;
    struct ignore *g = calloc(1, sizeof *g);
    if (!g)
        return E_NOMEM;
    while (rc == 0 && text < end && g->n < IGNORE_RULES_MAX) {
        const char *nl = memchr(text, '\n', (size_t)(end - text));
        const char *stop = nl ? nl : end;
        rc = add_line(g, text, (size_t)(stop - text));
        text = nl ? nl + 1 : end;
    }
    if (rc == 0)
        *ret = g;
    else
        ignore_destroy(g);
    return rc;
}

int ignore_says(const struct ignore *g, const char *path, bool is_folder)
{
    size_t n = strlen(path);
    for (size_t i = g ? g->n : 0; i-- > 0;) {
        const struct rule *r = &g->rules[i];
        if (r->folders_only && !is_folder)
            continue;
        int rc = pattern_match(r->pattern, path, n);
        if (rc == E_NOMEM)
            return rc;
        if (rc == 1)
            return r->in ? IGNORE_IN : IGNORE_OUT;
    }
    return IGNORE_NOTHING;
}
