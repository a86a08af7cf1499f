"""What plugins bring into a session: commands, skills, hooks, MCP servers; and reloading them."""
import json
import pathlib
import sys

import pytest

SIDECAR = pathlib.Path(__file__).resolve().parent / "agents" / "sidecar.py"
SERVER = pathlib.Path(__file__).resolve().parent / "agents" / "mcp_server.py"
DONE = {"reply": [{"text": "done"}]}


def tool(name, /, **arguments):
    return {"tool": name, "with": arguments}


@pytest.fixture
def plugin(tmp_path):
    """plugin(name, {file: text}, **members) writes one of the user's; plugin.env leads the agent there."""
    home = tmp_path / "acp-home"

    def write(name, files=None, **members):
        folder = home / "plugins" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (files or {}).items():
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "plugin.json").write_text(json.dumps({"name": name, **members}), encoding="utf-8")
        return folder

    write.env = {"ACP_AGENT_HOME": str(home)}
    return write


def hook(path, *lines):
    """A hook that keeps what it is told in `path`, then does the lines."""
    return {"command": ["/bin/sh", "-c", "; ".join((f"cat >> '{path}'; echo >> '{path}'", *lines))]}


def start(agent, provider, work, env, *flags, **said):
    process = agent("--model", "openai/m", *flags, provider=provider, env=env)
    process.call("initialize", {"protocolVersion": 1, **said})
    return process, process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]


