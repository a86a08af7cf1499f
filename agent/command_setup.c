#include "agent/command.h"

#include "agent/config_provider.h"
#include "agent/credentials.h"
#include "base/err.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Answers of a dialogue, or of flags and standard input. */
struct setup {
    const struct command *c;
    bool dialogue;
    struct config config;
    char *provider, *key, *model; /* owned; NULL or "": not given */
};

/* --- asking --- */

/* One line without its end, or NULL: no more input. The caller frees it. */
static char *read_line(FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t n = getline(&line, &size, in);
    if (n < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

static char *ask(const struct setup *s, const char *question, const char *usual)
{
    fprintf(s->c->out, usual ? "%s [%s]: " : "%s: ", question, usual);
    fflush(s->c->out);
    char *line = read_line(s->c->in);
    if (line && !*line && usual) {
        free(line);
        line = strdup(usual);
    }
    return line;
}

/* Signals wait meanwhile: a shell whose echo stays off is a nuisance. */
static char *ask_hidden(const struct setup *s, const char *question)
{
    struct termios was, quiet;
    sigset_t all, before;
    int fd = fileno(s->c->in);
    bool hidden = tcgetattr(fd, &was) == 0;
    sigemptyset(&all);
    sigaddset(&all, SIGTSTP);
    if (hidden) {
        quiet = was;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
        sigprocmask(SIG_BLOCK, &all, &before);
        tcsetattr(fd, TCSAFLUSH, &quiet);
    }
    char *line = ask(s, question, NULL);
    if (hidden) {
        tcsetattr(fd, TCSAFLUSH, &was);
        sigprocmask(SIG_SETMASK, &before, NULL);
        fputc('\n', s->c->out);
    }
    /* With ISIG off an interrupt is a character like any other. */
    if (line && strchr(line, 3)) {
        free(line);
        return NULL;
    }
    return line;
}

/* --- the questions --- */

static int complain(const char *what)
{
    fprintf(stderr, "acp-agent: %s\n", what);
    return 2;
}

static int choose_provider(struct setup *s)
{
    struct buf list = {0};
    const char *given = s->c->flags->provider;
    if (config_list_providers(&s->config, &list) == 0 && buf_cstr(&list) && s->dialogue && !given)
        fprintf(s->c->out, "Providers: %s.\n", list.p);
    if (given)
        s->provider = strdup(given);
    else if (s->dialogue)
        s->provider = ask(s, "Provider", "openai");
    buf_deinit(&list);
    if (!s->provider)
        return complain("setup: name the provider with --provider");
    if (!config_find_provider(&s->config, s->provider, strlen(s->provider)) && !s->c->flags->base) {
        fprintf(stderr, "acp-agent: setup: %s is no known provider: give its --base-url as well\n",
                s->provider);
        return 2;
    }
    return 0;
}

static int choose_key(struct setup *s)
{
    const struct config_provider *p =
        config_find_provider(&s->config, s->provider, strlen(s->provider));
    if (s->dialogue && p && !p->key_env)
        return 0; /* a local server */
    s->key = s->dialogue ? ask_hidden(s, "Key (not shown)") : read_line(s->c->in);
    if (p && p->key_env && !p->key && (!s->key || !*s->key))
        return complain("setup: a key is needed; without a terminal it is the first line of "
                        "standard input");
    return 0;
}

static int choose_model(struct setup *s)
{
    const struct config_provider *p =
        config_find_provider(&s->config, s->provider, strlen(s->provider));
    const char *usual = p && p->builtin && p->builtin->model ? p->builtin->model
                        : p && p->n_models > 0               ? p->models[0].id
                                                             : NULL;
    const char *given = s->c->flags->model;
    size_t n = strlen(s->provider);
    if (given && strncmp(given, s->provider, n) == 0 && given[n] == '/')
        given += n + 1;
    if (given)
        s->model = strdup(given);
    else if (s->dialogue)
        s->model = ask(s, "Model", usual);
    else if (usual)
        s->model = strdup(usual);
    if (!s->model || !*s->model)
        return complain("setup: name the model with --model");
    return 0;
}

/* --- what comes of it --- */

/* As it will be. */
static int apply(struct setup *s, char **ret_spec)
{
    struct config_provider *p = NULL;
    struct buf spec = {0};
    int rc = config_add_provider(&s->config, s->provider, &p);
    if (rc == 0 && s->c->flags->base)
        rc = config_set_base(p, s->c->flags->base);
    if (rc == 0 && s->key && *s->key)
        rc = config_set_text(&p->key, s->key);
    if (rc == 0)
        rc = buf_addf(&spec, "%s/%s", s->provider, s->model);
    *ret_spec = rc == 0 ? buf_take(&spec) : NULL;
    buf_deinit(&spec);
    return *ret_spec ? 0 : E_NOMEM;
}

static bool check(const struct setup *s, const char *spec)
{
    if (s->c->flags->no_check)
        return true;
    char *error = command_probe(&s->config, spec);
    if (error)
        fprintf(stderr, "acp-agent: setup: %s does not answer: %s. Nothing was changed.\n", spec,
                error);
    else
        fprintf(s->c->out, "%s answers.\n", spec);
    free(error);
    return !error;
}

/* Everything else in the file stays as it is. */
static int change(cJSON *root, const struct setup *s, const char *spec)
{
    cJSON_DeleteItemFromObjectCaseSensitive(root, "model");
    if (!cJSON_AddStringToObject(root, "model", spec))
        return E_NOMEM;
    if (!s->c->flags->base)
        return 0;
    cJSON *providers = json_get(root, "providers");
    if (!providers)
        providers = cJSON_AddObjectToObject(root, "providers");
    cJSON *entry = json_get(providers, s->provider);
    if (!entry)
        entry = cJSON_AddObjectToObject(providers, s->provider);
    cJSON_DeleteItemFromObjectCaseSensitive(entry, "baseUrl");
    return cJSON_AddStringToObject(entry, "baseUrl", s->c->flags->base) ? 0 : E_NOMEM;
}

static int write_config(const struct setup *s, const char *path, const char *spec)
{
    char error[640];
    cJSON *root = NULL;
    int rc = config_parse_file(path, (struct config_text){error, sizeof error}, &root);
    if (rc == E_NOTFOUND)
        root = cJSON_CreateObject();
    else if (rc < 0)
        return rc;
    rc = root ? change(root, s, spec) : E_NOMEM;
    char *text = rc == 0 ? cJSON_Print(root) : NULL;
    if (rc == 0)
        rc = text ? credentials_write_file(path, text, strlen(text)) : E_NOMEM;
    cJSON_free(text);
    cJSON_Delete(root);
    return rc;
}

static int save(const struct setup *s, const char *spec)
{
    struct buf path = {0};
    int rc = config_locate(s->c->env, "config.json", &path);
    if (rc == 0 && s->key && *s->key)
        rc = credentials_store(s->c->env, s->provider, s->key);
    if (rc == 0)
        rc = buf_cstr(&path) ? write_config(s, path.p, spec) : E_NOMEM;
    if (rc == 0)
        fprintf(s->c->out, "The model is %s. Settings are in %s.\n", spec, path.p);
    else
        fprintf(stderr, "acp-agent: setup: nothing could be stored%s%s: %s\n", path.p ? " at " : "",
                path.p ? path.p : "",
                rc == E_NOTFOUND ? "set HOME or ACP_AGENT_HOME" : err_text(rc));
    buf_deinit(&path);
    return rc < 0;
}

static int run(struct setup *s)
{
    char *spec = NULL;
    int status = choose_provider(s);
    if (status == 0)
        status = choose_key(s);
    if (status == 0)
        status = choose_model(s);
    if (status == 0 && apply(s, &spec) < 0)
        status = complain("out of memory");
    if (status == 0 && !check(s, spec))
        status = 1;
    if (status == 0)
        status = save(s, spec);
    free(spec);
    return status;
}

int command_setup(const struct command *c)
{
    struct setup s = {.c = c, .dialogue = isatty(fileno(c->in)) == 1};
    int status = command_load(c, &s.config);
    if (status == 0) {
        status = run(&s);
        config_deinit(&s.config);
    }
    free(s.provider);
    free(s.key);
    free(s.model);
    return status;
}
