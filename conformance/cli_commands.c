#include "conformance/cli.h"

#include "base/err.h"

/* The commands there are, in the order of the help. */
static const struct cli_command commands[] = {
    {"run", "[SELECT...] [--profile NAME | -- AGENT CMD...]", "judge an agent",
     "SELECT is the id of a case, a glob over ids, an area, a tag, the id of a requirement, or "
     "@FILE with one\n"
     "of these a line.\n"
     "Without a profile the agent gets the variables from which agents commonly take their model's "
     "address.\n"
     "Exit codes: 0 conforms, 1 does not, 2 usage, 3 no verdict (also when nothing was "
     "executed),\n"
     "4 the baseline is stale.\n",
     CLI_PROFILE | CLI_COMMAND | CLI_CASES | CLI_SELECT | CLI_SHARD | CLI_RUNNING | CLI_JUDGING,
     cmd_run},
    {"list", "[SELECT...]", "name the cases", NULL,
     CLI_CASES | CLI_SELECT | CLI_SHARD | CLI_JSON | CLI_MONITORS, cmd_list},
    {"explain", "ID...", "tell what a case or a requirement says", NULL, CLI_CASES | CLI_WORDS,
     cmd_explain},
    {"coverage", "[WORD...]", "show which rules the cases cover",
     "Prints each rule that binds agents, the cases that judge it, and their mutants that turn it "
     "red.\n"
     "WORD is an area, a party (agent, client, both), a level (MUST, MUST-NOT, ...), a state "
     "(covered, needs,\n"
     "not-observable, open), or the id of a rule or a glob over ids; words of one sort widen the "
     "choice, sorts\n"
     "narrow each other. Exit code 1: a rule is neither covered nor has a reason why not.\n",
     CLI_WORDS | CLI_CASES | CLI_JSON | CLI_SUMMARY, cmd_coverage},
    {"lint", "FILE...", "check case files and recorded conversations",
     "A recording is a file of run --trace or tap, or of another recorder: messages one a line, "
     "bare or with a\n"
     "word for the direction, or a list of them in one document. The monitors judge both sides.\n"
     "Exit codes: 0 conforms, no faults; 1 otherwise; 2 usage; 3 no verdict.\n",
     CLI_WORDS | CLI_CASES | CLI_STRICT | CLI_REPORT, cmd_lint},
    {"prove", "[SELECT...] [--profile NAME | -- AGENT CMD...]", "show that the checks can fail",
     "Runs each case as it is (it must pass) and with each of its mutants, and compares what fails "
     "with what the\n"
     "mutant says has to fail. Meant for an agent that conforms. Exit code 0: all of it came out "
     "so.\n",
     CLI_PROFILE | CLI_COMMAND | CLI_CASES | CLI_SELECT | CLI_SHARD | CLI_RUNNING, cmd_prove},
    {"new", "AREA/NAME", "write the skeleton of a case",
     "It is written to conformance/cases, or to the folder of --cases.\n", CLI_WORDS | CLI_CASES,
     cmd_new},
    {"replay", "TRACE [--profile NAME | -- AGENT CMD...]",
     "judge or repeat a recorded conversation",
     "TRACE is a recording as of lint. Without an agent the monitors judge what is recorded. With "
     "one, what the\n"
     "client said is said again, and what the agent does otherwise than before is told.\n"
     "Exit codes: 0 conforms and as before, 1 not so, 2 usage, 3 no verdict.\n",
     CLI_WORDS | CLI_PROFILE | CLI_COMMAND | CLI_RUNNING, cmd_replay},
    {"matrix", "REPORT...", "set agents side by side",
     "REPORT is what run --report json=FILE has written, one for each agent. Without --report "
     "(html "
     "or md) the page\n"
     "is printed in Markdown. Exit codes: 0 done, 2 usage, 3 a page cannot be written.\n",
     CLI_WORDS | CLI_BEFORE | CLI_REPORT, cmd_matrix},
    {"tap", "[--trace FILE] [--log FILE] -- AGENT CMD...",
     "listen in between an editor and an agent",
     "Put it before the agent's command in the editor's settings: every byte passes as it is, the "
     "monitors judge\n"
     "both sides, and what was broken is told on stderr at the end, or in the file of --log.\n"
     "Exit codes: the agent's; 128 + N after signal N; 127 it could not be started; 2 usage.\n",
     CLI_COMMAND | CLI_LOG | CLI_REPORT | CLI_STRICT, cmd_tap},
};

const struct cli_command *cli_command_at(size_t i)
{
    return i < ARRAY_LEN(commands) ? &commands[i] : NULL;
}
