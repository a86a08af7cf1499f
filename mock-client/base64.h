#ifndef MOCK_CLIENT_BASE64_H
#define MOCK_CLIENT_BASE64_H

#include <stddef.h>

struct buf;

/* RFC 4648 with padding. Appends to out; 0 or E_NOMEM. */
int base64_encode(struct buf *out, const void *bytes, size_t n);

/* Strict: no white space, padded. Appends to out; 0, E_NOMEM or E_PARSE (out is then as it was). */
int base64_decode(struct buf *out, const char *text, size_t n);

#endif
