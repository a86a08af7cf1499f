/* The request parser: whole, and in cuts that the input itself chooses, gives the same requests. */
#include "base/buf.h"
#include "http/httpd_parse.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe(const struct httpd_parser *p, struct buf *got)
{
    int rc = buf_addf(got, "%s %s %d|", p->method, p->path, p->keep_alive);
    for (size_t i = 0; rc == 0 && i < p->header_n; i++)
        rc = buf_addf(got, "%s=%s|", p->headers[i].name, p->headers[i].value);
    if (rc == 0)
        rc = buf_add(got, p->body.p, p->body.n);
    if (rc < 0 || p->body.p[p->body.n] != '\0')
        abort();
}

static int feed(struct httpd_parser *p, const char *bytes, size_t n, struct buf *got)
{
    for (size_t at = 0; at < n;) {
        size_t used = 0;
        int rc = httpd_parser_feed(p, bytes + at, n - at, &used);
        if (rc < 0) {
            if (buf_addf(got, "!%d", p->status) < 0 || !p->fault)
                abort();
            return rc;
        }
        at += used;
        if (rc == 1) {
            describe(p, got);
            httpd_parser_reset(p);
        } else if (at < n) {
            abort(); /* more is needed, but not all was taken */
        }
    }
    return 0;
}

static void run(const char *p, size_t n, size_t step, struct buf *got)
{
    struct httpd_parser parser = {0};
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < n; at += step)
        rc = feed(&parser, p + at, n - at < step ? n - at : step, got);
    httpd_parser_deinit(&parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct buf whole = {0}, cut = {0};
    run((const char *)data + 1, size - 1, size, &whole);
    run((const char *)data + 1, size - 1, data[0] % 16 + 1u, &cut);
    if (whole.n != cut.n || (whole.n > 0 && memcmp(whole.p, cut.p, whole.n) != 0)) {
        fprintf(stderr, "whole and in steps of %d: different requests\n", data[0] % 16 + 1);
        abort();
    }
    buf_deinit(&whole);
    buf_deinit(&cut);
    return 0;
}
