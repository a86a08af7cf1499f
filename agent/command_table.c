#include "agent/command.h"

#include "agent/settings.h"
#include "base/err.h"
#include "json/jsonw.h"

#include <stdlib.h>
#include <string.h>

int command_load(const struct command *c, struct config *ret)
{
    config_init(ret);
    int rc = config_load(ret, c->env);
    if (rc == 0)
        return 0;
    fprintf(stderr, "acp-agent: %s\n", *ret->error ? ret->error : err_text(rc));
    config_deinit(ret);
    return 1;
}

int command_print(const struct command *c, struct buf *out, int rc)
{
    if (rc == 0 && out->n > 0 && out->p[out->n - 1] != '\n')
        rc = buf_addc(out, '\n');
    if (rc == 0 && (fwrite(out->p, 1, out->n, c->out) != out->n || fflush(c->out) != 0))
        rc = E_IO;
    if (rc < 0)
        fprintf(stderr, "acp-agent: %s\n", err_text(rc));
    buf_deinit(out);
    return rc < 0;
}

/* --- models --- */

static int print_model(struct buf *out, const struct config_provider *p,
                       const struct config_model *m, const char *current)
{
    char spec[300], context[32] = "";
    snprintf(spec, sizeof spec, "%s/%s", p->id, m->id);
    if (m->context > 0)
        snprintf(context, sizeof context, "%u", m->context);
    return buf_addf(out, "%c %-40s %-10s %s\n", current && strcmp(current, spec) == 0 ? '*' : ' ',
                    spec, context, m->efforts);
}

static int print_models(const struct config *c, const char *current, struct buf *out)
{
    int rc = buf_addf(out, "  %-40s %-10s %s\n", "MODEL", "CONTEXT", "EFFORTS");
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->providers[i].n_models && config_is_usable(&c->providers[i]); k++)
            if (rc == 0)
                rc = print_model(out, &c->providers[i], &c->providers[i].models[k], current);
    if (rc == 0 && current && !config_find_model(c, current))
        rc = buf_addf(out, "* %s\n", current);
    return rc;
}

static void write_efforts(struct jsonw *w, const char *efforts)
{
    jw_kopen(w, "efforts", '[');
    for (const char *at = efforts; *at;) {
        size_t n = strcspn(at, " ");
        jw_str(w, at, n);
        at += n + (at[n] == ' ');
    }
    jw_close(w);
}

static void write_model(struct jsonw *w, const struct config_provider *p,
                        const struct config_model *m)
{
    char spec[300];
    snprintf(spec, sizeof spec, "%s/%s", p->id, m->id);
    jw_open(w, '{');
    jw_kstr(w, "id", spec);
    if (m->name)
        jw_kstr(w, "name", m->name);
    if (m->context > 0)
        jw_kint(w, "context", m->context);
    if (m->max_output > 0)
        jw_kint(w, "maxOutput", m->max_output);
    write_efforts(w, m->efforts);
    jw_close(w);
}

static int write_models(const struct config *c, const char *current, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kstr(&w, "default", current);
    jw_kopen(&w, "models", '[');
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->providers[i].n_models && config_is_usable(&c->providers[i]); k++)
            write_model(&w, &c->providers[i], &c->providers[i].models[k]);
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

int command_models(const struct command *c)
{
    struct config config;
    struct buf out = {0};
    char *current = NULL;
    int status = command_load(c, &config);
    if (status != 0)
        return status;
    int rc = settings_name_model(&config, NULL, &current);
    if (rc == 0)
        rc = c->flags->json ? write_models(&config, current, &out)
                            : print_models(&config, current, &out);
    if (rc == 0 && !current && !c->flags->json)
        fputs("acp-agent: no provider is set up yet: run acp-agent setup.\n", stderr);
    free(current);
    config_deinit(&config);
    return command_print(c, &out, rc);
}

/* --- providers --- */

static const char *key_state(const struct config_provider *p)
{
    return p->key ? "yes" : p->key_env ? "no" : "not needed";
}

static int print_providers(const struct config *c, struct buf *out)
{
    int rc = buf_addf(out, "%-16s %-11s %-22s %s\n", "PROVIDER", "KEY", "VARIABLE", "BASE URL");
    for (size_t i = 0; rc == 0 && i < c->n; i++) {
        const struct config_provider *p = &c->providers[i];
        rc = buf_addf(out, "%-16s %-11s %-22s %s\n", p->id, key_state(p),
                      p->key_env ? p->key_env : "", p->base);
    }
    return rc;
}

static int write_providers(const struct config *c, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '{');
    jw_kopen(&w, "providers", '[');
    for (size_t i = 0; i < c->n; i++) {
        const struct config_provider *p = &c->providers[i];
        jw_open(&w, '{');
        jw_kstr(&w, "id", p->id);
        jw_kstr(&w, "dialect", p->dialect ? p->dialect->name : llm_openai_chat.name);
        jw_kstr(&w, "baseUrl", p->base);
        jw_kstr(&w, "keyEnv", p->key_env);
        jw_kbool(&w, "hasKey", p->key != NULL);
        jw_kbool(&w, "usable", config_is_usable(p));
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    return jw_end(&w);
}

int command_providers(const struct command *c)
{
    struct config config;
    struct buf out = {0};
    int status = command_load(c, &config);
    if (status != 0)
        return status;
    int rc = c->flags->json ? write_providers(&config, &out) : print_providers(&config, &out);
    config_deinit(&config);
    return command_print(c, &out, rc);
}
