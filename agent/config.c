#include "agent/config_provider.h"

#include "agent/credentials.h"
#include "agent/media.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_IDLE_MS  120000u
#define DEFAULT_RETRY_MS 200u

void config_init(struct config *c)
{
    *c = (struct config){.idle_ms = DEFAULT_IDLE_MS, .retry_ms = DEFAULT_RETRY_MS};
}

static const char *non_empty(config_env env, const char *name)
{
    const char *v = name ? env(name) : NULL;
    return v && *v ? v : NULL;
}

int config_locate(config_env env, const char *name, struct buf *out)
{
    const char *home = non_empty(env, "ACP_AGENT_HOME");
    if (home)
        return buf_addf(out, "%s/%s", home, name);
    home = non_empty(env, "XDG_CONFIG_HOME");
    if (home)
        return buf_addf(out, "%s/acp-agent/%s", home, name);
    home = non_empty(env, "HOME");
    return home ? buf_addf(out, "%s/.config/acp-agent/%s", home, name) : E_NOTFOUND;
}

/* --- loading --- */

static int add_builtin(struct config *c, const struct config_builtin *b)
{
    struct config_provider *p = NULL;
    int rc = config_add_provider(c, b->id, &p);
    if (rc < 0)
        return rc;
    p->builtin = b;
    p->dialect = b->dialect ? llm_find_dialect(b->dialect) : NULL;
    rc = config_set_base(p, b->base);
    return rc == 0 ? config_set_text(&p->key_env, b->key_env) : rc;
}

/* "host:port", as OLLAMA_HOST has it, or a whole URL. */
static int set_env_base(struct config_provider *p, const char *value)
{
    struct buf url = {0};
    if (strstr(value, "://"))
        return config_set_base(p, value);
    int rc = buf_addf(&url, "http://%s/v1", value);
    if (rc == 0)
        rc = buf_cstr(&url) ? config_set_base(p, url.p) : E_NOMEM;
    buf_deinit(&url);
    return rc;
}

/* Names of models mean something only at the provider they are of. */
static int add_builtin_models(struct config_provider *p)
{
    const struct config_builtin *b = p->builtin;
    struct config_model *m;
    int rc = 0;
    if (!b || p->n_models > 0 || strcmp(p->base, b->base) != 0)
        return 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(b->models) && b->models[i].id; i++) {
        rc = config_add_model(p, b->models[i].id, b->models[i].efforts, &m);
        if (rc == 0)
            m->input = b->models[i].input;
    }
    return rc;
}

static int set_key(struct config_provider *p, const char *key)
{
    if (!key || !*key)
        return 0;
    /* A line end, which files easily have, would break the header the key goes into. */
    p->key = strndup(key, strcspn(key, "\r\n"));
    return p->key ? 0 : E_NOMEM;
}

static int settle_provider(struct config_provider *p, config_env env, const cJSON *credentials)
{
    const char *base = p->builtin ? non_empty(env, p->builtin->base_env) : NULL;
    const char *key = non_empty(env, p->key_env);
    int rc = base ? set_env_base(p, base) : 0;
    if (rc == 0)
        rc = set_key(p, key ? key : json_get_str(credentials, p->id));
    if (p->key || (base && !p->key_env))
        p->wanted = true;
    return rc == 0 ? add_builtin_models(p) : rc;
}

static void load_number(config_env env, const char *name, uint64_t *slot)
{
    const char *text = non_empty(env, name);
    char *end = NULL;
    unsigned long long v = text ? strtoull(text, &end, 10) : 0;
    if (!text)
        return;
    if (*end != '\0' || *text == '-')
        log_warn("%s is ignored: \"%s\" is no whole number", name, text);
    else
        *slot = v;
}

/* "image audio" */
static void load_input(config_env env, struct config *c)
{
    const char *words = non_empty(env, "ACP_AGENT_INPUT");
    c->input = 0;
    for (unsigned kind = MEDIA_IMAGE; words && kind <= MEDIA_AUDIO; kind <<= 1)
        if (config_has_word(words, media_kind_name(kind)))
            c->input |= kind;
}

static int load(struct config *c, config_env env)
{
    cJSON *credentials = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < CONFIG_BUILTINS; i++)
        rc = add_builtin(c, &config_builtins[i]);
    if (rc == 0)
        rc = config_read_file(c, env);
    if (rc == 0)
        rc = credentials_read(env, &credentials);
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        rc = settle_provider(&c->providers[i], env, credentials);
    load_number(env, "ACP_AGENT_IDLE_MS", &c->idle_ms);
    load_number(env, "ACP_AGENT_RETRY_MS", &c->retry_ms);
    load_number(env, "ACP_AGENT_MCP_MS", &c->mcp_ms);
    load_number(env, "ACP_AGENT_MCP_CALL_MS", &c->mcp_call_ms);
    load_number(env, "ACP_AGENT_CONTEXT", &c->context);
    load_input(env, c);
    cJSON_Delete(credentials);
    return rc;
}

