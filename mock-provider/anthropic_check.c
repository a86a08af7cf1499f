/* What a strict server refuses in the messages of an Anthropic request. */
#include "anthropic.h"
#include "base/err.h"
#include "rule.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

#define CACHE_MARKS_MAX 4

struct history {
    const cJSON *messages;
    const cJSON *calls; /* content of the assistant message whose calls want answers, or NULL */
    bool had_calls;
    unsigned cache_marks;
    char at[48]; /* "messages.3" */
};

/* Once every step of the walk is in its place, one call checks one block. */
struct block {
    const cJSON *json;
    const char *type;
    const cJSON *before; /* the blocks it stands among */
    bool assistant;
};

static bool is_type(const cJSON *block, const char *want)
{
    const char *type = json_get_str(block, "type");
    return type && strcmp(type, want) == 0;
}

static unsigned count(const cJSON *content, const char *type, const char *member, const char *id)
{
    const cJSON *block;
    unsigned n = 0;
    cJSON_ArrayForEach(block, content)
    {
        const char *known = json_get_str(block, member);
        n += is_type(block, type) && known && strcmp(known, id) == 0;
    }
    return n;
}

/* --- blocks --- */

static int check_text(struct history *h, const struct block *b, struct fault *f)
{
    const char *text = json_get_str(b->json, "text");
    if (!text)
        return fault_set(f, 400, h->at, "a block of type text needs its text");
    if (!*text)
        return fault_set(f, 400, h->at, "text content blocks must be non-empty");
    return 0;
}

static int check_image(struct history *h, const struct block *b, struct fault *f)
{
    const cJSON *source = json_get(b->json, "source");
    bool data = is_type(source, "base64") && json_get_str(source, "media_type") &&
                json_get_str(source, "data");
    bool url = is_type(source, "url") && json_get_str(source, "url");
    if (!data && !url && !is_type(source, "file"))
        return fault_set(
            f, 400, h->at,
            "the source of an image must be base64 with media_type and data, or a url");
    return 0;
}

static int check_call(struct history *h, const struct block *b, struct fault *f)
{
    const char *id = json_get_str(b->json, "id"), *name = json_get_str(b->json, "name");
    const cJSON *m;
    unsigned known = 0;
    if (!id || !rule_is_name(id))
        return fault_set(f, 400, h->at, "a tool_use needs an id of letters, digits, _ and -");
    cJSON_ArrayForEach(m, h->messages)
    {
        known += count(json_get(m, "content"), "tool_use", "id", id);
    }
    if (known > 1)
        return fault_set(f, 400, h->at, "tool_use ids must be unique; two are %.60s", id);
    if (!name || !rule_is_name(name))
        return fault_set(f, 400, h->at, "tool_use %.60s has no valid name", id);
    if (!cJSON_IsObject(json_get(b->json, "input")))
        return fault_set(f, 400, h->at, "the input of tool_use %.60s must be an object, not %s", id,
                         json_type_name(json_get(b->json, "input")));
    return 0;
}

/* What we signed must come back as it was; a foreign signature is none of our business. */
static int check_thinking(struct history *h, const struct block *b, struct fault *f)
{
    char want[ANTHROPIC_SIGNATURE_SIZE];
    const char *text = json_get_str(b->json, "thinking");
    const char *signature = json_get_str(b->json, "signature");
    if (!text || !signature || !*signature)
        return fault_set(f, 400, h->at, "a thinking block needs its thinking and its signature");
    if (json_get(b->json, "cache_control"))
        return fault_set(f, 400, h->at, "cache_control cannot be set on a thinking block");
    anthropic_signature(dialect_sign(0, text, strlen(text)), want);
    if (strncmp(signature, want, 4) == 0 && strcmp(signature, want) != 0)
        return fault_set(f, 400, h->at,
                         "invalid signature in a thinking block: it must come back as it was sent");
    return 0;
}

static int check_redacted(struct history *h, const struct block *b, struct fault *f)
{
    const char *data = json_get_str(b->json, "data");
    return data && *data ? 0 : fault_set(f, 400, h->at, "redacted_thinking needs its data");
}

