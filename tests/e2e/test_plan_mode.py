"""The mode plan: nothing changes until its user has agreed to a plan."""
import pytest

ASK = "session/request_permission"


def updates(process, kind=None):
    all_of = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    return [u for u in all_of if kind in (None, u["sessionUpdate"])]


def write(path):
    return {"tool": "write_file", "with": {"path": str(path), "content": "x"}}


def open_in_plan(process, work, approval="ask"):
    session = process.start(work)
    process.call("session/set_config_option", {"sessionId": session, "configId": "tool_approval", "value": approval})
    process.call("session/set_mode", {"sessionId": session, "modeId": "plan"})
    return session


def answer(process, outcome):
    """Answers the question about the plan."""
    ask = process.until(lambda m: m.get("method") == ASK)
    assert ask["params"]["toolCall"]["kind"] == "switch_mode"
    assert [o["kind"] for o in ask["params"]["options"]] == ["allow_once", "reject_once"]
    process.send({"jsonrpc": "2.0", "id": ask["id"], **outcome})
    return ask


def choice(option):
    return {"result": {"outcome": {"outcome": "selected", "optionId": option}}}


@pytest.mark.parametrize("approval", ["ask", "auto", "yolo"])
def test_changes_are_refused_until_the_user_agrees(agent, mock_provider, work, approval):
    target = work / "a.txt"
    provider = mock_provider([{"reply": [write(target)]}, {"reply": [{"text": "I would write it."}]},
                              {"reply": [write(target)]}, {"reply": [{"text": "done"}]}])
    process = agent(provider=provider)
    session = open_in_plan(process, work, approval)
    process.send(prompt := process.prompt(session, "do it"))
    ask = answer(process, choice("allow_once"))
    assert not target.exists()
    if approval == "ask":
        more = process.until(lambda m: m.get("method") == ASK and m["id"] != ask["id"])
        process.send({"jsonrpc": "2.0", "id": more["id"], **choice("allow_once")})
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert target.read_text() == "x"
    assert [u["currentModeId"] for u in updates(process, "current_mode_update")] == ["normal"]
    modes = [o["currentValue"] for u in updates(process, "config_option_update") for o in u["configOptions"]
             if o["id"] == "mode"]
    assert modes[-1] == "normal"
    call = [u for u in updates(process) if u.get("toolCallId") == ask["params"]["toolCall"]["toolCallId"]]
    assert [u["status"] for u in call] == ["pending", "completed"]


@pytest.mark.parametrize("outcome", [
    choice("reject_once"), choice("allow_always"), choice("nothing"), {"result": {"outcome": {"outcome": "cancelled"}}},
    {"result": {}}, {"error": {"code": -32601, "message": "no"}}])
def test_no_yes_is_a_no(agent, mock_provider, work, outcome):
    provider = mock_provider([{"reply": [{"text": "a plan"}]}])
    process = agent(provider=provider)
    session = open_in_plan(process, work, "yolo")
    process.send(prompt := process.prompt(session, "do it"))
    answer(process, outcome)
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert len(provider.requests()) == 1
    assert updates(process, "current_mode_update") == []
    assert updates(process, "tool_call_update")[-1]["status"] == "failed"


def test_a_cancel_withdraws_the_question_and_a_replay_shows_its_end(agent, mock_provider, work, tmp_path):
    provider = mock_provider([{"reply": [{"text": "a plan"}]}])
    home = tmp_path / "home"
    process = agent(provider=provider, home=home)
    session = open_in_plan(process, work)
    process.send(prompt := process.prompt(session, "do it"))
    ask = process.until(lambda m: m.get("method") == ASK)
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert any(m.get("method") == "$/cancel_request" and m["params"]["requestId"] == ask["id"] for m in process.log)
    live = [u for u in updates(process) if u["sessionUpdate"].startswith("tool_call")]
    assert live[-1]["status"] == "failed"
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider)
    other.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    opened = other.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    assert [u for u in updates(other) if u["sessionUpdate"].startswith("tool_call")] == live
    assert opened["result"]["modes"]["currentModeId"] == "plan"


def test_guidance_instead_of_an_answer_goes_on_planning(agent, mock_provider, work):
    provider = mock_provider([{"reply": [{"text": "a plan"}]}, {"reply": [{"text": "another plan"}]}])
    process = agent(provider=provider)
    session = open_in_plan(process, work)
    process.send(prompt := process.prompt(session, "do it"))
    ask = process.until(lambda m: m.get("method") == ASK)
    process.call("_reasonix.io/session/steer", {"sessionId": session, "prompt": [{"type": "text", "text": "smaller"}]})
    process.send({"jsonrpc": "2.0", "id": ask["id"], **choice("reject_once")})
    again = process.until(lambda m: m.get("method") == ASK and m["id"] != ask["id"])
    process.send({"jsonrpc": "2.0", "id": again["id"], **choice("reject_once")})
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert provider.requests()[1]["request"]["last"]["text"] == "smaller"


def test_a_mode_left_by_hand_asks_nothing(agent, mock_provider, work):
    provider = mock_provider([{"reply": [{"text": "a plan"}]}, {"reply": [{"text": "done"}]}])
    process = agent(provider=provider)
    session = open_in_plan(process, work)
    process.send(prompt := process.prompt(session, "do it"))
    ask = process.until(lambda m: m.get("method") == ASK)
    process.call("session/set_mode", {"sessionId": session, "modeId": "goal"})
    process.send({"jsonrpc": "2.0", "id": ask["id"], **choice("reject_once")})
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert updates(process, "current_mode_update") == []