int config_load(struct config *c, config_env env)
{
    struct config fresh;
    config_init(&fresh);
    int rc = load(&fresh, env);
    if (rc == 0) {
        config_deinit(c);
        *c = fresh;
        return 0;
    }
    memcpy(c->error, fresh.error, sizeof c->error);
    config_deinit(&fresh);
    return rc;
}

/* --- asking --- */

bool config_is_usable(const struct config_provider *p)
{
    return p->key || !p->key_env;
}

const struct config_provider *config_find_provider(const struct config *c, const char *id, size_t n)
{
    for (size_t i = 0; i < c->n; i++)
        if (strlen(c->providers[i].id) == n && strncmp(c->providers[i].id, id, n) == 0)
            return &c->providers[i];
    return NULL;
}

static const char *default_model(const struct config_provider *p)
{
    if (p->n_models > 0 && !(p->builtin && p->builtin->model))
        return p->models[0].id;
    return p->builtin ? p->builtin->model : NULL;
}

static const struct config_provider *default_provider(const struct config *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->providers[i].wanted && config_is_usable(&c->providers[i]))
            return &c->providers[i];
    return NULL;
}

bool config_knows(const struct config *c, const char *spec)
{
    const char *slash = strchr(spec, '/');
    return !slash || (slash[1] && config_find_provider(c, spec, (size_t)(slash - spec)));
}

bool config_is_builtin(const char *spec)
{
    const char *slash = strchr(spec, '/');
    size_t n = slash ? (size_t)(slash - spec) : 0;
    for (size_t i = 0; slash && slash[1] && i < CONFIG_BUILTINS; i++)
        if (strlen(config_builtins[i].id) == n && strncmp(config_builtins[i].id, spec, n) == 0)
            return true;
    return !slash;
}

static const struct config_model *model_of(const struct config_provider *p, const char *id)
{
    for (size_t i = 0; i < p->n_models; i++)
        if (strcmp(p->models[i].id, id) == 0)
            return &p->models[i];
    return NULL;
}

const struct config_model *config_find_model(const struct config *c, const char *spec)
{
    const char *slash = strchr(spec, '/');
    const struct config_provider *p =
        slash ? config_find_provider(c, spec, (size_t)(slash - spec)) : NULL;
    return p ? model_of(p, slash + 1) : NULL;
}

static void fill_target(const struct config_provider *p, struct llm_target *ret)
{
    const struct config_builtin *b = p->builtin;
    bool at_home = b && strcmp(p->base, b->base) == 0;
    *ret = (struct llm_target){.dialect = p->dialect ? p->dialect : &llm_openai_chat,
                               .provider = p->id,
                               .base = p->base,
                               .key = p->key ? p->key : "",
                               .headers = (const char *const *)p->headers,
                               .max_tokens_name = at_home ? b->max_tokens_name : "max_tokens",
                               .echo_thought = b && b->echo_thought};
}

static void fill_model(const struct config *c, const struct config_provider *p, const char *id,
                       struct llm_target *ret)
{
    const struct config_model *m = model_of(p, id);
    ret->model = id;
    ret->input = m ? m->input : c->input;
    ret->context = m ? m->context : 0;
    if (c->context > 0) /* the user's word goes before the list's */
        ret->context = c->context;
}

int config_resolve(const struct config *c, const char *spec, struct llm_target *ret)
{
    if (!spec || !*spec)
        spec = c->model;
    const char *slash = spec ? strchr(spec, '/') : NULL;
    const char *model = slash ? slash + 1 : spec;
    const struct config_provider *p =
        slash ? config_find_provider(c, spec, (size_t)(slash - spec)) : default_provider(c);
    if (slash && !p)
        return E_NOTFOUND;
    if (!p || !config_is_usable(p))
        return E_UNSUPPORTED;
    if (!model || !*model)
        model = default_model(p);
    if (!model)
        return E_UNSUPPORTED;
    fill_target(p, ret);
    fill_model(c, p, model, ret);
    return 0;
}

bool config_has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; n > 0 && *at;) {
        size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

int config_list_providers(const struct config *c, struct buf *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        rc = buf_addf(out, "%s%s", i > 0 ? ", " : "", c->providers[i].id);
    return rc;
}

int config_list_keys(struct buf *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < CONFIG_BUILTINS; i++)
        if (config_builtins[i].key_env)
            rc = buf_addf(out, "%s%s", i > 0 ? ", " : "", config_builtins[i].key_env);
    return rc;
}
