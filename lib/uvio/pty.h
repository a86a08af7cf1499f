#ifndef UVIO_PTY_H
#define UVIO_PTY_H

/* A new pseudo-terminal: two descriptors of the side that plays the person (one to type into, one
 * to read from) and one of the side that a program gets. All are closed on exec and the caller's.
 * 0, or a negative errno with nothing open. */
int pty_open(int *ret_in, int *ret_out, int *ret_theirs);

#endif
