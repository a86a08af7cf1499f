#ifndef CONFORMANCE_ISOLATE_H
#define CONFORMANCE_ISOLATE_H

#include <stddef.h>

/*
 * Goes on in a world of its own (Linux namespaces): no network but loopback, and processes that all
 * end when this one does, daemons too. Works for root and, where the system lets users make
 * namespaces, for everybody.
 *
 * Returns 0 in the process that goes on inside. In the one that called it returns 1 when that is
 * over, *ret_code being its exit code: there is nothing left to do but to exit with it. Negative,
 * with a sentence in err: the system does not allow it; nothing has changed.
 *
 * Call it while there is one thread and no open loop. SIGTERM and SIGINT are passed on.
 */
int isolate_enter(int *ret_code, char *err, size_t err_n);

#endif