/* Results come first, each once, for calls of the message right before. */
static int check_result(struct history *h, const struct block *b, struct fault *f)
{
    const cJSON *content = json_get(b->json, "content");
    const char *id = json_get_str(b->json, "tool_use_id");
    if (!id)
        return fault_set(f, 400, h->at, "a tool_result needs a tool_use_id");
    if (count(h->calls, "tool_use", "id", id) == 0)
        return fault_set(f, 400, h->at,
                         "unexpected tool_use_id in a tool_result: %.60s is no tool_use of the "
                         "message before",
                         id);
    if (count(b->before, "tool_result", "tool_use_id", id) > 1)
        return fault_set(f, 400, h->at, "tool_use %.60s has several tool_result blocks", id);
    if (content && !cJSON_IsString(content) && !cJSON_IsArray(content))
        return fault_set(f, 400, h->at,
                         "the content of a tool_result must be a string or an array of blocks");
    if (json_get_bool(b->json, "is_error") && content && cJSON_IsString(content) &&
        !*content->valuestring)
        return fault_set(f, 400, h->at, "the content of a tool_result cannot be empty if is_error");
    return 0;
}

/* Blocks of the server's own tools and files: known, not looked into. */
static int check_nothing(struct history *h, const struct block *b, struct fault *f)
{
    (void)h;
    (void)b;
    (void)f;
    return 0;
}

static const struct {
    const char *type;
    bool user, assistant; /* who may say it */
    int (*check)(struct history *, const struct block *, struct fault *);
} kinds[] = {
    {"text", true, true, check_text},
    {"image", true, false, check_image},
    {"document", true, false, check_nothing},
    {"search_result", true, false, check_nothing},
    {"container_upload", true, false, check_nothing},
    {"tool_result", true, false, check_result},
    {"tool_use", false, true, check_call},
    {"thinking", false, true, check_thinking},
    {"redacted_thinking", false, true, check_redacted},
    {"server_tool_use", false, true, check_nothing},
    {"web_search_tool_result", false, true, check_nothing},
    {"web_fetch_tool_result", false, true, check_nothing},
    {"code_execution_tool_result", false, true, check_nothing},
    {"mcp_tool_use", false, true, check_nothing},
    {"mcp_tool_result", false, true, check_nothing},
};

static int check_cache_mark(struct history *h, const cJSON *block, struct fault *f)
{
    const cJSON *mark = rule_given(block, "cache_control");
    if (!mark)
        return 0;
    if (!is_type(mark, "ephemeral"))
        return fault_set(f, 400, h->at, "cache_control must be of type ephemeral");
    if (++h->cache_marks > CACHE_MARKS_MAX)
        return fault_set(f, 400, h->at, "more than %d blocks with cache_control", CACHE_MARKS_MAX);
    return 0;
}

static int check_block(struct history *h, const struct block *b, struct fault *f)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].type, b->type) != 0)
            continue;
        if (b->assistant ? !kinds[i].assistant : !kinds[i].user)
            break;
        int rc = check_cache_mark(h, b->json, f);
        return rc < 0 ? rc : kinds[i].check(h, b, f);
    }
    return fault_set(f, 400, h->at,
                     "a block of type \"%.40s\" cannot stand in a message of role %s", b->type,
                     b->assistant ? "assistant" : "user");
}

/* --- messages --- */

static int check_order(struct history *h, const cJSON *content, struct fault *f)
{
    const cJSON *block;
    bool other = false;
    cJSON_ArrayForEach(block, content)
    {
        if (is_type(block, "tool_result") && other)
            return fault_set(f, 400, h->at, "tool_result blocks must come before all others");
        other = other || !is_type(block, "tool_result");
    }
    return 0;
}

