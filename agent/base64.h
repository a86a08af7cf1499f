#ifndef AGENT_BASE64_H
#define AGENT_BASE64_H

struct buf;

/* Appends the decoded bytes. White space is skipped, padding may be missing. 0, E_PARSE, E_NOMEM
 * (out is then as it was). */
int base64_decode(const char *text, struct buf *out);

#endif
