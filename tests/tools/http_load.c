/* Asks a local HTTP server the same thing over and over, on several connections, and counts the
 * whole answers. http_load PORT PATH CONNECTIONS SECONDS < BODY: prints answers and bytes per
 * second. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define READ_SIZE (256u << 10)

struct load {
    uv_loop_t loop;
    struct sockaddr_in address;
    char *request; /* head and body */
    size_t request_n;
    uint64_t answers, bytes, failures;
};

struct caller {
    struct load *load;
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    size_t head_n; /* bytes of "\r\n\r\n" seen at the end of the head; 4: in the body */
    size_t left;   /* of a body of known length */
    bool chunked;
    char head[4096], tail[5];
    size_t head_used;
    char buffer[READ_SIZE];
};

static void ask(struct caller *c);

static void on_closed(uv_handle_t *h)
{
    (void)h;
}

static void fail(struct caller *c)
{
    c->load->failures++;
    if (!uv_is_closing((uv_handle_t *)&c->tcp))
        uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void read_head(struct caller *c)
{
    const char *length = strstr(c->head, "Content-Length: ");
    if (!length)
        length = strstr(c->head, "content-length: ");
    c->chunked = length == NULL;
    c->left = length ? strtoul(length + 16, NULL, 10) : 0;
}

/* Takes head bytes; how many were used. */
static size_t take_head(struct caller *c, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && c->head_n < 4 && c->head_used + 1 < sizeof c->head) {
        char wanted = c->head_n % 2 == 0 ? '\r' : '\n';
        c->head[c->head_used++] = p[i];
        c->head_n = p[i] == wanted ? c->head_n + 1 : p[i] == '\r' ? 1 : 0;
        i++;
    }
    c->head[c->head_used] = '\0';
    if (c->head_n == 4)
        read_head(c);
    return i;
}

/* True at the end of the answer. Chunks are not parsed: an answer ends where its last bytes say so.
 */
static bool take_body(struct caller *c, const char *p, size_t n)
{
    if (!c->chunked) {
        c->left -= n < c->left ? n : c->left;
        return c->left == 0;
    }
    size_t keep = n < sizeof c->tail ? n : sizeof c->tail;
    memmove(c->tail, c->tail + keep, sizeof c->tail - keep);
    memcpy(c->tail + sizeof c->tail - keep, p + n - keep, keep);
    return memcmp(c->tail, "0\r\n\r\n", sizeof c->tail) == 0;
}

static void on_alloc(uv_handle_t *h, size_t wanted, uv_buf_t *ret)
{
    struct caller *c = h->data;
    (void)wanted;
    *ret = uv_buf_init(c->buffer, sizeof c->buffer);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct caller *c = s->data;
    if (n < 0) {
        fail(c);
        return;
    }
    c->load->bytes += (uint64_t)n;
    size_t used = c->head_n < 4 ? take_head(c, b->base, (size_t)n) : 0;
    bool in_body = c->head_n == 4;
    if (in_body && ((size_t)n > used || c->left == 0) &&
        take_body(c, b->base + used, (size_t)n - used)) {
        c->load->answers++;
        ask(c);
    }
}

static void ask(struct caller *c)
{
    uv_buf_t request = uv_buf_init(c->load->request, (unsigned)c->load->request_n);
    c->head_n = c->head_used = 0;
    memset(c->tail, 0, sizeof c->tail);
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &request, 1, NULL) < 0)
        fail(c);
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct caller *c = connect->data;
    if (status < 0 || uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) < 0)
        fail(c);
    else
        ask(c);
}

static void open_caller(struct load *l, struct caller *c)
{
    c->load = l;
    uv_tcp_init(&l->loop, &c->tcp);
    uv_tcp_nodelay(&c->tcp, 1);
    c->tcp.data = c;
    c->connect.data = c;
    if (uv_tcp_connect(&c->connect, &c->tcp, (const struct sockaddr *)&l->address, on_connected) <
        0)
        fail(c);
}

static void on_time_over(uv_timer_t *t)
{
    uv_stop(t->loop);
}

static void close_any(uv_handle_t *h, void *arg)
{
    (void)arg;
    if (!uv_is_closing(h))
        uv_close(h, on_closed);
}

static int make_request(struct load *l, const char *path)
{
    static char body[1u << 20];
    size_t n = fread(body, 1, sizeof body, stdin);
    l->request = malloc(n + 1024);
    if (!l->request)
        return -1;
    int head =
        snprintf(l->request, 1024,
                 "POST %.400s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                 "Authorization: Bearer k\r\nContent-Length: %zu\r\n\r\n",
                 path, n);
    memcpy(l->request + head, body, n);
    l->request_n = (size_t)head + n;
    return 0;
}

static void report(const struct load *l, double seconds)
{
    printf("{\"answers_per_s\": %.0f, \"bytes_per_s\": %.0f, \"failures\": %llu}\n",
           (double)l->answers / seconds, (double)l->bytes / seconds,
           (unsigned long long)l->failures);
}

int main(int argc, char **argv)
{
    struct load l = {0};
    uv_timer_t timer;
    if (argc != 5 || make_request(&l, argv[2]) < 0) {
        fputs("usage: http_load PORT PATH CONNECTIONS SECONDS < BODY\n", stderr);
        return 2;
    }
    size_t n = strtoul(argv[3], NULL, 10);
    double seconds = strtod(argv[4], NULL);
    struct caller *callers = calloc(n, sizeof *callers);
    if (!callers || uv_loop_init(&l.loop) < 0)
        return 3;
    uv_ip4_addr("127.0.0.1", (int)strtol(argv[1], NULL, 10), &l.address);
    uv_timer_init(&l.loop, &timer);
    uv_timer_start(&timer, on_time_over, (uint64_t)(seconds * 1000), 0);
    for (size_t i = 0; i < n; i++)
        open_caller(&l, &callers[i]);
    uv_run(&l.loop, UV_RUN_DEFAULT);
    report(&l, seconds);
    uv_walk(&l.loop, close_any, NULL);
    uv_run(&l.loop, UV_RUN_DEFAULT);
    int rc = uv_loop_close(&l.loop) == 0 ? 0 : 1;
    free(callers);
    free(l.request);
    return rc;
}