static int check_answered(struct history *h, const cJSON *content, struct fault *f)
{
    const cJSON *block;
    cJSON_ArrayForEach(block, h->calls)
    {
        const char *id = is_type(block, "tool_use") ? json_get_str(block, "id") : NULL;
        if (id && count(content, "tool_result", "tool_use_id", id) == 0)
            return fault_set(f, 400, h->at,
                             "tool_use ids were found without tool_result blocks immediately "
                             "after: nothing answers %.60s",
                             id);
    }
    return 0;
}

static int check_blocks(struct history *h, const cJSON *content, bool assistant, struct fault *f)
{
    const cJSON *json;
    if (!cJSON_IsArray(content))
        return fault_set(f, 400, h->at, "content must be a string or an array of blocks, not %s",
                         json_type_name(content));
    cJSON_ArrayForEach(json, content)
    {
        const struct block b = {json, json_get_str(json, "type"), content, assistant};
        if (!b.type)
            return fault_set(f, 400, h->at, "every block needs a type");
        int rc = check_block(h, &b, f);
        if (rc < 0)
            return rc;
        h->had_calls = h->had_calls || is_type(json, "tool_use");
    }
    return 0;
}

static int check_content(struct history *h, const cJSON *m, bool assistant, struct fault *f)
{
    const cJSON *content = json_get(m, "content");
    bool empty = cJSON_IsString(content) ? !*content->valuestring
                                         : cJSON_IsArray(content) && !content->child;
    if (empty)
        return fault_set(f, 400, h->at, "messages must have non-empty content");
    int rc = check_answered(h, content, f);
    if (rc == 0)
        rc = check_order(h, content, f);
    if (rc == 0 && !cJSON_IsString(content))
        rc = check_blocks(h, content, assistant, f);
    h->calls = assistant ? content : NULL;
    return rc;
}

static int check_system_message(const struct history *h, const cJSON *m, struct fault *f)
{
    const cJSON *content = json_get(m, "content");
    bool text = cJSON_IsString(content) && *content->valuestring;
    bool blocks = cJSON_IsArray(content) && content->child;
    if (m == h->messages->child)
        return fault_set(f, 400, h->at, "the first message must be the user's");
    return text || blocks ? 0 : fault_set(f, 400, h->at, "messages must have non-empty content");
}

static int check_message(struct history *h, const cJSON *m, struct fault *f)
{
    const char *role = json_get_str(m, "role");
    if (!role)
        return fault_set(f, 400, h->at, "a message must be an object with a role");
    if (strcmp(role, "system") == 0) /* in mid-conversation: newer models take it */
        return check_system_message(h, m, f);
    bool assistant = strcmp(role, "assistant") == 0;
    if (!assistant && strcmp(role, "user") != 0)
        return fault_set(f, 400, h->at, "the role must be user, assistant or system, not \"%.40s\"",
                         role);
    if (assistant && m == h->messages->child)
        return fault_set(f, 400, h->at, "the first message must be the user's");
    return check_content(h, m, assistant, f);
}

static int count_marks(struct history *h, const cJSON *blocks, const char *at, struct fault *f)
{
    const cJSON *block;
    snprintf(h->at, sizeof h->at, "%s", at);
    cJSON_ArrayForEach(block, blocks)
    {
        int rc = check_cache_mark(h, block, f);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int anthropic_check_messages(const cJSON *body, struct fault *f)
{
    struct history h = {.messages = json_get(body, "messages")};
    const cJSON *m;
    unsigned i = 0;
    if (!cJSON_IsArray(h.messages) || !h.messages->child)
        return fault_set(f, 400, "messages", "must be an array that is not empty");
    int rc = count_marks(&h, json_get(body, "tools"), "tools", f);
    if (rc == 0)
        rc = count_marks(&h, json_get(body, "system"), "system", f);
    cJSON_ArrayForEach(m, h.messages)
    {
        snprintf(h.at, sizeof h.at, "messages.%u", i++);
        if (rc == 0)
            rc = check_message(&h, m, f);
        if (rc < 0)
            return rc;
    }
    if (rc == 0)
        rc = check_answered(&h, NULL, f);
    return rc < 0 ? rc : anthropic_check_options(body, h.had_calls, f);
}
