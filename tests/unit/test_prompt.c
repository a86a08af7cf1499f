/* Prompt blocks -> the user message, and what is refused. */
#include "agent/media.h"
#include "agent/prompt.h"
#include "agent/uri.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_with(unsigned input, const char *json, struct prompt *p, struct json_error *err)
{
    cJSON *params = NULL;
    assert_int_equal(json_parse(json, strlen(json), &params, NULL), 0);
    int rc = prompt_read(params, input, p, err);
    cJSON_Delete(params);
    return rc;
}

static int read_prompt(const char *json, struct prompt *p, struct json_error *err)
{
    return read_with(0, json, p, err);
}

static void check(const char *json, const char *want)
{
    struct prompt p = {0};
    struct json_error err;
    assert_int_equal(read_prompt(json, &p, &err), 0);
    char *got = prompt_render(&p);
    assert_non_null(got);
    assert_string_equal(got, want);
    free(got);
    prompt_deinit(&p);
}

static void refuse(const char *json, const char *path, const char *text)
{
    struct prompt p = {0};
    struct json_error err;
    assert_int_equal(read_prompt(json, &p, &err), E_INVALID);
    assert_string_equal(err.path, path);
    assert_non_null(strstr(err.text, text));
    assert_null(p.parts);
}

static void test_text(void **state)
{
    (void)state;
    check("{\"prompt\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\"\\n\"}]}", "a \"b\"\n");
    check("{\"prompt\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
          "a\nb");
    check("{\"prompt\":[{\"type\":\"text\",\"text\":\"a\",\"annotations\":5,\"x\":1}],"
          "\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}",
          "a");
}

static void test_older_content(void **state)
{
    (void)state;
    check("{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}", "a");
    check("{\"prompt\":[],\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}", "a");
    check("{\"prompt\":null,\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}", "a");
    refuse("{\"content\":[{\"type\":\"x\"}]}", "params.content[0]", "unknown type");
}

static void test_links(void **state)
{
    (void)state;
    check("{\"prompt\":[{\"type\":\"text\",\"text\":\"see \"},{\"type\":\"resource_link\",\"uri\":"
          "\"https://x.test/a\",\"name\":\"a\",\"size\":\"big\"},"
          "{\"type\":\"text\",\"text\":\" now\"}]}",
          "see [a](https://x.test/a) now");
}

static void test_link_with_contents(void **state)
{
    (void)state;
    struct prompt p = {0};
    struct json_error err;
    assert_int_equal(read_prompt("{\"prompt\":[{\"type\":\"resource_link\",\"uri\":"
                                 "\"file:///w/a%20b.c#L3\",\"name\":\"a b.c\"}]}",
                                 &p, &err),
                     0);
    assert_string_equal(p.parts[0].path, "/w/a b.c");
    p.parts[0].note = strdup("the file goes on");
    char *named = prompt_render(&p);
    assert_string_equal(named, "[a b.c](file:///w/a%20b.c#L3) (the file goes on)");
    free(named);
    p.parts[0].text = strdup("int x;\n");
    char *whole = prompt_render(&p);
    assert_string_equal(whole, "[a b.c](file:///w/a%20b.c#L3)\n\n"
                               "<context uri=\"file:///w/a%20b.c#L3\">\nint x;\n\n"
                               "[the file goes on]\n</context>");
    free(whole);
    prompt_deinit(&p);
}

#define RESOURCE(inner) "{\"prompt\":[{\"type\":\"resource\",\"resource\":{" inner "}}]}"

