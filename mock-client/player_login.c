#include "mock-client/player_int.h"

#include "mock-client/env.h"

#include "base/err.h"
#include "uvio/child.h"

#include <stdlib.h>
#include <string.h>

/*
 * A login in a terminal (AUTH-23): the agent's own command with the args of one of its authMethods,
 * and a script that types what a person would, each text when the one it answers was printed.
 */
struct play_login {
    struct player *player;
    struct child *child;
    const cJSON *next;  /* of the script; lent */
    struct buf printed; /* since the last text was typed */
    bool ended;
    int64_t code;
    int signum;
};

/* ---- the process -------------------------------------------------------------------------------
 */

static bool sees(struct play_login *l, const char *text)
{
    const char *printed = buf_cstr(&l->printed);
    return text && printed && strstr(printed, text);
}

static void on_print(void *ctx, const char *bytes, size_t n)
{
    struct play_login *l = ctx;
    if (buf_add(&l->printed, bytes, n) < 0 || !sees(l, json_get_str(l->next, "see")))
        return;
    const char *text = json_get_str(l->next, "type");
    l->next = l->next->next;
    l->printed.n = 0;
    if (buf_addf(child_in(l->child), "%s\n", text) == 0)
        child_flush(l->child);
}

static void on_error_print(void *ctx, const char *bytes, size_t n)
{
    (void)ctx; /* a terminal has one stream */
    (void)bytes;
    (void)n;
}

static void login_free(struct play_login *l)
{
    buf_deinit(&l->printed);
    free(l);
}

static void on_login_exit(void *ctx, int64_t code, int signum)
{
    struct play_login *l = ctx;
    struct player *p = l->player;
    l->ended = true;
    l->code = code;
    l->signum = signum;
    l->child = NULL;
    if (p->ending) {
        p->login = NULL;
        login_free(l);
        play_part_gone(p);
    } else {
        play_wake(p);
    }
}

void play_login_close(struct player *p)
{
    struct play_login *l = p->login;
    if (l && !l->ended) {
        child_kill(l->child);
        return;
    }
    if (l)
        login_free(l);
    p->login = NULL;
}

/* ---- which login -------------------------------------------------------------------------------
 */

static bool is_wanted(const struct play_step *s, const cJSON *method)
{
    const char *type = json_get_str(method, "type"), *id = json_get_str(method, "id");
    if (!type || strcmp(type, "terminal") != 0)
        return false;
    return cJSON_IsTrue(s->value) || (id && strcmp(id, s->value->valuestring) == 0);
}

/* Of the newest initialize answered by the step's process; NULL: it offers none. */
static const cJSON *find_method(const struct player *p, const struct play_step *s)
{
    const cJSON *method, *found = NULL;
    for (struct list *l = p->refs.next; l != &p->refs; l = l->next) {
        const struct play_ref *ref = CONTAINER_OF(l, struct play_ref, node);
        if (ref->agent != s->agent || !ref->response || !play_has_method(ref->sent, "initialize"))
            continue;
        found = NULL;
        cJSON_ArrayForEach(method, json_get(json_get(ref->response->json, "result"), "authMethods"))
        {
            if (!found && is_wanted(s, method))
                found = method;
        }
    }
    return found;
}

static int spawn(struct play_login *l, const struct play_agent *a, const cJSON *method)
{
    static const struct child_ops ops = {
        .on_stdout = on_print, .on_stderr = on_error_print, .on_exit = on_login_exit};
    const struct player *p = l->player;
    char **argv = env_copy((const char *const *)a->argv);
    char **env = env_copy((const char *const *)a->env);
    int rc = argv && env ? env_add_args(&argv, json_get(method, "args")) : E_NOMEM;
    if (rc == 0)
        rc = env_apply(&env, json_get(method, "env"));
    struct child_options options = {.argv = (const char *const *)argv,
                                    .env = (const char *const *)env,
                                    .cwd = p->options.start_dir ? p->options.start_dir : p->cwd,
                                    .terminal = true};
    if (rc == 0)
        rc = child_spawn(p->loop, &options, &ops, l, &l->child);
    env_free(argv);
    env_free(env);
    return rc;
}

/* ---- the verb ----------------------------------------------------------------------------------
 */

int play_login_begin(struct player *p, struct play_step *s)
{
    const cJSON *method = find_method(p, s);
    if (!method) {
        play_unreached(p, s, "the agent offers no login in a terminal");
        return PLAY_NEXT;
    }
    struct play_login *l = calloc(1, sizeof *l);
    if (!l)
        return play_error(p, s, "out of memory");
    l->player = p;
    l->next = p->options.login ? p->options.login->child : NULL;
    int rc = spawn(l, s->agent, method);
    if (rc < 0) {
        login_free(l);
        play_broken(p, s, "the login cannot be started: %s", err_text(rc));
        return PLAY_NEXT;
    }
    p->login = l;
    return PLAY_WAIT;
}

int play_login_poll(struct player *p, struct play_step *s)
{
    struct play_login *l = p->login;
    if (!l->ended)
        return PLAY_WAIT;
    if (l->signum == 0 && l->code == 0)
        play_held(p, s, NULL);
    else if (l->signum)
        play_broken(p, s, "the login was ended by signal %d", l->signum);
    else
        play_broken(p, s, "the login ended with exit code %lld; it printed last: %s",
                    (long long)l->code, l->printed.n > 0 ? buf_cstr(&l->printed) : "nothing");
    play_login_close(p);
    return PLAY_NEXT;
}

int play_login_late(struct player *p, struct play_step *s, const char *why)
{
    struct play_login *l = p->login;
    play_broken(p, s, "the login did not end by itself: %s; it printed last: %s", why,
                l->printed.n > 0 ? buf_cstr(&l->printed) : "nothing");
    return PLAY_STOP;
}

int play_login_check(const cJSON *step, struct json_error *reterr)
{
    const cJSON *value = json_get(step, "login");
    if (cJSON_IsTrue(value) || value->valuestring[0])
        return 0;
    return play_lint_fail(reterr, "login", "needs the id of an auth method, or true");
}
