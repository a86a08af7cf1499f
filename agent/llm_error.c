/* strptime */
#define _XOPEN_SOURCE 700

#include "agent/llm_error.h"

#include "base/utf8.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void llm_error_set(struct llm_error *e, const char *text)
{
    size_t n = 0;
    bool gap = false;
    for (; *text && n + 2 < sizeof e->text; text++) {
        if (isspace((unsigned char)*text) || iscntrl((unsigned char)*text)) {
            gap = n > 0;
            continue;
        }
        if (gap)
            e->text[n++] = ' ';
        gap = false;
        e->text[n++] = *text;
    }
    n = utf8_valid_prefix(e->text, n); /* cut text may end inside a character */
    e->text[n] = '\0';
}

bool llm_error_is_transient(long status)
{
    return status == 408 || status == 409 || status == 429 || status >= 500;
}

static bool is_one_of(const char *s, const char *const *list)
{
    for (; s && *list; list++)
        if (strcmp(s, *list) == 0)
            return true;
    return false;
}

/* Numbers of the HTTP kind, as a number or as text; 0 for anything else. */
static long code_of(const cJSON *v)
{
    double d = cJSON_IsNumber(v) ? v->valuedouble : 0;
    if (cJSON_IsString(v))
        d = (double)strtol(v->valuestring, NULL, 10);
    return d >= 100 && d < 600 ? (long)d : 0;
}

/* "34s" in error.details[].retryDelay. */
static void read_delay_detail(const cJSON *error, struct llm_error *e)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(error, "details"))
    {
        const char *delay = json_get_str(item, "retryDelay");
        double s = delay ? strtod(delay, NULL) : -1;
        if (s >= 0 && s < 1e6) {
            e->has_wait = true;
            e->wait_ms = (uint64_t)(s * 1000);
        }
    }
}

static void classify(const cJSON *error, const cJSON *root, struct llm_error *e)
{
    static const char *const hopeless[] = {"insufficient_quota",
                                           "context_length_exceeded",
                                           "invalid_request_error",
                                           "invalid_api_key",
                                           "INVALID_ARGUMENT",
                                           "PERMISSION_DENIED",
                                           "NOT_FOUND",
                                           NULL};
    long code = code_of(json_get(error, "code"));
    if (code == 0)
        code = code_of(json_get(error, "status"));
    if (code == 0)
        code = code_of(json_get(root, "code"));
    if (code > 0)
        e->status = code;
    /* An error inside a stream without any number is the server's trouble, mostly passing. */
    e->retry = e->status == 0 || e->status == 200 || llm_error_is_transient(e->status);
    if (is_one_of(json_get_str(error, "code"), hopeless) ||
        is_one_of(json_get_str(error, "type"), hopeless) ||
        is_one_of(json_get_str(error, "status"), hopeless))
        e->retry = false;
    read_delay_detail(error, e);
}

static bool is_error_root(const cJSON *root)
{
    const char *object = json_get_str(root, "object");
    return (object && strcmp(object, "error") == 0) ||
           (json_get(root, "detail") && !json_get(root, "choices"));
}

static void set_text(const cJSON *error, struct llm_error *e)
{
    const char *text = cJSON_IsString(error) ? error->valuestring : json_get_str(error, "message");
    if (!text)
        text = json_get_str(error, "detail");
    if (text && *text) {
        llm_error_set(e, text);
        return;
    }
    char *all = cJSON_PrintUnformatted(error);
    llm_error_set(e, all ? all : "unknown error");
    cJSON_free(all);
}

void llm_error_take(const cJSON *error, const cJSON *root, struct llm_error *e)
{
    set_text(error, e);
    classify(error, root, e);
}

bool llm_error_in_json(const cJSON *root, struct llm_error *e)
{
    if (cJSON_IsArray(root))
        root = root->child;
    const cJSON *error = json_get(root, "error");
    bool wrapped = cJSON_IsObject(error) || (cJSON_IsString(error) && *error->valuestring);
    if (!wrapped && !is_error_root(root))
        return false;
    if (!wrapped)
        error = root;
    llm_error_take(error, root, e);
    return true;
}

static const char *find_ignoring_case(const char *text, const char *what)
{
    size_t n = strlen(what);
    for (; *text; text++)
        if (strncasecmp(text, what, n) == 0)
            return text;
    return NULL;
}

/* An HTML page says what it is in its title; other text speaks for itself. */
static void set_plain_text(struct llm_error *e, char *text)
{
    char *title = (char *)(uintptr_t)find_ignoring_case(text, "<title>");
    if (title) {
        text = title + strlen("<title>");
        text[strcspn(text, "<")] = '\0';
    }
    llm_error_set(e, text);
    if (!e->text[0])
        snprintf(e->text, sizeof e->text, "no text came with the error");
}

void llm_error_from_body(long status, const char *body, size_t n, struct llm_error *ret)
{
    *ret = (struct llm_error){.status = status, .retry = llm_error_is_transient(status)};
    struct buf copy = {0};
    cJSON *root = NULL;
    if (utf8_append_repaired(&copy, body, n) < 0 || !buf_cstr(&copy)) {
        llm_error_set(ret, "out of memory");
    } else {
        bool known = json_parse(copy.p, copy.n, &root, NULL) == 0 && llm_error_in_json(root, ret);
        if (!known)
            set_plain_text(ret, copy.p);
        /* The status line outranks what the body says. */
        ret->status = status;
        ret->retry = ret->retry && llm_error_is_transient(status);
    }
    cJSON_Delete(root);
    buf_deinit(&copy);
}

/* IMF-fixdate, "Wed, 21 Oct 2026 07:28:00 GMT", to seconds since the epoch; -1 if it is none. */
static time_t parse_date(const char *s)
{
    struct tm tm = {0};
    const char *end = strptime(s, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    return end ? timegm(&tm) : (time_t)-1;
}

void llm_error_read_wait(struct llm_error *e, const char *ms, const char *after, time_t now)
{
    char *end = NULL;
    double wait = ms ? strtod(ms, &end) : -1;
    if (!ms || end == ms)
        wait = -1;
    if (wait < 0 && after) {
        wait = strtod(after, &end) * 1000;
        time_t date = end == after ? parse_date(after) : (time_t)-1;
        if (end == after)
            wait = date > now ? (double)(date - now) * 1000 : -1;
    }
    if (!(wait >= 0 && wait <= 1e12)) /* this way round "nan" is refused as well */
        return;
    e->has_wait = true;
    e->wait_ms = (uint64_t)wait;
}
