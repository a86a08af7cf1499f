#include "verdict.h"

#include "base/err.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A caller that tries again sooner than this after a failure does not back off at all. */
#define BACK_OFF_MS  50
#define ATTEMPTS_MAX 10

struct conversation {
    struct list node;
    char *key;       /* owned */
    cJSON *messages; /* of its last request; owned */
    cJSON *calls;    /* ids that want answers; owned */
    unsigned n;      /* the last request */
    unsigned attempts;
    struct verdict_answer answer; /* to it */
};

int verdict_init(struct verdict *v)
{
    list_init(&v->conversations);
    v->findings = cJSON_CreateArray();
    return v->findings ? 0 : E_NOMEM;
}

static void conversation_destroy(struct conversation *c)
{
    if (!c)
        return;
    free(c->key);
    cJSON_Delete(c->messages);
    cJSON_Delete(c->calls);
    free(c);
}

void verdict_deinit(struct verdict *v)
{
    if (!v->findings)
        return;
    while (v->conversations.next != &v->conversations) {
        struct conversation *c = CONTAINER_OF(v->conversations.next, struct conversation, node);
        list_remove(&c->node);
        conversation_destroy(c);
    }
    cJSON_Delete(v->findings);
    v->findings = NULL;
}

void verdict_add(struct verdict *v, const char *rule, unsigned n, const char *fmt, ...)
{
    char text[700];
    va_list args;
    if (!v->findings)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cJSON *finding = cJSON_CreateObject();
    if (!cJSON_AddStringToObject(finding, "rule", rule) ||
        !cJSON_AddNumberToObject(finding, "n", n) ||
        !cJSON_AddStringToObject(finding, "text", text) ||
        !cJSON_AddItemToArray(v->findings, finding))
        cJSON_Delete(finding);
}

/* --- conversations --- */

/* The model and the first message; NULL: out of memory. The caller frees it. */
static char *key_of(const cJSON *neutral)
{
    const char *model = json_get_str(neutral, "model");
    char *first = cJSON_PrintUnformatted(cJSON_GetArrayItem(json_get(neutral, "messages"), 0));
    size_t n = (model ? strlen(model) : 0) + (first ? strlen(first) : 0) + 2;
    char *key = first ? malloc(n) : NULL;
    if (key)
        snprintf(key, n, "%s %s", model ? model : "", first);
    cJSON_free(first);
    return key;
}

static struct conversation *find(struct verdict *v, const char *key)
{
    for (struct list *at = v->conversations.next; at != &v->conversations; at = at->next) {
        struct conversation *c = CONTAINER_OF(at, struct conversation, node);
        if (strcmp(c->key, key) == 0)
            return c;
    }
    return NULL;
}

static struct conversation *find_request(struct verdict *v, unsigned n)
{
    for (struct list *at = v->conversations.next; at != &v->conversations; at = at->next) {
        struct conversation *c = CONTAINER_OF(at, struct conversation, node);
        if (c->n == n)
            return c;
    }
    return NULL;
}

/* The conversation of a key, which is taken. NULL: out of memory. */
static struct conversation *open_conversation(struct verdict *v, char *key)
{
    struct conversation *c = key ? find(v, key) : NULL;
    if (c || !key) {
        free(key);
        return c;
    }
    c = calloc(1, sizeof *c);
    if (!c) {
        free(key);
        return NULL;
    }
    c->key = key;
    list_append(&v->conversations, &c->node);
    return c;
}

/* --- the rules --- */

static bool is_hopeless(int status)
{
    return status >= 400 && status < 500 && status != 408 && status != 409 && status != 429;
}

