#include "agent/skill.h"

#include "agent/file.h"
#include "agent/front_matter.h"
#include "agent/tool_later.h"
#include "base/err.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define SKILL_MAX (64u << 10) /* as plugin_read.c has it */

struct skill_tool {
    struct tool tool;
    const struct plugin_set *set;
    char *description; /* owned */
};

/* "PLUGIN:SKILL". NULL: there is none. */
static const struct plugin_item *find(const struct plugin_set *set, const char *name)
{
    const char *colon = strchr(name, ':');
    const struct plugin *p = colon ? plugin_find(set, name, (size_t)(colon - name)) : NULL;
    return p ? plugin_find_item(&p->skills, colon + 1) : NULL;
}

static const char *name_of(const struct tool_call *c)
{
    const char *name = json_get_str(c->args, "name");
    return name ? name : "";
}

static int prepare(struct tool_call *c)
{
    const struct skill_tool *t = c->tool->ctx;
    struct buf title = {0};
    if (!find(t->set, name_of(c)))
        return tool_refuse(c, "arguments.name: there is no skill of that name");
    if (buf_addf(&title, "Read the skill %s", name_of(c)) == 0)
        c->title = buf_take(&title);
    buf_deinit(&title);
    return c->title ? 0 : E_NOMEM;
}

/* Its text without the head, or why there is none. */
static int read_skill(const struct plugin_item *item, struct tool_result *ret)
{
    struct buf text = {0};
    struct front_matter head;
    int rc = file_read_all(item->path, SKILL_MAX, &text);
    if (rc == 0 && !buf_cstr(&text))
        rc = E_NOMEM;
    ret->failed = rc < 0 || front_matter_read(text.p, &head) < 0;
    ret->text = strdup(rc < 0        ? err_text(rc)
                       : ret->failed ? "The skill's file has no end of its head any more."
                                     : head.body);
    buf_deinit(&text);
    return ret->text ? 0 : E_NOMEM;
}

static int start(struct tool_run *run, struct tool_call *c)
{
    const struct skill_tool *t = c->tool->ctx;
    const struct plugin_item *item = find(t->set, name_of(c));
    struct tool_result result = {.failed = true};
    int rc = item ? read_skill(item, &result) : E_NOTFOUND;
    return rc == 0 ? tool_later_start(run, &result) : rc;
}

/* ---- the tool ------------------------------------------------------------------------------- */

static int describe(const struct plugin_set *set, struct buf *out, size_t *ret_n)
{
    int rc = buf_adds(out, "Reads instructions for a kind of work. Read the one that fits before "
                           "you begin such work. There are:");
    for (size_t i = 0; i < set->n; i++) {
        const struct plugin *p = &set->list[i];
        for (size_t k = 0; rc == 0 && k < p->skills.n; k++, ++*ret_n)
            rc = buf_addf(out, "\n- %s:%s: %s", p->name, p->skills.list[k].name,
                          p->skills.list[k].description);
    }
    return rc;
}

int skill_tool_create(const struct plugin_set *set, struct skill_tool **ret)
{
    struct buf text = {0};
    size_t n = 0;
    *ret = NULL;
    int rc = describe(set, &text, &n);
    struct skill_tool *t = rc == 0 && n > 0 ? calloc(1, sizeof *t) : NULL;
    if (t) {
        t->set = set;
        t->description = buf_take(&text);
        t->tool = (struct tool){
            .spec = {.name = "skill",
                     .description = t->description,
                     .schema =
                         "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
                         "\"required\":[\"name\"],\"additionalProperties\":false}"},
            .kind = ACP_KIND_READ,
            .prepare = prepare,
            .start = start,
            .stop = tool_later_stop,
            .ctx = t};
    }
    buf_deinit(&text);
    if (rc < 0 || (n > 0 && (!t || !t->description))) {
        skill_tool_destroy(t);
        return E_NOMEM;
    }
    *ret = t;
    return 0;
}

void skill_tool_destroy(struct skill_tool *t)
{
    if (!t)
        return;
    free(t->description);
    free(t);
}

struct tool *skill_tool_of(struct skill_tool *t)
{
    return &t->tool;
}
