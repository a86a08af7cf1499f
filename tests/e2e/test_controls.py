"""Session controls of acp-agent: modes, options, guidance, logging out, files of settings."""
import contextlib
import json

import pytest


STEER = "_reasonix.io/session/steer"
RELOAD = "_reasonix.io/session/reloadExtensions"
REPETITIONS = 1000


def steer(process, session, text):
    return process.request(STEER, {"sessionId": session, "prompt": [{"type": "text", "text": text}]})


def current(options):
    return {o["id"]: o["currentValue"] for o in options}


def open_session(process, cwd, capabilities=None):
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities or {}})
    return process.call("session/new", {"cwd": str(cwd), "mcpServers": []})["result"]


def turn(process, session, text):
    process.send(prompt := process.prompt(session, text))
    return process.answer(prompt)["result"]["stopReason"]


# -- nothing that follows its prompt is lost --------------------------------------------------


def unplanned(process, session, text):
    """A turn in the mode plan whose plan the user does not agree to."""
    process.send(prompt := process.prompt(session, text))
    ask = process.until(lambda m: m.get("method") == "session/request_permission")
    process.send({"jsonrpc": "2.0", "id": ask["id"], "result": {"outcome": {"outcome": "cancelled"}}})
    return process.answer(prompt)["result"]["stopReason"]


def test_guidance_in_the_burst_of_its_prompt_is_never_lost(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    for n in range(REPETITIONS):
        if n % 100 == 0:  # histories that grow would only cost time
            session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
        prompt, guidance = process.prompt(session, f"p{n}"), steer(process, session, f"g{n}")
        process.send(prompt, guidance)
        assert process.answer(guidance).get("result") == {}, n
        assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}, n
    last = [r["request"]["last"]["text"] for r in provider.requests()]
    assert [t for t in last if t.startswith("g")] == [f"g{n}" for n in range(REPETITIONS)]


