"""What others check and what people reported, each by the tag of the cases that answer to it. What has no case says why.

Groups of tags: `tck:` the official suite's checks, `raw:` a raw-frame suite's, `defect:` the faults of the official
suite's own test agents, `fault:` which answer is due to which fault, `ambiguity:` places where the specification is
silent or contradicts itself (no answer there may fail an agent), `BUG-` public reports about agents."""


def numbered(group, *counts):
    return [f"{group}-{i:03}" for name, n in counts for group in [name] for i in range(1, n + 1)]


TCK = ["tck:" + name for name in numbered(
    "", ("TRANSPORT", 2), ("JSONRPC", 5), ("INIT", 4), ("SCHEMA", 2), ("SESSION", 2), ("PROMPT", 3), ("CANCEL", 2),
    ("LOAD", 3), ("RESUME", 2), ("LIST", 2), ("DELETE", 2), ("CLOSE", 2), ("ADDDIRS", 1), ("MODES", 2), ("CONFIG", 3),
    ("PROMPTCAP", 3), ("AUTH", 5), ("CLIENTCAP", 3), ("EXT", 1), ("META", 1), ("ERROR", 1), ("SHUTDOWN", 1),
    ("STDERR", 1), ("INFO-PARSE", 1), ("INFO-INVALIDREQ", 1), ("INFO-UNKNOWNSESSION", 1))]

RAW = ["raw:" + name for name in (
    "parse-error", "invalid-request-empty-object", "invalid-request-not-object", "invalid-request-null",
    "invalid-request-empty-batch", "invalid-request-method-type", "invalid-request-id-type", "invalid-request-version",
    "batch", "method-not-found", "method-not-found-ext", "notification-unknown", "notification-unknown-ext",
    "notification-bad-params", "id-null", "id-string", "id-0", "id-large", "invalid-params-type",
    "invalid-params-by-position", "invalid-params-missing", "invalid-params-prompt-string", "stray-response-unknown-id",
    "stray-response-null-id", "stray-response-null-id-error", "callee-error-without-message",
    "callee-null-result-where-required", "callee-null-result-where-optional", "callee-null-file", "prompt.concurrent",
    "oversized", "stdout-clean")]

DEFECT = ["defect:" + name for name in (
    "answers_notifications", "asks_permission", "advertises_load_but_errors", "bad_stop_reason", "banner_on_stdout",
    "boolean_option_unadvertised", "calls_fs_unadvertised", "calls_terminal_unadvertised",
    "calls_elicitation_unadvertised", "cancel_returns_error", "cancel_wrong_stop_reason", "config_partial_list",
    "dies_on_bad_json", "duplicate_session_id", "echoes_any_version", "exits_immediately", "garbage_after_response",
    "gated_by_auth", "hangs_until_cancel", "invalid_utf8", "load_replays_after_response", "load_returns_null",
    "mode_update_uses_modeId", "never_responds", "rejects_second_initialize", "result_and_error",
    "resume_replays_history", "router_requires_info", "supports_v1_and_v2", "terminal_auth_unadvertised",
    "unknown_method_no_error", "update_after_response", "update_wrong_session", "version_mismatch_errors",
    "wrong_id_echo", "stderr_chatter", "noisy_stderr_and_parse_error_reply", "pushes_status_notifications")]

FAULT = ["fault:" + name for name in (
    "broken-json", "batch", "not-a-message", "unknown-method", "unknown-notification", "bad-params",
    "malformed-optional", "before-initialize", "unadvertised-method", "unknown-session", "unknown-value",
    "login-missing", "turn-cancelled", "request-cancelled", "notification")]

AMBIGUITY = [f"ambiguity:{i}" for i in range(1, 75)]

def reports(*numbers):
    return [f"BUG-{i:03}" for i in numbers]


# The 102 public reports about agents: those whose fault shows on the wire between client and agent, with some that a
# scripted model shows as well, and those that other tests answer to.
BUG = reports(
    1, 6, 9, 12, 13, 15, 17, 23, 24, 26, 28, 31, 34, 39, 40, 44, 47, 52, 55, 58, 59, 62, 64, 65, 67, 68, 70, 71, 73, 74,
    76, 77, 79, 80, 82, 89, 90, 93, 98, 99, 101, 102, 104, 105, 107, 110, 112, 113, 115, 121, 122, 125, 128, 131, 137,
    140, 143, 146, 150, 152, 153, 160, 166, 167, 169, 170, 172, 173, 174,
    177, 179, 180, 182, 183, 185, 188, 190, 193, 194, 196, 198, 199, 201, 207, 208, 212, 220, 222, 225, 226, 228,
    232, 233, 235, 236, 238)
BUG_ELSEWHERE = {
    "how a provider's stream is read: tests/unit/test_sse.c and tests/unit/test_llm_reader.c": reports(191),
    "how a provider's failures are waited out: tests/unit/test_llm_error.c": reports(202, 204, 205),
    "what an agent is to its MCP servers: tests/e2e/test_mcp.py and tests/unit/test_mcp.c":
        reports(223, 229),
}
REPORTS_ABOUT_AGENTS = 102

# Reports about model servers: what an agent must survive.
BUG_OF_PROVIDERS = reports(176, 186)
# And about MCP servers.
BUG_OF_SERVERS = reports(214, 215, 239)

ALL = [*TCK, *RAW, *DEFECT, *FAULT, *AMBIGUITY, *BUG, *BUG_OF_PROVIDERS, *BUG_OF_SERVERS]

PROSE = "the documents contradict themselves where nothing on the wire tells"

# Why no case has the tag.
WITHOUT_CASE = {
    "BUG-034": "an agent's backend process is not the harness's to end",
    "ambiguity:5": PROSE, "ambiguity:25": PROSE,
    "ambiguity:65": "no case can make an agent take the terminal of another session",
    "ambiguity:33": "no time is defined for any request, so none is judged",
    "ambiguity:73": "that _meta is kept is not required, so it is not looked at",
    "ambiguity:74": "it is about levels: unit.test_requirement holds them against the words",
}
