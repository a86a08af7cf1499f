/* methods.def and enums.def say exactly what the schema's table says. */
#include "acp/check.h"
#include "acp/methods.h"
#include "acp/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_every_schema_method_is_listed(void **state)
{
    (void)state;
    assert_int_equal(schema_v1.method_n, ACP_METHOD_COUNT);
    for (size_t i = 0; i < schema_v1.method_n; i++) {
        const struct schema_method *want = &schema_v1.methods[i];
        enum acp_method m = acp_method_find(want->name);
        assert_int_not_equal(m, ACP_METHOD_UNKNOWN);
        assert_string_equal(acp_methods[m].name, want->name);
        assert_int_equal(acp_methods[m].receiver, want->receiver);
        assert_int_equal(acp_methods[m].is_notification, want->is_notification);
    }
}

static void test_unknown_method(void **state)
{
    (void)state;
    assert_int_equal(acp_method_find("session/promt"), ACP_METHOD_UNKNOWN);
    assert_int_equal(acp_method_find(""), ACP_METHOD_UNKNOWN);
    assert_int_equal(acp_method_find(NULL), ACP_METHOD_UNKNOWN);
}

/* "loadSession" below AgentCapabilities: follows the members through the schema's nodes. */
static unsigned member_of(unsigned n, const char *name)
{
    const struct schema_node *node = &schema_v1.nodes[n];
    for (unsigned i = 0; i < node->props.n; i++)
        if (strcmp(schema_v1.props[node->props.at + i].name, name) == 0)
            return schema_v1.props[node->props.at + i].node;
    for (unsigned i = 0; i < node->any.n; i++) {
        unsigned found = member_of(schema_v1.lists[node->any.at + i], name);
        if (found)
            return found;
    }
    return 0;
}

static void test_gates_exist_in_the_schema(void **state)
{
    (void)state;
    for (int m = 0; m < ACP_METHOD_COUNT; m++) {
        bool to_agent = acp_methods[m].receiver == ACP_TO_AGENT;
        unsigned n = (unsigned)acp_def(to_agent ? "AgentCapabilities" : "ClientCapabilities") + 1;
        char path[64], *rest = NULL;
        strcpy(path, acp_methods[m].gate);
        for (char *p = strtok_r(path, ".", &rest); p; p = strtok_r(NULL, ".", &rest)) {
            n = member_of(n, p);
            assert_int_not_equal(n, 0);
        }
    }
}

static const struct closed_set {
    const char *def, *tag, *texts[20];
} sets[] = {
#define ACP_ENUM_BEGIN(set, prefix, def, tag)                                                      \
    {                                                                                              \
        def, tag,                                                                                  \
        {
#define ACP_ENUM_VALUE(set, id, text) text,
#define ACP_ENUM_END(set, prefix)                                                                  \
    NULL                                                                                           \
    }                                                                                              \
    }                                                                                              \
    ,
#include "acp/enums.def"
#undef ACP_ENUM_BEGIN
#undef ACP_ENUM_VALUE
#undef ACP_ENUM_END
};
#define SET_N (sizeof sets / sizeof sets[0])

static const struct closed_set *set_of(const char *def)
{
    for (size_t i = 0; i < SET_N; i++)
        if (strcmp(sets[i].def, def) == 0)
            return &sets[i];
    return NULL;
}

static void same_texts(const struct closed_set *set, struct schema_run texts)
{
    for (unsigned i = 0; i < texts.n; i++)
        assert_string_equal(set->texts[i], schema_v1.texts[texts.at + i]);
    assert_null(set->texts[texts.n]);
}

static void same_tags(const struct closed_set *set, struct schema_run branches)
{
    for (unsigned i = 0; i < branches.n; i++) {
        const struct schema_prop *tag = walk_tag(&schema_v1, schema_v1.lists[branches.at + i]);
        struct schema_run texts = schema_v1.nodes[tag->node].texts;
        assert_string_equal(set->tag, tag->name);
        assert_string_equal(set->texts[i], schema_v1.texts[texts.at]);
    }
    assert_null(set->texts[branches.n]);
}

/* Closed in the schema: a definition that is a list of texts, or one of several tagged objects. */
static void test_every_closed_set_is_listed(void **state)
{
    size_t closed = 0;
    (void)state;
    for (size_t d = 0; d < schema_v1.def_n; d++) {
        const struct schema_node *node = &schema_v1.nodes[d + 1];
        if (!node->texts.n && !node->one.n)
            continue;
        const struct closed_set *set = set_of(schema_v1.defs[d]);
        if (!set)
            fail_msg("enums.def lacks %s", schema_v1.defs[d]);
        if (node->texts.n)
            same_texts(set, node->texts);
        else
            same_tags(set, node->one);
        closed++;
    }
    assert_int_equal(closed, SET_N);
}

static void test_names_and_back(void **state)
{
    (void)state;
#define ACP_ENUM_BEGIN(set, prefix, def, tag)
#define ACP_ENUM_VALUE(set, id, text)                                                              \
    assert_string_equal(acp_##set##_name(ACP_##id), text);                                         \
    assert_int_equal(acp_##set##_find(text), ACP_##id);
#define ACP_ENUM_END(set, prefix)                                                                  \
    assert_null(acp_##set##_name((enum acp_##set)ACP_##prefix##_COUNT));                           \
    assert_int_equal(acp_##set##_find("no such text"), -1);                                        \
    assert_int_equal(acp_##set##_find(NULL), -1);
#include "acp/enums.def"
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_schema_method_is_listed),
        cmocka_unit_test(test_unknown_method),
        cmocka_unit_test(test_gates_exist_in_the_schema),
        cmocka_unit_test(test_every_closed_set_is_listed),
        cmocka_unit_test(test_names_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
