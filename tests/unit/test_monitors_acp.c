#include "monitor_kit.h"

/* The monitors of sessions, turns, tools, gates and the schema. */

static const struct monitor_row schema_rows[] = {
    {"an unknown stop reason", TURN DONE_AS("2", "tired"), "PROMPT-12"},
    {"no stop reason", TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", "PROMPT-29"},
    {"a null session id",
     INIT "C "
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/"
          "w\",\"mcpServers\":[]}}\n"
          "A {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":null}}\n",
     "NEW-08"},
    {"a null result where one is due",
     INIT "C "
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/"
          "w\",\"mcpServers\":[]}}\n"
          "A {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n",
     "NEW-08"},
    {"a null result where none is due",
     SESSION "C "
             "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/"
             "close\",\"params\":{\"sessionId\":\"s\"}}\n"
             "A {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}\n",
     ""},
    {"null for an optional member", TURN CALL("s", "\"t\",\"kind\":null") DONE("2"),
     "TOOL-04<=WARN"},
    {"null that the schema allows",
     TURN CALL("s", "\"t\"") CHANGE("s", "\"t\",\"kind\":null") DONE("2"), ""},
    {"a wrong kind of tool", TURN CALL("s", "\"t\",\"kind\":\"fly\"") DONE("2"), "TOOL-04"},
    {"an unknown update", TURN UPDATE("s", "sing", "") DONE("2"), "PROMPT-17"},
    {"an unstable update", TURN UPDATE("s", "plan_update", "") DONE("2"), "PROMPT-17<=INFO"},
    {"the documentation's mode update",
     TURN UPDATE("s", "current_mode_update", ",\"modeId\":\"plan\"") DONE("2"), "MODE-10<=WARN"},
    {"neither mode id", TURN UPDATE("s", "current_mode_update", "") DONE("2"), "MODE-10"},
    {"a bare block in a tool call",
     TURN CALL("s", "\"t\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]") DONE("2"),
     "TOOL-12<=WARN"},
    {"a strange block in a tool call",
     TURN CALL("s", "\"t\",\"content\":[{\"type\":\"cake\"}]") DONE("2"), "TOOL-12"},
    {"positional params",
     INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":[]}\n", "RPC-18"},
    {"an error that is a text", TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":\"bad\"}\n",
     "RPC-06"},
    {"an error without message", TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1}}\n",
     "RPC-06"},
    {"a fraction as code",
     TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1.5,\"message\":\"m\"}}\n",
     "RPC-06"},
    {"a code beyond 32 bits",
     TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":99999999999,\"message\":\"m\"}}\n",
     "RPC-06"},
    {"a list of blocks in a chunk",
     TURN UPDATE("s", "agent_message_chunk", ",\"content\":[]") DONE("2"), "PROMPT-18"},
    {"a number as id in an update", TURN CHANGE("s", "7") DONE("2"), "TOOL-06"},
    {"a notification with an id",
     TURN "A "
          "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/"
          "update\",\"params\":{\"sessionId\":\"s\",\"update\":"
          "{\"sessionUpdate\":\"plan\",\"entries\":[]}}}\n" ANSWER("9", "{}") DONE("2"),
     "PROMPT-16"},
    {"another version's result",
     START "C "
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
           "\"protocolVersion\":1}}\n"
           "A {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":2,\"info\":5}}\n",
     ""},
    {"ours",
     INIT "C {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/new\",\"params\":{}}\nA "
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":"
          "{\"code\":-32602,\"message\":\"m\"}}\n",
     "client:NEW-02"},
    {"ours, meant",
     INIT "X {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/new\",\"params\":{}}\nA "
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":"
          "{\"code\":-32602,\"message\":\"m\"}}\n",
     ""},
};

static void schema(void **state)
{
    (void)state;
    KIT_RUN(schema_rows);
}

