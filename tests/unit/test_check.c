#include "acp/check.h"
#include "base/err.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static cJSON *parse(const char *text)
{
    cJSON *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), &value, NULL), 0);
    return value;
}

static int def_of(const char *name)
{
    int def = acp_def(name);
    assert_true(def >= 0);
    assert_string_equal(acp_def_name(def), name);
    return def;
}

static void accepts(const char *def, const char *text)
{
    struct acp_fault fault = {0};
    cJSON *value = parse(text);
    if (acp_check_value(def_of(def), value, &fault) != 0)
        fail_msg("%s: %s: %s: %s", def, text, fault.pointer, fault.text);
    cJSON_Delete(value);
}

/* `want`: "pointer: text". */
static void refuses(const char *def, const char *text, const char *want)
{
    char got[512];
    struct acp_fault fault = {0};
    cJSON *value = parse(text);
    assert_int_equal(acp_check_value(def_of(def), value, NULL), E_INVALID);
    assert_int_equal(acp_check_value(def_of(def), value, &fault), E_INVALID);
    snprintf(got, sizeof got, "%s: %s", fault.pointer, fault.text);
    assert_string_equal(got, want);
    cJSON_Delete(value);
}

static void test_types(void **state)
{
    (void)state;
    accepts("SessionId", "\"s\"");
    refuses("SessionId", "1", ": expected string, got 1");
    refuses("SessionId", "null", ": expected string, got null");
    accepts("ProtocolVersion", "1");
    accepts("ProtocolVersion", "1.0");
    accepts("ProtocolVersion", "65535");
    refuses("ProtocolVersion", "1.5", ": expected integer, got 1.5");
    refuses("ProtocolVersion", "-1", ": -1 is less than 0");
    refuses("ProtocolVersion", "65536", ": 65536 is more than 65535");
    refuses("ProtocolVersion", "1e999", ": expected integer, got inf");
    refuses("ProtocolVersion", "true", ": expected integer, got boolean");
    accepts("RequestId", "null");
    accepts("RequestId", "9007199254740993");
    accepts("RequestId", "1e30");
    refuses("RequestId", "1.5", ": expected null, integer or string, got 1.5");
    refuses("RequestId", "{}", ": expected null, integer or string, got object");
    accepts("ExtRequest", "[{}]");
}

static void test_members(void **state)
{
    (void)state;
    accepts("NewSessionRequest", "{\"cwd\":\"/\",\"mcpServers\":[],\"x\":1}");
    refuses("NewSessionRequest", "{\"mcpServers\":[]}", "/cwd: missing");
    refuses("NewSessionRequest", "{\"CWD\":\"/\",\"mcpServers\":[]}", "/cwd: missing");
    refuses("NewSessionRequest", "{\"cwd\":\"/\",\"mcpServers\":{}}",
            "/mcpServers: expected array, got object");
    refuses("NewSessionRequest", "[]", ": expected object, got array");
    refuses("NewSessionRequest",
            "{\"cwd\":\"/\",\"mcpServers\":[],\"additionalDirectories\":[\"/\",7]}",
            "/additionalDirectories/1: expected string, got 7");
}

static void test_last_duplicate_counts(void **state)
{
    (void)state;
    accepts("NewSessionRequest", "{\"cwd\":1,\"mcpServers\":[],\"cwd\":\"/\"}");
    refuses("NewSessionRequest", "{\"cwd\":\"/\",\"mcpServers\":[],\"cwd\":1}",
            "/cwd: expected string, got 1");
    accepts("AuthMethodTerminal", "{\"id\":\"a\",\"name\":\"n\",\"env\":{\"A\":1,\"A\":\"1\"}}");
    refuses("AuthMethodTerminal", "{\"id\":\"a\",\"name\":\"n\",\"env\":{\"A\":\"1\",\"A\":1}}",
            "/env/A: expected string, got 1");
}

static void test_enums(void **state)
{
    (void)state;
    accepts("PromptResponse", "{\"stopReason\":\"end_turn\"}");
    refuses(
        "PromptResponse", "{\"stopReason\":\"tired\"}",
        "/stopReason: \"tired\" is not one of end_turn, max_tokens, max_turn_requests, refusal, "
        "cancelled");
    refuses("PromptResponse", "{\"stopReason\":null}", "/stopReason: expected string, got null");
    accepts("ErrorCode", "-32800");
    accepts("ErrorCode", "7");
    accepts("SessionConfigOptionCategory", "\"_mine\"");
}

