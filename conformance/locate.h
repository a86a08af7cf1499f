#ifndef CONFORMANCE_LOCATE_H
#define CONFORMANCE_LOCATE_H

#include <stddef.h>

/* A place in a text, as editors count: from 1, columns in bytes. */
struct place {
    unsigned line, column;
};

struct place locate_offset(const char *text, size_t n, size_t offset);

/*
 * Where the value at an RFC 6901 pointer begins in a valid JSON text. If there is no such value:
 * where the innermost value on the way to it begins.
 */
struct place locate_pointer(const char *text, size_t n, const char *pointer);

#endif
