/* Gemini generateContent and streamGenerateContent: routes, events, whole answers, errors. */
#include "dialect.h"

#include "base/err.h"
#include "gemini.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- routes --- */

/* Behind the version: "/models...", or NULL. */
static const char *models_path(const char *path)
{
    static const char *const versions[] = {"/v1beta", "/v1alpha", "/v1", ""};
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        size_t n = strlen(versions[i]);
        if (strncmp(path, versions[i], n) == 0 && strncmp(path + n, "/models", 7) == 0)
            return path + n;
    }
    return NULL;
}

static bool is_list(const char *path)
{
    const char *models = models_path(path);
    return models && strcspn(models, "?") == strlen("/models");
}

/* Lists are ours if their version is; a caller's mark decides about the others. */
static bool owns(const char *path)
{
    size_t n;
    return is_list(path) || strncmp(path, "/v1beta", 7) == 0 ||
           (models_path(path) && gemini_method(path, &n));
}

static enum route route(const char *method, const char *path)
{
    bool post = strcmp(method, "POST") == 0, get = strcmp(method, "GET") == 0;
    if (is_list(path))
        return get ? ROUTE_MODELS : ROUTE_WRONG_METHOD;
    if (gemini_is_method(path, "generateContent") ||
        gemini_is_method(path, "streamGenerateContent"))
        return post ? ROUTE_REPLY : ROUTE_WRONG_METHOD;
    if (gemini_is_method(path, "countTokens"))
        return post ? ROUTE_COUNT : ROUTE_WRONG_METHOD;
    return ROUTE_NONE;
}

static int read_request(const cJSON *body, cJSON *neutral, struct fault *fault)
{
    int rc = gemini_neutral(body, neutral);
    return rc < 0 ? rc : gemini_check(body, neutral, fault);
}

/* --- errors, models, counts --- */

static const struct {
    int status;
    const char *word;
} statuses[] = {
    {400, "INVALID_ARGUMENT"}, {401, "UNAUTHENTICATED"},   {403, "PERMISSION_DENIED"},
    {404, "NOT_FOUND"},        {409, "ABORTED"},           {429, "RESOURCE_EXHAUSTED"},
    {499, "CANCELLED"},        {500, "INTERNAL"},          {501, "UNIMPLEMENTED"},
    {503, "UNAVAILABLE"},      {504, "DEADLINE_EXCEEDED"},
};

static const char *status_word(int status)
{
    for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].word;
    return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
}

/* A type that is one of the words above brings its code along. */
static int fault_code(const struct fault *f)
{
    for (size_t i = 0; f->type && i < ARRAY_LEN(statuses); i++)
        if (strcmp(statuses[i].word, f->type) == 0)
            return statuses[i].status;
    return f->status;
}

static int write_fault(struct buf *out, const struct fault *f)
{
    char words[sizeof f->text + sizeof f->param + 2];
    struct jsonw w;
    snprintf(words, sizeof words, "%s%s%s", f->param, *f->param ? ": " : "", f->text);
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "error", '{');
    jw_kint(&w, "code", fault_code(f));
    jw_kstr(&w, "message", words);
    jw_kstr(&w, "status", f->type ? f->type : status_word(f->status));
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

