#include "base/err.h"
#include "conformance/catalog.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void put(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void drop(const char *dir, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(remove(path), 0);
}

static int make_folder(void **state)
{
    char template[] = "/tmp/catalog-XXXXXX";
    char *dir = strdup(mkdtemp(template));
    char path[512];
    snprintf(path, sizeof path, "%s/prompt", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/jsonrpc", dir);
    mkdir(path, 0700);
    put(dir, "README", "no area");
    put(dir, "prompt/streams.json", "{\"title\": \"Streams\"}");
    put(dir, "prompt/notes.txt", "no case");
    put(dir, "jsonrpc/broken.json", "{\n  \"title\": tru\n}");
    *state = dir;
    return 0;
}

static int drop_folder(void **state)
{
    static const char *const names[] = {"prompt/streams.json",
                                        "prompt/notes.txt",
                                        "jsonrpc/broken.json",
                                        "README",
                                        "prompt",
                                        "jsonrpc",
                                        ""};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        drop(*state, names[i]);
    free(*state);
    return 0;
}

static void reads_a_folder(void **state)
{
    struct catalog c;
    char err[256];
    assert_int_equal(catalog_open_dir(*state, &c, err, sizeof err), 0);
    assert_int_equal(c.n, 2);
    assert_string_equal(c.cases[0].id, "jsonrpc/broken");
    struct case_file *streams = catalog_find(&c, "prompt/streams");
    assert_non_null(streams);
    assert_null(streams->json);
    assert_string_equal(case_title(streams), "Streams");
    assert_null(streams->json); /* the rest of it was not needed */
    assert_non_null(case_json(streams, err, sizeof err));
    assert_string_equal(case_title(streams), "Streams");
    assert_int_equal(case_area(streams), 6);
    assert_null(catalog_find(&c, "prompt/none"));
    assert_string_equal(catalog_nearest(&c, "prompt/stream"), "prompt/streams");
    catalog_close(&c);
    catalog_close(&c);
}

static void names_what_is_no_json(void **state)
{
    struct catalog c;
    char err[256];
    assert_int_equal(catalog_open_dir(*state, &c, err, sizeof err), 0);
    assert_null(case_json(catalog_find(&c, "jsonrpc/broken"), err, sizeof err));
    assert_non_null(strstr(err, "jsonrpc/broken.json:2:"));
    assert_non_null(strstr(err, "not JSON"));
    assert_string_equal(case_title(catalog_find(&c, "jsonrpc/broken")), "(no title)");
    catalog_close(&c);
}

static void names_a_missing_folder(void **state)
{
    struct catalog c;
    char err[256];
    (void)state;
    assert_true(catalog_open_dir("/nowhere/cases", &c, err, sizeof err) < 0);
    assert_non_null(strstr(err, "/nowhere/cases"));
    struct case_file f;
    assert_true(case_file_read("/nowhere/a.json", &f, err, sizeof err) < 0);
    assert_non_null(strstr(err, "/nowhere/a.json"));
}

static void reads_one_file(void **state)
{
    struct case_file f;
    char path[512], err[256];
    snprintf(path, sizeof path, "%s/prompt/streams.json", (const char *)*state);
    assert_int_equal(case_file_read(path, &f, err, sizeof err), 0);
    assert_string_equal(f.id, "prompt/streams");
    assert_string_equal(json_get_str(case_json(&f, err, sizeof err), "title"), "Streams");
    case_file_deinit(&f);
}

#define VARY(variants) "{\"title\": \"Varies\", \"model\": {\"a\": [1]}, \"vary\": {" variants "}}"

static void one_file_for_many_cases(void **state)
{
    struct catalog c;
    char path[512], err[256];
    snprintf(path, sizeof path, "%s/prompt/streams.json", (const char *)*state);
    put(*state, "prompt/streams.json",
        VARY("\"two\": {\"/model/a/0\": 2, \"/title\": \"T\"}, \"one\": {\"/model\": null}"));
    assert_int_equal(catalog_open_dir(*state, &c, err, sizeof err), 0);
    assert_int_equal(c.n, 3);
    assert_null(catalog_find(&c, "prompt/streams"));
    struct case_file *two = catalog_find(&c, "prompt/streams@two");
    struct case_file *one = catalog_find(&c, "prompt/streams@one");
    assert_string_equal(case_title(two), "Varies"); /* as the file says it, unparsed */
    const cJSON *root = case_json(two, err, sizeof err);
    assert_string_equal(json_get_str(root, "title"), "T");
    assert_int_equal(cJSON_GetArraySize(json_get(json_get(root, "model"), "a")), 2);
    assert_null(json_get(root, "vary"));
    assert_true(cJSON_IsNull(json_get(case_json(one, err, sizeof err), "model")));
    catalog_close(&c);
    assert_int_equal(catalog_open_file(path, &c, err, sizeof err), 0);
    assert_int_equal(c.n, 2);
    catalog_close(&c);
    put(*state, "prompt/streams.json", "{\"title\": \"Streams\"}");
}

static void names_variants_that_are_none(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {VARY("\"a\": {\"/none/x\": 1}"), "\"/none/x\" leads nowhere"},
        {VARY("\"a\": {\"none\": 1}"), "\"none\" leads nowhere"},
        {VARY("\"a\": 1"), "\"a\" must be {POINTER: VALUE, ...}"},
        {VARY("\"a\": {}, \"a\": {}"), "\"a\" stands twice"},
        {VARY("\"A b\": {}"), "\"A b\" is no name"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct catalog c;
        char path[512], err[256];
        snprintf(path, sizeof path, "%s/prompt/streams.json", (const char *)*state);
        put(*state, "prompt/streams.json", rows[i].text);
        assert_int_equal(catalog_open_file(path, &c, err, sizeof err), 0);
        assert_null(case_json(&c.cases[0], err, sizeof err));
        if (!strstr(err, rows[i].want))
            fail_msg("%s: %s", rows[i].text, err);
        catalog_close(&c);
    }
    put(*state, "prompt/streams.json", "{\"title\": \"Streams\"}");
}

static void opens_what_is_embedded(void **state)
{
    struct catalog c;
    (void)state;
    assert_int_equal(catalog_open_embedded(&c), 0);
    for (size_t i = 1; i < c.n; i++)
        assert_true(strcmp(c.cases[i - 1].id, c.cases[i].id) < 0);
    catalog_close(&c);
}

static void titles_of_any_form(void **state)
{
    static const struct {
        const char *text, *title;
    } rows[] = {
        {" {\n \"title\" : \"a \\\"b\\\" \\u00e9\", \"steps\": []}", "a \"b\" \xc3\xa9"},
        {"{\"why\": \"w\", \"title\": \"second\"}", "second"},
        {"{\"title\": 5}", "(no title)"},
        {"{\"title\": \"cut", "(no title)"},
        {"{\"title\": \"cut\\", "(no title)"},
        {"", "(no title)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct case_file c = {.path = strdup("p"), .text = rows[i].text, .n = strlen(rows[i].text)};
        assert_string_equal(case_title(&c), rows[i].title);
        case_file_deinit(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_folder),
        cmocka_unit_test(titles_of_any_form),
        cmocka_unit_test(names_what_is_no_json),
        cmocka_unit_test(names_a_missing_folder),
        cmocka_unit_test(reads_one_file),
        cmocka_unit_test(one_file_for_many_cases),
        cmocka_unit_test(names_variants_that_are_none),
        cmocka_unit_test(opens_what_is_embedded),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
