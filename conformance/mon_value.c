#include "conformance/monitors.h"

#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Values whose form the schema does not tell: times are ISO 8601, data is base64. */

/* ---- times --------------------------------------------------------------------------------------
 */

/* Matches a picture: 'd' is a digit, everything else itself. Returns what is behind it, or NULL. */
static const char *picture(const char *text, const char *form)
{
    for (; *form; form++, text++)
        if (*form == 'd' ? !isdigit((unsigned char)*text) : *text != *form)
            return NULL;
    return text;
}

static const char *first_of(const char *text, const char *const *forms)
{
    const char *rest = NULL;
    for (; !rest && *forms; forms++)
        rest = picture(text, *forms);
    return rest;
}

static const char *skip_fraction(const char *p)
{
    if ((*p == '.' || *p == ',') && isdigit((unsigned char)p[1]))
        for (p++; isdigit((unsigned char)*p);)
            p++;
    return p;
}

static bool is_iso_8601(const char *text)
{
    static const char *const dates[] = {"dddd-dd-dd", "dddd-Wdd-d", "dddd-ddd", "dddddddd", NULL};
    static const char *const times[] = {"dd:dd:dd", "dddddd", "dd:dd", "dddd", "dd", NULL};
    static const char *const zones[] = {"dd:dd", "dddd", "dd", NULL};
    const char *p = first_of(text, dates);
    if (!p || !*p)
        return p != NULL;
    if (*p != 'T' && *p != 't' && *p != ' ')
        return false;
    p = first_of(p + 1, times);
    p = p ? skip_fraction(p) : NULL;
    if (p && (*p == 'Z' || *p == 'z'))
        p++;
    else if (p && (*p == '+' || *p == '-'))
        p = first_of(p + 1, zones);
    return p && !*p;
}

static void judge_time(struct watch *w, const struct wire_msg *m, const char *id,
                       const cJSON *holder, const char *pointer)
{
    const char *text = json_get_str(holder, "updatedAt");
    struct blame b = blame_of(m, id);
    b.pointer = pointer;
    b.at_most = VERDICT_WARN;
    if (text && !is_iso_8601(text))
        watch_blame(w, &b, "\"%.60s\" is no ISO 8601 time", text);
}

static void judge_list(struct watch *w, const struct wire_msg *m)
{
    const cJSON *s;
    char pointer[64];
    int i = 0;
    cJSON_ArrayForEach(s, json_get(m->result, "sessions"))
    {
        snprintf(pointer, sizeof pointer, "/result/sessions/%d/updatedAt", i++);
        judge_time(w, m, "LIST-16", s, pointer);
    }
}

/* ---- data ---------------------------------------------------------------------------------------
 */

enum base64 { BASE64_GOOD, BASE64_UNPADDED, BASE64_BAD };

static enum base64 base64_of(const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    size_t pad = strspn(text + n, "=");
    if (text[n + pad] != '\0' || pad > 2 || n % 4 == 1)
        return BASE64_BAD;
    return (n + pad) % 4 == 0 ? BASE64_GOOD : pad == 0 ? BASE64_UNPADDED : BASE64_BAD;
}

static void judge_data(struct watch *w, const struct wire_msg *m, const char *id, const cJSON *data)
{
    const char *text = cJSON_GetStringValue(data);
    enum base64 form = text ? base64_of(text) : BASE64_GOOD;
    struct blame b = blame_of(m, id);
    b.at_most = form == BASE64_BAD ? VERDICT_WARN : VERDICT_INFO;
    if (form != BASE64_GOOD)
        watch_blame(w, &b, form == BASE64_BAD ? "the data is no base64" : "the data lacks padding");
}

static void judge_block(struct watch *w, const struct wire_msg *m, const cJSON *block)
{
    const char *type = json_get_str(block, "type");
    if (!type)
        return;
    if (strcmp(type, "image") == 0)
        judge_data(w, m, "CONT-03", json_get(block, "data"));
    else if (strcmp(type, "audio") == 0)
        judge_data(w, m, "CONT-04", json_get(block, "data"));
    else if (strcmp(type, "resource") == 0)
        judge_data(w, m, "CONT-06", json_get(json_get(block, "resource"), "blob"));
}

/* A block, or the list of a tool call's content or a prompt. */
static void judge_content(struct watch *w, const struct wire_msg *m, const cJSON *content)
{
    const cJSON *item;
    if (cJSON_IsObject(content))
        judge_block(w, m, content);
    if (!cJSON_IsArray(content))
        return;
    cJSON_ArrayForEach(item, content)
    {
        const cJSON *inner = json_get(item, "content");
        judge_block(w, m, inner ? inner : item);
    }
}

static void feed(struct watch *w, void *state, const struct wire_msg *m)
{
    (void)state;
    if (m->update_kind && strcmp(m->update_kind, "session_info_update") == 0)
        judge_time(w, m, "INFO-06", m->update, "/params/update/updatedAt");
    else if (m->update)
        judge_content(w, m, json_get(m->update, "content"));
    else if (m->kind == WIRE_REQUEST)
        judge_content(w, m, json_get(m->params, "prompt"));
    else if (m->kind == WIRE_RESPONSE && m->call && strcmp(m->call->method, "session/list") == 0)
        judge_list(w, m);
}

static const char *const ids[] = {"CONT-03", "CONT-04", "CONT-06", "INFO-06", "LIST-16", NULL};

const struct monitor monitor_value = {
    .ids = ids,
    .title = "times are ISO 8601, data is base64",
    .feed = feed,
};
