#include "agent/toolset.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

void toolset_deinit(struct toolset *ts)
{
    free((void *)ts->added);
    free((void *)ts->specs);
    *ts = (struct toolset){0};
}

/* Room for one more pointer in a list of them. 0 or E_NOMEM. */
static int grow(void **list, size_t n, size_t *cap)
{
    size_t more = *cap > 0 ? 2 * *cap : 16;
    if (n < *cap)
        return 0;
    void *bigger = realloc(*list, more * sizeof(void *));
    if (!bigger)
        return E_NOMEM;
    *list = bigger;
    *cap = more;
    return 0;
}

static int make_room(struct toolset *ts)
{
    void *added = (void *)ts->added, *specs = (void *)ts->specs;
    int rc = grow(&added, ts->n, &ts->cap);
    ts->added = added;
    if (rc == 0 && ts->specs)
        rc = grow(&specs, ts->n_specs, &ts->specs_cap);
    ts->specs = specs;
    return rc;
}

int toolset_add(struct toolset *ts, struct tool *tool)
{
    size_t n_table;
    tool_table(&n_table);
    if (toolset_find(ts, tool->spec.name))
        return E_EXISTS;
    if (ts->given == TOOLSET_MAX)
        return E_TOOBIG;
    int rc = make_room(ts);
    if (rc < 0)
        return rc;
    tool->number = (unsigned)n_table + ts->given++;
    ts->added[ts->n++] = tool;
    if (ts->specs)
        ts->specs[ts->n_specs++] = &tool->spec;
    return 0;
}

/* The order of the others stays. */
static void drop(const void **list, size_t *n, const void *item)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (list[i] != item)
            list[kept++] = list[i];
    *n = kept;
}

void toolset_remove(struct toolset *ts, const struct tool *tool)
{
    drop((const void **)ts->added, &ts->n, tool);
    drop((const void **)ts->specs, &ts->n_specs, &tool->spec);
}

static const struct tool *find(const struct tool *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i]->spec.name, name) == 0)
            return list[i];
    return NULL;
}

const struct tool *toolset_find(const struct toolset *ts, const char *name)
{
    size_t n;
    const struct tool *const *table = tool_table(&n);
    const struct tool *tool = find(table, n, name);
    return tool ? tool : find(ts->added, ts->n, name);
}

static int decide(struct toolset *ts, bool lean)
{
    size_t n;
    const struct tool *const *table = tool_table(&n);
    const struct llm_tool **list = calloc(n + ts->n, sizeof *list);
    if (!list)
        return E_NOMEM;
    ts->specs = list;
    ts->specs_cap = n + ts->n;
    for (size_t i = 0; i < n; i++)
        if (!lean || !table[i]->extra)
            list[ts->n_specs++] = &table[i]->spec;
    for (size_t i = 0; i < ts->n; i++)
        list[ts->n_specs++] = &ts->added[i]->spec;
    return 0;
}

int toolset_specs(struct toolset *ts, bool lean, struct toolset_specs *ret)
{
    int rc = ts->specs ? 0 : decide(ts, lean);
    if (rc == 0)
        *ret = (struct toolset_specs){ts->specs, ts->n_specs};
    return rc;
}
