/* The answer of a model server, whole and in two pieces: both must come to the same. */
#include "agent/llm.h"
#include "base/err.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_text(void *ctx, enum llm_text_kind kind, const char *p, size_t n)
{
    struct buf *seen = ctx;
    if (buf_add(&seen[kind], p, n) < 0)
        abort();
}

static struct llm_reply read_answer(const char *p, size_t n, size_t cut, struct buf *seen)
{
    struct llm_reply reply;
    struct llm_reader *r = llm_openai_chat.reader_create(on_text, seen);
    if (!r)
        abort();
    int rc = llm_openai_chat.reader_feed(r, p, cut);
    if (rc == 0)
        rc = llm_openai_chat.reader_feed(r, p + cut, n - cut);
    if (rc < 0 || llm_openai_chat.reader_finish(r, &reply) < 0)
        abort();
    llm_openai_chat.reader_destroy(r);
    return reply;
}

static void compare_calls(const struct llm_reply *a, const struct llm_reply *b)
{
    if (a->finish != b->finish || a->n_calls != b->n_calls)
        abort();
    for (size_t i = 0; i < a->n_calls; i++)
        if (strcmp(a->calls[i].args, b->calls[i].args) != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf one[2] = {{0}}, two[2] = {{0}};
    const char *p = (const char *)data;
    log_set_level(LOG_ERROR);
    struct llm_reply a = read_answer(p, size, size, one);
    struct llm_reply b = read_answer(p, size, size / 2, two);
    compare_calls(&a, &b);
    for (int kind = LLM_TEXT; kind <= LLM_THOUGHT; kind++) {
        if (one[kind].n != two[kind].n)
            abort();
        if (one[kind].n > 0 && memcmp(one[kind].p, two[kind].p, one[kind].n) != 0)
            abort();
        buf_deinit(&one[kind]);
        buf_deinit(&two[kind]);
    }
    llm_reply_deinit(&a);
    llm_reply_deinit(&b);
    return 0;
}
