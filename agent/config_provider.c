#include "agent/config_provider.h"

#include "agent/roots.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

int config_set_text(char **slot, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return E_NOMEM;
    free(*slot);
    *slot = copy;
    return 0;
}

int config_set_base(struct config_provider *p, const char *base)
{
    size_t n = strlen(base);
    while (n > 0 && base[n - 1] == '/')
        n--;
    char *copy = strndup(base, n);
    if (!copy)
        return E_NOMEM;
    free(p->base);
    p->base = copy;
    return 0;
}

void config_drop_models(struct config_provider *p)
{
    for (size_t i = 0; i < p->n_models; i++) {
        free(p->models[i].id);
        free(p->models[i].name);
        free(p->models[i].efforts);
    }
    free(p->models);
    p->models = NULL;
    p->n_models = 0;
}

int config_add_model(struct config_provider *p, const char *id, const char *efforts,
                     struct config_model **ret)
{
    struct config_model *more = realloc(p->models, (p->n_models + 1) * sizeof *more);
    if (!more)
        return E_NOMEM;
    p->models = more;
    struct config_model *m = &more[p->n_models++];
    *m = (struct config_model){.id = strdup(id), .efforts = strdup(efforts)};
    *ret = m;
    return m->id && m->efforts ? 0 : E_NOMEM;
}

int config_add_provider(struct config *c, const char *id, struct config_provider **ret)
{
    for (size_t i = 0; i < c->n; i++) {
        *ret = &c->providers[i];
        if (strcmp((*ret)->id, id) == 0)
            return 0;
    }
    struct config_provider *more = realloc(c->providers, (c->n + 1) * sizeof *more);
    if (!more)
        return E_NOMEM;
    c->providers = more;
    more[c->n] = (struct config_provider){.id = strdup(id)};
    if (!more[c->n].id)
        return E_NOMEM;
    *ret = &more[c->n++];
    return 0;
}

static void deinit_provider(struct config_provider *p)
{
    for (char **h = p->headers; h && *h; h++)
        free(*h);
    free(p->headers);
    config_drop_models(p);
    free(p->id);
    free(p->base);
    free(p->key);
    free(p->key_env);
}

void config_deinit(struct config *c)
{
    for (size_t i = 0; i < c->n; i++)
        deinit_provider(&c->providers[i]);
    free(c->providers);
    free(c->model);
    free(c->effort);
    free(c->work_mode);
    roots_free(c->trusted);
    c->trusted = NULL;
    free(c->tool_approval);
    c->providers = NULL;
    c->n = 0;
    c->model = c->effort = c->work_mode = c->tool_approval = NULL;
    c->max_tokens = 0;
}
