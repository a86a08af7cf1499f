#ifndef CONFORMANCE_VARY_H
#define CONFORMANCE_VARY_H

#include "conformance/catalog.h"

/*
 * One file for many cases that differ in a few values: "vary": {NAME: {POINTER: VALUE, ...}, ...}
 * makes a case "<area>/<file>@<NAME>" of each NAME, in which these values are set.
 */

/* Adds the cases of this file to the catalog; takes the file. One that varies nothing, or not in
 * this form, is a case by itself. 0 or E_NOMEM. */
int vary_add(struct catalog *c, struct case_file *taken);

/* What stands behind the '@' of a case's id; NULL: it is no variant. */
const char *vary_name(const struct case_file *c);

/* Sets the variant's values in the parsed file. 0, E_NOMEM, or E_INVALID with a sentence in err. */
int vary_apply(const struct case_file *c, cJSON *root, char *err, size_t err_n);

#endif
