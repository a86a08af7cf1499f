#define _XOPEN_SOURCE 700 /* nftw */

#include "mock-client/cli.h"

#include "mock-client/player.h"
#include "mock-client/trace.h"

#include "base/buf.h"
#include "base/err.h"
#include "uvio/loop.h"
#include "json/json.h"
#include "json/jsonw.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* acp-mock-client --case: one case, any agent, no model. */

struct show {
    const struct cli *cli;
    struct trace trace;
    struct player *player;
    uv_signal_t interrupt;
    unsigned counts[3]; /* by enum player_outcome */
    enum player_why why;
};

/* ---- printing ----------------------------------------------------------------------------------
 */

static const char *const outcome_names[] = {"held", "broken", "unreached"};

static void print_line(struct buf *line)
{
    if (buf_addc(line, '\n') == 0)
        fwrite(line->p, 1, line->n, stdout);
    fflush(stdout);
    buf_deinit(line);
}

static void print_check_json(const struct player_check *c)
{
    struct buf line = {0};
    struct jsonw w;
    jw_begin(&w, &line);
    jw_open(&w, '{');
    jw_kstr(&w, "event", "check");
    jw_kstr(&w, "check", c->id);
    jw_kstr(&w, "outcome", outcome_names[c->outcome]);
    jw_kint(&w, "step", c->step);
    jw_kstr(&w, "verb", c->verb);
    jw_kstr(&w, "pointer", c->pointer);
    jw_kstr(&w, "expected", c->expected);
    jw_kstr(&w, "got", c->got);
    jw_kstr(&w, "text", c->text);
    jw_close(&w);
    jw_end(&w);
    print_line(&line);
}

static void on_step(void *ctx, int index, const cJSON *step)
{
    struct show *show = ctx;
    const char *note = json_get_str(step, "note");
    if (!show->cli->json)
        printf("%3d %s%s%s\n", index, player_step_verb(step), note ? ": " : "", note ? note : "");
    fflush(stdout);
}

static void on_check(void *ctx, const struct player_check *c)
{
    struct show *show = ctx;
    show->counts[c->outcome]++;
    if (show->cli->json)
        print_check_json(c);
    else
        printf("      %-9s %s%s%s\n", outcome_names[c->outcome], c->id[0] ? c->id : "(no check id)",
               c->text[0] ? ": " : "", c->text);
    fflush(stdout);
}

static void print_end_json(const struct show *show, const char *text)
{
    static const char *const whys[] = {"finished", "stopped", "no-handshake", "error"};
    struct buf line = {0};
    struct jsonw w;
    jw_begin(&w, &line);
    jw_open(&w, '{');
    jw_kstr(&w, "event", "done");
    jw_kstr(&w, "why", whys[show->why]);
    jw_kstr(&w, "text", text);
    for (int i = 0; i < 3; i++)
        jw_kint(&w, outcome_names[i], show->counts[i]);
    jw_close(&w);
    jw_end(&w);
    print_line(&line);
}

static void on_done(void *ctx, enum player_why why, const char *text)
{
    struct show *show = ctx;
    show->why = why;
    uv_close((uv_handle_t *)&show->interrupt, NULL);
    if (show->cli->json) {
        print_end_json(show, text);
        return;
    }
    const char *tail = why == PLAYER_FINISHED ? "" : player_stderr_tail(show->player);
    if (text[0])
        printf("%s\n", text);
    if (tail[0])
        printf("the agent's last words on stderr:\n%s\n", tail);
    printf("%u held, %u broken, %u not reached\n", show->counts[PLAYER_HELD],
           show->counts[PLAYER_BROKEN], show->counts[PLAYER_UNREACHED]);
}

static enum cli_exit exit_code(const struct show *show)
{
    if (show->why == PLAYER_ERROR)
        return CLI_UNJUDGED;
    if (show->counts[PLAYER_BROKEN])
        return CLI_BROKEN;
    return show->why == PLAYER_FINISHED && !show->counts[PLAYER_UNREACHED] ? CLI_OK : CLI_UNJUDGED;
}

bool cli_write_trace(const struct trace *t, const char *file)
{
    FILE *out = fopen(file, "wb");
    struct buf line = {0};
    bool ok = out != NULL;
    for (size_t i = 0; ok && i < t->n; i++) {
        line.n = 0;
        ok = trace_write_event(&line, t->events[i]) == 0 && buf_addc(&line, '\n') == 0 &&
             fwrite(line.p, 1, line.n, out) == line.n;
    }
    buf_deinit(&line);
    if (out && fclose(out) != 0)
        ok = false;
    if (!ok)
        fprintf(stderr, "acp-mock-client: cannot write the trace to %s: %s\n", file,
                strerror(errno));
    return ok;
}

