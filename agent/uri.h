#ifndef AGENT_URI_H
#define AGENT_URI_H

/* The absolute path a file URI names ("file:///a%20b#L3" -> "/a b"), or a plain absolute path.
 * 0: the caller frees *ret. E_INVALID: it names no local file. E_NOMEM. */
int uri_to_path(const char *uri, char **ret);

#endif
