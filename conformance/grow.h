#ifndef CONFORMANCE_GROW_H
#define CONFORMANCE_GROW_H

#include <stddef.h>

/* Makes room for one more element behind the n that an array of pointers holds; `array` points at
 * the variable that holds it. 0 or E_NOMEM (then nothing changed). */
int grow_pointers(void *array, size_t n, size_t *cap);

#endif