def test_a_cancel_in_the_burst_of_its_prompt_is_never_lost(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"stall": True}]}])
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    for n in range(REPETITIONS):
        if n % 100 == 0:
            session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
        prompt = process.prompt(session, f"p{n}")
        process.send(prompt, {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}, n


# -- choices ---------------------------------------------------------------------------------


def test_choices_come_back(agent, mock_provider, work, tmp_path):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    home = tmp_path / "shared"
    process = agent("--model", "openai/one", provider=provider, home=home)
    session = open_session(process, work)["sessionId"]
    for option, value in (("work_mode", "delivery"), ("tool_approval", "auto"), ("mode", "plan")):
        answer = process.call("session/set_config_option",
                              {"sessionId": session, "configId": option, "value": value})
        assert current(answer["result"]["configOptions"])[option] == value
    process.close()
    assert process.wait() == 0
    process = agent("--model", "openai/two", provider=provider, home=home)
    process.call("initialize", {"protocolVersion": 1})
    result = process.call("session/resume", {"sessionId": session, "cwd": str(work)})["result"]
    assert result["modes"]["currentModeId"] == "plan"
    assert current(result["configOptions"]) == {
        "mode": "plan", "model": "openai/one", "effort": "auto", "work_mode": "delivery", "tool_approval": "auto"}


@pytest.mark.parametrize("name, mode, approval", [
    ("default", "normal", "ask"), ("auto", "normal", "yolo"), ("build", "normal", "auto"), ("plan", "plan", "auto"),
])
def test_older_names_of_modes(agent, mock_provider, work, name, mode, approval):
    process = agent("--model", "openai/m", provider=mock_provider([]))
    session = open_session(process, work)["sessionId"]
    process.call("session/set_config_option", {"sessionId": session, "configId": "tool_approval", "value": "auto"})
    assert process.call("setSessionMode", {"sessionId": session, "modeId": name})["result"] == {}
    told = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    values = current([u for u in told if u["sessionUpdate"] == "config_option_update"][-1]["configOptions"])
    assert (values["mode"], values["tool_approval"]) == (mode, approval)
    modes = [u["currentModeId"] for u in told if u["sessionUpdate"] == "current_mode_update"]
    assert modes == ([] if name == mode else [mode])


def test_the_model_is_told_of_modes_and_its_prefix_stays(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent("--model", "openai/m", provider=provider)
    session = open_session(process, work)["sessionId"]
    assert turn(process, session, "one") == "end_turn"
    process.call("session/set_mode", {"sessionId": session, "modeId": "plan"})
    assert unplanned(process, session, "two") == "end_turn"
    assert unplanned(process, session, "three") == "end_turn"
    process.call("session/set_mode", {"sessionId": session, "modeId": "normal"})
    assert turn(process, session, "four") == "end_turn"
    bodies = [r["request"]["body"] for r in provider.requests()]
    prompts = [b["messages"][-1]["content"] for b in bodies]
    assert prompts[0] == "one" and prompts[2] == "three"
    assert prompts[1].startswith("two\n\n[") and "plan" in prompts[1]
    assert prompts[3].startswith("four\n\n[") and "normal" in prompts[3]
    for before, after in zip(bodies, bodies[1:]):
        assert after["messages"][:len(before["messages"])] == before["messages"]
        assert after["tools"] == before["tools"]


def test_another_model_and_effort(agent, mock_provider, work, tmp_path):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    home = tmp_path / "configured"
    folder = home / ".config" / "acp-agent"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model": "openai/small", "providers": {"openai": {"models": [
        {"id": "small", "name": "Small"}, {"id": "big", "efforts": ["low", "high"], "maxOutput": 7}]}}}))
    process = agent("--max-tokens", 9, provider=provider, home=home)
    result = open_session(process, work)
    session = result["sessionId"]
    assert current(result["configOptions"])["model"] == "openai/small"

    def choose(option, value):
        return process.call("session/set_config_option",
                            {"sessionId": session, "configId": option, "value": value})

    assert choose("effort", "high")["error"]["code"] == -32602
    assert process.call("session/set_model", {"sessionId": session, "modelId": "openai/huge"})["error"]["code"] == -32602
    assert process.call("session/set_model", {"sessionId": session, "modelId": "openai/big"})["result"] == {}
    assert current(choose("effort", "high")["result"]["configOptions"])["effort"] == "high"
    turn(process, session, "hi")
    assert current(choose("model", "openai/small")["result"]["configOptions"])["effort"] == "auto"
    turn(process, session, "hi")
    big, small = (r["request"]["body"] for r in provider.requests())
    assert (big["model"], big["reasoning_effort"], big["max_tokens"]) == ("big", "high", 7)
    assert (small["model"], "reasoning_effort" in small, small["max_tokens"]) == ("small", False, 9)


def test_the_model_used_last(agent, mock_provider, work, tmp_path):
    """... is what new sessions begin with, as long as nothing names one and it can be had."""
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    home = tmp_path / "configured"
    folder = home / ".config" / "acp-agent"
    folder.mkdir(parents=True)
    config = {"providers": {"openai": {"models": [{"id": "small"}, {"id": "big"}]}}}

    def begin(**more):
        (folder / "config.json").write_text(json.dumps({**config, **more}))
        process = agent(provider=provider, home=home)
        result = open_session(process, work)
        return process, result["sessionId"], current(result["configOptions"])["model"]

    process, session, first = begin()
    process.call("session/set_model", {"sessionId": session, "modelId": "openai/big"})
    turn(process, session, "hi")
    assert first != "openai/big"
    assert begin()[2] == "openai/big"
    assert begin(model="openai/small")[2] == "openai/small"
    assert current(open_session(agent("--model", "openai/x", provider=provider, home=home), work)["configOptions"])[
        "model"] == "openai/x"
    (folder / "config.json").write_text(json.dumps(config))
    gone = agent(env={"DEEPSEEK_API_KEY": "k"}, home=home)
    assert current(open_session(gone, work)["configOptions"])["model"].startswith("deepseek/")


