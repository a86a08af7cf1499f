#include "base/err.h"
#include "conformance/catalog.h"
#include "conformance/embed.h"
#include "conformance/facts.h"
#include "conformance/profile.h"

#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct profile_places places = {"http://127.0.0.1:1", "/w", "/h", "/nowhere/bin"};

static const char *get(char **env, const char *name)
{
    size_t n = strlen(name);
    for (; *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

static void the_built_in_profile(void **state)
{
    struct profile p;
    char err[256];
    (void)state;
    assert_int_equal(profile_open("acp-agent", &p, err, sizeof err), 0);
    char **argv = profile_argv(&p, &places), **env = profile_env(&p, &places);
    assert_string_equal(argv[0], "acp-agent"); /* not beside us: PATH finds it */
    assert_string_equal(argv[1], "acp");
    assert_string_equal(get(env, "OPENAI_BASE_URL"), "http://127.0.0.1:1/v1");
    assert_string_equal(get(env, "HOME"), "/h");
    assert_string_equal(get(env, "ACP_AGENT_HOME"), "/h");
    assert_true(profile_has_intent(&p, "read"));
    assert_false(profile_has_intent(&p, "fly"));
    assert_false(profile_provides(&p, "x"));
    profile_free_list(argv);
    profile_free_list(env);
    profile_close(&p);
    profile_close(&p);
}

static struct profile from(const char *json)
{
    return (struct profile){.name = strdup("test"), .json = cJSON_Parse(json)};
}

static void places_are_filled_in(void **state)
{
    struct profile p = from("{\"command\": [\"{bindir}/x\", \"{cwd}{home}\", \"{other} {\", \"{\"],"
                            " \"env\": {\"A\": \"<{provider}>\", \"LANG\": null}, \"provides\": "
                            "[\"shell\"], \"timeout_scale\": 2.5}");
    (void)state;
    char **argv = profile_argv(&p, &places), **env = profile_env(&p, &places);
    assert_string_equal(argv[1], "/w/h");
    assert_string_equal(argv[2], "{other} {");
    assert_string_equal(argv[3], "{");
    assert_null(argv[4]);
    assert_string_equal(get(env, "A"), "<http://127.0.0.1:1>");
    assert_null(get(env, "LANG"));
    assert_true(profile_provides(&p, "shell"));
    assert_true(profile_timeout_scale(&p) > 2.4 && profile_timeout_scale(&p) < 2.6);
    profile_free_list(argv);
    profile_free_list(env);
    profile_close(&p);
}

static void the_environment_is_clean(void **state)
{
    struct profile p =
        from("{\"command\": [\"x\"], \"inherit\": [\"TEST_TAKEN\", \"TEST_UNSET\"]}");
    (void)state;
    setenv("TEST_TAKEN", "1", 1);
    setenv("TEST_LEFT", "1", 1);
    char **env = profile_env(&p, &places);
    assert_string_equal(get(env, "TEST_TAKEN"), "1");
    assert_null(get(env, "TEST_LEFT"));
    assert_null(get(env, "TEST_UNSET"));
    assert_non_null(get(env, "PATH"));
    profile_free_list(env);
    profile_close(&p);
}

static void commands_replace_the_profiles(void **state)
{
    static char program[] = "./mine", argument[] = "acp";
    char *const words[] = {program, argument, NULL};
    struct profile bare = {0}, p = from("{\"command\": [\"x\"], \"env\": {\"A\": \"b\"}}");
    (void)state;
    assert_int_equal(profile_take_command(&bare, words), 0);
    assert_int_equal(profile_take_command(&p, words), 0);
    char **argv = profile_argv(&p, &places), **env = profile_env(&bare, &places);
    assert_string_equal(bare.name, "./mine");
    assert_string_equal(argv[0], "./mine");
    assert_string_equal(argv[1], "acp");
    assert_string_equal(get(env, "OPENAI_BASE_URL"), "http://127.0.0.1:1/v1");
    profile_free_list(argv);
    profile_free_list(env);
    profile_close(&p);
    profile_close(&bare);
}

static void bad_profiles_are_named(void **state)
{
    struct profile p;
    char err[256];
    (void)state;
    assert_int_equal(profile_open("nobody", &p, err, sizeof err), E_NOTFOUND);
    assert_non_null(strstr(err, "there is no profile \"nobody\"; there are: "));
    assert_non_null(strstr(err, "acp-agent"));
    assert_true(profile_open("/nowhere/x.json", &p, err, sizeof err) < 0);
    assert_non_null(strstr(err, "/nowhere/x.json"));

    static const struct {
        const char *text, *fault;
    } rows[] = {
        {"{\"comand\": []}", "/comand: unknown member \"comand\"; did you mean \"command\"?"},
        {"{\"command\": []}", "/command: name the program at least"},
        {"{\"command\": [1]}", "/command/0: expected string, got number"},
        {"{\"command\": [\"x\"], \"timeout_scale\": 0}",
         "/timeout_scale: deadlines are multiplied"},
        {"{\"command\": [\"x\"], \"home\": {\"../x\": \"\"}}", "paths below it"},
        {"{\"command\": [\"x\"], \"after_session\": [{\"method\": \"m\"}]}",
         "/after_session: each call is"},
        {"{\"command\": [\"x\"], \"eof_ms\": 0}", "/eof_ms: a number of milliseconds"},
        {"{\"command\": [\"x\"], \"npm\": {\"../x\": []}}", "without a path"},
        {"{\"command\": [\"x\"], \"known\": {\"RPC-01\": 1}}", "/known/RPC-01: expected string"},
        {"{\"command\": [\"x\"], \"like\": \"nobody\"}", "there is no profile \"nobody\""},
        {"[", "the profile "},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char path[] = "/tmp/profile-XXXXXX.json";
        int fd = mkstemps(path, 5);
        assert_true(fd >= 0);
        FILE *f = fdopen(fd, "w");
        fputs(rows[i].text, f);
        fclose(f);
        assert_true(profile_open(path, &p, err, sizeof err) < 0);
        assert_non_null(strstr(err, rows[i].fault));
        remove(path);
    }
}

static void open_text(const char *text, struct profile *ret)
{
    char err[256], path[] = "/tmp/profile-XXXXXX.json";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    assert_int_equal(profile_open(path, ret, err, sizeof err), 0);
    remove(path);
}

static void what_is_missing_is_as_in_another_one(void **state)
{
    struct profile p;
    (void)state;
    open_text("{\"like\": \"acp-agent\", \"command\": [\"x\"]}", &p);
    assert_true(profile_has_intent(&p, "read"));
    assert_int_equal(cJSON_GetArraySize(json_get(p.json, "command")), 1);
    profile_close(&p);
}

static void the_home_is_furnished(void **state)
{
    char home[] = "/tmp/home-XXXXXX", path[64], text[32] = "", err[256];
    struct profile p;
    (void)state;
    assert_non_null(mkdtemp(home));
    const struct profile_places here = {"http://h", "/c", home, "/b"};
    open_text("{\"command\": [\"x\"], \"home\": {\"a/b.json\": \"{\\\"url\\\": {provider}}\"}}",
              &p);
    assert_int_equal(profile_furnish(&p, &here, err, sizeof err), 0);
    snprintf(path, sizeof path, "%s/a/b.json", home);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "{\"url\": http://h}");
    remove(path);
    snprintf(path, sizeof path, "%s/a", home);
    remove(path);
    remove(home);
    profile_close(&p);
}

static void agents_are_found_or_their_install_is_named(void **state)
{
    char err[400], folder[] = "/tmp/peers-XXXXXX", path[64];
    struct profile p;
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("ACP_PEERS", folder, 1);
    open_text("{\"command\": [\"{peers}/x/no-such-agent\", \"{peers}/x/y.js\"]}", &p);
    assert_int_equal(profile_find(&p, &places, err, sizeof err), E_NOTFOUND);
    assert_non_null(strstr(err, "x/no-such-agent. Run `scripts/peers install "));
    profile_close(&p);
    open_text("{\"command\": [\"{peers}/x/sh\", \"{peers}/y.js\"], \"env\": {\"P\": "
              "\"{peers}:{PATH}\"}}",
              &p);
    assert_int_equal(profile_find(&p, &places, err, sizeof err), E_NOTFOUND);
    assert_non_null(strstr(err, "there is no /tmp/peers-"));
    snprintf(path, sizeof path, "%s/y.js", folder);
    fclose(fopen(path, "we"));
    assert_int_equal(profile_find(&p, &places, err, sizeof err), 0);
    char **argv = profile_argv(&p, &places), **env = profile_env(&p, &places);
    assert_string_equal(argv[0], "sh"); /* not there, so PATH finds it */
    assert_string_equal(argv[1], path);
    assert_int_equal(strncmp(get(env, "P"), folder, strlen(folder)), 0);
    assert_non_null(strstr(get(env, "P"), getenv("PATH")));
    profile_free_list(argv);
    profile_free_list(env);
    profile_close(&p);
    remove(path);
    remove(folder);
    unsetenv("ACP_PEERS");
}

static void intents_know_the_folder(void **state)
{
    struct profile p;
    (void)state;
    open_text("{\"command\": [\"x\"], \"eof_ms\": 7, \"intents\": {\"read\": {\"tool\": \"r\", "
              "\"args\": {\"a\": [\"{cwd}/{path}\"]}}}}",
              &p);
    cJSON *intents = profile_intents(&p, &places);
    const cJSON *a = json_get(json_get(json_get(intents, "read"), "args"), "a");
    assert_string_equal(a->child->valuestring, "/w/{path}");
    assert_int_equal(profile_eof_ms(&p, 2000), 7);
    assert_null(profile_after_session(&p));
    cJSON_Delete(intents);
    profile_close(&p);
}

/* Each can be opened, says how it is installed, and knows requirements by their names. */
static void all_built_in_profiles_open(void **state)
{
    unsigned seen = 0;
    (void)state;
    for (size_t i = 0; i < embed_count; i++) {
        char err[256], name[64];
        struct profile p;
        const char *file = embed_files[i].name;
        if (strncmp(file, "profiles/", 9) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 14, file + 9);
        if (profile_open(name, &p, err, sizeof err) < 0)
            fail_msg("%s", err);
        const char *program = json_get(p.json, "command")->child->valuestring;
        bool peer = strncmp(program, "{peers}/", 8) == 0;
        if (peer != (json_get(p.json, "npm") != NULL))
            fail_msg("%s: npm and the command do not go together", name);
        seen++;
        profile_close(&p);
    }
    assert_true(seen >= 18);
}

/* ---- needs --------------------------------------------------------------------------------------
 */

static void needs_are_met_or_named(void **state)
{
    static const struct {
        const char *play, *code;
    } rows[] = {
        {"{}", NULL},
        {"{\"needs\": [\"cap:loadSession\", \"cap:sessionCapabilities.list\"]}", NULL},
        {"{\"needs\": [\"cap:sessionCapabilities.close\"]}", "capability"},
        {"{\"needs\": [\"cap:promptCapabilities.image\"]}", "capability"},
        {"{\"needs\": [\"no-cap:loadSession\"]}", "capability"},
        {"{\"needs\": [\"no-cap:sessionCapabilities.close\"]}", NULL},
        {"{\"needs\": [\"intent:read\"]}", NULL},
        {"{\"needs\": [\"intent:write\"]}", "intent"},
        {"{\"needs\": [\"profile:shell\"]}", "profile"},
        {"{\"needs\": [\"auth:none\"]}", "auth"},
        {"{\"needs\": [\"auth:agent\"]}", NULL},
        {"{\"needs\": [\"modes\"]}", NULL},
        {"{\"needs\": [\"configOptions\"]}", "capability"},
    };
    struct profile p = from("{\"command\": [\"x\"], \"intents\": {\"read\": {}}}");
    struct facts f = {
        .initialize =
            cJSON_Parse("{\"protocolVersion\": 1, \"authMethods\": [{\"id\": \"a\", \"name\": "
                        "\"A\"}], \"agentCapabilities\":"
                        "{\"loadSession\": true, \"promptCapabilities\": {\"image\": false}, "
                        "\"sessionCapabilities\": {\"list\": {}, \"close\": null}}}"),
        .session = cJSON_Parse("{\"sessionId\": \"s\", \"modes\": {}, \"configOptions\": null}"),
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[256] = "";
        struct case_file c = {.text = rows[i].play,
                              .n = strlen(rows[i].play),
                              .id = strdup("a/b"),
                              .path = strdup("p")};
        const char *code = facts_skip(&f, &p, &c, text, sizeof text);
        if (rows[i].code ? !code || strcmp(code, rows[i].code) != 0 : code != NULL)
            fail_msg("%s: %s (%s)", rows[i].play, code ? code : "runs", text);
        assert_int_equal(text[0] != '\0', code != NULL);
        case_file_deinit(&c);
    }
    facts_deinit(&f);
    profile_close(&p);
}

static void whole_runs_are_skipped(void **state)
{
    static const char play[] = "{\"steps\": [{\"batch\": [{\"session\": \"s\"}]}]}";
    struct profile p = from("{\"command\": [\"x\"]}");
    struct facts f = {.initialize = cJSON_Parse("{\"protocolVersion\": 2}")};
    struct case_file c = {
        .text = play, .n = strlen(play), .id = strdup("a/b"), .path = strdup("p")};
    char text[256];
    (void)state;
    assert_string_equal(facts_skip(&f, &p, &c, text, sizeof text), "version");
    facts_deinit(&f);
    f = (struct facts){.initialize = cJSON_Parse("{\"protocolVersion\": 1}"), .auth_needed = true};
    assert_string_equal(facts_skip(&f, &p, &c, text, sizeof text), "auth");
    facts_deinit(&f);
    case_file_deinit(&c);
    profile_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_profile),
        cmocka_unit_test(places_are_filled_in),
        cmocka_unit_test(the_environment_is_clean),
        cmocka_unit_test(commands_replace_the_profiles),
        cmocka_unit_test(bad_profiles_are_named),
        cmocka_unit_test(what_is_missing_is_as_in_another_one),
        cmocka_unit_test(the_home_is_furnished),
        cmocka_unit_test(agents_are_found_or_their_install_is_named),
        cmocka_unit_test(intents_know_the_folder),
        cmocka_unit_test(all_built_in_profiles_open),
        cmocka_unit_test(needs_are_met_or_named),
        cmocka_unit_test(whole_runs_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
