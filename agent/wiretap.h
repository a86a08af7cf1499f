#ifndef AGENT_WIRETAP_H
#define AGENT_WIRETAP_H

#include <stddef.h>

/*
 * --trace: every line of both directions, appended to a file as NDJSON: {"ms": since the start,
 * "from": "client"|"agent", "message": the JSON} or, for what is no JSON, "text".
 */
struct wiretap;

enum wiretap_from { WIRETAP_CLIENT, WIRETAP_AGENT };

/* 0, or the system's error. */
int wiretap_open(const char *path, struct wiretap **ret);
/* Bytes as they pass, in any pieces. Accepts NULL. */
void wiretap_pass(struct wiretap *w, enum wiretap_from from, const char *bytes, size_t n);
/* Accepts NULL. */
void wiretap_close(struct wiretap *w);

#endif
