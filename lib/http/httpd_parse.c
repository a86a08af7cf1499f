#include "http/httpd_parse.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void httpd_parser_deinit(struct httpd_parser *p)
{
    buf_deinit(&p->head);
    buf_deinit(&p->body);
    *p = (struct httpd_parser){0};
}

void httpd_parser_reset(struct httpd_parser *p)
{
    p->state = HTTPD_PARSE_REQUEST_LINE;
    p->head.n = p->body.n = 0;
    p->line_at = p->header_n = 0;
    p->left = 0;
    p->http10 = p->keep_alive = p->wants_continue = false;
    p->status = 0;
    p->fault = NULL;
}

static int refuse(struct httpd_parser *p, int rc, int status, const char *fault)
{
    p->status = status;
    p->fault = fault;
    return rc;
}

static int bad(struct httpd_parser *p, const char *fault)
{
    return refuse(p, E_PROTOCOL, 400, fault);
}

static int no_memory(struct httpd_parser *p)
{
    return refuse(p, E_NOMEM, 503, "out of memory");
}

/* --- characters (RFC 9110 5.6.2) --- */

static bool is_token_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_token_char((unsigned char)p[i]))
            return false;
    return n > 0;
}

static bool has_control(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((unsigned char)p[i] < ' ' && p[i] != '\t') || p[i] == 0x7F)
            return true;
    return false;
}

/* --- the request line --- */

static int take_version(struct httpd_parser *p, const char *version)
{
    if (strcmp(version, "HTTP/1.1") == 0)
        p->keep_alive = true;
    else if (strcmp(version, "HTTP/1.0") == 0)
        p->http10 = true;
    else if (strncmp(version, "HTTP/", 5) == 0)
        return refuse(p, E_PROTOCOL, 505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    else
        return bad(p, "the request line does not end in HTTP/1.1");
    return 0;
}

/* The line is NUL-ended. */
static int take_request_line(struct httpd_parser *p, char *line, size_t n)
{
    if (n == 0) { /* tolerated before a request (RFC 9112 2.2) */
        p->head.n = p->line_at = 0;
        return 0;
    }
    char *path = memchr(line, ' ', n);
    char *version = path ? strchr(path + 1, ' ') : NULL;
    if (!path || !version || has_control(line, n))
        return bad(p, "the request line is not \"METHOD PATH HTTP/1.1\"");
    *path++ = '\0';
    *version++ = '\0';
    if (!is_token(line, strlen(line)))
        return bad(p, "the method is not a word");
    if (*path != '/' && *path != '*' && strncasecmp(path, "http://", 7) != 0)
        return bad(p, "the path does not begin with a slash");
    p->path_at = (size_t)(path - p->head.p);
    p->state = HTTPD_PARSE_HEADERS;
    return take_version(p, version);
}

/* --- headers --- */

static const char *header(const struct httpd_parser *p, const char *name)
{
    for (size_t i = 0; i < p->header_n; i++)
        if (strcasecmp(p->headers[i].name, name) == 0)
            return p->headers[i].value;
    return NULL;
}

static size_t count_header(const struct httpd_parser *p, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < p->header_n; i++)
        n += strcasecmp(p->headers[i].name, name) == 0;
    return n;
}

static int take_header_line(struct httpd_parser *p, char *line, size_t n)
{
    char *colon = memchr(line, ':', n);
    if (*line == ' ' || *line == '\t')
        return bad(p, "a header is folded over two lines");
    if (!colon || !is_token(line, (size_t)(colon - line)))
        return bad(p, "a header is not \"Name: value\"");
    char *value = colon + 1, *end = line + n;
    while (*value == ' ' || *value == '\t')
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (has_control(value, (size_t)(end - value)))
        return bad(p, "a header holds a control character");
    if (p->header_n == HTTPD_HEADERS_MAX)
        return refuse(p, E_TOOBIG, 431, "too many headers");
    *colon = *end = '\0';
    p->at[p->header_n].name = (size_t)(line - p->head.p);
    p->at[p->header_n++].value = (size_t)(value - p->head.p);
    return 0;
}

/* All digits, and there only once; -1 otherwise. */
static int read_length(const struct httpd_parser *p, const char *text, uint64_t *ret)
{
    size_t n = strlen(text);
    if (n == 0 || n > 18 || strspn(text, "0123456789") != n)
        return -1;
    if (count_header(p, "content-length") > 1)
        return -1;
    *ret = strtoull(text, NULL, 10);
    return 0;
}

static int start_sized_body(struct httpd_parser *p, const char *length)
{
    if (length && read_length(p, length, &p->left) < 0)
        return bad(p, "Content-Length is not one number");
    if (p->left > HTTPD_BODY_MAX)
        return refuse(p, E_TOOBIG, 413, "the body is too large");
    p->state = p->left > 0 ? HTTPD_PARSE_BODY : HTTPD_PARSE_DONE;
    return 0;
}

static int start_body(struct httpd_parser *p)
{
    const char *length = header(p, "content-length");
    const char *coding = header(p, "transfer-encoding");
    if (!coding)
        return start_sized_body(p, length);
    if (length || p->http10)
        return bad(p, "Transfer-Encoding beside Content-Length or in HTTP/1.0");
    if (strcasecmp(coding, "chunked") != 0 || count_header(p, "transfer-encoding") > 1)
        return refuse(p, E_PROTOCOL, 501, "the only transfer coding understood is chunked");
    p->state = HTTPD_PARSE_CHUNK_SIZE;
    return 0;
}

