#ifndef CONFORMANCE_JUDGE_RECORDING_H
#define CONFORMANCE_JUDGE_RECORDING_H

#include "conformance/cli.h"
#include "conformance/recording.h"
#include "conformance/result.h"

#include <stdio.h>

/* What commands do with recorded conversations: read, judge, tell. */

/* Reads the file. 0, or the exit code after telling why. Call recording_deinit in any case. */
int recording_open(const char *path, struct recording *ret);

/* What the monitors see in it, of both sides; prints it. Takes the recording's trace. Returns the
 * exit code. */
int recording_judge(const struct cli *cli, const struct requirements *reqs, const char *path,
                    struct recording *r);

/* A case that only has a name, for the result of what is no case. 0 or E_NOMEM. */
int recording_name(struct case_file *ret, const char *path);

/* Prints what was broken and "path: VERDICT what" to out. Returns the exit code of the verdict. */
int recording_tell(const struct case_result *result, const char *what, FILE *out);

/* As recording_tell; writes the reports of the command line, too. Takes *result (zeroes it). */
int recording_report(const struct cli *cli, const struct requirements *reqs,
                     struct case_result *result, FILE *out);

#endif
