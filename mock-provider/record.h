#ifndef MOCK_PROVIDER_RECORD_H
#define MOCK_PROVIDER_RECORD_H

#include <uv.h>

/*
 * Stands between a caller and a real model API, passes everything through, and writes what was
 * answered as a script that acp-mock-provider plays again. Keys go to that API only, never into the
 * file.
 */
struct recorder;

struct recorder_options {
    int port;         /* 0: a free one */
    const char *url;  /* "https://api.example": paths are added; lent until on_closed */
    const char *file; /* written anew after each answer; lent until on_closed */
};

/* 0; or E_NOMEM or libuv's code (then on_closed never comes, but the loop has to run one turn
 * more). */
int recorder_open(uv_loop_t *loop, const struct recorder_options *options,
                  void (*on_closed)(void *ctx), void *ctx, struct recorder **ret);
int recorder_port(const struct recorder *r);
/* Cancels what runs; on_closed is the last call. Idempotent. */
void recorder_close(struct recorder *r);

#endif