static void point_into_head(struct httpd_parser *p)
{
    const char *head = p->head.p;
    p->method = head;
    p->path = head + p->path_at;
    for (size_t i = 0; i < p->header_n; i++)
        p->headers[i] = (struct httpd_header){head + p->at[i].name, head + p->at[i].value};
}

static int end_head(struct httpd_parser *p)
{
    point_into_head(p);
    const char *connection = header(p, "connection"), *expect = header(p, "expect");
    if (connection && strcasecmp(connection, "close") == 0)
        p->keep_alive = false;
    if (connection && strcasecmp(connection, "keep-alive") == 0)
        p->keep_alive = true;
    if (!p->http10 && count_header(p, "host") != 1)
        return bad(p, "there is not exactly one Host header");
    int rc = start_body(p);
    if (rc == 0 && p->state != HTTPD_PARSE_DONE && expect &&
        strcasecmp(expect, "100-continue") == 0)
        p->wants_continue = !p->http10;
    return rc;
}

/* --- chunks --- */

static int take_chunk_size(struct httpd_parser *p, const char *line)
{
    size_t digits = strspn(line, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 15 || (line[digits] != '\0' && !strchr("; \t", line[digits])))
        return bad(p, "a chunk does not begin with its size");
    p->left = strtoull(line, NULL, 16);
    if (p->left > HTTPD_BODY_MAX - p->body.n)
        return refuse(p, E_TOOBIG, 413, "the body is too large");
    p->state = p->left > 0 ? HTTPD_PARSE_CHUNK_DATA : HTTPD_PARSE_TRAILERS;
    return 0;
}

/* Lines that come after the head are looked at and forgotten: the head is lent to the request. */
static int take_chunk_line(struct httpd_parser *p, const char *line, size_t n)
{
    int rc = 0;
    if (p->state == HTTPD_PARSE_CHUNK_SIZE)
        rc = take_chunk_size(p, line);
    else if (p->state == HTTPD_PARSE_CHUNK_END && n > 0)
        rc = bad(p, "a chunk is longer than its size");
    else if (p->state == HTTPD_PARSE_CHUNK_END)
        p->state = HTTPD_PARSE_CHUNK_SIZE;
    else if (n == 0)
        p->state = HTTPD_PARSE_DONE;
    return rc;
}

/* --- lines and counted bytes --- */

/* head ends in the LF of a line that begins at line_at. */
static int end_line(struct httpd_parser *p)
{
    char *line = p->head.p + p->line_at;
    size_t n = p->head.n - p->line_at - 1;
    line[n] = '\0';
    if (n > 0 && line[n - 1] == '\r')
        line[--n] = '\0';
    int rc;
    if (p->state == HTTPD_PARSE_REQUEST_LINE) {
        rc = take_request_line(p, line, n);
    } else if (p->state == HTTPD_PARSE_HEADERS) {
        rc = n > 0 ? take_header_line(p, line, n) : end_head(p);
    } else {
        rc = take_chunk_line(p, line, n);
        p->head.n = p->line_at; /* the head itself is lent to the request: nothing is added to it */
    }
    p->line_at = p->head.n;
    return rc;
}

static int feed_line(struct httpd_parser *p, const char *bytes, size_t n, size_t *ret_used)
{
    const char *lf = memchr(bytes, '\n', n);
    size_t part = lf ? (size_t)(lf - bytes) + 1 : n;
    if (p->head.n + part > HTTPD_HEAD_MAX)
        return p->state == HTTPD_PARSE_REQUEST_LINE
                   ? refuse(p, E_TOOBIG, 414, "the request line is too long")
                   : refuse(p, E_TOOBIG, 431, "the headers are too long");
    if (buf_add(&p->head, bytes, part) < 0)
        return no_memory(p);
    *ret_used = part;
    return lf ? end_line(p) : 0;
}

static int feed_counted(struct httpd_parser *p, const char *bytes, size_t n, size_t *ret_used)
{
    size_t part = n < p->left ? n : (size_t)p->left;
    if (buf_add(&p->body, bytes, part) < 0)
        return no_memory(p);
    *ret_used = part;
    p->left -= part;
    if (p->left == 0)
        p->state = p->state == HTTPD_PARSE_BODY ? HTTPD_PARSE_DONE : HTTPD_PARSE_CHUNK_END;
    return 0;
}

static int feed_some(struct httpd_parser *p, const char *bytes, size_t n, size_t *ret_used)
{
    if (p->state == HTTPD_PARSE_BODY || p->state == HTTPD_PARSE_CHUNK_DATA)
        return feed_counted(p, bytes, n, ret_used);
    return feed_line(p, bytes, n, ret_used);
}

int httpd_parser_feed(struct httpd_parser *p, const char *bytes, size_t n, size_t *ret_used)
{
    size_t at = 0;
    while (at < n && p->state != HTTPD_PARSE_DONE) {
        size_t used = 0;
        int rc = feed_some(p, bytes + at, n - at, &used);
        if (rc < 0)
            return rc;
        at += used;
    }
    *ret_used = at;
    if (p->state != HTTPD_PARSE_DONE)
        return 0;
    if (!buf_cstr(&p->body))
        return no_memory(p);
    point_into_head(p);
    return 1;
}
