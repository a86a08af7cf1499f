#ifndef CONFORMANCE_REQUIREMENT_H
#define CONFORMANCE_REQUIREMENT_H

#include <stddef.h>

/*
 * The rules that cases and monitors judge: one row of requirements.tsv each.
 */
struct requirement {
    const char *id;     /* "PROMPT-12"; all texts are lent by the table */
    const char *party;  /* "agent", "client" or "both": who is bound */
    const char *level;  /* "MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY" or "SCHEMA" */
    const char *area;   /* "prompt" */
    const char *method; /* wire name, or "*" */
    const char *text;   /* the rule in one sentence */
    const char *how;    /* how it is seen on the wire, and what is not judged */
    const char *source; /* where it stands */
    const char *reason; /* why no case covers it (conformance/coverage.h); "" if one does */
    const char *tag;    /* how firm its words are: what the last bracket of the source holds */
};

struct requirements {
    char *text;               /* owned copy of the file, cut into fields */
    struct requirement *rows; /* owned, sorted by id */
    size_t n;
};

/* Parses a table (tab-separated, one head line). 0, E_NOMEM, or E_PARSE for a row that has not
 * nine fields. */
int requirements_load(const char *tsv, size_t n, struct requirements *ret);

/* Accepts a zeroed table. */
void requirements_deinit(struct requirements *t);

/* NULL if there is none of that id. Lent by the table. */
const struct requirement *requirements_find(const struct requirements *t, const char *id);

/* The id nearest to a misspelt one, or NULL. */
const char *requirements_nearest(const struct requirements *t, const char *id);

#endif
