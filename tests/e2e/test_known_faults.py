"""Faults that were measured on other agents. Each stands with the case or the test that would find it here; those that
have none elsewhere are tested below."""
import json
import os
import pathlib
import urllib.request

import pytest

from kit import DEADLINE

HERE = pathlib.Path(__file__).resolve().parent

# fault -> cases ("area/name"), or tests ("file.py::name")
FAULTS = {
    "delete deletes nothing": ["delete/gone-from-the-list"],
    "the list does not know stored sessions": ["list/stored-sessions"],
    "modes and model are lost when a session is opened again": ["test_controls.py::test_choices_come_back"],
    "replay shows what the user never wrote": ["session-setup/load-replays-the-conversation"],
    "replay shows an unfinished call as completed": ["test_store.py::test_an_unfinished_call_is_never_read_as_completed"],
    "a changed approval kills the turn": ["test_known_faults.py::test_switching_again_and_again"],
    "the second switch after a turn fails": ["test_known_faults.py::test_switching_again_and_again"],
    "output of a failing command is hidden": ["tool-calls/a-failing-command", "terminal/exits-of-any-form"],
    "429 and 500 are tried again in silence": ["errors/rate-limit-is-retried",
                                              "test_agent_process.py::test_retries_that_take_long_are_told_to_everybody"],
    "a rejected key sticks": ["errors/rejected-key-does-not-stick"],
    "updates come after the answer": ["prompt/text-arrives-complete-and-in-order", "prompt/text-around-a-tool-call"],
    "a cancel right behind its prompt is lost": ["cancellation/in-the-same-burst",
                                                "test_controls.py::test_a_cancel_in_the_burst_of_its_prompt_is_never_lost"],
    "guidance right behind its prompt is refused": ["steer/in-the-same-burst",
                                                   "test_controls.py::test_guidance_in_the_burst_of_its_prompt_is_never_lost"],
    "a permission names a call that nobody announced": ["permission/announced-call"],
    "links are dropped": ["prompt/resource-link", "prompt/link-reaches-the-model"],
    "a goal is pursued without end": ["test_controls.py::test_pursuing_a_goal_has_a_bound"],
    "a long line ends the process": ["transport/line-of-ten-mebibytes", "transport/one-mebibyte-line",
                                     "test_agent_process.py::test_a_line_over_the_limit_fails_alone"],
    "SIGTERM is not handled": ["process/sigterm", "process/sigterm-when-idle"],
    "a server that cannot be started is accepted in silence": ["mcp/good-one-among-bad-ones",
                                                               "test_mcp.py::test_bad_servers_hurt_nobody"],
    "config.json is written at the first start": ["test_known_faults.py::test_a_start_writes_no_configuration"],
    "tools of servers run unasked": ["test_mcp.py::test_a_refused_call_never_reaches_the_server"],
    "text is not streamed": ["prompt/text-streams-while-the-model-speaks"],
    "the user's text comes back as the agent's": ["prompt/own-words-are-not-the-answer"],
    "a call is completed before it ran": ["tool-calls/status-goes-forward", "permission/asked-before-the-effect"],
    "output and diffs are never shown": ["tool-calls/an-edit-is-a-diff", "tool-calls/results-keep-their-text"],
    "a provider's failure looks like an empty success": ["errors/nothing-shown-is-no-success", "errors/model-empty-answer"],
    "close deletes": ["close/history-stays"],
    "replay leaves tools out": ["session-setup/load-replays-tools"],
    "tools do not use the session's folder": ["session-setup/relative-paths-start-at-cwd", "session-setup/commands-run-in-cwd"],
    "servers and links are ignored": ["session-setup/stdio-servers-are-connected", "prompt/resource-link"],
    "set_config_option answers {}": ["config-options/answer-lists-all"],
    "any text is taken for a mode": ["modes/unknown-one-is-refused"],
    "always means once": ["permission/always-is-remembered"],
    "the end of input is waited for": ["process/eof-when-idle", "test_agent_process.py::test_end_of_input_ends_an_idle_agent"],
    "a question hangs the turn": ["elicitation/without-it-the-turn-ends"],
    "it listens though nothing needs it": ["test_known_faults.py::test_it_listens_nowhere"],
    "a parse error has no id": ["jsonrpc/parse-error"],
}


@pytest.fixture(scope="module")
def cases(kit):
    return {case["id"] for case in json.loads(kit.conformance("list", "--json").stdout)["cases"]}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_would_be_found(cases, fault):
    for where in FAULTS[fault]:
        file, colons, name = where.partition("::")
        if colons:
            assert f"\ndef {name}(" in (HERE / file).read_text(encoding="utf-8"), where
        else:
            assert where in cases


def test_switching_again_and_again(agent, mock_provider, work):
    """In a turn, and twice after it; the turns end as any other."""
    provider = mock_provider([{"reply": [{"text": "a"}, {"hold": "h"}, {"text": "b"}]}, {"reply": [{"text": "c"}]}])
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]

    def switch(option, value):
        answer = process.call("session/set_config_option", {"sessionId": session, "configId": option, "value": value})
        values = {o["id"]: o["currentValue"] for o in answer["result"]["configOptions"]}
        assert values[option] == value

    prompt = process.prompt(session, "go")
    process.send(prompt)
    process.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") == "agent_message_chunk")
    for value in ("auto", "ask", "yolo"):
        switch("tool_approval", value)
    urllib.request.urlopen(provider.url + "/_control/release", json.dumps({"hold": "h"}).encode(), timeout=DEADLINE).close()
    assert process.answer(prompt)["result"]["stopReason"] == "end_turn"
    for option, values in (("mode", ("plan", "normal")), ("tool_approval", ("ask", "auto")),
                           ("work_mode", ("economy", "balanced"))):
        for value in values:
            switch(option, value)
    assert process.call("session/prompt", process.prompt(session, "on")["params"])["result"]["stopReason"] == "end_turn"


def test_a_start_writes_no_configuration(agent, mock_provider, work, tmp_path):
    process = agent("--model", "openai/m", provider=mock_provider([{"reply": [{"text": "a"}]}]))
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    process.call("session/prompt", process.prompt(session, "hi")["params"])
    process.close()
    assert process.wait() == 0
    assert [p for p in tmp_path.rglob("*.json") if p.name in ("config.json", "credentials.json")] == []


def test_it_listens_nowhere(agent, mock_provider, work):
    process = agent("--model", "openai/m", provider=mock_provider([{"reply": [{"text": "a"}]}]))
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    process.call("session/prompt", process.prompt(session, "hi")["params"])
    sockets = {os.readlink(fd) for fd in pathlib.Path(f"/proc/{process.process.pid}/fd").iterdir()}
    listening = [line.split() for table in ("tcp", "tcp6", "udp", "udp6")
                 for line in pathlib.Path(f"/proc/{process.process.pid}/net/{table}").read_text().splitlines()[1:]]
    assert [fields for fields in listening if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets] == []
    local = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]]
    assert [fields for fields in local if fields[3] == "00010000" and f"socket:[{fields[6]}]" in sockets] == []
    process.close()
    assert process.wait() == 0
