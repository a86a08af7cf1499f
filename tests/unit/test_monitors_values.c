#include "monitor_kit.h"

/* The monitors of values that the schema lets pass: options, usage, ids, compactions, times, data,
 * questions and what is announced. */

#define RESULT(id, members) "A {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" members "}}\n"
#define NEW_WITH(members)                                                                          \
    INIT "C "                                                                                      \
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/"        \
         "w\",\"mcpServers\":[]}}\n" RESULT("1", "\"sessionId\":\"s\"," members)
#define MODES(current, ids)                                                                        \
    "\"modes\":{\"currentModeId\":\"" current "\",\"availableModes\":[" ids "]}"
#define MODE(id)         "{\"id\":\"" id "\",\"name\":\"N\"}"
#define OPTIONS(list)    "\"configOptions\":[" list "]"
#define SELECT(id, more) "{\"id\":\"" id "\",\"name\":\"N\",\"type\":\"select\"," more "}"
#define VALUES(current, a, b)                                                                      \
    "\"currentValue\":\"" current "\",\"options\":[{\"value\":\"" a                                \
    "\",\"name\":\"A\"},{\"value\":\"" b "\",\"name\":\"B\"}]"
#define MODE_OPTION SELECT("mode", "\"category\":\"mode\"," VALUES("ask", "ask", "plan"))

