#ifndef CONFORMANCE_CLI_H
#define CONFORMANCE_CLI_H

#include "conformance/catalog.h"
#include "conformance/profile.h"
#include "conformance/requirement.h"
#include "conformance/select.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line of acp-conformance: options are one table, commands are another. */

enum cli_option {
    CLI_PROFILE = 1 << 0,
    CLI_COMMAND = 1 << 1, /* -- AGENT CMD... */
    CLI_CASES = 1 << 2,
    CLI_SELECT = 1 << 3,  /* words, and --exclude */
    CLI_RUNNING = 1 << 4, /* -j --timeout-scale --seed */
    CLI_JUDGING = 1 << 5, /* --fail-fast --trace --report --dry-run */
    CLI_JSON = 1 << 6,
    CLI_MONITORS = 1 << 7,
    CLI_WORDS = 1 << 8, /* words of another kind */
    CLI_SUMMARY = 1 << 9,
    CLI_SHARD = 1 << 10,
    CLI_STRICT = 1 << 11,
    CLI_REPORT = 1 << 12,
    CLI_BEFORE = 1 << 14,
    CLI_LOG = 1 << 13 /* --log, and --trace with a file */
};

enum { CLI_MAX_REPORTS = 8 };

struct report_kind;

struct cli_report {
    const struct report_kind *kind;
    const char *path;
};

/* What was written; everything is lent by argv. */
struct cli {
    const char *profile;
    char *const *command; /* NULL-ended; NULL: none */
    const char *cases_dir;
    const char **words; /* owned list */
    size_t n_words;
    const char **excludes; /* owned list */
    size_t n_excludes;
    const char **before; /* owned list: former reports */
    size_t n_before;
    unsigned jobs; /* 0: not said */
    double timeout_scale;
    uint64_t seed;
    bool strict, fail_fast, dry_run, no_isolation, json, monitors, summary;
    const char *trace_dir; /* of tap: a file */
    const char *log;
    struct cli_report reports[CLI_MAX_REPORTS];
    size_t n_reports;
    size_t shard, shards; /* --shard; 0: whole */
    unsigned repeat;      /* 0: once */
    bool until_failure;   /* --repeat until-failure */
    bool last_failed;
    const char *state; /* NULL: the default place */
    const char *baseline, *write_baseline;
};

struct cli_command {
    const char *name;
    const char *usage;   /* behind "acp-conformance NAME " */
    const char *summary; /* one line */
    const char *details; /* more for --help, or NULL */
    unsigned options;    /* bits of enum cli_option */
    int (*run)(const struct cli *cli);
};

/* The i-th command, NULL behind the last. */
const struct cli_command *cli_command_at(size_t i);

/* Runs what the command line says; returns the exit code of the process. */
int cli_main(int argc, char **argv);

/* Tells on stderr what is wrong with the command line, and how to get help. Returns EXIT_USAGE. */
int cli_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Tells on stderr why there is no verdict. Returns EXIT_NO_VERDICT. */
int cli_no_verdict(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- what commands need
 * -------------------------------------------------------------------------- */

struct cli_data {
    struct requirements reqs;
    struct catalog catalog;
    struct selection selection;
};

/* Requirements, catalog, and the selected cases if the command takes a selection. 0, or the exit
 * code after telling why. */
int cli_load(const struct cli *cli, bool select, struct cli_data *ret);
void cli_unload(struct cli_data *d); /* accepts zeroed ones */

/* The profile that --profile and -- name. 0, or the exit code after telling why. */
int cli_profile(const struct cli *cli, struct profile *ret);

/* The folder of the running program, owned by the caller; NULL: out of memory. */
char *cli_bindir(void);

int cmd_run(const struct cli *cli);
int cmd_list(const struct cli *cli);
int cmd_explain(const struct cli *cli);
int cmd_coverage(const struct cli *cli);
int cmd_lint(const struct cli *cli);
int cmd_prove(const struct cli *cli);
int cmd_new(const struct cli *cli);
int cmd_replay(const struct cli *cli);
int cmd_matrix(const struct cli *cli);
int cmd_tap(const struct cli *cli);

#endif
