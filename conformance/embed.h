#ifndef CONFORMANCE_EMBED_H
#define CONFORMANCE_EMBED_H

#include <stddef.h>

/*
 * The files built into the binary: "cases/<area>/<name>.json", "profiles/<name>.json",
 * "report/<name>" and "requirements.tsv". A NUL stands behind each text.
 */
struct embed_file {
    const char *name; /* path below conformance/ */
    const char *text;
    const char *end;
};

/* Written by the build (embed.cmake), in no particular order. */
extern const struct embed_file embed_files[];
extern const size_t embed_count;

/* NULL if there is none of that name. */
const struct embed_file *embed_find(const char *name);

#endif
