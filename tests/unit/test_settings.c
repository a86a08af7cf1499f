/* What a session's user can choose: words, notes for the model, files, and how it lasts. */
#include "agent/settings.h"
#include "base/err.h"

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

static const char *const *variables;

static const char *env(const char *name)
{
    for (const char *const *v = variables; *v; v += 2)
        if (strcmp(v[0], name) == 0)
            return v[1];
    return NULL;
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(mode_find("plan"), MODE_PLAN);
    assert_int_equal(mode_find("Plan"), -1);
    assert_int_equal(work_find("delivery"), WORK_DELIVERY);
    assert_int_equal(work_find(""), -1);
    assert_int_equal(approval_find("yolo"), APPROVAL_YOLO);
    for (int i = 0; i < MODE_COUNT; i++)
        assert_int_equal(mode_find(mode_choice((enum mode)i)->value), i);
}

static void test_notes(void **state)
{
    (void)state;
    assert_null(mode_note(MODE_NORMAL, MODE_NORMAL));
    assert_non_null(strstr(mode_note(MODE_PLAN, MODE_NORMAL), "plan"));
    assert_non_null(strstr(mode_note(MODE_NORMAL, MODE_PLAN), "normal"));
    assert_null(work_note(WORK_ECONOMY, WORK_ECONOMY));
    assert_non_null(work_note(WORK_DELIVERY, WORK_BALANCED));
}

static void test_plan_changes_nothing(void **state)
{
    (void)state;
    assert_null(mode_refusal(MODE_PLAN, ACP_KIND_READ));
    assert_null(mode_refusal(MODE_PLAN, ACP_KIND_SEARCH));
    assert_non_null(mode_refusal(MODE_PLAN, ACP_KIND_EDIT));
    assert_non_null(mode_refusal(MODE_PLAN, ACP_KIND_EXECUTE));
    assert_non_null(mode_refusal(MODE_PLAN, ACP_KIND_OTHER));
    assert_null(mode_refusal(MODE_NORMAL, ACP_KIND_EXECUTE));
}

static void test_lasting(void **state)
{
    (void)state;
    struct settings a, b;
    struct buf text = {0};
    settings_init(&a);
    a.mode = MODE_PLAN;
    a.work = a.told_work = WORK_DELIVERY;
    a.approval = APPROVAL_AUTO;
    a.model = strdup("openai/\"x\"");
    a.effort = strdup("low");
    assert_int_equal(settings_write(&a, &text), 0);
    settings_init(&b);
    assert_int_equal(settings_read(&b, buf_cstr(&text)), 0);
    assert_int_equal(b.mode, MODE_PLAN);
    assert_int_equal(b.told_mode, MODE_NORMAL);
    assert_int_equal(b.work, WORK_DELIVERY);
    assert_int_equal(b.told_work, WORK_DELIVERY);
    assert_int_equal(b.approval, APPROVAL_AUTO);
    assert_string_equal(b.model, "openai/\"x\"");
    assert_string_equal(b.effort, "low");
    settings_deinit(&a);
    settings_deinit(&b);
    buf_deinit(&text);
}

static void test_texts_of_others(void **state)
{
    static const char *const texts[] = {NULL, "", "nonsense", "[]",
                                        "{\"mode\":\"fly\",\"model\":5}"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct settings s;
        settings_init(&s);
        assert_int_equal(settings_read(&s, texts[i]), 0);
        assert_int_equal(s.mode, MODE_NORMAL);
        assert_null(s.model);
        settings_deinit(&s);
    }
}

/* A home with a config.json, and a project in it. */
struct place {
    char home[32];
    const char *variables[5];
    struct config config;
};

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void make(struct place *p, const char *config)
{
    char path[64];
    snprintf(p->home, sizeof p->home, "/tmp/test_settings_XXXXXX");
    assert_non_null(mkdtemp(p->home));
    snprintf(path, sizeof path, "%s/.acp-agent", p->home);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/sub", p->home);
    assert_int_equal(mkdir(path, 0700), 0);
    if (config)
        write_file(p->home, "config.json", config);
    memcpy(p->variables, (const char *[]){"ACP_AGENT_HOME", p->home, "OPENAI_API_KEY", "sk", NULL},
           sizeof p->variables);
    variables = p->variables;
    config_init(&p->config);
    assert_int_equal(config_load(&p->config, env), 0);
}

