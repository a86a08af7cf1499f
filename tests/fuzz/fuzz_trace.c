/* Any text as a recording: what is read is judged, told, and made a case of, and reads back the
 * same from what trace_write_event() makes of it. */
#include "base/buf.h"
#include "conformance/recording.h"
#include "conformance/replay.h"
#include "conformance/story.h"
#include "mock-client/trace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void use(const struct trace *t, const cJSON *header)
{
    struct story story;
    struct case_file file;
    struct buf out = {0};
    char err[256];
    must(story_tell(t, &story) == 0, "a story of any recording");
    must(story_compare(&story, &story, &out) == 0, "nothing differs from itself");
    if (replay_case(t, header, &file, err, sizeof err) == 0)
        case_file_deinit(&file);
    story_deinit(&story);
    buf_deinit(&out);
}

static void write_again(const struct trace *t)
{
    struct trace again;
    struct trace_fault fault;
    struct buf text = {0};
    cJSON *header = NULL;
    trace_init(&again, 0);
    for (size_t i = 0; i < t->n; i++) {
        must(trace_write_event(&text, t->events[i]) == 0, "memory");
        must(buf_addc(&text, '\n') == 0 && buf_cstr(&text), "memory");
    }
    must(t->n == 0 || trace_read(&again, text.p, text.n, &header, &fault) == 0, fault.text);
    must(again.n == t->n, "as many events");
    cJSON_Delete(header);
    buf_deinit(&text);
    trace_deinit(&again);
}

/* The same text as whatever recording it may be. */
static void read_any(const uint8_t *data, size_t size)
{
    struct recording r;
    struct trace_fault fault;
    struct buf text = {0};
    must(buf_add(&text, (const char *)data, size) == 0 && buf_cstr(&text), "memory");
    if (recording_read(&r, text.p, size, &fault) == 0)
        use(&r.trace, r.header);
    else
        must(fault.text[0] != '\0', "a reason");
    recording_deinit(&r);
    buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace t;
    struct trace_fault fault;
    struct buf text = {0};
    cJSON *header = NULL;
    trace_init(&t, 0);
    must(buf_add(&text, (const char *)data, size) == 0 && buf_cstr(&text), "memory");
    if (trace_read(&t, text.p, size, &header, &fault) == 0) {
        use(&t, header);
        write_again(&t);
    }
    cJSON_Delete(header);
    buf_deinit(&text);
    trace_deinit(&t);
    read_any(data, size);
    return 0;
}