static void test_resources(void **state)
{
    (void)state;
    check(RESOURCE("\"uri\":\"file:///w/a.c\",\"text\":\"x\""),
          "[a.c](file:///w/a.c)\n\n<context uri=\"file:///w/a.c\">\nx\n</context>");
    check(RESOURCE("\"uri\":\"u\",\"text\":\"t\",\"blob\":\"eA==\",\"mimeType\":5"),
          "[u](u)\n\n<context uri=\"u\">\nt\n</context>");
    check(RESOURCE("\"uri\":\"u\",\"blob\":\"aGk=\""),
          "[u](u)\n\n<context uri=\"u\">\nhi\n</context>");
    check(RESOURCE("\"uri\":\"u\",\"blob\":\"AAEC/w==\""),
          "[u](u) (4 bytes of binary data, not shown)");
    check(RESOURCE("\"uri\":\"u\",\"blob\":\"\""), "[u](u)\n\n<context uri=\"u\">\n\n</context>");
    refuse(RESOURCE("\"uri\":\"u\",\"blob\":\"%%%\""), "params.prompt[0].resource.blob", "base64");
    refuse(RESOURCE("\"uri\":\"u\",\"blob\":\"a\""), "params.prompt[0].resource.blob", "base64");
    refuse(RESOURCE("\"uri\":\"u\""), "params.prompt[0].resource", "text or blob");
    refuse(RESOURCE("\"text\":\"t\""), "params.prompt[0].resource.uri", "missing");
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("{}", "params.prompt", "missing");
    refuse("{\"prompt\":\"text\"}", "params.prompt", "expected");
    refuse("{\"prompt\":[]}", "params.prompt", "holds nothing");
    refuse("{\"prompt\":[],\"content\":[]}", "params.prompt", "holds nothing");
    refuse("{\"prompt\":[{\"type\":\"text\",\"text\":\"\"}]}", "params.prompt", "holds nothing");
    refuse("{\"prompt\":[5]}", "params.prompt[0]", "content block");
    refuse("{\"prompt\":[{\"text\":\"x\"}]}", "params.prompt[0].type", "missing");
    refuse("{\"prompt\":[{\"type\":\"text\"}]}", "params.prompt[0].text", "missing");
    refuse("{\"prompt\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\",\"data\":\"\","
           "\"mimeType\":\"image/png\"}]}",
           "params.prompt[1]", "takes no image");
    refuse("{\"prompt\":[{\"type\":\"audio\"}]}", "params.prompt[0]", "takes no audio");
    refuse("{\"prompt\":[{\"type\":\"hologram\"}]}", "params.prompt[0]", "unknown type");
    refuse("{\"prompt\":[{\"type\":\"resource_link\",\"uri\":\"u\"}]}", "params.prompt[0].name",
           "missing");
}

static void check_path(const char *uri, const char *want)
{
    char *path = NULL;
    assert_int_equal(uri_to_path(uri, &path), want ? 0 : E_INVALID);
    if (want)
        assert_string_equal(path, want);
    else
        assert_null(path);
    free(path);
}

static void test_uris(void **state)
{
    (void)state;
    check_path("file:///a/b", "/a/b");
    check_path("FILE://localhost/a", "/a");
    check_path("file:/a", "/a");
    check_path("/a b#c?d%20", "/a b#c?d%20");
    check_path("file:///%e4%b8%AD?x=1", "/\xe4\xb8\xad");
    check_path("file:///a%2", "/a%2");
    check_path("file:///a%\x10"
               "1",
               "/a%\x10"
               "1");
    check_path("file:///a%00b", NULL);
    check_path("file://other/a", NULL);
    check_path("file:a", NULL);
    check_path("https://x/a", NULL);
    check_path("", NULL);
}

static void check_media(unsigned input, const char *block, const char *wrong)
{
    struct prompt p = {0};
    struct json_error err;
    char json[300];
    snprintf(json, sizeof json, "{\"prompt\":[{\"type\":\"text\",\"text\":\"see\"},%s]}", block);
    int rc = read_with(input, json, &p, &err);
    assert_int_equal(rc, wrong ? E_INVALID : 0);
    if (wrong) {
        assert_non_null(strstr(err.text, wrong));
        assert_string_equal(err.path, "params.prompt[1]");
    } else {
        char *text = prompt_render(&p);
        assert_string_equal(text, "see");
        assert_non_null(strstr(p.shown, "\"data\":\"aGk=\""));
        free(text);
    }
    prompt_deinit(&p);
}

static void test_media(void **state)
{
    (void)state;
    const char *image = "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGk=\"}";
    check_media(MEDIA_IMAGE, image, NULL);
    check_media(MEDIA_IMAGE | MEDIA_AUDIO, image, NULL);
    check_media(MEDIA_AUDIO, image, "takes no image blocks");
    check_media(MEDIA_IMAGE, "{\"type\":\"image\",\"mimeType\":\"image/tiff\",\"data\":\"aGk=\"}",
                "must be image/png");
    check_media(MEDIA_IMAGE, "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"!\"}",
                "base64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_media),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_older_content),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_link_with_contents),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_uris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
