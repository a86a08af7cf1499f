#include "conformance/cli.h"

#include "base/err.h"
#include "conformance/nearest.h"
#include "conformance/report.h"
#include "conformance/verdict.h"
#include "uvio/loop.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- commands -----------------------------------------------------------------------------------
 */

static const struct cli_command *find_command(const char *name)
{
    const struct cli_command *c;
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* ---- options ------------------------------------------------------------------------------------
 */

enum letter {
    OPT_HELP = 'h',
    OPT_JOBS = 'j',
    OPT_PROFILE = 'p',
    OPT_FIRST_LONG = 256,
    OPT_CASES,
    OPT_EXCLUDE,
    OPT_TIMEOUT_SCALE,
    OPT_SEED,
    OPT_STRICT,
    OPT_FAIL_FAST,
    OPT_TRACE,
    OPT_LOG,
    OPT_REPORT,
    OPT_DRY_RUN,
    OPT_NO_ISOLATION,
    OPT_BEFORE,
    OPT_JSON,
    OPT_MONITORS,
    OPT_SUMMARY,
    OPT_SHARD,
    OPT_REPEAT,
    OPT_LAST_FAILED,
    OPT_STATE,
    OPT_BASELINE,
    OPT_WRITE_BASELINE
};

static const struct {
    const char *name;
    int letter;
    const char *argument; /* NULL: none */
    unsigned option;      /* which commands take it; 0: all */
    const char *help;
} option_table[] = {
    {"profile", OPT_PROFILE, "NAME", CLI_PROFILE,
     "how the agent is started: a built-in profile or a file (default: acp-agent)"},
    {"cases", OPT_CASES, "DIR", CLI_CASES,
     "read the cases from this folder instead of the built-in ones"},
    {"exclude", OPT_EXCLUDE, "SELECT", CLI_SELECT, "leave these out (any number of times)"},
    {"shard", OPT_SHARD, "I/N", CLI_SHARD, "only the I-th of N equal parts of the selection"},
    {"last-failed", OPT_LAST_FAILED, NULL, CLI_JUDGING, "only what failed in the run before"},
    {"state", OPT_STATE, "FILE", CLI_JUDGING,
     "where what failed is kept (default: acp-conformance/last-failed in XDG_STATE_HOME)"},
    {"repeat", OPT_REPEAT, "N", CLI_JUDGING,
     "run everything N times, or until-failure; cases that come out differently are told"},
    {"baseline", OPT_BASELINE, "FILE", CLI_JUDGING,
     "failures that are known do not count; one that is gone is told (exit code 4)"},
    {"write-baseline", OPT_WRITE_BASELINE, "FILE", CLI_JUDGING, "write what failed as a baseline"},
    {"jobs", OPT_JOBS, "N", CLI_RUNNING,
     "so many cases at once (default: two for each processor; of prove, eight)"},
    {"timeout-scale", OPT_TIMEOUT_SCALE, "X", CLI_RUNNING,
     "multiply all deadlines, for slow machines and agents"},
    {"seed", OPT_SEED, "N", CLI_RUNNING, "of the mock model's ids (default: 0)"},
    {"strict", OPT_STRICT, NULL, CLI_JUDGING | CLI_STRICT, "a WARN is a FAIL"},
    {"fail-fast", OPT_FAIL_FAST, NULL, CLI_JUDGING,
     "start no further case after the first FAIL or ERROR"},
    {"trace", OPT_TRACE, "DIR", CLI_JUDGING, "write what crossed the wire, one NDJSON file a case"},
    {"trace", OPT_TRACE, "FILE", CLI_LOG,
     "write what crosses the wire, secrets left out; {pid} in it is the process's number"},
    {"log", OPT_LOG, "FILE", CLI_LOG, "tell what is broken there, as it happens, not on stderr"},
    {"report", OPT_REPORT, "KIND=FILE", CLI_JUDGING | CLI_REPORT,
     "write a report: junit, tap, json, md or html (any number)"},
    {"dry-run", OPT_DRY_RUN, NULL, CLI_JUDGING, "say what would be run, and start nothing"},
    {"no-isolation", OPT_NO_ISOLATION, NULL, CLI_JUDGING,
     "let the agent see the network although its profile wants it isolated"},
    {"before", OPT_BEFORE, "REPORT", CLI_BEFORE,
     "a former report: tell what is new, fixed or changed since (any number)"},
    {"json", OPT_JSON, NULL, CLI_JSON, "as JSON"},
    {"monitors", OPT_MONITORS, NULL, CLI_MONITORS, "the rules that watch every case instead"},
    {"summary", OPT_SUMMARY, NULL, CLI_SUMMARY, "only the counts by area and level"},
    {"help", OPT_HELP, NULL, 0, "this text"},
};

enum { OPTIONS = sizeof option_table / sizeof option_table[0] };

static bool takes(const struct cli_command *c, size_t option)
{
    return option_table[option].option == 0 || (c->options & option_table[option].option);
}

static void print_help(const struct cli_command *c)
{
    printf("acp-conformance %s %s\n  %s\n\n", c->name, c->usage, c->summary);
    if (c->details)
        printf("%s\n", c->details);
    for (size_t i = 0; i < OPTIONS; i++) {
        char name[64];
        int letter = option_table[i].letter;
        if (!takes(c, i))
            continue;
        snprintf(name, sizeof name, "%s%c%s --%s %s", letter < OPT_FIRST_LONG ? "-" : " ",
                 letter < OPT_FIRST_LONG ? letter : ' ', letter < OPT_FIRST_LONG ? "," : " ",
                 option_table[i].name, option_table[i].argument ? option_table[i].argument : "");
        printf("  %-28s %s\n", name, option_table[i].help);
    }
}

static void print_commands(void)
{
    const struct cli_command *c;
    printf(
        "acp-conformance COMMAND ...\n  judges implementations of the Agent Client Protocol\n\n");
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        printf("  %-8s %s\n", c->name, c->summary);
    printf("\nacp-conformance COMMAND --help tells more, docs/conformance.md all.\n");
}

__attribute__((format(printf, 1, 0))) static void vtell(const char *fmt, va_list args)
{
    fputs("acp-conformance: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

int cli_usage_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vtell(fmt, args);
    va_end(args);
    fputs("acp-conformance --help, or COMMAND --help, tells what there is.\n", stderr);
    return EXIT_USAGE;
}

int cli_no_verdict(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vtell(fmt, args);
    va_end(args);
    return EXIT_NO_VERDICT;
}

static int no_report(const char *kind, size_t n)
{
    char names[128] = "";
    const struct report_kind *k;
    for (size_t i = 0; (k = report_kind_at(i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i == 0                  ? ""
                 : report_kind_at(i + 1) ? ", "
                                         : " and ",
                 k->name);
    return cli_usage_error("no report of the kind \"%.*s\"; there are %s", (int)n, kind, names);
}

static int take_report(struct cli *cli, const char *value)
{
    const char *eq = strchr(value, '=');
    const struct report_kind *k;
    if (!eq || !eq[1])
        return cli_usage_error("--report wants KIND=FILE, \"%s\" is none", value);
    size_t n = (size_t)(eq - value);
    if (cli->n_reports == CLI_MAX_REPORTS)
        return cli_usage_error("at most %d reports at once", CLI_MAX_REPORTS);
    for (size_t i = 0; (k = report_kind_at(i)); i++) {
        if (strlen(k->name) != n || strncmp(k->name, value, n) != 0)
            continue;
        cli->reports[cli->n_reports++] = (struct cli_report){k, eq + 1};
        return 0;
    }
    return no_report(value, n);
}

static int take_number(const char *option, const char *text, double least, double *ret)
{
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text || v < least || v > 1e15)
        return cli_usage_error("--%s wants a number of at least %g, \"%s\" is none", option, least,
                               text);
    *ret = v;
    return 0;
}

static int take_shard(struct cli *cli, const char *value)
{
    char *slash, *end = NULL;
    unsigned long i = strtoul(value, &slash, 10);
    unsigned long n = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    if (strspn(value, "0123456789/") != strlen(value) || !end || *end || i < 1 || i > n)
        return cli_usage_error("--shard wants I/N with 1 <= I <= N, \"%s\" is none", value);
    cli->shard = i;
    cli->shards = n;
    return 0;
}

static int take_repeat(struct cli *cli, const char *value)
{
    double number = 0;
    if (strcmp(value, "until-failure") == 0) {
        cli->until_failure = true;
        return 0;
    }
    int rc = take_number("repeat", value, 1, &number);
    cli->repeat = number > 1e9 ? 1000000000U : (unsigned)number;
    return rc;
}

static void take_flag(struct cli *cli, int letter)
{
    cli->last_failed |= letter == OPT_LAST_FAILED;
    cli->strict |= letter == OPT_STRICT;
    cli->fail_fast |= letter == OPT_FAIL_FAST;
    cli->no_isolation |= letter == OPT_NO_ISOLATION;
    cli->dry_run |= letter == OPT_DRY_RUN;
    cli->json |= letter == OPT_JSON;
    cli->monitors |= letter == OPT_MONITORS;
    cli->summary |= letter == OPT_SUMMARY;
}

static int take_option(struct cli *cli, int letter, const char *value)
{
    double number = 0;
    int rc = 0;
    switch (letter) {
    case OPT_PROFILE:
        cli->profile = value;
        break;
    case OPT_CASES:
        cli->cases_dir = value;
        break;
    case OPT_EXCLUDE:
        cli->excludes[cli->n_excludes++] = value;
        break;
    case OPT_BEFORE:
        cli->before[cli->n_before++] = value;
        break;
    case OPT_JOBS:
        rc = take_number("jobs", value, 1, &number);
        cli->jobs = number > 256 ? 256 : (unsigned)number;
        break;
    case OPT_TIMEOUT_SCALE:
        rc = take_number("timeout-scale", value, 0.001, &cli->timeout_scale);
        break;
    case OPT_SEED:
        rc = take_number("seed", value, 0, &number);
        cli->seed = (uint64_t)number;
        break;
    case OPT_TRACE:
        cli->trace_dir = value;
        break;
    case OPT_LOG:
        cli->log = value;
        break;
    case OPT_REPORT:
        rc = take_report(cli, value);
        break;
    case OPT_SHARD:
        return take_shard(cli, value);
    case OPT_REPEAT:
        return take_repeat(cli, value);
    case OPT_BASELINE:
        cli->baseline = value;
        break;
    case OPT_WRITE_BASELINE:
        cli->write_baseline = value;
        break;
    case OPT_STATE:
        cli->state = value;
        break;
    default:
        take_flag(cli, letter);
    }
    return rc;
}

static void build_getopt(const struct cli_command *c, struct option *longs, char *shorts)
{
    size_t n = 0;
    *shorts++ = ':';
    for (size_t i = 0; i < OPTIONS; i++) {
        if (!takes(c, i))
            continue;
        bool has = option_table[i].argument != NULL;
        longs[n++] = (struct option){option_table[i].name, has ? required_argument : no_argument,
                                     NULL, option_table[i].letter};
        if (option_table[i].letter >= OPT_FIRST_LONG)
            continue;
        *shorts++ = (char)option_table[i].letter;
        if (has)
            *shorts++ = ':';
    }
    longs[n] = (struct option){0};
    *shorts = '\0';
}

static int unknown_option(const struct cli_command *c, const char *word)
{
    const char *name = word + strspn(word, "-");
    struct nearest best = nearest_begin(name);
    for (size_t i = 0; i < OPTIONS; i++)
        if (takes(c, i))
            nearest_try(&best, option_table[i].name);
    if (best.name)
        return cli_usage_error("%s does not know the option %s; did you mean --%s?", c->name, word,
                               best.name);
    return cli_usage_error("%s does not know the option %s", c->name, word);
}

enum { GO_ON = -1 }; /* everything else is an exit code */

static int parse(const struct cli_command *c, int argc, char **argv, struct cli *cli)
{
    struct option longs[OPTIONS + 1];
    char shorts[2 * OPTIONS + 2];
    int letter;
    build_getopt(c, longs, shorts);
    opterr = 0;
    optind = 1;
    while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (letter == OPT_HELP) {
            print_help(c);
            return EXIT_CONFORMS;
        }
        if (letter == ':')
            return cli_usage_error("%s wants a value", argv[optind - 1]);
        if (letter == '?')
            return unknown_option(c, argv[optind - 1]);
        int rc = take_option(cli, letter, optarg);
        if (rc != 0)
            return rc;
    }
    for (; optind < argc; optind++)
        cli->words[cli->n_words++] = argv[optind];
    return GO_ON;
}

/* Cuts the agent's command off; returns what is left of argc. */
static int cut_command(int argc, char **argv, struct cli *cli)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0)
            continue;
        cli->command = argv + i + 1;
        return i;
    }
    return argc;
}

