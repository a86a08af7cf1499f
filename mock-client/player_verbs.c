#include "mock-client/player_int.h"

#include "base/err.h"

#include <string.h>

/*
 * Every verb once, in the order of docs/cases.md. Types: s string, o object, a array, n number from
 * 0 up, b boolean, t true, m pattern, e `expect`, v a step's name or an EVENT, r a number or
 * {"min", "max"}, * anything; several letters mean any of them. check, note, within, at_most and
 * agent go with every verb.
 */
#define ASKING   "id:* as:s wait:b expect:e invalid:b"
#define SEND     PLAY_SENDS | PLAY_AGENT
#define RAW      "base64:s repeat:o then:s newline:b chunks:na invalid:b id:* as:s"
#define AS_TEXT  "equals:s contains:s match:s"
#define NO_CHECK NULL

static const struct play_verb verbs[] = {
    {"initialize", "sends initialize and waits for the answer", "o", ASKING, SEND, NO_CHECK,
     play_initialize_begin, play_answer_poll, play_late},
    {"session", "makes a session and saves its id", "s", "params:o " ASKING, SEND, NO_CHECK,
     play_session_begin, play_session_poll, play_late},
    {"prompt", "sends a prompt", "sa", "session:s " ASKING, SEND, NO_CHECK, play_prompt_begin,
     play_answer_poll, play_late},
    {"request", "sends any request", "s", "params:* " ASKING, SEND, NO_CHECK, play_request_begin,
     play_answer_poll, play_late},
    {"notify", "sends any notification", "s", "params:* invalid:b", SEND, NO_CHECK,
     play_notify_begin, NULL, NULL},
    {"cancel", "sends session/cancel", "s", "", SEND, NO_CHECK, play_cancel_begin, NULL, NULL},
    {"cancel_request", "sends $/cancel_request", "s", "", SEND, NO_CHECK, play_cancel_request_begin,
     NULL, NULL},
    {"respond", "answers a request of the agent by hand", "m",
     "result:* error:* answer:so as:s invalid:b", PLAY_AGENT | PLAY_LAZY, play_respond_check,
     play_respond_begin, play_respond_poll, play_late_unreached},
    {"send", "writes bytes to the agent's stdin", "s", RAW, SEND, play_send_check, play_send_begin,
     NULL, NULL},
    {"base64", "writes bytes given in base64", "s", RAW, SEND, play_send_check, play_send_begin,
     NULL, NULL},
    {"batch", "sends the messages of several steps in one write", "a", "", PLAY_AGENT | PLAY_BATCH,
     play_batch_check, play_batch_begin, play_batch_poll, play_batch_late},
    {"await", "waits for the answer to an earlier request", "s", "expect:e", PLAY_AGENT, NO_CHECK,
     play_await_begin, play_answer_poll, play_late},
    {"saw", "waits until the agent has sent a matching message", "m",
     "count:n as:s since:v expect:e", PLAY_JUDGES | PLAY_AGENT, NO_CHECK, play_saw_begin,
     play_saw_poll, play_late},
    {"never", "no message so far matches", "m", "since:v", PLAY_JUDGES, NO_CHECK, play_never_begin,
     NULL, NULL},
    {"fence", "waits until all the agent had to say was said", "t", "", PLAY_AGENT, NO_CHECK,
     play_fence_begin, play_fence_poll, play_fence_late},
    {"count", "how many messages so far match", "m", "is:r since:v", PLAY_JUDGES, play_count_check,
     play_count_begin, NULL, NULL},
    {"text", "compares the text of the chunks so far", "s", "session:s since:v as:s " AS_TEXT,
     PLAY_JUDGES | PLAY_KEEPS, play_text_check, play_text_begin, NULL, NULL},
    {"order", "these events happened in this order", "a", "", PLAY_JUDGES, play_order_check,
     play_order_begin, NULL, NULL},
    {"same", "compares values of events", "a", "how:s", PLAY_JUDGES, play_same_check,
     play_same_begin, NULL, NULL},
    {"hold", "waits until the model's script, or the client, has come to this hold", "s", "",
     PLAY_AGENT, NO_CHECK, play_hold_begin, play_hold_poll, play_hold_late},
    {"release", "lets what is held go on", "s", "", 0, NO_CHECK, play_release_begin, NULL, NULL},
    {"model_saw", "waits until a matching request has reached the model", "m", "nth:n since:v",
     PLAY_JUDGES | PLAY_AGENT, NO_CHECK, play_model_saw_begin, play_model_saw_poll,
     play_model_late},
    {"model_count", "how many requests have reached the model", "r", "since:v", PLAY_JUDGES,
     NO_CHECK, play_model_count_begin, NULL, NULL},
    {"model_gone", "waits until the agent has hung up on an unfinished reply", "t", "",
     PLAY_JUDGES | PLAY_AGENT, NO_CHECK, play_model_gone_begin, play_model_gone_poll,
     play_model_late},
    {"server_saw", "waits until a matching request has reached an MCP server", "m", "nth:n since:v",
     PLAY_JUDGES | PLAY_AGENT, NO_CHECK, play_server_saw_begin, play_server_saw_poll, play_late},
    {"write_file", "writes a file", "s", "content:s", 0, play_write_file_check,
     play_write_file_begin, NULL, NULL},
    {"file", "compares a file", "s", "absent:t " AS_TEXT, PLAY_JUDGES, play_file_check,
     play_file_begin, play_file_poll, play_file_late},
    {"write_buffer", "changes the unsaved text of a file", "s", "content:s", 0,
     play_write_buffer_check, play_write_buffer_begin, NULL, NULL},
    {"buffer", "compares the unsaved text of a file", "s", "absent:t " AS_TEXT, PLAY_JUDGES,
     play_buffer_check, play_buffer_begin, NULL, NULL},
    {"terminals", "waits until so many terminals are open and running", "o", "", PLAY_JUDGES,
     play_terminals_check, play_terminals_begin, play_terminals_poll, play_terminals_late},
    {"start", "starts a further process of the agent", "s", "env:o args:a handshake:b", PLAY_AGENT,
     play_start_check, play_start_begin, play_start_poll, play_start_late},
    {"close_stdin", "closes the agent's stdin", "t", "", 0, NO_CHECK, play_close_stdin_begin, NULL,
     NULL},
    {"signal", "sends the agent a signal", "s", "", 0, play_signal_check, play_signal_begin, NULL,
     NULL},
    {"kill", "kills the agent and its process group", "t", "", 0, NO_CHECK, play_kill_begin,
     play_kill_poll, play_late},
    {"processes", "waits until so many processes of the agent's tree are left", "o", "",
     PLAY_JUDGES, play_processes_check, play_processes_begin, play_processes_poll,
     play_processes_late},
    {"exit", "waits for the end of the agent's process", "m", "", PLAY_JUDGES, NO_CHECK,
     play_exit_begin, play_exit_poll, play_late},
    {"stdout_rest", "compares what stands behind the last line feed", "o", "", PLAY_JUDGES,
     play_stdout_rest_check, play_stdout_rest_begin, NULL, NULL},
    {"restart", "ends the agent and starts it again", "t", "env:o args:a", 0, NO_CHECK,
     play_restart_begin, play_restart_poll, play_late},
    {"login", "goes through the agent's own login in a terminal", "ts", "", PLAY_JUDGES,
     play_login_check, play_login_begin, play_login_poll, play_login_late},
    {"alive", "the agent still runs and answers", "t", "", PLAY_JUDGES | PLAY_AGENT, NO_CHECK,
     play_alive_begin, play_alive_poll, play_late},
};

const struct play_verb *play_verb_at(size_t i)
{
    return i < ARRAY_LEN(verbs) ? &verbs[i] : NULL;
}

const char *player_verb(size_t i, const char **ret_summary)
{
    if (i >= ARRAY_LEN(verbs))
        return NULL;
    if (ret_summary)
        *ret_summary = verbs[i].summary;
    return verbs[i].name;
}