/* The same was sent again after a failure. */
static void judge_retry(struct verdict *v, struct conversation *c, unsigned n, uint64_t now)
{
    uint64_t waited = now - c->answer.now;
    c->attempts++;
    if (is_hopeless(c->answer.status))
        verdict_add(v, "hopeless", n, "repeats request %u, which was answered %d", c->n,
                    c->answer.status);
    else if (c->answer.wait_ms >= 0 && waited < (uint64_t)c->answer.wait_ms)
        verdict_add(v, "retry-after", n, "comes %llu ms after answer %u, which asked for %lld ms",
                    (unsigned long long)waited, c->n, (long long)c->answer.wait_ms);
    else if (c->answer.wait_ms < 0 && waited < BACK_OFF_MS)
        verdict_add(v, "back-off", n, "comes %llu ms after answer %u, which was status %d",
                    (unsigned long long)waited, c->n, c->answer.status);
    if (c->attempts == ATTEMPTS_MAX)
        verdict_add(v, "attempts", n, "is attempt %d at the same request", ATTEMPTS_MAX);
}

/* What was sent before comes first again, unchanged: caches live on it. */
static void judge_prefix(struct verdict *v, const struct conversation *c, unsigned n,
                         const cJSON *messages)
{
    const cJSON *old, *new = messages->child;
    unsigned i = 0;
    if (cJSON_GetArraySize(messages) < cJSON_GetArraySize(c->messages))
        return; /* a shorter history is a new one */
    cJSON_ArrayForEach(old, c->messages)
    {
        if (!json_equal(old, new)) {
            verdict_add(v, "prefix", n, "messages[%u] is not what request %u had there", i, c->n);
            return;
        }
        new = new->next;
        i++;
    }
}

static bool has_result(const cJSON *messages, const char *id)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, messages)
    {
        const char *role = json_get_str(m, "role"), *known = json_get_str(m, "id");
        if (role && strcmp(role, "tool") == 0 && known && strcmp(known, id) == 0)
            return true;
    }
    return false;
}

static void judge_results(struct verdict *v, const struct conversation *c, unsigned n,
                          const cJSON *messages)
{
    const cJSON *id;
    cJSON_ArrayForEach(id, c->calls)
    {
        if (!has_result(messages, id->valuestring))
            verdict_add(v, "results", n, "has no result for call %.60s of answer %u",
                        id->valuestring, c->n);
    }
}

static void judge(struct verdict *v, struct conversation *c, unsigned n, const cJSON *messages,
                  uint64_t now)
{
    bool failed = c->answer.status >= 400;
    if (failed && json_equal(c->messages, messages)) {
        judge_retry(v, c, n, now);
        return;
    }
    c->attempts = 0;
    judge_prefix(v, c, n, messages);
    judge_results(v, c, n, messages);
}

void verdict_request(struct verdict *v, unsigned n, const cJSON *neutral,
                     const struct verdict_answer *answer)
{
    const cJSON *messages = json_get(neutral, "messages");
    struct conversation *c = v->findings && messages ? open_conversation(v, key_of(neutral)) : NULL;
    if (!c)
        return;
    if (c->messages)
        judge(v, c, n, messages, answer->now);
    cJSON_Delete(c->messages);
    cJSON_Delete(c->calls);
    c->calls = NULL;
    c->messages = cJSON_Duplicate(messages, true);
    c->answer = *answer;
    c->n = n;
}

void verdict_call(struct verdict *v, unsigned n, const char *id)
{
    struct conversation *c = v->findings ? find_request(v, n) : NULL;
    if (!c || (!c->calls && !(c->calls = cJSON_CreateArray())))
        return;
    cJSON *item = cJSON_CreateString(id);
    if (!cJSON_AddItemToArray(c->calls, item))
        cJSON_Delete(item);
}

void verdict_gone(struct verdict *v, unsigned n)
{
    struct conversation *c = v->findings ? find_request(v, n) : NULL;
    if (!c)
        return;
    cJSON_Delete(c->calls);
    cJSON_Delete(c->messages);
    c->calls = NULL;
    c->messages = NULL;
}

void verdict_close(struct verdict *v)
{
    if (!v->findings)
        return;
    for (struct list *at = v->conversations.next; at != &v->conversations; at = at->next) {
        const struct conversation *c = CONTAINER_OF(at, struct conversation, node);
        const cJSON *id;
        cJSON_ArrayForEach(id, c->calls)
        {
            verdict_add(v, "results", c->n, "called %.60s and never got its result",
                        id->valuestring);
        }
    }
}