static int write_models(struct buf *out, const cJSON *names)
{
    static const char methods[] = "[\"generateContent\",\"countTokens\"]";
    char path[256];
    const cJSON *name;
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "models", '[');
    cJSON_ArrayForEach(name, names)
    {
        snprintf(path, sizeof path, "models/%.240s", name->valuestring);
        jw_open(&w, '{');
        jw_kstr(&w, "name", path);
        jw_kstr(&w, "displayName", name->valuestring);
        jw_kint(&w, "inputTokenLimit", 1048576);
        jw_kint(&w, "outputTokenLimit", 65536);
        jw_key(&w, "supportedGenerationMethods");
        jw_raw(&w, methods, sizeof methods - 1);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

static int write_count(struct buf *out, size_t tokens)
{
    return buf_addf(out, "{\"totalTokens\":%zu}", tokens);
}

/* --- a response: every event is one --- */

static void begin_response(struct jsonw *j)
{
    jw_open(j, '{');
    jw_kopen(j, "candidates", '[');
    jw_open(j, '{');
    jw_kopen(j, "content", '{');
    jw_kopen(j, "parts", '[');
}

static void write_usage(struct jsonw *j, const struct usage *u)
{
    jw_kopen(j, "usageMetadata", '{');
    jw_kint(j, "promptTokenCount", u->input);
    if (u->cached > 0)
        jw_kint(j, "cachedContentTokenCount", u->cached);
    jw_kint(j, "candidatesTokenCount", u->output > u->thought ? u->output - u->thought : 0);
    if (u->thought > 0)
        jw_kint(j, "thoughtsTokenCount", u->thought);
    jw_kint(j, "totalTokenCount", (int64_t)u->input + u->output);
    jw_close(j);
}

static const char *finish_word(const struct ending *e)
{
    static const char *const words[] = {
        [FINISH_STOP] = "STOP",
        [FINISH_TOOL_CALLS] = "STOP",
        [FINISH_LENGTH] = "MAX_TOKENS",
        [FINISH_FILTER] = "SAFETY",
    };
    return dialect_finish_word(e, words);
}

/* From behind the parts to the end. */
static void end_response(struct writer *w, struct jsonw *j, const struct ending *e)
{
    char id[48];
    snprintf(id, sizeof id, "%016" PRIx64, dialect_hash(w->seed, w->n, 0));
    jw_close(j);
    jw_kstr(j, "role", "model");
    jw_close(j);
    if (e && finish_word(e))
        jw_kstr(j, "finishReason", finish_word(e));
    jw_kint(j, "index", 0);
    jw_close(j);
    jw_close(j);
    if (e && e->has_usage)
        write_usage(j, &e->usage);
    else if (!e && w->quirks & QUIRK_USAGE_EACH)
        write_usage(j, &w->usage);
    jw_kstr(j, "modelVersion", json_get_str(w->request, "model"));
    jw_kstr(j, "responseId", id);
    jw_close(j);
}

static void write_text(struct jsonw *j, const char *text, size_t n, bool thought)
{
    jw_open(j, '{');
    jw_key(j, "text");
    jw_str(j, n > 0 ? text : "", n);
    if (thought)
        jw_kbool(j, "thought", true);
    jw_close(j);
}

/* The first call of a reply is signed. */
static void write_call(struct jsonw *j, const char *id, const char *name, const char *args,
                       bool first)
{
    char signature[GEMINI_SIGNATURE_SIZE];
    jw_open(j, '{');
    jw_kopen(j, "functionCall", '{');
    if (id)
        jw_kstr(j, "id", id);
    jw_kstr(j, "name", name);
    jw_key(j, "args");
    dialect_write_args(j, args);
    jw_close(j);
    gemini_signature(name, signature);
    if (first)
        jw_kstr(j, "thoughtSignature", signature);
    jw_close(j);
}

/* --- the stream --- */

/* The real one ends its lines so. */
static int event(struct writer *w, const char *json, size_t n)
{
    if (buf_adds(w->out, "data: ") < 0 || buf_add(w->out, json, n) < 0)
        return E_NOMEM;
    return buf_adds(w->out, "\r\n\r\n");
}

static void begin_event(struct writer *w, struct jsonw *j)
{
    w->event.n = 0;
    jw_begin(j, &w->event);
    begin_response(j);
}

static int end_event(struct writer *w, struct jsonw *j, const struct ending *e)
{
    end_response(w, j, e);
    int rc = jw_end(j);
    return rc < 0 ? rc : event(w, w->event.p, w->event.n);
}

/* An event that says nothing, ahead of what does. */
static int send_nothing(struct writer *w, bool thought)
{
    static const struct ending early = {.finish = FINISH_STOP};
    bool first = !w->started;
    struct jsonw j;
    w->started = true;
    if (!(w->quirks & QUIRK_EMPTY) && !(first && w->quirks & QUIRK_EARLY))
        return 0;
    begin_event(w, &j);
    write_text(&j, "", 0, thought);
    return end_event(w, &j, first && w->quirks & QUIRK_EARLY ? &early : NULL);
}

static int say(struct writer *w, const char *p, size_t n, bool thought)
{
    struct jsonw j;
    int rc = send_nothing(w, thought);
    if (rc < 0)
        return rc;
    begin_event(w, &j);
    write_text(&j, p, n, thought);
    return end_event(w, &j, NULL);
}

static int text(struct writer *w, const char *p, size_t n)
{
    return say(w, p, n, false);
}

static int thought(struct writer *w, const char *p, size_t n)
{
    return say(w, p, n, true);
}

/* Calls come whole in this API. */
static int call(struct writer *w, const struct call *c)
{
    struct jsonw j;
    begin_event(w, &j);
    write_call(&j, w->quirks & QUIRK_NO_IDS ? NULL : c->id, c->name, c->args, w->calls == 0);
    return end_event(w, &j, NULL);
}

static int error(struct writer *w, const struct fault *fault)
{
    w->event.n = 0;
    int rc = write_fault(&w->event, fault);
    return rc < 0 ? rc : event(w, w->event.p, w->event.n);
}

static int end(struct writer *w, const struct ending *e)
{
    struct jsonw j;
    begin_event(w, &j);
    write_text(&j, "", 0, false);
    return end_event(w, &j, e);
}

/* --- an answer in one piece --- */

static int write_whole(struct writer *w, const struct whole *whole)
{
    struct jsonw j;
    const cJSON *c;
    bool first = true;
    jw_begin(&j, w->out);
    begin_response(&j);
    if (whole->thought.n > 0)
        write_text(&j, whole->thought.p, whole->thought.n, true);
    if (whole->text.n > 0 || !whole->calls->child)
        write_text(&j, whole->text.p, whole->text.n, false);
    cJSON_ArrayForEach(c, whole->calls)
    {
        const char *id = w->quirks & QUIRK_NO_IDS ? NULL : json_get_str(c, "id");
        write_call(&j, id, json_get_str(c, "name"), json_get_str(c, "args"), first);
        first = false;
    }
    end_response(w, &j, &whole->end);
    return jw_end(&j);
}

const struct dialect dialect_gemini = {
    .name = "gemini",
    .stream_type = "text/event-stream",
    .mark = "x-goog-api-key",
    .malformed = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"",
    .owns = owns,
    .route = route,
    .read = read_request,
    .write_fault = write_fault,
    .write_models = write_models,
    .write_count = write_count,
    .text = text,
    .thought = thought,
    .call = call,
    .error = error,
    .event = event,
    .end = end,
    .whole = write_whole,
};
