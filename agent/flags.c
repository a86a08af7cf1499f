#include "agent/flags.h"

#include "agent/mode.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum flag_kind {
    FLAG_TEXT,
    FLAG_ON,
    FLAG_TOKENS,
    FLAG_LINE,
    FLAG_SECONDS,
    FLAG_LEVEL,
    FLAG_PROFILE,
    FLAG_HELP,
    FLAG_VERSION
};

#define SECONDS_MAX 86400u /* a day */

#define ACP      (1u << FLAGS_SERVE)
#define SETUP    (1u << FLAGS_SETUP)
#define SESSIONS (1u << FLAGS_SESSIONS)
#define TABLES   (1u << FLAGS_MODELS | 1u << FLAGS_PROVIDERS | 1u << FLAGS_DOCTOR | SESSIONS)
#define ALL      (ACP | SETUP | TABLES)

static const struct flag {
    const char *name, *other; /* two spellings */
    enum flag_kind kind;
    unsigned commands; /* bit set of the actions it belongs to */
    size_t offset;     /* of the member, FLAG_TEXT and FLAG_ON only */
} flags[] = {
    {"--cwd", "-cwd", FLAG_TEXT, ACP | SESSIONS, offsetof(struct flags, cwd)},
    {"--model", "-m", FLAG_TEXT, ACP | SETUP, offsetof(struct flags, model)},
    {"--profile", NULL, FLAG_PROFILE, ACP, 0},
    {"--safe-mode", NULL, FLAG_ON, ACP, offsetof(struct flags, safe_mode)},
    {"--title", NULL, FLAG_TEXT, ACP, offsetof(struct flags, title)},
    {"--append-system-prompt", NULL, FLAG_TEXT, ACP, offsetof(struct flags, append)},
    {"--append-system-prompt-file", NULL, FLAG_TEXT, ACP, offsetof(struct flags, append_file)},
    {"--trace", NULL, FLAG_TEXT, ACP, offsetof(struct flags, trace)},
    {"--max-tokens", NULL, FLAG_TOKENS, ACP, 0},
    {"--max-line", NULL, FLAG_LINE, ACP, 0},
    {"--permission-timeout", NULL, FLAG_SECONDS, ACP, 0},
    {"--setup", NULL, FLAG_ON, ACP, offsetof(struct flags, setup)},
    {"--provider", NULL, FLAG_TEXT, SETUP, offsetof(struct flags, provider)},
    {"--base-url", NULL, FLAG_TEXT, SETUP, offsetof(struct flags, base)},
    {"--no-check", NULL, FLAG_ON, SETUP, offsetof(struct flags, no_check)},
    {"--json", NULL, FLAG_ON, TABLES, offsetof(struct flags, json)},
    {"--log-level", NULL, FLAG_LEVEL, ALL, 0},
    {"--help", "-h", FLAG_HELP, ALL, 0},
    {"--version", NULL, FLAG_VERSION, ALL, 0},
};

static const struct {
    const char *name;
    enum flags_action action;
} commands[] = {
    {"acp", FLAGS_SERVE},           {"setup", FLAGS_SETUP},       {"models", FLAGS_MODELS},
    {"providers", FLAGS_PROVIDERS}, {"sessions", FLAGS_SESSIONS}, {"doctor", FLAGS_DOCTOR},
};

const char *flags_usage(void)
{
    return "Usage: acp-agent COMMAND [OPTION]...\n"
           "\n"
           "acp-agent acp [DIRECTORY]  serves the Agent Client Protocol on standard input and "
           "output\n"
           "  --cwd DIR, DIRECTORY     working directory of sessions that name none\n"
           "  --model, -m P/M          provider/model, or a model of the default provider\n"
           "  --profile WORK           how sessions begin: economy, balanced or delivery\n"
           "  --max-tokens N           tokens the model may write per answer\n"
           "  --safe-mode              ask before every change, whatever is configured; no project "
           "settings\n"
           "  --permission-timeout S   seconds after which a question without an answer is a no "
           "(default 120)\n"
           "  --title TEXT             title of new sessions, instead of their first words\n"
           "  --append-system-prompt TEXT, --append-system-prompt-file FILE\n"
           "                           added to the system prompt\n"
           "  --trace FILE             append every message of both directions to FILE\n"
           "  --max-line BYTES         longest message taken (default 64 MiB)\n"
           "  --setup                  as the command setup\n"
           "\n"
           "acp-agent setup            stores a provider's key and chooses a model\n"
           "  --provider ID, --model, -m M, --base-url URL\n"
           "                           instead of the questions; without a terminal the key is\n"
           "                           the first line of standard input\n"
           "  --no-check               without the request that tries them\n"
           "\n"
           "acp-agent models           what can be chosen\n"
           "acp-agent providers        whom the agent knows, and who has a key\n"
           "acp-agent sessions [list [--cwd DIR] | show ID | export ID | delete ID]\n"
           "acp-agent doctor           looks for what is wrong\n"
           "  --json                   these four: for programs\n"
           "\n"
           "  --log-level LEVEL        error, warn (default), info or debug, on stderr\n"
           "  --help, --version\n"
           "\n"
           "Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, DEEPSEEK_API_KEY,\n"
           "OPENROUTER_API_KEY, or setup;\n"
           "docs/agent.md has the rest.\n";
}

