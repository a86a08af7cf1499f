#include "base/buf.h"
#include "base/err.h"
#include "conformance/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *id, *text;
} texts[] = {
    {"cancellation/held", "{\"checks\": [\"CANCEL-06\"], \"tags\": [\"tck:CANCEL-001\"]}"},
    {"prompt/streams", "{\"checks\": [\"PROMPT-15\"]}"},
    {"prompt/twice", "{\"checks\": [\"PROMPT-22\", \"PROMPT-15\"], \"tags\": [\"slow\"]}"},
    {"transport/banner", "{\"checks\": [\"TRANS-04\"]}"},
};

static struct catalog catalog;

static int load(void **state)
{
    (void)state;
    catalog.cases = calloc(ARRAY_LEN(texts), sizeof *catalog.cases);
    for (; catalog.n < ARRAY_LEN(texts); catalog.n++)
        catalog.cases[catalog.n] = (struct case_file){.id = strdup(texts[catalog.n].id),
                                                      .path = strdup("p"),
                                                      .text = texts[catalog.n].text,
                                                      .n = strlen(texts[catalog.n].text)};
    return 0;
}

static int unload(void **state)
{
    (void)state;
    catalog_close(&catalog);
    return 0;
}

/* The names of the selected cases, with spaces between. */
static void expect(const char *const *take, const char *const *drop, const char *want)
{
    struct selection_words w = {.take = take, .drop = drop};
    struct selection s = {0};
    struct buf got = {0};
    char err[256];
    while (take && take[w.n_take])
        w.n_take++;
    while (drop && drop[w.n_drop])
        w.n_drop++;
    int rc = select_cases(&catalog, &w, &s, err, sizeof err);
    for (size_t i = 0; i < s.n; i++)
        buf_addf(&got, "%s%s", i ? " " : "", s.cases[i]->id);
    assert_string_equal(rc == 0 ? buf_cstr(&got) : err, want);
    selection_deinit(&s);
    buf_deinit(&got);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void words_mean_cases(void **state)
{
    (void)state;
    expect(NULL, NULL, "cancellation/held prompt/streams prompt/twice transport/banner");
    expect(WORDS("prompt/twice"), NULL, "prompt/twice");
    expect(WORDS("prompt"), NULL, "prompt/streams prompt/twice");
    expect(WORDS("*/[bh]*"), NULL, "cancellation/held transport/banner");
    expect(WORDS("slow", "transport"), NULL, "prompt/twice transport/banner");
    expect(WORDS("tck:CANCEL-001"), NULL, "cancellation/held");
    expect(WORDS("PROMPT-15"), NULL, "prompt/streams prompt/twice");
    expect(NULL, WORDS("prompt", "TRANS-04"), "cancellation/held");
    expect(WORDS("prompt"), WORDS("slow"), "prompt/streams");
}

static void words_that_mean_nothing_are_told(void **state)
{
    (void)state;
    expect(WORDS("prompt/stream"), NULL,
           "no case, area, tag or judged requirement is called \"prompt/stream\"; did you mean "
           "\"prompt/streams\"?; "
           "`acp-conformance list` names all cases");
    expect(WORDS("x*"), NULL,
           "no case, area, tag or judged requirement is called \"x*\"; `acp-conformance list` "
           "names all cases");
    expect(NULL, WORDS("nothing"),
           "no case, area, tag or judged requirement is called \"nothing\"; `acp-conformance list` "
           "names all cases");
}

static void shards_share_the_selection(void **state)
{
    static const char *const want[] = {"cancellation/held", "prompt/twice"};
    (void)state;
    for (size_t i = 1; i <= 2; i++) {
        struct selection_words w = {
            .drop = WORDS("prompt/streams"), .n_drop = 1, .shard = i, .shards = 2};
        struct selection s = {0};
        char err[256];
        assert_int_equal(select_cases(&catalog, &w, &s, err, sizeof err), 0);
        assert_int_equal(s.n, i == 1 ? 2 : 1);
        assert_string_equal(s.cases[0]->id, want[i - 1]);
        selection_deinit(&s);
    }
}

static void only_tags_need_a_look_inside(void **state)
{
    struct catalog fresh = {calloc(1, sizeof *fresh.cases), 1};
    struct selection s;
    char err[256];
    (void)state;
    fresh.cases[0] =
        (struct case_file){.id = strdup("a/b"), .path = strdup("p"), .text = "{}", .n = 2};
    struct selection_words w = {.take = WORDS("a/*"), .n_take = 1};
    assert_int_equal(select_cases(&fresh, &w, &s, err, sizeof err), 0);
    assert_null(fresh.cases[0].json);
    selection_deinit(&s);
    catalog_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_mean_cases),
        cmocka_unit_test(words_that_mean_nothing_are_told),
        cmocka_unit_test(shards_share_the_selection),
        cmocka_unit_test(only_tags_need_a_look_inside),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