static void test_unions_name_the_real_member(void **state)
{
    (void)state;
#define UPDATE(u) "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":" u "}}"
    accepts("SessionNotification",
            UPDATE("\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"a\"}"));
    refuses("SessionNotification",
            UPDATE("\"agent_message_chunk\",\"content\":{\"type\":\"text\"}"),
            "/update/content/text: missing");
    refuses("SessionNotification", UPDATE("\"agent_message_chunk\",\"content\":{\"text\":\"a\"}"),
            "/update/content/type: missing");
    refuses("SessionNotification",
            UPDATE("\"agent_message_chunk\",\"content\":{\"type\":\"song\"}"),
            "/update/content/type: \"song\" is not one of text, image, audio, resource_link, "
            "resource");
    refuses("SessionNotification", UPDATE("7"), "/update/sessionUpdate: expected string, got 7");
    refuses("SessionNotification",
            UPDATE("\"tool_call_update\",\"toolCallId\":\"t\",\"content\":[{\"type\":\"diff\","
                   "\"path\":\"/a\"}]"),
            "/update/content/0/newText: missing");
    refuses("SessionNotification",
            UPDATE("\"tool_call_update\",\"toolCallId\":\"t\",\"status\":\"done\""),
            "/update/status: \"done\" is not one of pending, in_progress, completed, failed");
    refuses("SessionNotification",
            UPDATE("\"tool_call_update\",\"toolCallId\":\"t\",\"locations\":7"),
            "/update/locations: expected null or array, got 7");
#undef UPDATE
}

static void test_unions_without_a_tag(void **state)
{
    (void)state;
    /* stdio servers have no type */
    refuses("McpServer", "{\"name\":\"n\",\"args\":[],\"env\":[]}", "/command: missing");
    refuses("McpServer", "{\"type\":\"http\",\"name\":\"n\",\"headers\":[]}", "/url: missing");
    refuses("AuthMethod", "{\"id\":\"a\"}", "/name: missing");
    refuses("EmbeddedResource", "{\"resource\":{\"uri\":\"u\"}}",
            "/resource: needs one of: /resource/text (missing); /resource/blob (missing)");
    refuses("EmbeddedResource", "{\"resource\":{\"uri\":\"u\",\"text\":1}}",
            "/resource/text: expected string, got 1");
    refuses("CreateElicitationRequest",
            "{\"message\":\"m\",\"mode\":\"form\",\"requestedSchema\":{}}",
            ": needs one of: /sessionId (missing); /requestId (missing)");
    refuses("SetSessionConfigOptionRequest", "{\"sessionId\":\"s\",\"configId\":\"c\"}",
            "/value: missing");
    refuses("SetSessionConfigOptionRequest",
            "{\"sessionId\":\"s\",\"configId\":\"c\",\"type\":\"boolean\",\"value\":7}",
            "/value: expected boolean, got 7");
    accepts("ElicitationContentValue", "[\"a\"]");
    refuses("ElicitationContentValue", "null",
            ": expected boolean, number, string or array, got null");
    /* "other" takes what no tag claims */
    accepts("ElicitationPropertySchema", "{\"type\":\"_mine\"}");
    refuses("ElicitationPropertySchema", "{\"type\":\"string\",\"minLength\":-1}",
            "/minLength: -1 is less than 0");
    refuses("ElicitationPropertySchema", "{\"type\":1}", "/type: expected string, got 1");
}

static void test_fault_names_the_definition(void **state)
{
    struct acp_fault fault;
    cJSON *value = parse("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":1}]}");
    (void)state;
    assert_int_equal(acp_check_value(def_of("PromptRequest"), value, &fault), E_INVALID);
    assert_string_equal(fault.def, "TextContent");
    cJSON_Delete(value);
}

/* The longest texts and pointers are cut, and never inside a character. */
static void test_fault_is_bounded(void **state)
{
    char text[2048] = "{\"id\":\"a\",\"name\":\"n\",\"env\":{\"x", *p = text + strlen(text);
    struct acp_fault fault;
    (void)state;
    for (int i = 0; i < 300; i++, p += 2)
        memcpy(p, "\xC3\xA9", 2);
    strcpy(p, "\":1}}");
    cJSON *value = parse(text);
    assert_int_equal(acp_check_value(def_of("AuthMethodTerminal"), value, &fault), E_INVALID);
    assert_int_equal(strlen(fault.pointer),
                     sizeof fault.pointer - 2); /* "/env/x", whole characters */
    assert_string_equal(fault.text, "expected string, got 1");
    cJSON_Delete(value);

    refuses("Role", "\"a\\nb\\u001b[2J 0123456789 0123456789 0123456789 0123456789\"",
            ": \"a?b?[2J 0123456789 0123456789 0123456789…\" is not one of assistant, user");
    refuses("AuthMethodTerminal", "{\"id\":\"a\",\"name\":\"n\",\"env\":{\"a/b~c\":1}}",
            "/env/a~1b~0c: expected string, got 1");
}

