#include "agent/command.h"

#include "agent/plugin.h"
#include "agent/settings.h"
#include "agent/store.h"
#include "base/err.h"
#include "json/jsonw.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct finding {
    const char *what;
    bool good;
    char text[700];
};

#define FINDINGS 5

static void find_config(const struct command *c, struct config *config, struct finding *ret)
{
    struct buf path = {0};
    struct stat st;
    int rc = config_load(config, c->env);
    ret->what = "config.json";
    ret->good = rc == 0;
    const char *where =
        config_locate(c->env, "config.json", &path) == 0 && buf_cstr(&path) ? path.p : NULL;
    if (rc < 0)
        snprintf(ret->text, sizeof ret->text, "%s", *config->error ? config->error : err_text(rc));
    else
        snprintf(ret->text, sizeof ret->text, "%s%s", where ? where : "no home to look in",
                 where && stat(where, &st) < 0 ? " (not there, which is fine)" : "");
    buf_deinit(&path);
}

static void find_credentials(const struct command *c, struct finding *ret)
{
    struct buf path = {0};
    struct stat st;
    ret->what = "credentials.json";
    ret->good = true;
    if (config_locate(c->env, "credentials.json", &path) < 0 || !buf_cstr(&path))
        snprintf(ret->text, sizeof ret->text, "no home to look in");
    else if (stat(path.p, &st) < 0)
        snprintf(ret->text, sizeof ret->text, "%.600s (not there)", path.p);
    else if (st.st_mode & 077) {
        ret->good = false;
        snprintf(ret->text, sizeof ret->text, "others may read %.300s: chmod 600 %.300s", path.p,
                 path.p);
    } else
        snprintf(ret->text, sizeof ret->text, "%.600s", path.p);
    buf_deinit(&path);
}

static void find_store(const struct command *c, struct finding *ret)
{
    struct buf path = {0};
    struct store *store = NULL;
    ret->what = "session store";
    int rc = store_locate(c->env, &path);
    if (rc == 0 && !buf_cstr(&path))
        rc = E_NOMEM;
    const struct store_options options = {.path = path.p};
    if (rc == 0)
        rc = store_create(&options, &store);
    if (rc == 0)
        rc = store_connect(store);
    ret->good = rc == 0;
    snprintf(ret->text, sizeof ret->text, "%.690s",
             rc == 0            ? path.p
             : store            ? store_error(store)
             : rc == E_NOTFOUND ? "sessions are not kept: set HOME or ACP_AGENT_HOME"
                                : err_text(rc));
    store_destroy(store);
    buf_deinit(&path);
}

static void find_model(const struct config *config, struct finding *ret)
{
    char *model = NULL, *error = NULL;
    ret->what = "model";
    settings_name_model(config, NULL, &model);
    if (model)
        error = command_probe(config, model);
    ret->good = model && !error;
    if (!model)
        snprintf(ret->text, sizeof ret->text, "no provider has a key: run acp-agent setup");
    else
        snprintf(ret->text, sizeof ret->text, "%.100s %s%.500s", model,
                 error ? "does not answer: " : "answers", error ? error : "");
    free(model);
    free(error);
}

/* "hello 1.0 (2 commands, 1 hook), ..." and what is wrong. */
static void describe_plugins(const struct plugin_set *set, struct finding *ret)
{
    size_t n = 0, size = sizeof ret->text;
    for (size_t i = 0; i < set->n && n < size; i++) {
        const struct plugin *p = &set->list[i];
        n += (size_t)snprintf(
            ret->text + n, size - n, "%s%s%s%s (%zu commands, %zu skills, %zu hooks, %zu actions)",
            i > 0 ? ", " : "", p->name, p->version ? " " : "", p->version ? p->version : "",
            p->commands.n, p->skills.n, p->n_hooks, p->actions.n);
    }
    for (char **text = set->problems; text && *text && n < size; text++)
        n += (size_t)snprintf(ret->text + n, size - n, "%s%s", n > 0 ? "; " : "", *text);
    if (n == 0)
        snprintf(ret->text, size, "none");
}

/* Those that a session in this directory would have. */
static void find_plugins(const struct command *c, const struct config *config, struct finding *ret)
{
    struct buf user = {0};
    char cwd[PATH_MAX];
    struct plugin_set *set = NULL;
    ret->what = "plugins";
    bool home = config_locate(c->env, "plugins", &user) == 0 && buf_cstr(&user);
    const struct plugin_search where = {.user = home ? user.p : NULL,
                                        .cwd = getcwd(cwd, sizeof cwd),
                                        .trusted = (const char *const *)config->trusted};
    int rc = plugin_set_load(&where, &set);
    ret->good = rc == 0 && set->n_broken == 0;
    if (rc < 0)
        snprintf(ret->text, sizeof ret->text, "%s", err_text(rc));
    else
        describe_plugins(set, ret);
    plugin_set_destroy(set);
    buf_deinit(&user);
}

static int write_findings(const struct finding *list, struct buf *out)
{
    struct jsonw w;
    jw_begin(&w, out);
    jw_open(&w, '[');
    for (size_t i = 0; i < FINDINGS; i++) {
        jw_open(&w, '{');
        jw_kstr(&w, "what", list[i].what);
        jw_kbool(&w, "ok", list[i].good);
        jw_kstr(&w, "text", list[i].text);
        jw_close(&w);
    }
    jw_close(&w);
    return jw_end(&w);
}

static int print_findings(const struct finding *list, struct buf *out)
{
    int rc = buf_adds(out, "acp-agent " ACP_VERSION "\n");
    for (size_t i = 0; rc == 0 && i < FINDINGS; i++)
        rc = buf_addf(out, "%-4s  %-16s  %s\n", list[i].good ? "ok" : "BAD", list[i].what,
                      list[i].text);
    return rc;
}

int command_doctor(const struct command *c)
{
    struct finding list[FINDINGS] = {{0}};
    struct config config;
    struct buf out = {0};
    bool good = true;
    config_init(&config);
    find_config(c, &config, &list[0]);
    find_credentials(c, &list[1]);
    find_store(c, &list[2]);
    find_plugins(c, &config, &list[3]);
    find_model(&config, &list[4]);
    config_deinit(&config);
    for (size_t i = 0; i < FINDINGS; i++)
        good = good && list[i].good;
    int status = command_print(
        c, &out, c->flags->json ? write_findings(list, &out) : print_findings(list, &out));
    return status != 0 ? status : !good;
}
