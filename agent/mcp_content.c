#include "agent/mcp_content.h"

#include "agent/clip.h"
#include "base/err.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two readings of a result as they grow. */
struct reading {
    struct clip text;  /* for the model */
    struct buf client; /* elements of a tool call's content */
    bool any;
    struct buf said; /* all texts of the server */
    int rc;
};

static void say(struct reading *r, const char *text)
{
    if (r->rc == 0 && r->any)
        r->rc = clip_add(&r->text, "\n", 1);
    if (r->rc == 0)
        r->rc = clip_add(&r->text, text, strlen(text));
    r->any = true;
}

static void say_about(struct reading *r, const char *what, const char *which)
{
    struct buf text = {0};
    int rc = buf_addf(&text, "[%s %s]", what, which);
    if (rc < 0 || !buf_cstr(&text))
        r->rc = E_NOMEM;
    else
        say(r, text.p);
    buf_deinit(&text);
}

/* ---- for the client ------------------------------------------------------------------------- */

static void copy_texts(struct jsonw *w, const cJSON *from, const char *const *names)
{
    for (; *names; names++) {
        const char *value = json_get_str(from, *names);
        if (value)
            jw_kstr(w, *names, value);
    }
}

/* A block of that type with the texts of these names, and with a resource inside if it has one. */
static void show(struct reading *r, const cJSON *block, const char *const *names)
{
    static const char *const of_resource[] = {"uri", "mimeType", "text", "blob", NULL};
    const cJSON *resource = json_get(block, "resource");
    struct jsonw w;
    if (r->rc == 0 && r->client.n > 0)
        r->rc = buf_addc(&r->client, ',');
    jw_begin(&w, &r->client);
    jw_open(&w, '{');
    jw_kstr(&w, "type", acp_tool_content_name(ACP_TOOL_CONTENT_CONTENT));
    jw_kopen(&w, "content", '{');
    copy_texts(&w, block, names);
    if (resource) {
        jw_kopen(&w, "resource", '{');
        copy_texts(&w, resource, of_resource);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    int rc = jw_end(&w);
    r->rc = r->rc < 0 ? r->rc : rc;
}

static void show_text(struct reading *r, const char *text)
{
    static const char *const names[] = {"type", "text", NULL};
    cJSON *block = cJSON_CreateObject();
    if (block && cJSON_AddStringToObject(block, "type", "text") &&
        cJSON_AddStringToObject(block, "text", text))
        show(r, block, names);
    else
        r->rc = E_NOMEM;
    cJSON_Delete(block);
}

/* ---- the kinds ------------------------------------------------------------------------------ */

/* Each is false if the block is not what its type says. */
static bool read_text(struct reading *r, const cJSON *block)
{
    const char *text = json_get_str(block, "text");
    if (!text)
        return false;
    say(r, text);
    show_text(r, text);
    if (r->rc == 0)
        r->rc = buf_adds(&r->said, text);
    return true;
}

static bool read_media(struct reading *r, const cJSON *block)
{
    static const char *const names[] = {"type", "data", "mimeType", NULL};
    const char *type = json_get_str(block, "mimeType");
    if (!type || !json_get_str(block, "data"))
        return false;
    say_about(r, json_get_str(block, "type"), type);
    show(r, block, names);
    return true;
}

static bool read_link(struct reading *r, const cJSON *block)
{
    static const char *const names[] = {"type",  "name",        "uri", "mimeType",
                                        "title", "description", NULL};
    const char *uri = json_get_str(block, "uri");
    if (!uri || !json_get_str(block, "name"))
        return false;
    say_about(r, json_get_str(block, "name"), uri);
    show(r, block, names);
    return true;
}

static bool read_resource(struct reading *r, const cJSON *block)
{
    static const char *const names[] = {"type", NULL};
    const cJSON *resource = json_get(block, "resource");
    const char *uri = json_get_str(resource, "uri"), *text = json_get_str(resource, "text");
    if (!uri || (!text && !json_get_str(resource, "blob")))
        return false;
    if (text)
        say(r, text);
    else
        say_about(r, "a file that is no text:", uri);
    show(r, block, names);
    return true;
}

static const struct {
    const char *type;
    bool (*read)(struct reading *r, const cJSON *block);
} kinds[] = {{"text", read_text},
             {"image", read_media},
             {"audio", read_media},
             {"resource_link", read_link},
             {"resource", read_resource}};

static bool read_known(struct reading *r, const cJSON *block)
{
    const char *type = json_get_str(block, "type");
    for (size_t i = 0; type && i < ARRAY_LEN(kinds); i++)
        if (strcmp(type, kinds[i].type) == 0)
            return kinds[i].read(r, block);
    return false;
}

static void read_as_json(struct reading *r, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    if (text) {
        say(r, text);
        show_text(r, text);
    } else {
        r->rc = E_NOMEM;
    }
    cJSON_free(text);
}

/* Servers often give the same twice, as a text and as a value: the model needs it once. */
static bool says(const char *text, const cJSON *value)
{
    const cJSON *item;
    char number[32];
    if (cJSON_IsString(value))
        return strstr(text, value->valuestring) != NULL;
    if (cJSON_IsNumber(value)) {
        snprintf(number, sizeof number, "%.15g", value->valuedouble);
        return strstr(text, number) != NULL;
    }
    cJSON_ArrayForEach(item, value)
    {
        if (!says(text, item))
            return false;
    }
    return true;
}

static void read_structured(struct reading *r, const cJSON *value)
{
    const char *said = buf_cstr(&r->said);
    bool json = said && (*said == '{' || *said == '[');
    if (!said)
        r->rc = E_NOMEM;
    else if (!json && !(r->said.n > 0 && says(said, value)))
        read_as_json(r, value);
}

static int finish(struct reading *r, struct tool_result *ret)
{
    struct buf text = {0};
    int rc = r->rc;
    if (rc == 0 && !r->any)
        rc = buf_adds(&text, ret->failed ? "The tool failed and said nothing." : "Done.");
    if (rc == 0)
        rc = clip_render(&r->text, &text);
    if (rc == 0) {
        ret->text = buf_take(&text);
        ret->content = r->any ? buf_take(&r->client) : NULL;
    }
    buf_deinit(&text);
    return rc == 0 && (!ret->text || (r->any && !ret->content)) ? E_NOMEM : rc;
}

int mcp_content_read(const cJSON *result, struct tool_result *ret)
{
    struct reading r = {.rc = 0};
    const cJSON *block, *structured = json_get(result, "structuredContent");
    *ret = (struct tool_result){.failed = json_get_bool(result, "isError")};
    cJSON_ArrayForEach(block, json_get(result, "content"))
    {
        if (!read_known(&r, block))
            read_as_json(&r, block);
    }
    if (structured)
        read_structured(&r, structured);
    if (structured)
        ret->raw = cJSON_Duplicate(structured, true);
    int rc = structured && !ret->raw ? E_NOMEM : finish(&r, ret);
    clip_deinit(&r.text);
    buf_deinit(&r.client);
    buf_deinit(&r.said);
    return rc;
}
