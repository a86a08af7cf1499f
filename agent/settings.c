#include "agent/settings.h"

#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>

void settings_init(struct settings *s)
{
    *s = (struct settings){.mode = MODE_NORMAL,
                           .work = WORK_BALANCED,
                           .approval = APPROVAL_ASK,
                           .auto_compact = true,
                           .told_mode = MODE_NORMAL,
                           .told_work = WORK_BALANCED};
}

void settings_deinit(struct settings *s)
{
    free(s->model);
    free(s->effort);
    s->model = s->effort = NULL;
}

int settings_write(const struct settings *s, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "mode", mode_choice(s->mode)->value);
    jw_kstr(&w, "toldMode", mode_choice(s->told_mode)->value);
    jw_kstr(&w, "workMode", work_choice(s->work)->value);
    jw_kstr(&w, "toldWorkMode", work_choice(s->told_work)->value);
    jw_kstr(&w, "toolApproval", approval_choice(s->approval)->value);
    jw_kbool(&w, "autoCompact", s->auto_compact);
    if (s->model)
        jw_kstr(&w, "model", s->model);
    if (s->effort)
        jw_kstr(&w, "effort", s->effort);
    jw_close(&w);
    return jw_end(&w);
}

static int find_or(int (*find)(const char *), const char *value, int otherwise)
{
    int found = value ? find(value) : -1;
    return found < 0 ? otherwise : found;
}

static int take_text(char **slot, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return E_NOMEM;
    if (copy) {
        free(*slot);
        *slot = copy;
    }
    return 0;
}

int settings_read(struct settings *s, const char *json)
{
    cJSON *root = NULL;
    int rc = json ? json_parse(json, strlen(json), &root, NULL) : 0;
    if (rc == E_NOMEM)
        return rc;
    s->mode = (enum mode)find_or(mode_find, json_get_str(root, "mode"), (int)s->mode);
    s->told_mode = (enum mode)find_or(mode_find, json_get_str(root, "toldMode"), (int)s->told_mode);
    s->work = (enum work)find_or(work_find, json_get_str(root, "workMode"), (int)s->work);
    s->told_work =
        (enum work)find_or(work_find, json_get_str(root, "toldWorkMode"), (int)s->told_work);
    s->approval =
        (enum approval)find_or(approval_find, json_get_str(root, "toolApproval"), (int)s->approval);
    if (cJSON_IsBool(json_get(root, "autoCompact")))
        s->auto_compact = json_get_bool(root, "autoCompact");
    rc = take_text(&s->model, json_get_str(root, "model"));
    if (rc == 0)
        rc = take_text(&s->effort, json_get_str(root, "effort"));
    cJSON_Delete(root);
    return rc;
}

const char *settings_effort(const struct settings *s, const struct config *c)
{
    const struct config_model *m = s->model ? config_find_model(c, s->model) : NULL;
    if (s->effort)
        return m && config_has_word(m->efforts, s->effort) ? s->effort : NULL;
    bool low = s->work == WORK_ECONOMY && m && config_has_word(m->efforts, "low");
    return low ? "low" : NULL;
}

int settings_name_model(const struct config *c, const char *spec, char **ret)
{
    struct llm_target to;
    struct buf name = {0};
    *ret = NULL;
    if (config_resolve(c, spec, &to) < 0)
        return 0;
    int rc = buf_addf(&name, "%s/%s", to.provider, to.model);
    if (rc == 0)
        *ret = buf_take(&name);
    buf_deinit(&name);
    return *ret ? 0 : E_NOMEM;
}