@pytest.mark.parametrize("where", ["user", "project"])
def test_a_broken_file_is_named(agent, mock_provider, work, tmp_path, where):
    home = tmp_path / "broken"
    folder = home / ".config" / "acp-agent" if where == "user" else work / ".acp-agent"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{\n  "model": "openai/x",\n  // mine\n}')
    process = agent(provider=mock_provider([]), home=home)
    process.call("initialize", {"protocolVersion": 1})
    error = process.call("session/new", {"cwd": str(work), "mcpServers": []})["error"]
    assert error["code"] == -32603
    assert f"{folder}/config.json: line 3, column 3: JSON has no comments" in error["message"]


# -- reload and logout -----------------------------------------------------------------------


def test_a_reload_tells_the_model_of_new_instructions(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    (work / "AGENTS.md").write_text("Say yes.")
    process = agent("--model", "openai/m", provider=provider)
    session = open_session(process, work)["sessionId"]
    turn(process, session, "one")
    (work / "AGENTS.md").write_text("Say no.")
    assert process.call(RELOAD, {"sessionId": session})["result"] == {"queued": False}
    turn(process, session, "two")
    turn(process, session, "three")
    bodies = [r["request"]["body"]["messages"] for r in provider.requests()]
    assert bodies[0][0] == bodies[1][0] and "Say yes." in bodies[0][0]["content"]
    assert "Say no." in bodies[1][-1]["content"]
    assert bodies[2][-1]["content"] == "three"


def test_instructions_of_further_folders(agent, mock_provider, work, tmp_path):
    """... come behind those of the working directory, and are read again with them."""
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    more = [tmp_path / "b", tmp_path / "a", tmp_path / "none"]
    for folder in more:
        folder.mkdir()
    for folder, words in ((work, "first"), (more[0], "second"), (more[1], "third")):
        (folder / "AGENTS.md").write_text(f"I am {words}.")
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "additionalDirectories": [
        str(folder) for folder in (*more, more[0], work)]})["result"]["sessionId"]
    turn(process, session, "one")
    (more[1] / "AGENTS.md").write_text("I am new.")
    process.call(RELOAD, {"sessionId": session})
    turn(process, session, "two")
    bodies = [r["request"]["body"]["messages"] for r in provider.requests()]
    said = bodies[0][0]["content"].split("I am ")[1:]
    assert [part.split(".")[0] for part in said] == ["first", "second", "third"]
    assert f"Instructions of {more[1]}" in said[1]
    assert bodies[1][0] == bodies[0][0] and "I am new." in bodies[1][-1]["content"]


