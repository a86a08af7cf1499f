#ifndef MOCK_CLIENT_CLI_H
#define MOCK_CLIENT_CLI_H

#include <stdbool.h>

struct trace;

/* What the command line of acp-mock-client asks for; everything is lent. */
enum cli_answer { CLI_ASK, CLI_ALLOW, CLI_DENY };

struct cli {
    const char *case_file; /* NULL: the dialogue */
    const char *cwd;       /* NULL: a fresh folder for a case, the current one for the dialogue */
    const char *trace_file;
    double timeout_s; /* 0: as the case says */
    bool json;
    enum cli_answer answer;   /* to permission requests, in the dialogue */
    const char *const *agent; /* NULL-ended */
};

enum cli_exit {
    CLI_OK = 0,     /* every expectation held; the dialogue ended by itself */
    CLI_BROKEN = 1, /* an expectation did not hold; the agent failed */
    CLI_USAGE = 2,
    CLI_UNJUDGED = 3 /* nothing could be said */
};

/* Plays one case, prints steps and results on stdout. */
enum cli_exit cli_play(const struct cli *cli);

/* Prompts from stdin, answers to stdout. */
enum cli_exit cli_chat(const struct cli *cli);

/* Writes the trace as lines of JSON. False after a message on stderr. */
bool cli_write_trace(const struct trace *t, const char *file);

#endif
