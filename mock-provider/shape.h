#ifndef MOCK_PROVIDER_SHAPE_H
#define MOCK_PROVIDER_SHAPE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The shape of a stream on the wire: the same events, written as another server would write them,
 * or broken at an exact place. Pure: bytes of a well-formed event stream in, in any pieces; bytes
 * out.
 */

enum shape_eol { SHAPE_EOL_OWN, SHAPE_EOL_LF, SHAPE_EOL_CRLF, SHAPE_EOL_CR };
enum shape_stop { SHAPE_GO_ON, SHAPE_CUT, SHAPE_RESET, SHAPE_STALL };

/* Ways of servers that call themselves compatible, for dialects to heed; bits. */
enum shape_quirk {
    QUIRK_INDEX_ZERO = 1 << 0,  /* every call has index 0 */
    QUIRK_NO_INDEX = 1 << 1,    /* calls have no index */
    QUIRK_ID_EACH = 1 << 2,     /* each fragment repeats id and name */
    QUIRK_ID_EMPTY = 1 << 3,    /* later fragments have an empty id and name */
    QUIRK_ARGS_OBJECT = 1 << 4, /* arguments as an object, whole */
    QUIRK_ARGS_BRACES = 1 << 5, /* "{}" first, the arguments later */
    QUIRK_ARGS_AGAIN = 1 << 6,  /* the whole arguments once more at the end */
    QUIRK_INTERLEAVED = 1 << 7, /* calls begin one after the other, then go on together */
    QUIRK_FINISH_STOP = 1 << 8, /* the finish does not tell of calls */
    QUIRK_USAGE_EACH = 1 << 9,  /* usage in each event */
    QUIRK_REASONING = 1 << 10,  /* thoughts under "reasoning" */
    QUIRK_THINK_TAGS = 1 << 11, /* thoughts in the text, between <think> tags */
    QUIRK_NULLS = 1 << 12,      /* null for every member a delta lacks */
    QUIRK_NO_ROLE = 1 << 13,    /* no delta gives the role */
    QUIRK_NO_IDS = 1 << 14,     /* calls have no id */
    QUIRK_EMPTY = 1 << 15,      /* an empty piece of text before each */
    QUIRK_EARLY = 1 << 16,      /* a finish in an empty event before anything is said */
    QUIRK_ROLE_EACH = 1 << 17,  /* each delta gives the role */
    QUIRK_CHOICES = 1 << 18,    /* events whose choices are empty, and null */
    QUIRK_ID_LATE = 1 << 19,    /* id and name come after the first piece of arguments */
    QUIRK_USAGE_LAST = 1 << 20, /* usage comes with the finish */
    QUIRK_ARGS_WHOLE = 1 << 21, /* arguments stand whole where the call begins, or ends */
    QUIRK_DONE_ONLY = 1 << 22,  /* no deltas: what is said stands in what ends it */
    QUIRK_DETAILS = 1 << 23,    /* thoughts in a list of details, too */
    QUIRK_NO_DONE = 1 << 24     /* no end mark, where it is not the finish as well */
};

struct shape {
    bool any; /* something below is set */
    enum shape_eol eol;
    bool bom;            /* before the first byte */
    bool no_space;       /* "data:{" */
    bool comments;       /* a comment line before each event */
    bool empty_data;     /* an event without data before each event */
    bool fields;         /* id and retry in each event */
    bool trailing;       /* spaces behind each event's data */
    bool extra;          /* a member nobody knows in each event */
    bool unknown;        /* an event of a type nobody knows before each event */
    bool pings;          /* an event "ping" before each event */
    bool multiline;      /* the data in two lines */
    bool no_event_lines; /* the lines that name the type are left out */
    bool no_last_blank;  /* no empty line after the last event */
    unsigned quirks;     /* what the dialect itself does otherwise */
    bool finish_twice;   /* the finish comes twice: written by finish.c */
    uint32_t blank;      /* empty lines before everything */
    uint32_t huge;       /* spaces in the data of the first event */
    /* Numbers of events, from 1; 0: none. */
    uint32_t duplicate, drop, garble;
    /* Where it stops, and how. */
    enum shape_stop stop;
    bool stop_by_events; /* else by bytes of the body */
    uint32_t stop_at;
    /* How it is written: that many bytes at once, that many ms between them. */
    uint32_t write, pause;
    const char *type; /* content type instead of the right one; lent, or NULL */
    bool whole;       /* one JSON answer, though a stream was asked for */
    bool gzip;        /* content-encoding */
    bool extension;   /* chunks have extensions, and trailers follow */
    bool has_length;  /* content-length instead of chunks */
    uint32_t length;
};

struct shape_run {
    struct buf line_up; /* an event that is not whole yet; owned */
    uint32_t events;    /* that came in */
    uint32_t written;   /* that went out */
    uint64_t bytes;
    bool begun;
    bool blank_due; /* the empty line of the last event */
    bool stopped;   /* at stop_at: nothing comes out any more */
};

void shape_deinit(struct shape_run *w);
/* Both append to out. 0 or E_NOMEM. A text without an empty line at its end waits for it. */
int shape_feed(struct shape_run *w, const struct shape *shape, const char *p, size_t n,
               struct buf *out);
int shape_end(struct shape_run *w, const struct shape *shape, struct buf *out);
/* For what is no stream of events: only blank, bom and stop_at by bytes. */
int shape_plain(struct shape_run *w, const struct shape *shape, const char *p, size_t n,
                struct buf *out);

/* Changes what `shape` leaves open by chance, which `random` gives: a legal shape, if not
 * `hostile`; else one that breaks off somewhere, too. */
void shape_chaos(struct shape *shape, uint64_t random, bool hostile);

#endif