def test_a_reload_that_fails_changes_nothing(agent, mock_provider, work, tmp_path):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    home = tmp_path / "reloaded"
    process = agent("--model", "openai/m", provider=provider, home=home)
    session = open_session(process, work)["sessionId"]
    folder = home / ".config" / "acp-agent"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{")
    error = process.call(RELOAD, {"sessionId": session})["error"]
    assert error["code"] == -32603 and "config.json: line 1" in error["message"]
    assert turn(process, session, "still there?") == "end_turn"


def test_logging_out(agent, mock_provider, work, tmp_path):
    home = tmp_path / "owner"
    folder = home / ".config" / "acp-agent"
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text('{"openai": "sk-0123456789"}')
    process = agent(home=home)
    session = open_session(process, work)["sessionId"]
    assert process.call("logout", {})["result"] == {}
    assert not (folder / "credentials.json").exists()
    assert process.call("session/new", {"cwd": str(work), "mcpServers": []})["error"]["code"] == -32000
    process.send(prompt := process.prompt(session, "hi"))
    assert process.answer(prompt)["error"]["code"] == -32000
    (folder / "credentials.json").write_text('{"openai": "sk-0123456789"}')
    assert process.call("session/new", {"cwd": str(work), "mcpServers": []})["error"]["code"] == -32000
    assert process.call("authenticate", {"methodId": "environment"})["result"] == {}
    assert "result" in process.call("session/new", {"cwd": str(work), "mcpServers": []})


def test_the_terminal_login_is_for_clients_that_can(agent, kit, tmp_path):
    process = agent()
    methods = process.call("initialize", {"protocolVersion": 1, "clientCapabilities": {"auth": {"terminal": True}}})
    setup = next(m for m in methods["result"]["authMethods"] if m.get("type") == "terminal")
    assert process.call("authenticate", {"methodId": setup["id"]})["error"]["code"] == -32602
    home = tmp_path / "terminal"
    home.mkdir()
    done = kit.run("acp-agent", "acp", *setup["args"], env=kit.environment(home))
    assert (done.returncode, done.stdout) == (2, "") and "--provider" in done.stderr
    with contextlib.suppress(StopIteration):
        methods = process.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        raise AssertionError(next(m for m in methods["result"]["authMethods"] if m.get("type") == "terminal"))


# -- goals -----------------------------------------------------------------------------------


def pursue(process, work, *, say="reach it"):
    session = open_session(process, work)["sessionId"]
    process.call("session/set_mode", {"sessionId": session, "modeId": "goal"})
    return turn(process, session, say)


@pytest.mark.parametrize("status", ["complete", "blocked"])
def test_a_goal_is_pursued_until_the_model_says_so(agent, mock_provider, work, status):
    provider = mock_provider([
        {"reply": [{"text": "step one"}]},
        {"reply": [{"tool": "update_goal", "with": {"status": "done?"}}]},
        {"reply": [{"text": "step two"}]},
        {"reply": [{"tool": "update_goal", "with": {"status": status, "note": "x"}}]},
        {"reply": [{"text": "that is it"}]}])
    process = agent("--model", "openai/m", provider=provider)
    assert pursue(process, work) == "end_turn"
    last = [r["request"]["last"] for r in provider.requests()]
    assert [m["role"] for m in last] == ["user", "user", "tool", "user", "tool"]
    assert all("update_goal" in last[n]["text"] for n in (1, 3))
    assert "must be complete or blocked" in last[2]["text"] and last[4]["text"] == "Noted."
    assert process.text() == "step onestep twothat is it"
    shown = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    calls = [u["status"] for u in shown if u["sessionUpdate"] == "tool_call_update"]
    assert calls == ["failed", "in_progress", "completed"]


def test_pursuing_a_goal_has_a_bound(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"text": "."}]}])
    assert pursue(agent("--model", "openai/m", provider=provider), work) == "max_turn_requests"
    assert len(provider.requests()) == 26


def test_a_goal_can_be_given_up(agent, mock_provider, work):
    """Cancelled, and by another mode, while the model is at it."""
    provider = mock_provider([
        {"reply": [{"text": "a"}, {"stall": True}]},
        {"reply": [{"text": "b"}, {"delay": 300}]}])
    process = agent("--model", "openai/m", provider=provider)
    session = open_session(process, work)["sessionId"]
    process.call("session/set_mode", {"sessionId": session, "modeId": "goal"})
    process.send(prompt := process.prompt(session, "one"))
    process.update("agent_message_chunk")
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    process.send(prompt := process.prompt(session, "two"))
    process.update("agent_message_chunk")
    process.call("session/set_mode", {"sessionId": session, "modeId": "normal"})
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert len(provider.requests()) == 2


@pytest.mark.parametrize("work_mode, checks, requests", [("delivery", False, 3), ("delivery", True, 3), ("balanced", False, 2)])
def test_delivery_wants_a_check(agent, mock_provider, work, work_mode, checks, requests):
    """A turn that changed files and ran nothing afterwards goes on, once."""
    write = {"tool": "write_file", "with": {"path": "a.txt", "content": "x"}}
    script = [{"reply": [write]}, *([{"reply": [{"tool": "bash", "with": {"command": "true"}}]}] if checks else []),
              {"reply": [{"text": "done"}]}, {"reply": [{"text": "there is no check"}]}]
    provider = mock_provider(script)
    process = agent("--model", "openai/m", provider=provider)
    session = open_session(process, work)["sessionId"]
    for option, value in (("tool_approval", "yolo"), ("work_mode", work_mode)):
        process.call("session/set_config_option", {"sessionId": session, "configId": option, "value": value})
    assert turn(process, session, "go") == "end_turn"
    asked = [e["request"] for e in provider.journal() if e["event"] == "request"]
    assert len(asked) == requests
    reminded = ["checked nothing" in json.dumps(r["messages"]) for r in asked]
    assert reminded[-1] == (work_mode == "delivery" and not checks) and sum(reminded) <= 1
    process.close()
    assert process.wait() == 0
