#ifndef HTTP_HTTPD_PARSE_H
#define HTTP_HTTPD_PARSE_H

#include "base/buf.h"
#include "http/httpd.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * HTTP/1.1 requests, bytes -> requests: pure, resumable at every byte, bounded, strict where
 * leniency would let one connection's bytes be read in two ways (RFC 9112).
 */
#define HTTPD_HEADERS_MAX 128

enum httpd_parse_state {
    HTTPD_PARSE_REQUEST_LINE,
    HTTPD_PARSE_HEADERS,
    HTTPD_PARSE_BODY,
    HTTPD_PARSE_CHUNK_SIZE,
    HTTPD_PARSE_CHUNK_DATA,
    HTTPD_PARSE_CHUNK_END,
    HTTPD_PARSE_TRAILERS,
    HTTPD_PARSE_DONE
};

struct httpd_parser {
    enum httpd_parse_state state;
    struct buf head; /* lines, cut into NUL-ended words in place */
    struct buf body;
    size_t line_at; /* where in head the unfinished line begins */
    uint64_t left;  /* bytes of the body or chunk still to come */
    struct {
        size_t name, value; /* offsets in head, which may still move */
    } at[HTTPD_HEADERS_MAX];
    size_t path_at;
    /* Valid when the request is whole (the flags: when its head is). */
    struct httpd_header headers[HTTPD_HEADERS_MAX];
    size_t header_n;
    const char *method, *path;
    bool http10, keep_alive;
    bool wants_continue; /* the caller waits for "100 Continue" before the body; cleared by whoever
                            sends it */
    /* After a negative result: how to refuse. */
    int status;
    const char *fault; /* static */
};

/* A zeroed struct is ready to use. Accepts a zeroed struct; leaves one. */
void httpd_parser_deinit(struct httpd_parser *p);
/* Ready for the next request; keeps the memory. */
void httpd_parser_reset(struct httpd_parser *p);

/* 1: a request is whole; *ret_used bytes belonged to it. 0: all was used, more is needed.
 * E_PROTOCOL, E_TOOBIG or E_NOMEM: status and fault say how to refuse; the connection is over. */
int httpd_parser_feed(struct httpd_parser *p, const char *bytes, size_t n, size_t *ret_used);

#endif