def play(process, session, text="go"):
    prompt, updates = process.prompt(session, text), []
    process.send(prompt)
    while True:
        message = process.read()
        assert message is not None, process.stderr()
        if message.get("id") == prompt["id"] and "method" not in message:
            assert message["result"]["stopReason"] == "end_turn"
            return updates
        if message.get("method") == "session/request_permission":
            process.send({"jsonrpc": "2.0", "id": message["id"],
                          "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})
        if "update" in message.get("params", {}):
            updates.append(message["params"]["update"])


def results(updates):
    return [(u["status"], u["content"][-1]["content"]["text"]) for u in updates
            if u["sessionUpdate"] == "tool_call_update" and u.get("status") in ("completed", "failed")]


def commands(process):
    found = [m["params"]["update"] for m in process.log if m.get("params", {}).get("update", {}).get("sessionUpdate")
             == "available_commands_update"]
    return [c["name"] for c in found[-1]["availableCommands"]]


def end(process):
    process.close()
    assert process.wait() == 0


def requests(provider):
    return [e["request"] for e in provider.journal() if e["event"] == "request"]


def told(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


COMMAND = {"fix.md": "---\ndescription: Fixes tests\nargument-hint: which\n---\nFix these: $ARGUMENTS\n"}


def test_commands(agent, mock_provider, work, plugin):
    plugin("tests", COMMAND, commands=["fix.md"])
    provider = mock_provider([DONE])
    process, session = start(agent, provider, work, plugin.env)
    play(process, session, "/tests:fix  a and b ")
    assert "tests:fix" in commands(process)
    assert requests(provider)[0]["last"]["text"].strip() == "Fix these: a and b"
    end(process)


def test_skills(agent, mock_provider, work, plugin):
    plugin("style", {"prose.md": "---\nname: prose\ndescription: How we write\n---\nShort sentences.\n"}, skills=["prose.md"])
    provider = mock_provider([{"reply": [tool("skill", name="style:prose"), tool("skill", name="style:verse")]}, DONE])
    process, session = start(agent, provider, work, plugin.env)
    updates = play(process, session)
    (first, text), (second, why) = results(updates)
    assert (first, text.strip()) == ("completed", "Short sentences.")
    assert second == "failed" and "no skill of that name" in why
    described = json.dumps(requests(provider)[0]["body"]["tools"])
    assert "style:prose: How we write" in described
    end(process)


def test_hooks_are_told(agent, mock_provider, work, plugin, tmp_path):
    log = tmp_path / "log"
    plugin("watch", hooks={event: [hook(log)] for event in ("sessionStart", "beforeTool", "afterTool", "turnEnd")})
    (work / "a.txt").write_text("hello", encoding="utf-8")
    provider = mock_provider([{"reply": [tool("read_file", path="a.txt")]}, DONE])
    process, session = start(agent, provider, work, plugin.env)
    play(process, session)
    end(process)
    begun, *rest = sorted(told(log), key=lambda e: e["event"] != "sessionStart")
    assert begun["event"] == "sessionStart" and begun["sessionId"] == session
    assert [e["event"] for e in rest] == ["beforeTool", "afterTool", "turnEnd"]
    assert rest[0]["tool"] == {"name": "read_file", "arguments": {"path": "a.txt"}}
    assert "hello" in json.dumps(rest[1]) and rest[2]["stopReason"] == "end_turn"


def test_a_hook_refuses(agent, mock_provider, work, plugin, tmp_path):
    """Exit code 2 and what it wrote: the tool does not run, the model is told why; another exit code changes nothing."""
    refuse = hook(tmp_path / "log", "echo 'not on a Friday' >&2", "exit 2")
    broken = hook(tmp_path / "log", "exit 1")
    plugin("guard", hooks={"beforeTool": [{**broken}, {**refuse, "tools": ["write_file"]}]})
    provider = mock_provider([{"reply": [tool("write_file", path="a.txt", content="x"), tool("list_dir", path=".")]}, DONE])
    process, session = start(agent, provider, work, plugin.env)
    (first, why), (second, _) = results(play(process, session))
    assert first == "failed" and "not on a Friday" in why and second == "completed"
    assert not (work / "a.txt").exists()
    assert "not on a Friday" in [m for m in requests(provider)[1]["messages"] if m["role"] == "tool"][0]["text"]
    end(process)


def test_a_hook_comments(agent, mock_provider, work, plugin, tmp_path):
    comment = hook(tmp_path / "log", "echo 'run the linter' >&2", "exit 2")
    plugin("guard", hooks={"afterTool": [comment], "turnEnd": [comment]})
    provider = mock_provider([{"reply": [tool("write_file", path="a.txt", content="x")]}, DONE])
    process, session = start(agent, provider, work, plugin.env)
    updates = play(process, session)
    (status, text), = results(updates)
    assert status == "completed" and "run the linter" in text and (work / "a.txt").read_text() == "x"
    thoughts = "".join(u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_thought_chunk")
    assert "run the linter" in thoughts
    end(process)


def test_a_turn_that_waits_for_a_hook_can_be_cancelled(agent, mock_provider, work, plugin, tmp_path):
    plugin("slow", hooks={"beforeTool": [{"command": ["/bin/sh", "-c", f"echo > {tmp_path}/begun; sleep 600"],
                                         "timeoutSeconds": 300}]})
    provider = mock_provider([{"reply": [tool("list_dir", path=".")]}])
    process, session = start(agent, provider, work, plugin.env)
    prompt = process.prompt(session, "go")
    process.send(prompt)
    process.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") == "tool_call")
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    end(process)


def test_servers(agent, mock_provider, work, plugin):
    plugin("helper", mcpServers=[{"name": "s", "command": sys.executable, "args": [str(SERVER)], "env": []}])
    provider = mock_provider([{"reply": [tool("mcp__s__echo", text="hi")]}, DONE])
    process, session = start(agent, provider, work, plugin.env)
    assert results(play(process, session)) == [("completed", "echo: hi")]
    end(process)


def test_safe_mode_has_none(agent, mock_provider, work, plugin, tmp_path):
    plugin("tests", COMMAND, commands=["fix.md"], hooks={"sessionStart": [hook(tmp_path / "log")]})
    process, session = start(agent, mock_provider([DONE]), work, plugin.env, "--safe-mode")
    play(process, session)
    assert "tests:fix" not in commands(process) and not (tmp_path / "log").exists()
    end(process)


@pytest.mark.parametrize("trusted", [False, True])
def test_plugins_of_a_project(agent, mock_provider, work, plugin, tmp_path, trusted):
    folder = work / ".acp-agent" / "plugins" / "tests"
    folder.mkdir(parents=True)
    (folder / "fix.md").write_text(COMMAND["fix.md"], encoding="utf-8")
    (folder / "plugin.json").write_text(json.dumps({"name": "tests", "commands": ["fix.md"]}), encoding="utf-8")
    home = pathlib.Path(plugin.env["ACP_AGENT_HOME"])
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text(json.dumps({"trustedProjects": [str(work)] if trusted else []}), encoding="utf-8")
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    play(process, session)
    assert ("tests:fix" in commands(process)) == trusted
    end(process)


def test_reload(agent, mock_provider, work, plugin):
    """What changed is there afterwards; a broken plugin changes nothing, and the answer names it."""
    def reload():
        return process.call("_reasonix.io/session/reloadExtensions", {"sessionId": session})

    process, session = start(agent, mock_provider([DONE, DONE]), work, plugin.env)
    plugin("tests", COMMAND, commands=["fix.md"])
    assert "result" in reload()
    play(process, session)
    assert "tests:fix" in commands(process)
    folder = plugin("tests", COMMAND, commands=["missing.md"])
    error = reload()["error"]
    assert "missing.md" in error["message"] or "plugin.json" in error["message"]
    play(process, session, "/tests:fix it")
    assert "tests:fix" in commands(process)
    (folder / "plugin.json").unlink()
    (folder / "fix.md").unlink()
    folder.rmdir()
    assert "result" in reload()
    process.call("session/set_mode", {"sessionId": session, "modeId": "plan"})
    assert "tests:fix" not in commands(process)
    end(process)


# -- sidecars ----------------------------------------------------------------------------------

ACTIONS = [{"name": name, "description": f"It can {name}"} for name in
           ("echo", "publish", "form", "choice", "die", "hang", "fail")]


def with_sidecar(plugin, tmp_path, **more):
    sidecar = {"command": [sys.executable, str(SIDECAR), str(tmp_path / "log")], **more}
    plugin("side", sidecar=sidecar, actions=ACTIONS)


def text_of(updates):
    return "".join(u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk")


def act(process, session, text, answer=None):
    """The updates of a prompt, other messages that came, and the answer to it; answer(request) is the client's."""
    prompt, updates, others = process.prompt(session, text), [], []
    process.send(prompt)
    while True:
        message = process.read()
        assert message is not None, process.stderr()
        if message.get("id") == prompt["id"] and "method" not in message:
            return updates, others, message
        if "id" in message and "method" in message:
            others.append(message)
            process.send({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)})
        elif "update" in message.get("params", {}):
            updates.append(message["params"]["update"])
        else:
            others.append(message)


def test_an_action(agent, mock_provider, work, plugin, tmp_path):
    with_sidecar(plugin, tmp_path)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    updates, _, answer = act(process, session, "/side:echo one two")
    assert answer["result"]["stopReason"] == "end_turn" and text_of(updates) == "echo: one two"
    assert "side:echo" in commands(process)
    end(process)
    hello, action, bye = told(tmp_path / "log")
    assert hello["method"] == "extension/initialize" and hello["params"]["sessionId"] == session
    assert action["params"] == {"action": "echo", "arguments": "one two"} and bye["method"] == "extension/shutdown"


@pytest.mark.parametrize("surfaces", [False, True])
def test_what_is_published(agent, mock_provider, work, plugin, tmp_path, surfaces):
    with_sidecar(plugin, tmp_path)
    said = {"_meta": {"reasonix.io": {"extensionSurface": {}}}} if surfaces else {}
    process, session = start(agent, mock_provider([DONE]), work, plugin.env, **said)
    updates, others, _ = act(process, session, "/side:publish")
    if surfaces:
        shown, = [m["params"] for m in others]
        assert shown == {"sessionId": session, "plugin": "side", "surfaceId": "s", "kind": "card",
                         "payload": {"title": "Coverage", "body": "81 %"}}
    else:
        assert "**Coverage**" in text_of(updates) and "81 %" in text_of(updates)
    end(process)


@pytest.mark.parametrize("answer, want", [
    ({"action": "accept", "content": {"name": "x", "sure": True, "odd": 1}}, '{"action": "accept", "content": {"name": "x", "sure": true}}'),
    ({"action": "accept", "content": {"name": 7}}, '{"action": "cancel"}'),
    ({"action": "decline"}, '{"action": "decline"}'), ({"action": "cancel"}, '{"action": "cancel"}'), (None, '{"action": "cancel"}'),
])
def test_a_form(agent, mock_provider, work, plugin, tmp_path, answer, want):
    with_sidecar(plugin, tmp_path)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env, clientCapabilities={"elicitation": {"form": {}}})
    updates, (request,), _ = act(process, session, "/side:form", lambda _: answer)
    assert request["method"] == "elicitation/create" and request["params"]["message"] == "Deploy\n\nWhere to?"
    assert set(request["params"]["requestedSchema"]["properties"]) == {"name", "sure"}
    assert text_of(updates) == want
    end(process)


@pytest.mark.parametrize("option, want", [("value_b", '{"action": "accept", "content": {"which": "b"}}'),
                                          ("none", '{"action": "decline"}'), ("value_c", '{"action": "cancel"}')])
def test_a_choice_without_forms(agent, mock_provider, work, plugin, tmp_path, option, want):
    with_sidecar(plugin, tmp_path)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    answer = {"outcome": {"outcome": "selected", "optionId": option}}
    updates, (request,), _ = act(process, session, "/side:choice", lambda _: answer)
    assert request["method"] == "session/request_permission"
    assert [o["name"] for o in request["params"]["options"]] == ["A", "B", "None of these"]
    assert text_of(updates) == want
    end(process)


def test_a_form_that_nobody_can_be_shown(agent, mock_provider, work, plugin, tmp_path):
    with_sidecar(plugin, tmp_path)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    updates, others, _ = act(process, session, "/side:form")
    assert others == [] and text_of(updates) == '{"action": "cancel"}'
    end(process)


def test_one_that_dies_takes_nothing_along(agent, mock_provider, work, plugin, tmp_path):
    with_sidecar(plugin, tmp_path, atStart=True)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    _, _, answer = act(process, session, "/side:die")
    assert "exit code 3" in answer["error"]["message"]
    _, _, answer = act(process, session, "/side:fail")
    assert "no can do" in answer["error"]["message"]
    assert text_of(act(process, session, "/side:echo again")[0]) == "echo: again"
    assert act(process, session, "hello")[2]["result"]["stopReason"] == "end_turn"
    end(process)


def test_an_action_that_hangs_can_be_cancelled(agent, mock_provider, work, plugin, tmp_path):
    with_sidecar(plugin, tmp_path)
    process, session = start(agent, mock_provider([DONE]), work, plugin.env)
    prompt = process.prompt(session, "/side:hang")
    process.send(prompt, {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    assert text_of(act(process, session, "/side:echo on")[0]) == "echo: on"
    end(process)