static void options(void **state)
{
    static const struct monitor_row rows[] = {
        {"both ways, and sound", NEW_WITH(MODES("ask", MODE("ask")) "," OPTIONS(MODE_OPTION)), ""},
        {"neither", NEW_WITH("\"_meta\":{}"), ""},
        {"null", NEW_WITH("\"modes\":null,\"configOptions\":null"), ""},
        {"a current mode that is not on offer",
         NEW_WITH(MODES("fly", MODE("ask")) "," OPTIONS(MODE_OPTION)), "MODE-03"},
        {"two modes of one id",
         NEW_WITH(MODES("ask", MODE("ask") "," MODE("ask")) "," OPTIONS(MODE_OPTION)), "MODE-03"},
        {"modes only", NEW_WITH(MODES("ask", MODE("ask"))), "CFG-25"},
        {"the option only", NEW_WITH(OPTIONS(MODE_OPTION)), "CFG-25"},
        {"a value that is not on offer", NEW_WITH(OPTIONS(SELECT("m", VALUES("z", "a", "b")))),
         "CFG-06<=WARN"},
        {"a value of a group",
         NEW_WITH(
             OPTIONS(SELECT("m", "\"currentValue\":\"a\",\"options\":[{\"group\":\"g\",\"name\":"
                                 "\"G\",\"options\":[{\"value\":\"a\",\"name\":\"A\"}]}]"))),
         ""},
        {"groups without a name, as a draft has them",
         NEW_WITH(OPTIONS(SELECT("m", "\"currentValue\":\"a\",\"options\":[{\"group\":\"g\","
                                      "\"options\":[{\"value\":\"a\",\"name\":\"A\"}]}]"))),
         "CFG-03<=WARN"},
        {"a value twice", NEW_WITH(OPTIONS(SELECT("m", VALUES("a", "a", "a")))), "CFG-08<=INFO"},
        {"an option twice",
         NEW_WITH(
             OPTIONS(SELECT("m", VALUES("a", "a", "b")) "," SELECT("m", VALUES("a", "a", "b")))),
         "CFG-08"},
        {"a reserved category",
         NEW_WITH(OPTIONS(SELECT("m", "\"category\":\"colour\"," VALUES("a", "a", "b")))),
         "CFG-17<=INFO"},
        {"a category of one's own",
         NEW_WITH(OPTIONS(SELECT("m", "\"category\":\"_colour\"," VALUES("a", "a", "b")))), ""},
        {"told by an update",
         TURN UPDATE("s", "config_option_update", "," OPTIONS(SELECT("m", VALUES("z", "a", "b"))))
             DONE("2"),
         "CFG-06<=WARN"},
        {"told by an answer",
         SESSION "C {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/set_config_option\","
                 "\"params\":{\"sessionId\":\"s\",\"configId\":\"m\",\"value\":\"a\"}}\n" RESULT(
                     "2", OPTIONS(SELECT("m", VALUES("z", "a", "b")))),
         "CFG-06<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

static void switches(void **state)
{
    static const struct monitor_row rows[] = {
        {"a list beside a switch",
         INIT_CAPS("{\"session\":{\"configOptions\":{\"boolean\":{}}}}") NEW("1", "s")
             PROMPT("2", "s") UPDATE("s", "config_option_update",
                                     "," OPTIONS("{\"id\":\"b\",\"name\":\"B\",\"type\":"
                                                 "\"boolean\",\"currentValue\":true,"
                                                 "\"options\":[]}")) DONE("2"),
         "EXT-02<=INFO CFG-04<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define USAGE(numbers, cost) UPDATE("s", "usage_update", "," numbers ",\"cost\":" cost)
#define SIZE(used, size)     "\"used\":" used ",\"size\":" size
#define COST(amount, unit)   "{\"amount\":" amount ",\"currency\":\"" unit "\"}"

static void usage(void **state)
{
    static const struct monitor_row rows[] = {
        {"sound", TURN USAGE(SIZE("1", "10"), "null") DONE("2"), ""},
        {"no window", TURN USAGE(SIZE("0", "0"), "null") DONE("2"), "USAGE-06<=WARN"},
        {"beyond the window", TURN USAGE(SIZE("11", "10"), "null") DONE("2"), "USAGE-07<=INFO"},
        {"not numbers", TURN USAGE("\"used\":\"1\",\"size\":10", "null") DONE("2"), "USAGE-02"},
        {"another unit", TURN USAGE(SIZE("1", "10"), COST("1", "credits")) DONE("2"),
         "USAGE-04<=INFO"},
        {"falling costs",
         TURN USAGE(SIZE("1", "10"), COST("0.5", "USD")) USAGE(SIZE("1", "10"), COST("0.4", "USD"))
             DONE("2"),
         "USAGE-05<=WARN"},
        {"each currency by itself",
         TURN USAGE(SIZE("1", "10"), COST("0.5", "USD")) USAGE(SIZE("1", "10"), COST("0.4", "EUR"))
             DONE("2"),
         ""},
    };
    (void)state;
    KIT_RUN(rows);
}

#define SAY(kind, id)                                                                              \
    UPDATE("s", kind "_chunk", ",\"content\":{\"type\":\"text\",\"text\":\"x\"},\"messageId\":" id)
#define AGENT_SAYS(id) SAY("agent_message", id)
#define USER_SAYS(id)  SAY("user_message", id)
#define THINKS(id)     SAY("agent_thought", id)
#define LOAD(id)                                                                                   \
    "C {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"session/load\",\"params\":{\"sessionId\":"  \
    "\"s\",\"cwd\":\"/w\",\"mcpServers\":[]}}\n"
#define LOADED(id) RESULT(id, "\"_meta\":{}")

static void message_ids(void **state)
{
    static const struct monitor_row rows[] = {
        {"one after the other",
         TURN THINKS("\"t\"") AGENT_SAYS("\"a\"") AGENT_SAYS("\"a\"") AGENT_SAYS("\"b\"") DONE("2"),
         ""},
        {"kinds interleaved",
         TURN THINKS("\"t\"") AGENT_SAYS("\"a\"") THINKS("\"t\"") AGENT_SAYS("\"a\"") DONE("2"),
         ""},
        {"none, and null", TURN CHUNK("s", "x") AGENT_SAYS("null") DONE("2"), ""},
        {"one that comes back",
         TURN AGENT_SAYS("\"a\"") AGENT_SAYS("\"b\"") AGENT_SAYS("\"a\"") DONE("2"),
         "MSGID-02<=WARN"},
        {"one for both sides", TURN USER_SAYS("\"a\"") AGENT_SAYS("\"a\"") DONE("2"),
         "MSGID-03<=WARN"},
        {"one for a thought and its answer", TURN THINKS("\"a\"") AGENT_SAYS("\"a\"") DONE("2"),
         "MSGID-03<=INFO"},
        {"one of the turn before",
         TURN AGENT_SAYS("\"a\"") DONE("2") PROMPT("3", "s") AGENT_SAYS("\"a\"") DONE("3"),
         "MSGID-03<=WARN"},
        {"replayed as they were live",
         TURN AGENT_SAYS("\"a\"") DONE("2") LOAD("3") USER_SAYS("\"u\"") AGENT_SAYS("\"a\"")
             LOADED("3"),
         ""},
        {"replayed for both sides",
         INIT LOAD("3") USER_SAYS("\"a\"") AGENT_SAYS("\"a\"") LOADED("3"), "MSGID-09<=WARN"},
        {"replayed for a thought and its answer",
         INIT LOAD("3") USER_SAYS("\"u\"") THINKS("\"a\"") AGENT_SAYS("\"a\"") LOADED("3"), ""},
        {"one that comes back in a replay",
         INIT LOAD("3") USER_SAYS("\"u\"") AGENT_SAYS("\"a\"") AGENT_SAYS("\"b\"")
             AGENT_SAYS("\"a\"") LOADED("3"),
         "MSGID-09<=WARN"},
        {"replayed for one side only",
         INIT LOAD("3")
             UPDATE("s", "user_message_chunk", ",\"content\":{\"type\":\"text\",\"text\":\"x\"}")
                 AGENT_SAYS("\"a\"") LOADED("3"),
         "MSGID-06<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define COMPACTS(status, more)                                                                     \
    UPDATE("s", "compaction_update", ",\"compactionId\":\"c\",\"status\":\"" status "\"" more)
#define SUMS                                                                                       \
    UPDATE("s", "compaction_summary_chunk",                                                        \
           ",\"compactionId\":\"c\",\"content\":{\"type\":\"text\",\"text\":\"x\"}")
#define COMPACTING INIT_CAPS("{\"session\":{\"compaction\":{}}}") NEW("1", "s") PROMPT("2", "s")

static void compactions(void **state)
{
    static const struct monitor_row rows[] = {
        {"sound", COMPACTING COMPACTS("in_progress", "") SUMS COMPACTS("completed", "") DONE("2"),
         ""},
        {"told when it is over",
         COMPACTING COMPACTS("completed", ",\"summary\":[{\"type\":\"text\",\"text\":\"x\"}]")
             DONE("2"),
         ""},
        {"a piece first", COMPACTING SUMS DONE("2"), "COMPACT-04<=INFO"},
        {"a piece last", COMPACTING COMPACTS("failed", "") SUMS DONE("2"), "COMPACT-04<=WARN"},
        {"two ends", COMPACTING COMPACTS("failed", "") COMPACTS("completed", "") DONE("2"),
         "COMPACT-05<=WARN"},
        {"one end twice", COMPACTING COMPACTS("failed", "") COMPACTS("failed", "") DONE("2"), ""},
        {"again", COMPACTING COMPACTS("cancelled", "") COMPACTS("in_progress", "") DONE("2"),
         "COMPACT-06<=WARN"},
        {"a summary too early",
         COMPACTING COMPACTS("in_progress", ",\"summary\":[{\"type\":\"text\",\"text\":\"x\"}]")
             DONE("2"),
         "COMPACT-07<=WARN"},
        {"an error of a success", COMPACTING COMPACTS("completed", ",\"error\":\"no\"") DONE("2"),
         "COMPACT-07<=WARN"},
        {"an error of null", COMPACTING COMPACTS("completed", ",\"error\":null") DONE("2"), ""},
    };
    (void)state;
    KIT_RUN(rows);
}

#define TOLD_AT(time)                                                                              \
    TURN UPDATE("s", "session_info_update", ",\"updatedAt\":\"" time "\"") DONE("2")

static void times(void **state)
{
    static const struct monitor_row rows[] = {
        {"a date", TOLD_AT("2026-12-01"), ""},
        {"with Z", TOLD_AT("2026-12-01T10:00:00Z"), ""},
        {"with an offset", TOLD_AT("2026-12-01T10:00:00.123+01:00"), ""},
        {"in the basic form", TOLD_AT("20261201T100000Z"), ""},
        {"of a week", TOLD_AT("2026-W49-2"), ""},
        {"with a blank", TOLD_AT("2026-12-01 10:00"), ""},
        {"seconds of an epoch", TOLD_AT("1764547200"), "INFO-06<=WARN"},
        {"in words", TOLD_AT("yesterday"), "INFO-06<=WARN"},
        {"with something behind", TOLD_AT("2026-12-01T10:00:00 UTC"), "INFO-06<=WARN"},
        {"a half zone", TOLD_AT("2026-12-01T10:00+"), "INFO-06<=WARN"},
        {"in a list",
         INIT "C {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}\n" RESULT(
             "1", "\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/w\",\"updatedAt\":\"now\"}]"),
         "LIST-16<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define SHOWS(block) TURN UPDATE("s", "agent_thought_chunk", ",\"content\":" block) DONE("2")
#define IMAGE(data)  "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" data "\"}"

static void data(void **state)
{
    static const struct monitor_row rows[] = {
        {"sound", SHOWS(IMAGE("aGk=")), ""},
        {"empty", SHOWS(IMAGE("")), ""},
        {"without padding", SHOWS(IMAGE("aGk")), "CONT-03<=INFO"},
        {"one letter too many", SHOWS(IMAGE("aGkab")), "CONT-03<=WARN"},
        {"too much padding", SHOWS(IMAGE("aGk==")), "CONT-03<=WARN"},
        {"no base64", SHOWS(IMAGE("a b")), "CONT-03<=WARN"},
        {"sound of it", SHOWS("{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"?\"}"),
         "CONT-04<=WARN"},
        {"a blob",
         SHOWS("{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\",\"blob\":\"?\"}}"),
         "CONT-06<=WARN"},
        {"in a tool call",
         TURN CALL("s", "\"t\",\"content\":[{\"type\":\"content\",\"content\":" IMAGE("?") "}]")
             DONE("2"),
         "CONT-03<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define ASKING                                                                                     \
    INIT_CAPS("{\"elicitation\":{\"form\":{},\"url\":{}}}") NEW("1", "s") PROMPT("2", "s")
#define FORM(scope, schema)                                                                        \
    ASK("9", "elicitation/create",                                                                 \
        "\"mode\":\"form\",\"message\":\"m\"," scope ",\"requestedSchema\":{" schema "}")          \
    ANSWER("9", "{\"action\":\"decline\"}") DONE("2")
#define OF_S        "\"sessionId\":\"s\""
#define FIELD(type) "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"" type "\"}}"
#define GO(id, at)                                                                                 \
    ASK(id, "elicitation/create",                                                                  \
        "\"mode\":\"url\",\"message\":\"m\"," OF_S ",\"elicitationId\":\"e\",\"url\":\"" at "\"")
#define WENT(id) ANSWER(id, "{\"action\":\"decline\"}")
#define COMPLETE(id)                                                                               \
    "A {\"jsonrpc\":\"2.0\",\"method\":\"elicitation/complete\",\"params\":{\"elicitationId\":"    \
    "\"" id "\"}}\n"

static void questions(void **state)
{
    static const struct monitor_row rows[] = {
        {"sound", ASKING FORM(OF_S, FIELD("string")), ""},
        {"without type", ASKING FORM(OF_S, "\"properties\":{}"), "ELIC-07<=WARN"},
        {"nested", ASKING FORM(OF_S, FIELD("object")), "ELIC-08<=WARN"},
        {"a type of one's own", ASKING FORM(OF_S, FIELD("_colour")), ""},
        {"both scopes", ASKING FORM(OF_S ",\"requestId\":2", FIELD("string")), "ELIC-06<=WARN"},
        {"a request that is not open", ASKING FORM("\"requestId\":7", FIELD("string")),
         "ELIC-41<=WARN"},
        {"a password", ASKING GO("9", "https://u:p@localhost/") WENT("9") DONE("2"),
         "ELIC-33<=WARN"},
        {"a name alone", ASKING GO("9", "https://u@localhost/") WENT("9") DONE("2"), ""},
        {"in the clear", ASKING GO("9", "http://localhost.example.org/") WENT("9") DONE("2"),
         "ELIC-34<=WARN"},
        {"in the clear at home", ASKING GO("9", "http://[::1]:80/") WENT("9") DONE("2"), ""},
        {"one id twice at once",
         ASKING GO("9", "https://a/") GO("10", "https://a/") WENT("9") WENT("10") DONE("2"),
         "ELIC-25"},
        {"one id again",
         ASKING GO("9", "https://a/") WENT("9") GO("10", "https://a/") WENT("10") DONE("2"), ""},
        {"completed", ASKING GO("9", "https://a/") WENT("9") COMPLETE("e") DONE("2"), ""},
        {"completed without being asked", ASKING COMPLETE("x") DONE("2"), "ELIC-28"},
    };
    (void)state;
    KIT_RUN(rows);
}

#define HELLO(members)                                                                             \
    START "C "                                                                                     \
          "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"                   \
          "\"protocolVersion\":1}}\n" RESULT("0", "\"protocolVersion\":1," members)
#define OWN "A {\"jsonrpc\":\"2.0\",\"method\":\"_v/x\"}\n"

static void announcements(void **state)
{
    static const struct monitor_row rows[] = {
        {"two logins of one id",
         HELLO("\"authMethods\":[{\"id\":\"a\",\"name\":\"A\"},{\"id\":\"a\",\"name\":\"B\"}]"),
         "AUTH-29<=WARN"},
        {"a method out of nowhere", HELLO("\"agentCapabilities\":{}") OWN OWN, "EXT-08<=WARN"},
        {"a method that is announced",
         HELLO("\"agentCapabilities\":{\"promptCapabilities\":{\"_meta\":{\"v\":1}}}") OWN, ""},
        {"_meta of null announces nothing", HELLO("\"agentCapabilities\":{\"_meta\":null}") OWN,
         "EXT-08<=WARN"},
        {"a trace",
         HELLO("\"_meta\":{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-"
               "b7ad6b7169203331-01\"}"),
         ""},
        {"half a trace", HELLO("\"_meta\":{\"traceparent\":\"00-0af7\"}"), "EXT-09<=WARN"},
        {"a trace of digits", HELLO("\"_meta\":{\"tracestate\":1}"), "EXT-09<=WARN"},
        {"cancelled without being asked",
         INIT "A {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":"
              "7}}\n",
         "CANCEL-15<=WARN"},
    };
    (void)state;
    KIT_RUN(rows);
}

/* Members that stand in the wrong place, or have another name. */
static void blames(void **state)
{
    static const struct monitor_row rows[] = {
        {"a bad _meta", TURN UPDATE("s", "plan", ",\"entries\":[],\"_meta\":5") DONE("2"),
         "EXT-01"},
        {"a bad tool name", TURN CALL("s", "\"t\",\"name\":5") DONE("2"), "TOOL-22"},
        {"a bad mode id", TURN UPDATE("s", "current_mode_update", ",\"currentModeId\":5") DONE("2"),
         "MODE-10"},
        {"a question without a scope", ASKING FORM("\"_meta\":{}", FIELD("string")), "ELIC-06"},
        {"a piece of a summary without text",
         COMPACTING COMPACTS("in_progress", "")
             UPDATE("s", "compaction_summary_chunk", ",\"compactionId\":\"c\"") DONE("2"),
         "COMPACT-03"},
    };
    (void)state;
    KIT_RUN(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options),       cmocka_unit_test(switches),
        cmocka_unit_test(usage),         cmocka_unit_test(message_ids),
        cmocka_unit_test(compactions),   cmocka_unit_test(times),
        cmocka_unit_test(data),          cmocka_unit_test(questions),
        cmocka_unit_test(announcements), cmocka_unit_test(blames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
