#include "agent/local.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "json/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONNECT_MS  1000u
#define IDLE_MS     3000u
#define LIST_MAX    (1u << 20)
#define SERVERS_MAX 8u
#define UNKNOWN     10000000u

struct server {
    struct local *owner;
    char *id; /* owned; the provider's */
    struct fetch_req *req;
    struct buf body;
    bool bad; /* too long, or out of memory */
};

struct local {
    struct server servers[SERVERS_MAX];
    size_t n, open;
    char *best; /* owned */
    unsigned size;
    void (*done)(void *ctx, const char *spec);
    void *ctx;
};

/* --- names --- */

static bool contains(const char *id, const char *word)
{
    size_t n = strlen(word);
    for (; *id; id++)
        if (strncasecmp(id, word, n) == 0)
            return true;
    return false;
}

/* "8b", "0.5B", "135m" at p, which ends a word: millions; 0: no such thing. */
static unsigned read_size(const char *p)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*p))
        return 0;
    double v = strtod(p, &end);
    int unit = tolower((unsigned char)*end);
    if (v <= 0 || (unit != 'b' && unit != 'm') || isalnum((unsigned char)end[1]) || v > 5000)
        return 0;
    unsigned size = (unsigned)(unit == 'b' ? v * 1000 : v);
    return size > 0 ? size : 1;
}

unsigned local_model_size(const char *id)
{
    static const char *const others[] = {"embed", "rerank", "bge-", "minilm", "whisper"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (contains(id, others[i]))
            return 0;
    for (const char *p = id; *p; p++) {
        bool inside = p > id && (isalnum((unsigned char)p[-1]) || p[-1] == '.');
        unsigned size = inside ? 0 : read_size(p);
        if (size > 0)
            return size;
    }
    return UNKNOWN;
}

/* --- lists --- */

static void consider(struct local *l, const char *provider, const char *model)
{
    struct buf spec = {0};
    unsigned size = local_model_size(model);
    if (size == 0 || (l->best && size >= l->size))
        return;
    char *text = buf_addf(&spec, "%s/%s", provider, model) == 0 ? buf_take(&spec) : NULL;
    buf_deinit(&spec);
    if (!text)
        return;
    free(l->best);
    l->best = text;
    l->size = size;
}

static void read_list(struct server *s)
{
    cJSON *root = NULL;
    const cJSON *item;
    if (s->bad || !buf_cstr(&s->body) || json_parse(s->body.p, s->body.n, &root, NULL) < 0)
        return;
    cJSON_ArrayForEach(item, json_get(root, "data"))
    {
        const char *id = json_get_str(item, "id");
        if (id && *id)
            consider(s->owner, s->id, id);
    }
    cJSON_Delete(root);
}

static void finish(struct local *l)
{
    l->done(l->ctx, l->best);
    for (size_t i = 0; i < l->n; i++) {
        free(l->servers[i].id);
        buf_deinit(&l->servers[i].body);
    }
    free(l->best);
    free(l);
}

static void on_data(void *ctx, const char *bytes, size_t n)
{
    struct server *s = ctx;
    if (s->body.n + n > LIST_MAX || buf_add(&s->body, bytes, n) < 0)
        s->bad = true;
    if (s->bad)
        fetch_cancel(s->req);
}

static void on_done(void *ctx, const struct fetch_result *result)
{
    struct server *s = ctx;
    struct local *l = s->owner;
    if (result->rc == 0 && result->status == 200)
        read_list(s);
    else
        log_warn("%s was asked for its models in vain: %s", s->id,
                 *result->text ? result->text : "it has no list");
    if (--l->open == 0)
        finish(l);
}

static const struct fetch_ops ops_of_list = {.on_data = on_data, .on_done = on_done};

/* --- asking --- */

static bool is_asked(const struct config_provider *p)
{
    return p->wanted && !p->key_env && p->n_models == 0;
}

bool local_is_worth_asking(const struct config *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_asked(&c->providers[i]))
            return true;
    return false;
}

static int ask(struct local *l, struct fetch *fetch, const struct config_provider *p)
{
    struct server *s = &l->servers[l->n];
    struct buf url = {0};
    *s = (struct server){.owner = l, .id = strdup(p->id)};
    int rc = s->id ? buf_addf(&url, "%s/models", p->base) : E_NOMEM;
    if (rc == 0)
        rc = buf_cstr(&url) ? 0 : E_NOMEM;
    struct fetch_options options = {.method = "GET",
                                    .url = url.p,
                                    .headers = (const char *const *)p->headers,
                                    .connect_ms = CONNECT_MS,
                                    .idle_ms = IDLE_MS};
    if (rc == 0)
        rc = fetch_start(fetch, &options, &ops_of_list, s, &s->req);
    buf_deinit(&url);
    if (rc < 0) {
        free(s->id);
        return rc;
    }
    l->n++;
    l->open++;
    return 0;
}

int local_start(struct fetch *fetch, const struct config *c,
                void (*done)(void *ctx, const char *spec), void *ctx)
{
    struct local *l = calloc(1, sizeof *l);
    int rc = E_NOTFOUND;
    if (!l)
        return E_NOMEM;
    l->done = done;
    l->ctx = ctx;
    for (size_t i = 0; i < c->n && l->n < SERVERS_MAX; i++)
        if (is_asked(&c->providers[i]))
            rc = ask(l, fetch, &c->providers[i]);
    if (l->n > 0)
        return 0;
    free(l);
    return rc;
}
