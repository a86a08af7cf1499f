#include "oom.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/recording.h"
#include "conformance/replay.h"
#include "conformance/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE(side, kind, rest)                                                                     \
    "{\"seq\":0,\"t\":1,\"side\":\"" side "\",\"kind\":\"" kind "\",\"step\":-1," rest "}\n"
#define MESSAGE(side, rest) LINE(side, "line", "\"message\":{\"jsonrpc\":\"2.0\"," rest "}")

static const char recording[] =
    "{\"trace\":1,\"side\":\"header\",\"cwd\":\"/w\",\"model\":[{\"reply\":[]}]}\n" LINE(
        "process", "start", "\"text\":\"agent\"")
        MESSAGE("client", "\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\"}")
            MESSAGE("agent", "\"id\":1,\"result\":{\"sessionId\":\"s\"}")
                MESSAGE("client", "\"id\":2,\"method\":\"session/prompt\",\"params\":{"
                                  "\"sessionId\":\"s\",\"prompt\":[]}")
                    MESSAGE("agent", "\"method\":\"session/update\",\"params\":{\"sessionId\":"
                                     "\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
                                     "\"content\":{\"type\":\"text\",\"text\":\"hi\"}}}")
                        MESSAGE("agent", "\"id\":7,\"method\":\"session/request_permission\","
                                         "\"params\":{\"sessionId\":\"s\"}")
                            MESSAGE("client", "\"id\":7,\"result\":{\"outcome\":{}}")
                                LINE("client", "raw", "\"text\":\"s ${x} \"")
                                    LINE("client", "raw", "\"base64\":\"/w==\"")
                                        MESSAGE("agent", "\"id\":null,\"error\":{\"code\":-32700,"
                                                         "\"message\":\"x\"}")
                                            MESSAGE("agent", "\"id\":2,\"result\":{"
                                                             "\"stopReason\":\"end_turn\"}")
                                                LINE("process", "eof-sent", "\"text\":\"\"")
                                                    LINE("process", "exit", "\"text\":\"code 0\"");

static int read_recording(struct trace *t, cJSON **header)
{
    struct trace_fault fault;
    char *text = strdup(recording);
    trace_init(t, 0);
    int rc = text ? trace_read(t, text, strlen(text), header, &fault) : E_NOMEM;
    free(text);
    if (rc < 0)
        trace_deinit(t);
    return rc;
}

static int read_again(void *ctx)
{
    struct trace t;
    cJSON *header = NULL;
    (void)ctx;
    int rc = read_recording(&t, &header);
    if (rc == 0)
        trace_deinit(&t);
    cJSON_Delete(header);
    return rc;
}

/* What others record: with labels, as texts, bare. */
static int read_foreign(void *ctx)
{
    static const char *const texts[] = {
        "{\"dir\":\"x\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}}\n"
        "{\"dir\":\"y\",\"raw\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1}\"}\n",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]"};
    int rc = 0;
    (void)ctx;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(texts); i++) {
        struct recording r;
        struct trace_fault fault;
        char *text = strdup(texts[i]);
        if (!text)
            return E_NOMEM;
        rc = recording_read(&r, text, strlen(text), &fault);
        if (rc == 0)
            assert_int_equal(r.trace.n, 3);
        recording_deinit(&r);
        free(text);
    }
    return rc;
}

struct desk {
    struct trace t;
    cJSON *header;
};

static int make_case(void *ctx)
{
    struct desk *d = ctx;
    struct case_file file;
    char err[256];
    int rc = replay_case(&d->t, d->header, &file, err, sizeof err);
    if (rc == 0)
        case_file_deinit(&file);
    return rc;
}

static int tell_story(void *ctx)
{
    struct desk *d = ctx;
    struct story s = {0};
    struct buf out = {0};
    int rc = story_tell(&d->t, &s);
    if (rc == 0) {
        struct story none = {0};
        rc = story_compare(&s, &none, &out);
        rc = rc > 0 ? 0 : rc;
    }
    story_deinit(&s);
    buf_deinit(&out);
    return rc;
}

static void test_each_allocation(void **state)
{
    struct desk d;
    (void)state;
    oom_fail_each(read_again, NULL);
    oom_fail_each(read_foreign, NULL);
    oom_reset(-1);
    assert_int_equal(read_recording(&d.t, &d.header), 0);
    oom_fail_each(make_case, &d);
    oom_fail_each(tell_story, &d);
    oom_reset(-1);
    trace_deinit(&d.t);
    cJSON_Delete(d.header);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
