#include "mock-client/terminal_int.h"

#include "base/err.h"
#include "json/json.h"
#include "json/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Commands that only play what a script says. */

static bool was_used(const struct terminals *t, const cJSON *entry)
{
    for (size_t i = 0; i < t->n_used; i++)
        if (t->used[i] == entry)
            return true;
    return false;
}

static bool matches(const cJSON *entry, const cJSON *params)
{
    const cJSON *pattern = json_get(entry, "match");
    return !pattern || json_match(pattern, params, NULL) == 1;
}

static const cJSON *note_use(struct terminals *t, const cJSON *entry)
{
    const cJSON **more = realloc(t->used, (t->n_used + 1) * sizeof *more);
    if (!more) {
        t->error = E_NOMEM;
        return NULL;
    }
    t->used = more;
    t->used[t->n_used++] = entry;
    return entry;
}

const cJSON *terminal_entry(struct terminals *t, const cJSON *params)
{
    const cJSON *entry, *last = NULL;
    cJSON_ArrayForEach(entry, t->options.script)
    {
        if (!matches(entry, params))
            continue;
        if (!was_used(t, entry))
            return note_use(t, entry);
        last = entry;
    }
    return last;
}

void terminal_play(struct terminal *term, const cJSON *entry)
{
    const char *text = json_get_str(entry, "output"), *hold = json_get_str(entry, "hold");
    struct terminals *t = term->all;
    term->entry = entry;
    if (text)
        terminal_print(term, text, strlen(text));
    if (!hold || t->ops->on_hold(t->ctx, hold))
        terminal_play_end(term);
}

void terminal_play_end(struct terminal *term)
{
    const char *signal = json_get_str(term->entry, "signal");
    terminal_end(term, json_get_int(term->entry, "exitCode", 0), signal ? signal : "");
}

/* ---- shape -------------------------------------------------------------------------------------
 */

static const char *entry_fault(const cJSON *entry)
{
    static const struct {
        const char *name;
        int type;
    } members[] = {
        {"output", cJSON_String},   {"signal", cJSON_String}, {"hold", cJSON_String},
        {"exitCode", cJSON_Number}, {"error", cJSON_Object},
    };
    const cJSON *m;
    cJSON_ArrayForEach(m, entry)
    {
        bool known = !strcmp(m->string, "match");
        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
            if (strcmp(members[i].name, m->string) != 0)
                continue;
            known = true;
            if ((m->type & 0xff) != members[i].type)
                return "a member has the wrong type";
        }
        if (!known)
            return "a member is unknown (match, output, exitCode, signal, hold and error are)";
    }
    if (json_get(entry, "exitCode") && json_get(entry, "signal"))
        return "a command ends with exitCode or with signal";
    return cJSON_IsObject(entry) ? NULL : "an entry is an object";
}

int terminals_check(const cJSON *config, char *err, size_t err_n)
{
    const cJSON *entry;
    struct json_error match;
    int i = 0;
    if (cJSON_IsString(config) && !strcmp(config->valuestring, "run"))
        return 0;
    if (!cJSON_IsArray(config)) {
        snprintf(err, err_n, "terminal: is \"run\" or a list of what commands print");
        return E_INVALID;
    }
    cJSON_ArrayForEach(entry, config)
    {
        const char *fault = entry_fault(entry);
        if (!fault && json_get(entry, "match") &&
            json_match_check(json_get(entry, "match"), &match) == E_INVALID)
            fault = match.text;
        if (fault) {
            snprintf(err, err_n, "terminal[%d]: %s", i, fault);
            return E_INVALID;
        }
        i++;
    }
    return 0;
}
