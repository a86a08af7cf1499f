#include "cli.h"

#include "base/log.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: acp-mock-provider [OPTIONS] [-- COMMAND [ARG...]]\n"
    "\n"
    "A fake model API on 127.0.0.1 that answers from a script: OpenAI chat completions,\n"
    "OpenAI Responses, Anthropic messages and Gemini generateContent, told apart by the path.\n"
    "\n"
    "  --script FILE     the script (docs/mock-provider.md); without it every prompt is\n"
    "                    answered, and \"help\" tells which words do more\n"
    "  --port N          listen there (default: a free port)\n"
    "  --port-file FILE  write the port there once it is open\n"
    "  --journal FILE    write every event there, one JSON object a line\n"
    "  --record URL --save FILE\n"
    "                    pass everything on to the real API at URL, and write what it answers to\n"
    "                    FILE, a script for --script; keys are never written\n"
    "  --verdict         say at the end what the caller did wrong; exit status 1 if anything\n"
    "  --seed N          of ids; same seed and script, same bytes (default 0)\n"
    "  --log-level L     error, warn (default), info, debug\n"
    "  --version, --help\n"
    "\n"
    "The address is printed on stdout. With a COMMAND nothing is: it is run with stdin and\n"
    "stdout as they are and with the addresses and keys set that clients of these APIs look\n"
    "for (OPENAI_BASE_URL, ANTHROPIC_API_KEY, ...; ACP_MOCK_PROVIDER is the address alone),\n"
    "and its exit code becomes ours (128 + N if signal N ended it).\n"
    "\n"
    "Exit status: 0, 1 a verdict, 2 wrong usage or script, 3 could not start; or the command's.\n"
    "\n"
    "examples:\n"
    "  acp-mock-provider --port 8080 --journal seen.jsonl\n"
    "  acp-mock-provider -- acp-agent acp           an agent on a fake model, for any editor\n"
    "  acp-mock-provider --script s.json -- acp-mock-client acp-agent acp\n";

enum {
    OPT_SCRIPT = 256,
    OPT_PORT,
    OPT_PORT_FILE,
    OPT_JOURNAL,
    OPT_RECORD,
    OPT_SAVE,
    OPT_VERDICT,
    OPT_SEED,
    OPT_LOG_LEVEL,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"script", required_argument, NULL, OPT_SCRIPT},
    {"port", required_argument, NULL, OPT_PORT},
    {"port-file", required_argument, NULL, OPT_PORT_FILE},
    {"journal", required_argument, NULL, OPT_JOURNAL},
    {"record", required_argument, NULL, OPT_RECORD},
    {"save", required_argument, NULL, OPT_SAVE},
    {"verdict", no_argument, NULL, OPT_VERDICT},
    {"seed", required_argument, NULL, OPT_SEED},
    {"log-level", required_argument, NULL, OPT_LOG_LEVEL},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int usage(const char *text, const char *what)
{
    fprintf(stderr, "acp-mock-provider: %s%s; try --help\n", text, what);
    return CLI_USAGE;
}

/* A whole number up to max, nothing behind it. */
static int parse_number(const char *name, const char *text, uint64_t max, uint64_t *ret)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n > max) {
        fprintf(stderr, "acp-mock-provider: %s needs a number from 0 to %llu, not %s; try --help\n",
                name, (unsigned long long)max, text);
        return CLI_USAGE;
    }
    *ret = n;
    return -1;
}

static int parse_port(struct cli *cli, const char *text)
{
    uint64_t port = 0;
    int code = parse_number("--port", text, 65535, &port);
    cli->port = (int)port;
    return code;
}

static int parse_log_level(const char *text)
{
    int level = log_level_parse(text);
    if (level < 0)
        return usage("--log-level is error, warn, info or debug, not ", text);
    log_set_level((enum log_level)level);
    return -1;
}

static int parse_option(struct cli *cli, int option, const char *value)
{
    switch (option) {
    case OPT_SCRIPT:
        cli->script_file = value;
        return -1;
    case OPT_PORT:
        return parse_port(cli, value);
    case OPT_PORT_FILE:
        cli->port_file = value;
        return -1;
    case OPT_JOURNAL:
        cli->journal_file = value;
        return -1;
    case OPT_RECORD:
        cli->record_url = value;
        return -1;
    case OPT_SAVE:
        cli->save_file = value;
        return -1;
    case OPT_VERDICT:
        cli->verdict = true;
        return -1;
    case OPT_SEED:
        return parse_number("--seed", value, UINT64_MAX, &cli->seed);
    case OPT_LOG_LEVEL:
        return parse_log_level(value);
    case OPT_VERSION:
        puts("acp-mock-provider " ACP_VERSION);
        return CLI_OK;
    case 'h':
        fputs(help, stdout);
        return CLI_OK;
    default:
        fputs("acp-mock-provider: try --help\n", stderr); /* getopt has said what is wrong */
        return CLI_USAGE;
    }
}

/* What goes with what. */
static int check_options(const struct cli *cli)
{
    if (!cli->record_url && !cli->save_file)
        return -1;
    if (!cli->record_url || !cli->save_file)
        return usage("--record and --save go together: one is missing", "");
    if (cli->script_file || cli->journal_file || cli->verdict)
        return usage("--record does not go with --script, --journal and --verdict", "");
    return -1;
}

int cli_parse(int argc, char **argv, struct cli *ret)
{
    int option;
    *ret = (struct cli){0};
    /* "+": the command's own options are none of ours */
    while ((option = getopt_long(argc, argv, "+h", long_options, NULL)) != -1) {
        int code = parse_option(ret, option, optarg);
        if (code >= 0)
            return code;
    }
    if (optind == argc)
        return check_options(ret);
    if (strcmp(argv[optind - 1], "--") != 0)
        return usage("a command comes after --, not ", argv[optind]);
    ret->command = argv + optind;
    return check_options(ret);
}