static void drop(struct place *p)
{
    char command[80];
    config_deinit(&p->config);
    snprintf(command, sizeof command, "rm -r %s", p->home);
    assert_int_equal(system(command), 0);
}

static int begin(struct place *p, struct settings *s, struct settings_start *start)
{
    char cwd[64];
    snprintf(cwd, sizeof cwd, "%s/sub", p->home);
    start->config = &p->config;
    start->cwd = cwd;
    settings_init(s);
    int rc = settings_begin(s, start);
    start->cwd = NULL;
    return rc;
}

static void test_later_ones_win(void **state)
{
    (void)state;
    struct place p;
    struct settings s;
    struct settings_start start = {.model = NULL};
    make(&p, "{\"model\": \"openai/gpt-5-mini\", \"effort\": \"low\", \"workMode\": \"economy\", "
             "\"toolApproval\": \"auto\"}");
    assert_int_equal(begin(&p, &s, &start), 0);
    assert_string_equal(s.model, "openai/gpt-5-mini");
    assert_string_equal(s.effort, "low");
    assert_int_equal(s.work, WORK_ECONOMY);
    assert_int_equal(s.approval, APPROVAL_AUTO);
    settings_deinit(&s);
    write_file(p.home, ".acp-agent/config.json",
               "{\"model\": \"openai/gpt-5\", \"effort\": \"high\", \"workMode\": \"delivery\"}");
    assert_int_equal(begin(&p, &s, &start), 0);
    assert_string_equal(s.model, "openai/gpt-5");
    assert_string_equal(s.effort, "high");
    assert_int_equal(s.work, WORK_DELIVERY);
    settings_deinit(&s);
    start = (struct settings_start){.model = "openai/any", .work_mode = "balanced"};
    assert_int_equal(begin(&p, &s, &start), 0);
    assert_string_equal(s.model, "openai/any");
    assert_null(s.effort); /* that model declares none */
    assert_int_equal(s.work, WORK_BALANCED);
    settings_deinit(&s);
    drop(&p);
}

static void test_what_a_project_may_not(void **state)
{
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"{\"providers\": {}}", "a project may only"},
        {"{\"toolApproval\": \"yolo\"}", "a project may only"},
        {"{\"speed\": 1}", "no such setting"},
        {"{\"model\": \"nope/x\"}", "known provider"},
        {"{\"workMode\": \"lazy\"}", "workMode"},
        {"{\n  \"model\": }", "line 2, column 12"},
        {"{ // x\n}", "line 1, column 3: JSON has no comments"},
        {"[]", "expected an object"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct place p;
        struct settings s;
        struct settings_start start = {.model = NULL};
        make(&p, NULL);
        write_file(p.home, ".acp-agent/config.json", bad[i].text);
        assert_int_equal(begin(&p, &s, &start), E_INVALID);
        assert_non_null(strstr(start.error, ".acp-agent/config.json"));
        assert_non_null(strstr(start.error, bad[i].word));
        settings_deinit(&s);
        drop(&p);
    }
}

static void test_effort(void **state)
{
    (void)state;
    struct place p;
    struct settings s;
    make(&p, NULL);
    settings_init(&s);
    assert_null(settings_effort(&s, &p.config));
    s.model = strdup("openai/gpt-5");
    assert_null(settings_effort(&s, &p.config));
    s.work = WORK_ECONOMY;
    assert_string_equal(settings_effort(&s, &p.config), "low");
    s.effort = strdup("high");
    assert_string_equal(settings_effort(&s, &p.config), "high");
    free(s.model);
    s.model = strdup("openai/gpt-4.1");
    assert_null(settings_effort(&s, &p.config));
    settings_deinit(&s);
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_plan_changes_nothing),
        cmocka_unit_test(test_lasting),
        cmocka_unit_test(test_texts_of_others),
        cmocka_unit_test(test_later_ones_win),
        cmocka_unit_test(test_what_a_project_may_not),
        cmocka_unit_test(test_effort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
