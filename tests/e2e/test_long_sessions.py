"""What only shows over many turns: the beginning of requests never changes, and commands leave nothing behind."""
import json
import pathlib


def start(agent, provider, work, **env):
    process = agent("--model", "openai/m", provider=provider, env=env)
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    process.call("session/set_config_option", {"sessionId": session, "configId": "tool_approval", "value": "yolo"})
    return process, session


def end(process):
    process.close()
    assert process.wait() == 0


def test_the_beginning_of_50_requests_stays(agent, mock_provider, work):
    """Providers charge less for what they have seen: each request is the one before it and something more, whatever
    modes, tools and commands come between."""
    (work / "a.txt").write_text("hello", encoding="utf-8")
    turns = [{"reply": [{"text": f"{i}"}] if i % 2 else [{"tool": "read_file", "with": {"path": "a.txt"}}]} for i in range(50)]
    provider = mock_provider(turns)
    process, session = start(agent, provider, work)
    for i in range(25):
        if i % 5 == 0:
            process.call("session/set_mode", {"sessionId": session, "modeId": ("plan", "normal")[i // 5 % 2]})
        if i % 7 == 0:
            process.call("session/set_config_option", {"sessionId": session, "configId": "work_mode",
                                                       "value": ("economy", "delivery")[i // 7 % 2]})
        prompt = process.prompt(session, f"turn {i}")
        process.send(prompt)
        while True:
            message = process.read()
            if message.get("method") == "session/request_permission": # what plan mode ends with
                process.send({"jsonrpc": "2.0", "id": message["id"],
                              "result": {"outcome": {"outcome": "selected", "optionId": "reject_once"}}})
            if message.get("id") == prompt["id"] and "method" not in message:
                assert message["result"]["stopReason"] == "end_turn"
                break
    bodies = [e["request"]["body"] for e in provider.journal() if e["event"] == "request"]
    assert len(bodies) == 50
    assert len({json.dumps([b.get("tools"), b["model"]]) for b in bodies}) == 1
    for before, after in zip(bodies, bodies[1:]):
        assert after["messages"][:len(before["messages"])] == before["messages"]
    end(process)


def test_200_cancelled_commands_leave_nothing(agent, mock_provider, work):
    """Each forks, ignores SIGTERM and is cancelled while it runs; a mark in their environment finds what was left."""
    command = "trap '' TERM; sleep 600 & sleep 600 & echo begun; wait"
    provider = mock_provider([{"times": 200, "reply": [{"tool": "bash", "with": {"command": command}}]}])
    process, session = start(agent, provider, work, LEFT_BEHIND=str(work))
    for _ in range(200):
        prompt = process.prompt(session, "go")
        process.send(prompt)
        process.until(lambda m: m.get("params", {}).get("update", {}).get("status") == "in_progress")
        process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    end(process)
    mark = f"LEFT_BEHIND={work}".encode()
    left = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                left.append((entry / "cmdline").read_bytes())
        except OSError:
            continue
    assert left == [], left
