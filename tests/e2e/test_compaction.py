"""The conversation becomes a summary when the model's window fills, or its user says so."""
import pytest

LONG = "x" * 7000  # some 1750 tokens
NARROW = {"ACP_AGENT_CONTEXT": "2000"}
REFUSED = {"status": 400, "body": {"error": {"message": "no summaries here"}}}
TAKES = {"session": {"compaction": {}, "configOptions": {"boolean": {}}}}


def text(said):
    return {"reply": [{"text": said}]}


def turn(process, session, said):
    process.send(prompt := process.prompt(session, said))
    return process.answer(prompt)


def updates(process, kind):
    all_of = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    return [u for u in all_of if u["sessionUpdate"] == kind]


def reports(process):
    return [(u["status"], "summary" in u, "error" in u) for u in updates(process, "compaction_update")]


def sent(provider, n=-1):
    """What the model was sent, without the system prompt."""
    return [(m["role"], m["content"]) for m in provider.requests()[n]["request"]["body"]["messages"][1:]]


def opened(process, session, work, capabilities):
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
    return process.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})


@pytest.mark.parametrize("capabilities", [TAKES, {}])
def test_a_full_window_is_emptied(agent, mock_provider, work, tmp_path, capabilities):
    provider = mock_provider([text("first"), text("SUMMARY"), text("second"), text("third")])
    home = tmp_path / "home"
    process = agent(home=home, provider=provider, env=NARROW)
    session = process.start(work, capabilities)
    turn(process, session, "one " + LONG)
    assert turn(process, session, "two")["result"] == {"stopReason": "end_turn"}
    assert len(provider.requests()) == 3
    asked, after = sent(provider, 1), sent(provider, 2)
    assert asked[0][1].startswith("one xxx") and "summary" in asked[-1][1]
    assert "SUMMARY" in after[0][1] and LONG not in str(after)
    assert after[1:] == [("assistant", "first"), ("user", "two")]
    assert process.text() == "firstsecond"
    assert reports(process) == ([("in_progress", False, False), ("completed", True, False)] if capabilities else [])
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider, env=NARROW)
    opened(other, session, work, capabilities)
    assert other.text() == "firstsecond"
    assert [u["content"]["text"][:3] for u in updates(other, "user_message_chunk")] == ["one", "two"]
    assert reports(other) == ([("completed", True, False)] if capabilities else [])
    turn(other, session, "three")
    assert sent(provider)[:len(after)] == after
    assert sent(provider)[len(after):] == [("assistant", "second"), ("user", "three")]


def test_what_the_provider_counted_fills_the_window(agent, mock_provider, work):
    script = [{**text("first"), "usage": {"input": 1900, "output": 10}}, text("SUMMARY"), text("second")]
    provider = mock_provider(script)
    process = agent(provider=provider, env=NARROW)
    session = process.start(work)
    turn(process, session, "y" * 3000)
    turn(process, session, "two")
    assert "SUMMARY" in sent(provider)[0][1]


def test_a_failed_compaction_changes_nothing(agent, mock_provider, work):
    script = [text("first"), REFUSED, text("second")]
    provider = mock_provider(script)
    process = agent(provider=provider, env=NARROW)
    session = process.start(work, TAKES)
    turn(process, session, "one " + LONG)
    assert turn(process, session, "two")["result"] == {"stopReason": "end_turn"}
    assert sent(provider) == [("user", "one " + LONG), ("assistant", "first"), ("user", "two")]
    assert reports(process)[-1] == ("failed", False, True)
    assert "no summaries here" in updates(process, "compaction_update")[-1]["error"]


def test_a_cancelled_compaction_changes_nothing(agent, mock_provider, work):
    provider = mock_provider([text("first"), {"reply": [{"stall": True}]}, text("SUMMARY"), text("second")])
    process = agent(provider=provider, env=NARROW)
    session = process.start(work, TAKES)
    turn(process, session, "one " + LONG)
    process.send(prompt := process.prompt(session, "two"))
    process.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") == "compaction_update")
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert reports(process)[-1] == ("cancelled", False, False)
    turn(process, session, "three")
    assert sent(provider, 2)[0][1].startswith("one xxx")
    assert sent(provider)[-1] == ("user", "three")


def test_by_hand(agent, mock_provider, work, tmp_path):
    home = tmp_path / "home"
    provider = mock_provider([text("z" * 2000), text("first"), text("SUMMARY"), text("second"), text("third")])
    process = agent(home=home, provider=provider)
    session = process.start(work, TAKES)
    turn(process, session, "/compact")
    assert "nothing to shorten" in process.text() and provider.requests() == []
    turn(process, session, "one")
    turn(process, session, "two")
    assert turn(process, session, "/compact names of files")["result"] == {"stopReason": "end_turn"}
    assert "names of files" in sent(provider)[-1][1]
    turn(process, session, "three")
    after = sent(provider)
    assert "SUMMARY" in after[0][1] and after[-1] == ("user", "three")
    assert "zzz" not in str(after)
    live = process.text()
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider)
    opened(other, session, work, TAKES)
    assert other.text() == live
    turn(other, session, "four")
    assert sent(provider)[:len(after)] == after


def test_by_hand_a_failure_is_told(agent, mock_provider, work):
    script = [text("z" * 2000), text("first"), REFUSED]
    process = agent(provider=mock_provider(script))
    session = process.start(work, TAKES)
    turn(process, session, "one")
    turn(process, session, "two")
    assert "no summaries here" in turn(process, session, "/compact")["error"]["message"]


def test_results_stay_with_their_calls(agent, mock_provider, work):
    (work / "a.txt").write_text("a" * 3000, encoding="utf-8")
    (work / "b.txt").write_text("b" * 5000, encoding="utf-8")
    read = [{"reply": [{"tool": "read_file", "with": {"path": str(work / name)}}]} for name in ("a.txt", "b.txt")]
    provider = mock_provider([*read, text("SUMMARY"), text("done")])
    process = agent(provider=provider, env=NARROW)
    session = process.start(work)
    assert turn(process, session, "look")["result"] == {"stopReason": "end_turn"}
    messages = provider.requests()[-1]["request"]["body"]["messages"][1:]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool"]
    assert "SUMMARY" in messages[0]["content"]
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]


def option(process, session, value, **more):
    return process.call("session/set_config_option",
                        {"sessionId": session, "configId": "auto_compact", "value": value, **more})


def test_it_can_be_switched_off(agent, mock_provider, work, tmp_path):
    home = tmp_path / "home"
    provider = mock_provider([text("first"), text("second"), text("third")])
    process = agent(home=home, provider=provider, env=NARROW)
    session = process.start(work, TAKES)
    for wrong in ({"value": "false"}, {"value": False}, {"value": "false", "type": "boolean"}, {"value": 0, "type": "boolean"}):
        assert option(process, session, **wrong)["error"]["code"] == -32602
    turned = option(process, session, False, type="boolean")["result"]["configOptions"]
    assert [o["currentValue"] for o in turned if o["id"] == "auto_compact"] == [False]
    turn(process, session, "one " + LONG)
    turn(process, session, "two")
    assert sent(provider)[0][1] == "one " + LONG
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider, env=NARROW)
    again = opened(other, session, work, TAKES)["result"]["configOptions"]
    assert [o["currentValue"] for o in again if o["id"] == "auto_compact"] == [False]


def test_who_takes_no_booleans_sees_none(agent, mock_provider, work):
    process = agent(provider=mock_provider([]))
    session = process.start(work)
    assert option(process, session, False, type="boolean")["error"]["code"] == -32602