static int run_command(const struct cli_command *c, int argc, char **argv)
{
    struct cli cli = {.timeout_scale = 1};
    int rc = GO_ON;
    cli.words = calloc((size_t)argc + 1, sizeof *cli.words);
    cli.excludes = calloc((size_t)argc + 1, sizeof *cli.excludes);
    cli.before = calloc((size_t)argc + 1, sizeof *cli.before);
    if (!cli.words || !cli.excludes || !cli.before) {
        rc = cli_no_verdict("%s", err_text(E_NOMEM));
    } else {
        argc = cut_command(argc, argv, &cli);
        if (cli.command && !(c->options & CLI_COMMAND))
            rc = cli_usage_error("%s takes no agent command", c->name);
        else if (cli.command && !cli.command[0])
            rc = cli_usage_error("the agent's command is missing behind --");
        rc = rc == GO_ON ? parse(c, argc, argv, &cli) : rc;
        rc = rc == GO_ON ? c->run(&cli) : rc;
    }
    free(cli.words);
    free(cli.excludes);
    free(cli.before);
    return rc;
}

static int no_command(const char *name)
{
    struct nearest best = nearest_begin(name);
    const struct cli_command *c;
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        nearest_try(&best, c->name);
    if (best.name)
        return cli_usage_error("there is no command \"%s\"; did you mean \"%s\"?", name, best.name);
    return cli_usage_error("there is no command \"%s\"", name);
}

int cli_main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    const struct cli_command *c = find_command(name);
    loop_setup_process();
    if (c)
        return run_command(c, argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0) {
        printf("acp-conformance %s\n", ACP_VERSION);
        return EXIT_CONFORMS;
    }
    if (strcmp(name, "--help") != 0 && strcmp(name, "-h") != 0 && strcmp(name, "help") != 0)
        return no_command(name);
    print_commands();
    return argc > 1 ? EXIT_CONFORMS : EXIT_USAGE;
}
