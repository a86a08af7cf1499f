#include "agent/slash.h"

#include "agent/session.h"
#include "agent/turn.h"
#include "base/err.h"

#include <stdlib.h>

#define BUILTIN "built in"

static void show(struct slash_call *call, int rc, struct buf *text)
{
    bool whole = rc == 0 && buf_cstr(text);
    char *shown = whole ? buf_take(text) : NULL;
    buf_deinit(text);
    slash_end(call, shown ? SLASH_SHOW : SLASH_FAIL, shown ? shown : "Out of memory.");
    free(shown);
}

/* --- /help --- */

static int describe(const struct slash_command *c, struct buf *out)
{
    int rc = buf_addf(out, "- `/%s%s%s` — %s", c->name, c->hint ? " " : "", c->hint ? c->hint : "",
                      c->description);
    bool ours = c >= slash_builtin && c < slash_builtin + slash_builtin_n;
    if (rc == 0 && !ours)
        rc = buf_addf(out, " (%s)", c->source);
    return rc == 0 ? buf_addc(out, '\n') : rc;
}

static void run_help(void *owner, struct slash_call *call)
{
    const struct slash_command *c;
    struct buf out = {0};
    (void)owner;
    int rc = buf_adds(&out, "A message that begins with one of these words carries it out:\n\n");
    for (size_t i = 0; rc == 0 && (c = slash_at(&call->s->commands, i)); i++)
        rc = describe(c, &out);
    show(call, rc, &out);
}

/* --- /status --- */

static int add_places(const struct session *s, struct buf *out)
{
    int rc = buf_addf(out, "- Session: `%s`%s\n- Folder: `%s`\n", s->id,
                      s->env->store ? "" : " (not kept: there is no home for it)", s->cwd);
    for (const char *const *r = session_roots(s); rc == 0 && r && *r; r++)
        rc = buf_addf(out, "- Further folder: `%s`\n", *r);
    return rc;
}

static int add_model(const struct session *s, struct buf *out)
{
    struct llm_target to;
    if (session_resolve(s, &to) < 0)
        return buf_adds(out, "- Model: none, there is no key for one\n");
    int rc = buf_addf(out, "- Model: %s/%s\n- Effort: %s\n", to.provider, to.model,
                      to.effort ? to.effort : "auto");
    if (rc == 0 && to.context > 0)
        rc = buf_addf(out, "- Window of the model: %llu tokens\n", (unsigned long long)to.context);
    return rc;
}

static int add_choices(const struct session *s, struct buf *out)
{
    return buf_addf(out, "- Mode: %s\n- Work mode: %s\n- Tool approval: %s%s\n",
                    mode_choice(s->settings.mode)->value, work_choice(s->settings.work)->value,
                    approval_choice(s->settings.approval)->value,
                    s->env->safe_mode ? " (safe mode)" : "");
}

static void run_status(void *owner, struct slash_call *call)
{
    const struct session *s = call->s;
    struct buf out = {0};
    (void)owner;
    int rc = add_places(s, &out);
    if (rc == 0)
        rc = add_model(s, &out);
    if (rc == 0)
        rc = add_choices(s, &out);
    if (rc == 0)
        rc = buf_addf(&out, "- Messages that the model has: %zu\n", s->history.n);
    show(call, rc, &out);
}

/* --- /compact --- */

static void run_compact(void *owner, struct slash_call *call)
{
    (void)owner;
    turn_compact_by_hand(call);
}

/* --- what the model is asked --- */

static const char init_text[] =
    "Look at this workspace and write the file AGENTS.md in its root: what a coding agent must "
    "know to work here. Read first what is there (the README, the build files, the "
    "configuration of linters and tests, some of the source), and keep to what you found.\n"
    "- How to build, how to run all tests and how to run one, how to lint.\n"
    "- How the code is laid out, in a few lines: what is where, not a list of files.\n"
    "- Conventions that the code really follows and that cannot be guessed.\n"
    "At most some fifty lines, no general advice. If there is an AGENTS.md already, correct and "
    "complete it instead of writing it anew. $ARGUMENTS";

static const char review_text[] =
    "Review changes of this workspace and change nothing. What to review: $ARGUMENTS\n"
    "If nothing is named, take the changes that are not committed (git status, git diff, git diff "
    "--staged), or the last commit if there are none. Read as much of the code around them as you "
    "need to judge them.\n"
    "Report only what matters, the worst first: faults, broken edge cases, races, leaks, security, "
    "missing tests. For each: the file and line, what goes wrong and when, and what would mend it. "
    "Say so if you found nothing.";

const struct slash_command slash_builtin[] = {
    {"help", "Lists the commands.", NULL, BUILTIN, NULL, run_help, NULL},
    {"compact", "Summarises the conversation to make room.", "what to keep in mind", BUILTIN, NULL,
     run_compact, NULL},
    {"init", "Writes an AGENTS.md for this workspace.", "what it should mention", BUILTIN,
     init_text, NULL, NULL},
    {"review", "Reviews changes.", "a commit, branch or file", BUILTIN, review_text, NULL, NULL},
    {"status", "Shows model, mode and session.", NULL, BUILTIN, NULL, run_status, NULL},
};
const size_t slash_builtin_n = ARRAY_LEN(slash_builtin);