static void additions(void **state)
{
    static const struct monitor_row rows[] = {
        {"a member nobody knows",
         TURN "A "
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\","
              "\"vendorThing\":1}}\n",
         "EXT-02"},
        {"a member of unstable v1",
         TURN
         "A {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\",\"usage\":{}}}\n",
         "EXT-02<=INFO"},
        {"an offer of unstable v1",
         START
         "C "
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "1}}\n"
         "A {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{"
         "\"sessionCapabilities\":{\"fork\":{}}}}}\n",
         ""},
        {"in _meta everything goes",
         TURN "A "
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\",\"_meta\":{"
              "\"x\":1}}}\n",
         ""},
        {"in raw input too", TURN CALL("s", "\"t\",\"rawInput\":{\"x\":1}") DONE("2"), ""},
        {"a method of one's own", INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"vendor/thing\"}\n",
         "EXT-12<=WARN"},
        {"an unstable method", INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"auth/status_update\"}\n",
         "EXT-12<=INFO"},
        {"with an underscore, announced nowhere",
         INIT_BOTH("{}", "{}") "A {\"jsonrpc\":\"2.0\",\"method\":\"_vendor/thing\"}\n",
         "EXT-08<=WARN"},
        {"of the protocol level", INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"$/thing\"}\n", ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void sessions(void **state)
{
    static const struct monitor_row rows[] = {
        {"an unknown session", TURN CHUNK("other", "x") DONE("2"), "PROMPT-19<=WARN"},
        {"before it is given out",
         INIT
         "C "
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/"
         "w\",\"mcpServers\":[]}}\n" UPDATE(
             "s", "plan",
             ",\"entries\":[]") "A "
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n",
         ""},
        {"one that was loaded",
         INIT "C "
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
              "load\",\"params\":{\"sessionId\":\"s\",\"cwd\":\"/w\",\"mcpServers\":[]}}\n" CHUNK(
                  "s", "old") "A {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
         ""},
        {"of the former process", SESSION "P exit\n" INIT CHUNK("s", "x"), "PROMPT-19<=WARN"},
        {"one id twice", SESSION NEW("2", "s"), "NEW-01"},
        {"an empty id", INIT NEW("1", ""), "NEW-01<=WARN"},
        {"permission for an unknown session",
         TURN ASK("7", "session/request_permission",
                  "\"sessionId\":\"zz\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"T\"},"
                  "\"options\":[]") ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}")
             DONE("2"),
         "PERM-16<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

static void turns(void **state)
{
    static const struct monitor_row rows[] = {
        {"late", TURN DONE("2") CHUNK("s", "x"), "PROMPT-20"},
        {"late after a cancel", TURN CANCEL("s") DONE_AS("2", "cancelled") CHUNK("s", "x"),
         "CANCEL-09"},
        {"long after it", TURN CANCEL("s") DONE_AS("2", "cancelled") "T 2500\n" CHUNK("s", "x"),
         ""},
        {"in the next turn",
         TURN CANCEL("s") DONE_AS("2", "cancelled") PROMPT("3", "s") CHUNK("s", "x") DONE("3"), ""},
        {"usage may come late",
         TURN DONE("2") UPDATE("s", "usage_update", ",\"used\":1,\"size\":2"), ""},
        {"commands may come late",
         TURN CANCEL("s") DONE_AS("2", "cancelled")
             UPDATE("s", "available_commands_update", ",\"availableCommands\":[]"),
         ""},
        {"cancelled by nobody", TURN DONE_AS("2", "cancelled"), "PROMPT-13<=WARN"},
        {"a cancel of another session",
         INIT NEW("1", "s") NEW("9", "o") PROMPT("2", "s") CANCEL("o") DONE_AS("2", "cancelled"),
         "PROMPT-13<=WARN"},
        {"closed",
         TURN "C "
              "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/"
              "close\",\"params\":{\"sessionId\":\"s\"}}\n" DONE_AS(
                  "2", "cancelled") "A {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n",
         ""},
        {"after a load",
         SESSION PROMPT("2", "s")
             DONE("2") "C "
                       "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/"
                       "load\",\"params\":{\"sessionId\":\"s\",\"cwd\":\"/"
                       "w\",\"mcpServers\":[]}}\n" CHUNK(
                           "s", "old") "A {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n",
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static const struct monitor_row tools_rows[] = {
    {"as it should be",
     TURN CALL("s", "\"t\"") CHANGE("s", "\"t\",\"status\":\"in_progress\"")
         CHANGE("s", "\"t\",\"status\":\"completed\"") DONE("2"),
     ""},
    {"not announced", TURN CHANGE("s", "\"t\",\"status\":\"completed\"") DONE("2"), "TOOL-24"},
    {"announced in another session",
     INIT NEW("1", "s") NEW("9", "o") PROMPT("2", "s") CALL("o", "\"t\"") CHANGE("s", "\"t\"")
         DONE("2"),
     "TOOL-24"},
    {"announced by a permission",
     TURN ASK("7", "session/request_permission",
              "\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"T\"},"
              "\"options\":[]") ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}")
         CHANGE("s", "\"t\",\"status\":\"failed\"") DONE("2"),
     ""},
    {"in a resumed session",
     INIT "C "
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
          "resume\",\"params\":{\"sessionId\":\"s\",\"cwd\":\"/w\"}}\n"
          "A {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" CHANGE(
              "s", "\"t\",\"status\":\"completed\""),
     ""},
    {"both ends",
     TURN CALL("s", "\"t\"") CHANGE("s", "\"t\",\"status\":\"failed\"")
         CHANGE("s", "\"t\",\"status\":\"completed\"") DONE("2"),
     "TOOL-25<=WARN"},
    {"a step back",
     TURN CALL("s", "\"t\",\"status\":\"in_progress\"") CHANGE("s", "\"t\",\"status\":\"pending\"")
         CHANGE("s", "\"t\",\"status\":\"completed\"") DONE("2"),
     "TOOL-25<=INFO"},
    {"never ends", TURN CALL("s", "\"t\",\"status\":\"in_progress\"") DONE("2"), "TOOL-11"},
    {"never ran", TURN CALL("s", "\"t\"") DONE("2"), ""},
    {"cancelled meanwhile",
     TURN CALL("s", "\"t\",\"status\":\"in_progress\"") CANCEL("s") DONE_AS("2", "cancelled"), ""},
    {"the id again for other work",
     TURN CALL("s", "\"t\",\"status\":\"completed\"")
         UPDATE("s", "tool_call",
                ",\"title\":\"Other\",\"toolCallId\":\"t\",\"status\":\"completed\"") DONE("2"),
     "TOOL-03"},
    {"the same call again",
     TURN CALL("s", "\"t\",\"status\":\"completed\"") CALL("s", "\"t\",\"status\":\"completed\"")
         DONE("2"),
     ""},
    {"a replay is not judged",
     INIT
     "C "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
     "load\",\"params\":{\"sessionId\":\"s\",\"cwd\":\"/w\",\"mcpServers\":[]}}\n" CALL(
         "s", "\"t\",\"status\":\"failed\"")
         CHANGE("s",
                "\"t\",\"status\":\"completed\"") "A "
                                                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
     ""},
};

static void tools(void **state)
{
    (void)state;
    KIT_RUN(tools_rows);
}

#define OPTION(id) "{\"optionId\":\"" id "\",\"name\":\"n\",\"kind\":\"allow_once\"}"

static void permissions(void **state)
{
    static const struct monitor_row rows[] = {
        {"two options alike",
         TURN ASK("7", "session/request_permission",
                  "\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"T\"},"
                  "\"options\":[" OPTION("a") "," OPTION("b") "," OPTION("a") "]")
             ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}") DONE("2"),
         "PERM-05"},
        {"outside a turn",
         SESSION ASK("7", "session/request_permission",
                     "\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"T\"},"
                     "\"options\":[]") ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}"),
         "PERM-16<=INFO"},
        {"for a call nobody describes",
         TURN ASK("7", "session/request_permission",
                  "\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[]")
             ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}") DONE("2"),
         "PERM-15<=INFO"},
        {"described afterwards",
         TURN ASK("7", "session/request_permission",
                  "\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[]")
             ANSWER("7", "{\"outcome\":{\"outcome\":\"cancelled\"}}") CALL("s", "\"t\"") DONE("2"),
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static const struct monitor_row gates_rows[] = {
    {"reading",
     TURN ASK("7", "fs/read_text_file", "\"sessionId\":\"s\",\"path\":\"/a\"")
         ANSWER("7", "{\"content\":\"\"}") DONE("2"),
     "FS-02"},
    {"writing",
     INIT_CAPS("{\"fs\":{\"readTextFile\":true}}") NEW("1", "s") PROMPT("2", "s")
         ASK("7", "fs/write_text_file", "\"sessionId\":\"s\",\"path\":\"/a\",\"content\":\"\"")
             ANSWER("7", "{}") DONE("2"),
     "FS-03"},
    {"reading allowed",
     INIT_CAPS("{\"fs\":{\"readTextFile\":true}}") NEW("1", "s") PROMPT("2", "s")
         ASK("7", "fs/read_text_file", "\"sessionId\":\"s\",\"path\":\"/a\"")
             ANSWER("7", "{\"content\":\"\"}") DONE("2"),
     ""},
    {"a terminal",
     TURN ASK("7", "terminal/create",
              "\"sessionId\":\"s\",\"command\":\"ls\"") "C "
                                                        "{\"jsonrpc\":\"2.0\",\"id\":7,"
                                                        "\"error\":{\"code\":-32601,"
                                                        "\"message\":\"m\"}}\n" DONE("2"),
     "TERM-02"},
    {"a form",
     TURN ASK("7", "elicitation/create",
              "\"sessionId\":\"s\",\"mode\":\"form\",\"message\":\"m\",\"requestedSchema\":{"
              "\"type\":\"object\",\"properties\":{}}") "C "
                                                        "{\"jsonrpc\":\"2.0\",\"id\":7,"
                                                        "\"error\":{\"code\":-32602,"
                                                        "\"message\":\"m\"}}\n" DONE("2"),
     "ELIC-02"},
    {"a terminal login",
     START "C "
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
           "\"protocolVersion\":1}}\n"
           "A "
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,\"authMethods\":[{"
           "\"id\":\"x\",\"name\":\"X\",\"type\":\"terminal\"}]}}\n",
     "AUTH-03"},
    {"a boolean option",
     TURN UPDATE("s", "config_option_update",
                 ",\"configOptions\":[{\"id\":\"a\",\"name\":\"A\",\"type\":\"boolean\","
                 "\"currentValue\":true}]") DONE("2"),
     "CFG-05"},
    {"a notice", TURN UPDATE("s", "notice", ",\"severity\":\"info\",\"title\":\"t\"") DONE("2"),
     "NOTICE-01<=WARN"},
    {"a compaction",
     TURN UPDATE("s", "compaction_update", ",\"compactionId\":\"c\",\"status\":\"completed\"")
         DONE("2"),
     "COMPACT-01"},
    {"malformed on purpose",
     START "X "
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
           "\"protocolVersion\":1,\"clientCapabilities\":{\"fs\":\"yes\"}}}\n"
           "A {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n" ASK(
               "7", "fs/read_text_file", "\"sessionId\":\"s\",\"path\":\"/a\""),
     ""},
};

static void gates(void **state)
{
    (void)state;
    KIT_RUN(gates_rows);
}

static void paths(void **state)
{
    static const struct monitor_row rows[] = {
        {"relative",
         TURN CALL("s", "\"t\",\"locations\":[{\"path\":\"/ok\"},{\"path\":\"a.c\"}]") DONE("2"),
         "TOOL-14"},
        {"of the home folder",
         TURN CALL("s",
                   "\"t\",\"content\":[{\"type\":\"diff\",\"path\":\"~/a\",\"newText\":\"x\"}]")
             DONE("2"),
         "TOOL-14"},
        {"of Windows",
         TURN CALL("s", "\"t\",\"locations\":[{\"path\":\"C:\\\\a\"},{\"path\":\"d:/"
                        "b\"},{\"path\":\"\\\\\\\\h\\\\s\"}]") DONE("2"),
         ""},
        {"a URI", TURN CALL("s", "\"t\",\"locations\":[{\"path\":\"untitled:1\"}]") DONE("2"),
         "TOOL-14<=WARN"},
        {"a relative file to read",
         INIT_CAPS("{\"fs\":{\"readTextFile\":true}}") NEW("1", "s") PROMPT("2", "s")
             ASK("7", "fs/read_text_file", "\"sessionId\":\"s\",\"path\":\"a\"")
                 ANSWER("7", "{\"content\":\"\"}") DONE("2"),
         "FS-06"},
        {"a list",
         SESSION "C {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/list\",\"params\":{}}\n"
                 "A "
                 "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"sessions\":[{\"sessionId\":\"s\","
                 "\"cwd\":\"w\"}]}}\n",
         "LIST-07"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define TERM_TURN                                                                                  \
    INIT_CAPS("{\"terminal\":true}")                                                               \
    NEW("1", "s")                                                                                  \
    PROMPT("2", "s")                                                                               \
    ASK("7", "terminal/create", "\"sessionId\":\"s\",\"command\":\"ls\"")                          \
    ANSWER("7", "{\"terminalId\":\"x\"}")
#define TERM(id, method) ASK(id, "terminal/" method, "\"sessionId\":\"s\",\"terminalId\":\"x\"")
#define SHOW             CALL("s", "\"t\",\"content\":[{\"type\":\"terminal\",\"terminalId\":\"x\"}]")

static void terminals(void **state)
{
    static const struct monitor_row rows[] = {
        {"as it should be",
         TERM_TURN SHOW TERM("8", "wait_for_exit") ANSWER("8", "{\"exitCode\":0}")
             TERM("9", "release") ANSWER("9", "{}") DONE("2") "T 3000\n",
         ""},
        {"never released",
         TERM_TURN SHOW TERM("8", "wait_for_exit") ANSWER("8", "{\"exitCode\":0}")
             DONE("2") "T 3000\n",
         "TERM-25<=WARN"},
        {"not yet released",
         TERM_TURN SHOW TERM("8", "wait_for_exit") ANSWER("8", "{\"exitCode\":0}")
             DONE("2") "T 1000\n",
         ""},
        {"still running", TERM_TURN SHOW DONE("2") "T 3000\n", ""},
        {"used after release",
         TERM_TURN TERM("8", "release") ANSWER("8", "{}") TERM("9", "output")
             ANSWER("9", "{\"output\":\"\",\"truncated\":false}") DONE("2"),
         "TERM-26<=WARN"},
        {"released twice",
         TERM_TURN TERM("8", "release") ANSWER("8", "{}") TERM("9", "release") ANSWER("9", "{}")
             DONE("2"),
         "TERM-26<=INFO"},
        {"shown too late", TERM_TURN TERM("8", "release") ANSWER("8", "{}") SHOW DONE("2"),
         "TOOL-17"},
        {"not ours", TURN SHOW DONE("2"), "TOOL-16"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define SAY(n, text)   "E part {\"n\":" n ",\"action\":\"text\",\"text\":\"" text "\"}\n"
#define REPLY(n, text) "M {\"n\":" n ",\"tools\":[]}\n" SAY(n, text) "E done {\"n\":" n "}\n"

static void texts(void **state)
{
    static const struct monitor_row rows[] = {
        {"as it was said", TURN REPLY("1", "Hello") CHUNK("s", "Hel") CHUNK("s", "lo") DONE("2"),
         ""},
        {"something is missing", TURN REPLY("1", "Hello") CHUNK("s", "Helo") DONE("2"),
         "PROMPT-15<=WARN"},
        {"nothing is shown", TURN REPLY("1", "Hello") DONE("2"), "PROMPT-15<=WARN"},
        {"something was added", TURN REPLY("1", "Hello") CHUNK("s", "Hello!") DONE("2"),
         "PROMPT-15<=INFO"},
        {"two replies", TURN REPLY("1", "One") REPLY("2", "Two") CHUNK("s", "OneTwo") DONE("2"),
         ""},
        {"the wrong order", TURN REPLY("1", "One") REPLY("2", "Two") CHUNK("s", "TwoOne") DONE("2"),
         "PROMPT-15<=WARN"},
        {"cut off",
         TURN "M {\"n\":1,\"tools\":[]}\n" SAY(
             "1", "Hel") "E part {\"n\":1,\"action\":\"cut\"}\nE done {\"n\":1}\n" DONE("2"),
         ""},
        {"given up",
         TURN "M {\"n\":1,\"tools\":[]}\n" SAY("1", "Hel") "E gone {\"n\":1}\n" DONE("2"), ""},
        {"a title on the side",
         TURN "M {\"n\":1,\"tools\":[]}\n" SAY(
             "1", "A title") "E done {\"n\":1}\nM "
                             "{\"n\":2,\"tools\":[\"x\"]}\n" SAY(
                                 "2", "Yes") "E done "
                                             "{\"n\":2}\n" CHUNK("s", "Yes") DONE("2"),
         ""},
        {"cancelled", TURN REPLY("1", "Hello") CANCEL("s") DONE_AS("2", "cancelled"), ""},
        {"two turns at once",
         INIT NEW("1", "s") NEW("9", "o") PROMPT("2", "s") PROMPT("3", "o") REPLY("1", "Hello")
             DONE("2") DONE("3"),
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

static void error_codes(void **state)
{
    static const struct monitor_row rows[] = {
        {"a made-up code",
         TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32050,\"message\":\"m\"}}\n",
         "ERR-02"},
        {"a defined one",
         TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"m\"}}\n",
         ""},
        {"outside the range",
         TURN "A {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":12345,\"message\":\"m\"}}\n",
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema), cmocka_unit_test(additions),   cmocka_unit_test(sessions),
        cmocka_unit_test(turns),  cmocka_unit_test(tools),       cmocka_unit_test(permissions),
        cmocka_unit_test(gates),  cmocka_unit_test(paths),       cmocka_unit_test(terminals),
        cmocka_unit_test(texts),  cmocka_unit_test(error_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
