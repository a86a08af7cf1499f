#include "conformance/tools.h"

#include "conformance/grow.h"

#include <stdlib.h>
#include <string.h>

void tools_deinit(struct tools *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i]);
    free(t->v);
    *t = (struct tools){0};
}

struct tool *tools_find(const struct tools *t, const struct wire_session *s, const char *id)
{
    for (size_t i = t->n; i-- > 0;)
        if (t->v[i]->session == s && strcmp(t->v[i]->id, id) == 0)
            return t->v[i];
    return NULL;
}

struct tool *tools_add(struct tools *t, const struct wire_session *s, const char *id)
{
    if (grow_pointers(&t->v, t->n, &t->cap) < 0)
        return NULL;
    struct tool *tool = calloc(1, sizeof *tool);
    if (!tool)
        return NULL;
    *tool = (struct tool){
        .session = s, .id = id, .turn = s->turns_begun, .replayed = s->loads_open > 0};
    return t->v[t->n++] = tool;
}

enum tool_status tool_status_of(const cJSON *status)
{
    static const char *const names[] = {"pending", "in_progress", "completed", "failed"};
    for (int i = 0; cJSON_IsString(status) && i < TOOL_UNKNOWN; i++)
        if (strcmp(status->valuestring, names[i]) == 0)
            return (enum tool_status)i;
    return TOOL_UNKNOWN;
}
