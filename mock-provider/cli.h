#ifndef MOCK_PROVIDER_CLI_H
#define MOCK_PROVIDER_CLI_H

#include <stdbool.h>
#include <stdint.h>

/* The program acp-mock-provider, all but main(). */

enum cli_exit {
    CLI_OK = 0,
    CLI_BLAMED = 1,    /* --verdict has something to say; the command itself ended with 0 */
    CLI_USAGE = 2,     /* wrong arguments, or a script that is none */
    CLI_FAILED = 3,    /* the port is taken, a file cannot be written, ... */
    CLI_CANNOT = 126,  /* the command cannot be run */
    CLI_NO_SUCH = 127, /* there is no such command */
    CLI_SIGNAL = 128   /* plus the signal that ended the command */
};

struct cli { /* lent from argv */
    const char *script_file, *port_file, *journal_file;
    int port;
    uint64_t seed;
    bool verdict;
    const char *record_url, *save_file; /* both or none */
    char **command;                     /* NULL-ended; NULL: none */
};

/* -1: carry on; else the exit code to end with (--help, --version, wrong usage). */
int cli_parse(int argc, char **argv, struct cli *ret);
/* Serves until a signal or the command's end. Returns the exit code. */
int cli_run(const struct cli *cli);

#endif
