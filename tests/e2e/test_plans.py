"""Plans: shown whole, kept, and shown again."""


def plans(process):
    updates = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    return [u["entries"] for u in updates if u["sessionUpdate"] == "plan"]


def plan(*entries):
    return {"tool": "todo_write", "with": {"entries": list(entries)}}


def test_a_plan_is_shown_again_in_another_process(agent, mock_provider, work, tmp_path):
    first, second = {"content": "look", "status": "in_progress"}, {"content": "mend", "status": "pending"}
    provider = mock_provider([{"reply": [plan(first, second)]}, {"reply": [plan({**first, "status": "completed"}, second)]},
                              {"reply": [{"text": "ok"}]}])
    home = tmp_path / "home"
    process = agent(home=home, provider=provider)
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    told = plans(process)
    assert [[e["status"] for e in entries] for entries in told] == [["in_progress", "pending"], ["completed", "pending"]]
    assert {e["priority"] for entries in told for e in entries} == {"medium"}
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider)
    other.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    other.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    assert plans(other) == told


def test_a_plan_that_is_none_is_not_shown(agent, mock_provider, work):
    provider = mock_provider([{"reply": [plan({"content": "a", "status": "done"})]}, {"reply": [{"text": "ok"}]}])
    process = agent(provider=provider)
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert plans(process) == []
    assert any("entries[0].status" in str(m) for m in process.log)