static int complain(struct flags *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int complain(struct flags *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->error, sizeof f->error, fmt, args);
    va_end(args);
    return E_INVALID;
}

/* 1 to max. */
static int read_number(struct flags *f, const char *name, const char *text, uint64_t max,
                       uint64_t *ret)
{
    char *end = NULL;
    unsigned long long v = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || v < 1 || v > max)
        return complain(f, "%s: \"%s\" is no number from 1 to %llu", name, text,
                        (unsigned long long)max);
    *ret = v;
    return 0;
}

static int set_level(struct flags *f, const char *text)
{
    int level = log_level_parse(text);
    if (level < 0)
        return complain(f, "--log-level: \"%s\" is none of error, warn, info, debug", text);
    f->log_level = (enum log_level)level;
    return 0;
}

static int set_profile(struct flags *f, const char *text)
{
    if (work_find(text) < 0)
        return complain(f, "--profile: \"%s\" is none of economy, balanced, delivery", text);
    f->profile = text;
    return 0;
}

static int set_value(struct flags *f, const struct flag *flag, const char *value)
{
    uint64_t v = 0;
    int rc = 0;
    switch (flag->kind) {
    case FLAG_TEXT:
        memcpy((char *)f + flag->offset, &value, sizeof value);
        return 0;
    case FLAG_ON:
        *(bool *)(void *)((char *)f + flag->offset) = true;
        return 0;
    case FLAG_TOKENS:
        rc = read_number(f, flag->name, value, INT32_MAX, &v);
        f->max_tokens = (uint32_t)v;
        return rc;
    case FLAG_LINE:
        rc = read_number(f, flag->name, value, 1u << 30, &v);
        f->max_line = (size_t)v;
        return rc;
    case FLAG_SECONDS:
        rc = read_number(f, flag->name, value, SECONDS_MAX, &v);
        f->permission_timeout = (uint32_t)v;
        return rc;
    case FLAG_LEVEL:
        return set_level(f, value);
    case FLAG_PROFILE:
        return set_profile(f, value);
    case FLAG_HELP:
        f->action = FLAGS_HELP;
        return 0;
    case FLAG_VERSION:
        f->action = FLAGS_VERSION;
        return 0;
    }
    return 0;
}

/* n: length of the name within the argument ("--cwd=DIR"). */
static const struct flag *find(const char *arg, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        const char *names[] = {flags[i].name, flags[i].other};
        for (size_t k = 0; k < ARRAY_LEN(names); k++)
            if (names[k] && strlen(names[k]) == n && strncmp(names[k], arg, n) == 0)
                return &flags[i];
    }
    return NULL;
}

/* How many arguments were used, or E_INVALID. */
static int take_flag(struct flags *f, int left, char *const argv[])
{
    size_t n = strcspn(argv[0], "=");
    bool joined = argv[0][n] == '=';
    const struct flag *flag = find(argv[0], n);
    if (!flag)
        return complain(f, "unknown option %s", argv[0]);
    if (!(flag->commands & 1u << f->action))
        return complain(f, "%s does not belong to this command", flag->name);
    bool alone = flag->kind == FLAG_HELP || flag->kind == FLAG_VERSION || flag->kind == FLAG_ON;
    if (alone && joined)
        return complain(f, "%s takes no value", flag->name);
    if (!alone && !joined && left < 2)
        return complain(f, "%s needs a value", flag->name);
    int rc = set_value(f, flag, joined ? argv[0] + n + 1 : argv[1]);
    return rc < 0 ? rc : alone || joined ? 1 : 2;
}

static int take_word(struct flags *f, const char *arg)
{
    if (f->action == FLAGS_SESSIONS) {
        size_t i = f->words[0] ? 1 : 0;
        if (f->words[FLAGS_WORDS - 1])
            return complain(f, "%s: too many words", arg);
        f->words[i] = arg;
        return 1;
    }
    if (f->action != FLAGS_SERVE)
        return complain(f, "unexpected argument %s", arg);
    if (f->cwd)
        return complain(f, "%s: the working directory is given twice", arg);
    f->cwd = arg;
    return 1;
}

static int take_command(struct flags *f, int argc, char *const argv[])
{
    if (argc < 2)
        return complain(f, "a command is missing");
    if (argv[1][0] == '-') {
        int rc = take_flag(f, argc - 1, argv + 1);
        if (rc > 0 && f->action == FLAGS_SERVE)
            rc = complain(f, "%s: a command such as acp must come first", argv[1]);
        return rc;
    }
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            f->action = commands[i].action;
            return 1;
        }
    }
    return complain(f, "unknown command %s", argv[1]);
}

static bool goes_on(const struct flags *f)
{
    return f->action != FLAGS_HELP && f->action != FLAGS_VERSION;
}

int flags_parse(int argc, char *const argv[], struct flags *ret)
{
    *ret = (struct flags){.log_level = LOG_WARN};
    int rc = take_command(ret, argc, argv);
    for (int i = 2; rc > 0 && i < argc && goes_on(ret); i += rc)
        rc = argv[i][0] == '-' ? take_flag(ret, argc - i, argv + i) : take_word(ret, argv[i]);
    if (rc >= 0 && ret->setup && goes_on(ret))
        ret->action = FLAGS_SETUP; /* the rest of the line is that of the server it is for */
    return rc < 0 ? rc : 0;
}
