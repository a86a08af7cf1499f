#ifndef AGENT_BLOB_H
#define AGENT_BLOB_H

struct buf;

/* Base64, as blobs are written: appends the decoded bytes. White space is skipped, padding may be
 * missing. 0, E_PARSE, E_NOMEM (out is then as it was). */
int blob_decode(const char *text, struct buf *out);

#endif