static void test_absent_params(void **state)
{
    struct acp_fault fault;
    (void)state;
    assert_int_equal(acp_check_value(def_of("LogoutRequest"), NULL, &fault), 0);
    assert_int_equal(acp_check_value(def_of("NewSessionRequest"), NULL, &fault), E_INVALID);
    assert_string_equal(fault.pointer, "/cwd");
}

static void test_lookups(void **state)
{
    (void)state;
    assert_int_equal(acp_def("NoSuchThing"), -1);
    assert_int_equal(acp_def(NULL), -1);
    assert_null(acp_def_name(-1));
    assert_null(acp_def_name((int)acp_def_count()));
    assert_int_equal(acp_params_def(ACP_AGENT, "session/prompt"), def_of("PromptRequest"));
    assert_int_equal(acp_result_def(ACP_AGENT, "session/prompt"), def_of("PromptResponse"));
    assert_int_equal(acp_params_def(ACP_CLIENT, "session/prompt"), -1);
    assert_int_equal(acp_params_def(ACP_CLIENT, "session/update"), def_of("SessionNotification"));
    assert_int_equal(acp_result_def(ACP_CLIENT, "session/update"), -1);
    int cancel = def_of("CancelRequestNotification");
    assert_int_equal(acp_params_def(ACP_CLIENT, "$/cancel_request"), cancel);
    assert_int_equal(acp_params_def(ACP_AGENT, "$/cancel_request"), cancel);
    assert_int_equal(acp_params_def(ACP_AGENT, "_mine/method"), -1);
    assert_int_equal(acp_params_def(ACP_AGENT, NULL), -1);
}

static void collect(void *ctx, const char *pointer, const char *def_name)
{
    char *all = ctx;
    size_t n = strlen(all);
    snprintf(all + n, 1024 - n, "%s%s %s", n ? "; " : "", pointer, def_name);
}

static void unknown(const char *def, const char *text, const char *want)
{
    char all[1024] = "";
    cJSON *value = parse(text);
    acp_unknown_members(def_of(def), value, collect, all);
    assert_string_equal(all, want);
    cJSON_Delete(value);
}

static void test_unknown_members(void **state)
{
    (void)state;
    unknown("NewSessionResponse", "{\"sessionId\":\"s\",\"models\":{\"a\":1},\"_meta\":{\"a\":1}}",
            "/models NewSessionResponse");
    unknown("NewSessionResponse",
            "{\"sessionId\":\"s\",\"modes\":{\"currentModeId\":\"a\",\"x\":1,\"availableModes\":["
            "{\"id\":\"a\",\"name\":\"A\",\"_y\":2}]}}",
            "/modes/x SessionModeState; /modes/availableModes/0/_y SessionMode");
    /* the members of the branch that holds are known, those of its siblings are not */
    unknown("SessionNotification",
            "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
            "\"messageId\":\"m\",\"toolCallId\":\"t\",\"content\":{\"type\":\"text\",\"text\":\"\","
            "\"data\":\"\"}}}",
            "/update/toolCallId SessionUpdate; /update/content/data ContentBlock");
    /* an invalid value is read as its tag says */
    unknown("SessionUpdate", "{\"sessionUpdate\":\"plan\",\"entries\":7,\"plan\":1}",
            "/plan SessionUpdate");
    unknown("SessionUpdate", "{\"sessionUpdate\":\"dance\",\"steps\":7}", "");
    /* free-form places */
    unknown("ToolCallUpdate", "{\"toolCallId\":\"t\",\"rawInput\":{\"a\":{\"b\":1}}}", "");
    unknown("ElicitationPropertySchema", "{\"type\":\"_mine\",\"more\":1}", "");
    unknown("AuthMethodTerminal", "{\"id\":\"a\",\"name\":\"n\",\"env\":{\"A\":\"1\"},\"b\":1}",
            "/b AuthMethodTerminal");
    unknown("SessionId", "7", "");
    acp_unknown_members(def_of("LogoutRequest"), NULL, collect, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_last_duplicate_counts),
        cmocka_unit_test(test_enums),
        cmocka_unit_test(test_unions_name_the_real_member),
        cmocka_unit_test(test_unions_without_a_tag),
        cmocka_unit_test(test_fault_names_the_definition),
        cmocka_unit_test(test_fault_is_bounded),
        cmocka_unit_test(test_absent_params),
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_unknown_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
