#include "agent/config.h"

#include "agent/file.h"
#include "base/err.h"
#include "base/log.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_IDLE_MS  120000u
#define DEFAULT_RETRY_MS 200u
#define CREDENTIALS_MAX  (1u << 20)

static const struct config_provider providers[CONFIG_PROVIDERS] = {
    {
        .id = "openai",
        .dialect = &llm_openai_chat,
        .key_env = "OPENAI_API_KEY",
        .base_env = "OPENAI_BASE_URL",
        .base = "https://api.openai.com/v1",
        .model = "gpt-5",
        .max_tokens_name = "max_completion_tokens",
    },
    {
        .id = "deepseek",
        .dialect = &llm_openai_chat,
        .key_env = "DEEPSEEK_API_KEY",
        .base_env = "DEEPSEEK_BASE_URL",
        .base = "https://api.deepseek.com",
        .model = "deepseek-chat",
        .max_tokens_name = "max_tokens",
        .echo_thought = true,
    },
    {
        .id = "openrouter",
        .dialect = &llm_openai_chat,
        .key_env = "OPENROUTER_API_KEY",
        .base_env = "OPENROUTER_BASE_URL",
        .base = "https://openrouter.ai/api/v1",
        .model = "openrouter/auto",
        .max_tokens_name = "max_tokens",
    },
};

void config_init(struct config *c)
{
    *c = (struct config){.idle_ms = DEFAULT_IDLE_MS, .retry_ms = DEFAULT_RETRY_MS};
}

void config_deinit(struct config *c)
{
    for (size_t i = 0; i < CONFIG_PROVIDERS; i++) {
        free(c->entries[i].key);
        free(c->entries[i].base);
        c->entries[i] = (struct config_entry){0};
    }
}

static const char *non_empty(config_env env, const char *name)
{
    const char *v = name ? env(name) : NULL;
    return v && *v ? v : NULL;
}

/* Appends the path of the credentials file; an empty out means there is no home to look in. */
static int credentials_path(config_env env, struct buf *out)
{
    const char *home = non_empty(env, "ACP_AGENT_HOME");
    if (home)
        return buf_addf(out, "%s/credentials.json", home);
    home = non_empty(env, "XDG_CONFIG_HOME");
    if (home)
        return buf_addf(out, "%s/acp-agent/credentials.json", home);
    home = non_empty(env, "HOME");
    return home ? buf_addf(out, "%s/.config/acp-agent/credentials.json", home) : 0;
}

/* The file's object, or NULL if there is none that can be used. */
static cJSON *read_credentials(const char *path)
{
    struct buf text = {0};
    struct json_error err;
    cJSON *root = NULL;
    int rc = file_read_all(path, CREDENTIALS_MAX, &text);
    if (rc == 0)
        rc = buf_cstr(&text) ? json_parse(text.p, text.n, &root, &err) : E_NOMEM;
    if (rc == E_PARSE)
        log_warn("%s: %s: the file is ignored; write one JSON object: {\"openai\": \"KEY\"}", path,
                 err.text);
    else if (rc == 0 && !cJSON_IsObject(root))
        log_warn("%s: is no JSON object and is ignored; write {\"openai\": \"KEY\"}", path);
    else if (rc < 0 && rc != E_NOTFOUND)
        log_warn("%s: %s: the file is ignored", path, err_text(rc));
    buf_deinit(&text);
    if (cJSON_IsObject(root))
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* Base URLs are joined with "/...": a slash at the end would double it. */
static char *copy_base(const char *base)
{
    size_t n = strlen(base);
    while (n > 0 && base[n - 1] == '/')
        n--;
    return strndup(base, n);
}

static int load_entry(const struct config_provider *p, config_env env, const cJSON *file,
                      struct config_entry *ret)
{
    const char *key = non_empty(env, p->key_env);
    const char *base = non_empty(env, p->base_env);
    if (!key)
        key = json_get_str(file, p->id);
    /* A line end, which files easily have, would break the header the key goes into. */
    ret->key = key && *key ? strndup(key, strcspn(key, "\r\n")) : NULL;
    ret->base = copy_base(base ? base : p->base);
    return ret->base && (ret->key || !key || !*key) ? 0 : E_NOMEM;
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

int config_load(struct config *c, config_env env)
{
    struct config fresh;
    struct buf path = {0};
    cJSON *file = NULL;
    config_init(&fresh);
    int rc = credentials_path(env, &path);
    if (rc == 0 && path.n > 0) {
        rc = buf_cstr(&path) ? 0 : E_NOMEM;
        file = rc == 0 ? read_credentials(path.p) : NULL;
    }
    for (size_t i = 0; rc == 0 && i < CONFIG_PROVIDERS; i++)
        rc = load_entry(&providers[i], env, file, &fresh.entries[i]);
    load_number(env, "ACP_AGENT_IDLE_MS", &fresh.idle_ms);
    load_number(env, "ACP_AGENT_RETRY_MS", &fresh.retry_ms);
    load_number(env, "ACP_AGENT_CONTEXT", &fresh.context);
    if (rc == 0) {
        config_deinit(c);
        *c = fresh;
    } else {
        config_deinit(&fresh);
    }
    cJSON_Delete(file);
    buf_deinit(&path);
    return rc;
}

static size_t find_provider(const char *id, size_t n)
{
    for (size_t i = 0; i < CONFIG_PROVIDERS; i++)
        if (strlen(providers[i].id) == n && strncmp(providers[i].id, id, n) == 0)
            return i;
    return CONFIG_PROVIDERS;
}

static size_t first_with_key(const struct config *c)
{
    for (size_t i = 0; i < CONFIG_PROVIDERS; i++)
        if (c->entries[i].key)
            return i;
    return CONFIG_PROVIDERS;
}

bool config_knows(const char *spec)
{
    const char *slash = strchr(spec, '/');
    return !slash || (slash[1] && find_provider(spec, (size_t)(slash - spec)) < CONFIG_PROVIDERS);
}

int config_resolve(const struct config *c, const char *spec, struct llm_target *ret)
{
    const char *slash = spec ? strchr(spec, '/') : NULL;
    const char *model = slash ? slash + 1 : spec;
    size_t i = slash ? find_provider(spec, (size_t)(slash - spec)) : first_with_key(c);
    if (slash && i == CONFIG_PROVIDERS)
        return E_NOTFOUND;
    if (i == CONFIG_PROVIDERS || !c->entries[i].key)
        return E_UNSUPPORTED;
    const struct config_provider *p = &providers[i];
    bool at_home = strcmp(c->entries[i].base, p->base) == 0;
    *ret = (struct llm_target){.dialect = p->dialect,
                               .provider = p->id,
                               .base = c->entries[i].base,
                               .key = c->entries[i].key,
                               .model = model && *model ? model : p->model,
                               .context = c->context,
                               .max_tokens_name = at_home ? p->max_tokens_name : "max_tokens",
                               .echo_thought = p->echo_thought};
    return 0;
}

static int list(struct buf *out, const char *(*field)(const struct config_provider *))
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < CONFIG_PROVIDERS; i++)
        rc = buf_addf(out, "%s%s", i > 0 ? ", " : "", field(&providers[i]));
    return rc;
}

static const char *id_of(const struct config_provider *p)
{
    return p->id;
}

static const char *key_env_of(const struct config_provider *p)
{
    return p->key_env;
}

int config_list_providers(struct buf *out)
{
    return list(out, id_of);
}

int config_list_keys(struct buf *out)
{
    return list(out, key_env_of);
}