/* ---- the case file -----------------------------------------------------------------------------
 */

static int read_whole(const char *file, struct buf *out)
{
    char part[4096];
    size_t n;
    int rc = 0;
    FILE *in = fopen(file, "rb");
    if (!in)
        return -errno;
    while (rc == 0 && (n = fread(part, 1, sizeof part, in)) > 0)
        rc = buf_add(out, part, n);
    fclose(in);
    return rc == 0 && !buf_cstr(out) ? E_NOMEM : rc;
}

static bool override_timeout(cJSON *play, double seconds)
{
    if (seconds <= 0)
        return true;
    cJSON_DeleteItemFromObjectCaseSensitive(play, "timeout");
    return cJSON_AddNumberToObject(play, "timeout", (double)(int64_t)(seconds * 1000 + 0.5));
}

static cJSON *load_case(const struct cli *cli)
{
    struct buf text = {0};
    struct json_error err = {0};
    char why[400] = "";
    cJSON *play = NULL;
    int rc = read_whole(cli->case_file, &text);
    if (rc < 0)
        snprintf(why, sizeof why, "%s", err_text(rc));
    else if (json_parse(text.p, text.n, &play, &err) < 0)
        snprintf(why, sizeof why, "%s", err.text);
    else
        player_check_steps(json_get(play, "steps"), why, sizeof why);
    buf_deinit(&text);
    if (!why[0] && override_timeout(play, cli->timeout_s))
        return play;
    fprintf(stderr, "acp-mock-client: %s: %s\n", cli->case_file, why);
    cJSON_Delete(play);
    return NULL;
}

/* ---- the working directory ---------------------------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

/* The absolute path of the folder to work in; false after a message. */
static bool make_cwd(const struct cli *cli, char path[PATH_MAX])
{
    const char *tmp = getenv("TMPDIR");
    if (cli->cwd) {
        if (realpath(cli->cwd, path))
            return true;
        fprintf(stderr, "acp-mock-client: --cwd %s: %s\n", cli->cwd, strerror(errno));
        return false;
    }
    snprintf(path, PATH_MAX, "%s/acp-mock-client-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (mkdtemp(path))
        return true;
    fprintf(stderr, "acp-mock-client: cannot make %s: %s\n", path, strerror(errno));
    return false;
}

/* ---- playing -----------------------------------------------------------------------------------
 */

static void on_interrupt(uv_signal_t *handle, int signum)
{
    struct show *show = handle->data;
    (void)signum;
    player_abort(show->player, "interrupted");
}

static void watch_interrupt(struct show *show, uv_loop_t *loop)
{
    uv_signal_init(loop, &show->interrupt);
    show->interrupt.data = show;
    uv_signal_start(&show->interrupt, on_interrupt, SIGINT);
}

static int play_case(struct show *show, const cJSON *play_json, const char *cwd)
{
    static const struct player_ops ops = {
        .on_step = on_step, .on_check = on_check, .on_done = on_done};
    struct player_options options = {
        .play = play_json,
        .argv = show->cli->agent,
        .cwd = cwd,
        .provider_url = getenv("ACP_MOCK_PROVIDER"),
        .trace = &show->trace,
    };
    uv_loop_t loop;
    int rc = uv_loop_init(&loop);
    if (rc == 0)
        rc = player_open(&loop, &options, &ops, show, &show->player);
    if (rc == 0) {
        watch_interrupt(show, &loop);
        rc = loop_finish(&loop);
    }
    if (rc < 0)
        fprintf(stderr, "acp-mock-client: %s\n", err_text(rc));
    return rc;
}

enum cli_exit cli_play(const struct cli *cli)
{
    struct show show = {.cli = cli, .why = PLAYER_ERROR};
    char cwd[PATH_MAX];
    cJSON *play_json = load_case(cli);
    if (!play_json)
        return CLI_USAGE;
    if (!make_cwd(cli, cwd)) {
        cJSON_Delete(play_json);
        return CLI_UNJUDGED;
    }
    trace_init(&show.trace, uv_hrtime());
    enum cli_exit code = play_case(&show, play_json, cwd) == 0 ? exit_code(&show) : CLI_UNJUDGED;
    if (cli->trace_file && !cli_write_trace(&show.trace, cli->trace_file))
        code = CLI_UNJUDGED;
    if (!cli->cwd)
        nftw(cwd, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    trace_deinit(&show.trace);
    cJSON_Delete(play_json);
    return code;
}
