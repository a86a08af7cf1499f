#include "mock-client/cli.h"

#include "uvio/loop.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: acp-mock-client [OPTIONS] [--] AGENT [ARG...]\n"
    "\n"
    "Talks ACP to an agent: a dialogue (prompts are the lines of stdin), or, with --case,\n"
    "the client's side of one conformance case.\n"
    "\n"
    "  --case FILE      play this case (docs/cases.md); verbs about the model need\n"
    "                   acp-conformance, which also judges\n"
    "  --cwd DIR        working directory of agent and session (default: the current one;\n"
    "                   with --case a fresh folder)\n"
    "  --allow, --deny  answer permission requests (default: ask on a terminal, else deny)\n"
    "  --timeout S      deadline of each wait of a case, in seconds\n"
    "  --trace FILE     write everything that crossed the wire, one JSON object a line\n"
    "  --json           results, or the agent's messages, as lines of JSON\n"
    "  --version, --help\n"
    "\n"
    "Exit status: 0 all held, 1 something did not (or the agent failed), 2 wrong usage,\n"
    "3 could not be judged.\n"
    "\n"
    "examples:\n"
    "  acp-mock-client acp-agent acp\n"
    "  echo 'what is in this folder?' | acp-mock-client --allow -- acp-agent acp\n"
    "  acp-mock-client --case case.json --trace trace.jsonl -- acp-agent acp\n"
    "  acp-mock-provider -- acp-mock-client acp-agent acp     a dialogue with a fake model\n";

enum {
    OPT_CASE = 256,
    OPT_CWD,
    OPT_ALLOW,
    OPT_DENY,
    OPT_TIMEOUT,
    OPT_TRACE,
    OPT_JSON,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"case", required_argument, NULL, OPT_CASE},
    {"cwd", required_argument, NULL, OPT_CWD},
    {"allow", no_argument, NULL, OPT_ALLOW},
    {"deny", no_argument, NULL, OPT_DENY},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"json", no_argument, NULL, OPT_JSON},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int usage(const char *text, const char *what)
{
    fprintf(stderr, "acp-mock-client: %s%s; try --help\n", text, what);
    return CLI_USAGE;
}

static int parse_timeout(struct cli *cli, const char *text)
{
    char *end;
    cli->timeout_s = strtod(text, &end);
    if (*text && !*end && cli->timeout_s > 0)
        return 0;
    return usage("--timeout needs a number of seconds, not ", text);
}

static int parse_option(struct cli *cli, int option, const char *value)
{
    switch (option) {
    case OPT_CASE:
        cli->case_file = value;
        return 0;
    case OPT_CWD:
        cli->cwd = value;
        return 0;
    case OPT_ALLOW:
        cli->answer = CLI_ALLOW;
        return 0;
    case OPT_DENY:
        cli->answer = CLI_DENY;
        return 0;
    case OPT_TIMEOUT:
        return parse_timeout(cli, value);
    case OPT_TRACE:
        cli->trace_file = value;
        return 0;
    case OPT_JSON:
        cli->json = true;
        return 0;
    default:
        fputs("acp-mock-client: try --help\n", stderr); /* getopt has said what is wrong */
        return CLI_USAGE;
    }
}

static int check(const struct cli *cli)
{
    if (!cli->agent[0])
        return usage("no agent: give its command as the last argument", "");
    if (cli->case_file && cli->answer != CLI_ASK)
        return usage("a case says itself how permission requests are answered: leave out ",
                     cli->answer == CLI_ALLOW ? "--allow" : "--deny");
    if (!cli->case_file && cli->timeout_s > 0)
        return usage("--timeout goes with --case", "");
    return 0;
}

/* The agent starts in another folder, so ./agent must not depend on ours. A name without a slash is
 * looked up in PATH. */
static char *absolute_program(char *name)
{
    char *path = strchr(name, '/') ? realpath(name, NULL) : NULL;
    return path ? path : name;
}

static enum cli_exit run(const struct cli *cli)
{
    loop_setup_process();
    return cli->case_file ? cli_play(cli) : cli_chat(cli);
}

int main(int argc, char **argv)
{
    struct cli cli = {0};
    int option;
    while ((option = getopt_long(argc, argv, "+h", long_options, NULL)) != -1) {
        if (option == 'h' || option == OPT_VERSION) {
            fputs(option == 'h' ? help : "acp-mock-client " ACP_VERSION "\n", stdout);
            return CLI_OK;
        }
        int rc = parse_option(&cli, option, optarg);
        if (rc != 0)
            return rc;
    }
    cli.agent = (const char *const *)&argv[optind];
    int rc = check(&cli);
    if (rc != 0)
        return rc;
    char *given = argv[optind];
    argv[optind] = absolute_program(given);
    rc = (int)run(&cli);
    if (argv[optind] != given)
        free(argv[optind]);
    return rc;
}
