#ifndef MOCK_CLIENT_RESPONSE_H
#define MOCK_CLIENT_RESPONSE_H

#include "json/jsonw.h"
#include "json/scan.h"

/* Lines that answer a request of the agent; the id is echoed byte for byte. Without LF. */

/* {"jsonrpc", "id" ...; the caller writes "result" or "error". */
void response_begin(struct jsonw *w, struct buf *out, struct json_slice id);
/* 0 or E_NOMEM. */
int response_end(struct jsonw *w);

/* {"result": {}} */
int response_empty(struct json_slice id, struct buf *out);

struct response_error {
    int code;
    const char *message;
    const char *key, *value; /* data: {key: value}; NULL: no data */
};
int response_error(struct json_slice id, const struct response_error *error, struct buf *out);

#endif
