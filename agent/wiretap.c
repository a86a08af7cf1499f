#include "agent/wiretap.h"

#include "base/err.h"
#include "base/log.h"
#include "rpc/ndjson.h"
#include "json/jsonw.h"
#include "json/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#define LONGEST_LINE (1u << 30)

struct wiretap {
    int fd;
    uint64_t t0;
    struct ndjson lines[2]; /* by enum wiretap_from */
    struct buf out;
};

int wiretap_open(const char *path, struct wiretap **ret)
{
    struct wiretap *w = calloc(1, sizeof *w);
    if (!w)
        return E_NOMEM;
    w->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (w->fd < 0) {
        int rc = -errno;
        free(w);
        return rc;
    }
    w->t0 = uv_hrtime();
    ndjson_init(&w->lines[WIRETAP_CLIENT], LONGEST_LINE);
    ndjson_init(&w->lines[WIRETAP_AGENT], LONGEST_LINE);
    *ret = w;
    return 0;
}

static void note_line(struct wiretap *w, enum wiretap_from from, const char *line, size_t n)
{
    struct json_scan scan;
    struct jsonw j;
    jw_begin(&j, &w->out);
    jw_open(&j, '{');
    jw_kint(&j, "ms", (int64_t)((uv_hrtime() - w->t0) / 1000000));
    jw_kstr(&j, "from", from == WIRETAP_CLIENT ? "client" : "agent");
    if (json_scan(line, n, &scan) == 0) {
        jw_key(&j, "message");
        jw_raw(&j, line, n);
    } else {
        jw_key(&j, "text");
        jw_str(&j, line, n);
    }
    jw_close(&j);
    if (jw_end(&j) == 0)
        buf_addc(&w->out, '\n');
}

static void write_out(struct wiretap *w)
{
    size_t done = 0;
    while (w->fd >= 0 && done < w->out.n) {
        ssize_t n = write(w->fd, w->out.p + done, w->out.n - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            log_warn("--trace stops: %s", err_text(-errno));
            close(w->fd);
            w->fd = -1;
        }
    }
    w->out.n = 0;
}

void wiretap_pass(struct wiretap *w, enum wiretap_from from, const char *bytes, size_t n)
{
    char *line;
    size_t len;
    int rc;
    if (!w || w->fd < 0 || ndjson_feed(&w->lines[from], bytes, n) < 0)
        return;
    while ((rc = ndjson_next(&w->lines[from], &line, &len)) != 0)
        if (rc > 0)
            note_line(w, from, line, len);
    write_out(w);
}

void wiretap_close(struct wiretap *w)
{
    if (!w)
        return;
    for (int from = WIRETAP_CLIENT; from <= WIRETAP_AGENT; from++) {
        char *line;
        size_t n;
        if (ndjson_rest(&w->lines[from], &line, &n) == 1)
            note_line(w, (enum wiretap_from)from, line, n);
        ndjson_deinit(&w->lines[from]);
    }
    write_out(w);
    if (w->fd >= 0)
        close(w->fd);
    buf_deinit(&w->out);
    free(w);
}
