"""What the reference agent implements, kept in one place: each of it must be seen in a conformance run, and nothing
else may be seen coming from the agent. A new method or update kind is added here together with its cases."""

# Methods that clients call; all of them are answered by acp-agent.
CLIENT_METHODS = {
    "initialize", "authenticate", "session/new", "session/prompt", "session/cancel", "session/close",
    "session/load", "session/resume", "session/list", "session/delete", "session/set_mode", "session/set_config_option", "logout",
    "$/cancel_request",
}

# Methods that acp-agent calls.
AGENT_METHODS = {"session/update", "session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create",
                 "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release", "elicitation/create", "$/cancel_request"}

# Values of params.update.sessionUpdate that acp-agent sends.
UPDATES = {"agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update",
           "session_info_update", "usage_update", "current_mode_update", "config_option_update",
           "available_commands_update", "notice", "plan", "compaction_update"}
