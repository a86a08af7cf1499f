"""MCP servers of a session: real ones over each transport, and bad ones that hurt nobody."""
import json
import os
import pathlib
import re
import select
import socket
import subprocess
import sys
import time

import pytest

import npm

DEADLINE = 60
SERVERS = pathlib.Path(__file__).resolve().parents[1] / "peers" / "node_modules"
SCRIPTED = pathlib.Path(__file__).resolve().parent / "agents" / "mcp_server.py"
BASE64 = re.compile(r"^[A-Za-z0-9+/=]+$")

def tool(name, **arguments):
    return {"tool": name, "with": arguments}


def everything():
    return SERVERS / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"


def stdio(name, *argv, **more):
    command, *args = map(str, argv)
    return {"name": name, "command": command, "args": args, "env": [], **more}


def scripted(name, *args, **more):
    return stdio(name, sys.executable, SCRIPTED, *args, **more)


def start(agent, provider, work, servers, **capabilities):
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": servers})["result"]["sessionId"]
    return process, session


def play(process, session, option="allow_once"):
    """One prompt; all updates, with the answer to it at the end."""
    prompt, updates = process.prompt(session, "go"), []
    process.send(prompt)
    while True:
        message = process.read()
        assert message is not None, process.stderr()
        if message.get("id") == prompt["id"] and "method" not in message:
            return updates, message["result"]["stopReason"]
        if message.get("method") == "session/request_permission":
            process.send({"jsonrpc": "2.0", "id": message["id"],
                          "result": {"outcome": {"outcome": "selected", "optionId": option}}})
        if "update" in message.get("params", {}):
            updates.append(message["params"]["update"])


def results(updates):
    return [u for u in updates if u["sessionUpdate"] == "tool_call_update" and u.get("status") in ("completed", "failed")]


def texts(update):
    return [c["content"].get("text") for c in update["content"] if c["type"] == "content"]


def end(process):
    process.close()
    assert process.wait() == 0


# -- the real ones -----------------------------------------------------------------------------

@pytest.fixture
def listening():
    """Starts the everything server on a port of its own choice, as far as it lets us."""
    running = []

    def begin(transport, port):
        process = subprocess.Popen(["node", str(everything()), transport], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={**os.environ, "PORT": str(port)})
        running.append(process)
        deadline, seen = time.monotonic() + DEADLINE, b""
        while b"port" not in seen.lower() and b"running" not in seen.lower():
            ready = select.select([process.stderr, process.stdout], [], [], deadline - time.monotonic())[0]
            assert ready, seen
            seen += os.read(ready[0].fileno(), 4096)
    yield begin
    for process in running:
        process.kill()
        process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def everything_over(transport, listening):
    """The entry of the everything server, which listens already if it has to."""
    if transport == "stdio":
        return stdio("every", "node", everything(), "stdio")
    port = free_port()
    listening({"http": "streamableHttp", "sse": "sse"}[transport], port)
    path = {"http": "mcp", "sse": "sse"}[transport]
    return {"type": transport, "name": "every", "url": f"http://127.0.0.1:{port}/{path}", "headers": []}


@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
def test_everything_in_the_official_sdk(kit, mock_provider, work, tmp_path, listening, transport):
    npm.folder(kit)
    provider = mock_provider([{"reply": [tool("mcp__every__get-tiny-image")]}, {"reply": [{"text": "done"}]}])
    home = tmp_path / "home"
    home.mkdir()
    environment = {**kit.environment(home, **provider.environment()), "PATH": npm.path(kit), "EDITOR_PROMPT": "go",
                   "EDITOR_SERVERS": json.dumps([everything_over(transport, listening)])}
    done = subprocess.run(["node", npm.folder(kit) / "sdk24-editor.mjs", work, kit.program("acp-agent"), "acp", "--model", "openai/m"],
                          cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert ["tool", "completed, an image (image/png)"] in report["seen"] and report["stopReason"] == "end_turn"


@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
def test_everything(kit, agent, mock_provider, work, listening, transport):
    npm.folder(kit)
    provider = mock_provider([
        {"reply": [tool("mcp__every__echo", message="grüße"), tool("mcp__every__get-sum", a=2, b=40),
                   tool("mcp__every__get-tiny-image"), tool("mcp__every__get-structured-content", location="Chicago")]},
        {"reply": [{"text": "done"}]}])
    server = everything_over(transport, listening)
    process, session = start(agent, provider, work, [server])
    updates, reason = play(process, session)
    echo, total, image, structured = results(updates)
    assert reason == "end_turn"
    assert texts(echo) == ["Echo: grüße"]
    assert "42" in texts(total)[0]
    picture = [c["content"] for c in image["content"] if c["content"]["type"] == "image"]
    assert picture and picture[0]["mimeType"] == "image/png" and BASE64.match(picture[0]["data"])
    assert structured["rawOutput"]["conditions"]
    end(process)


@pytest.mark.parametrize("scenario, checks", [
    ("initialize", 1), ("tools_call", 1), ("sse-retry", 3), ("elicitation-sep1034-client-defaults", 5)])
def test_the_conformance_package(kit, scenario, checks):
    """Its scenarios for clients, but for those about OAuth, which the agent leaves to the headers of an entry."""
    driver = f"{sys.executable} {SCRIPTED.parent / 'mcp_conformance_client.py'} {pathlib.Path(kit.program('acp-agent')).parent}"
    done = subprocess.run(["node", npm.folder(kit) / "node_modules/.bin/conformance", "client",
                           "--command", driver, "--scenario", scenario, "--timeout", "30000"], capture_output=True, text=True,
                          check=False, timeout=DEADLINE, env={**os.environ, "PATH": npm.path(kit), "NO_COLOR": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Passed: {checks}/{checks}, 0 failed, 0 warnings" in done.stdout + done.stderr


def test_filesystem(kit, agent, mock_provider, work):
    npm.folder(kit)
    (work / "note.txt").write_text("from the server", encoding="utf-8")
    provider = mock_provider([{"reply": [tool("mcp__fs__read_text_file", path=str(work / "note.txt"))]},
                              {"reply": [{"text": "done"}]}])
    server = stdio("fs", "node", SERVERS / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js", work)
    process, session = start(agent, provider, work, [server])
    updates, _ = play(process, session)
    assert texts(results(updates)[0]) == ["from the server"]
    end(process)


# -- scripted ones -----------------------------------------------------------------------------

def test_a_refused_call_never_reaches_the_server(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__echo", text="hi")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s", "--log", work / "log")])
    updates, _ = play(process, session, "reject_once")
    assert results(updates)[0]["status"] == "failed"
    end(process)
    assert "tools/call" not in (work / "log").read_text()


def test_pages_and_names(agent, mock_provider, work):
    """All pages are read; names that no model API takes are mapped and mapped back; a broken tool costs no other."""
    provider = mock_provider([{"reply": [tool("mcp__s_1__do_this_now", text="x"), tool("mcp__s_1__page3", text="y")]},
                              {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s 1", "--odd-tools", "--log", work / "log")])
    updates, _ = play(process, session)
    first, second = results(updates)
    assert texts(first) == ["do this/now: x"] and texts(second) == ["page3: y"]
    end(process)


def test_bad_servers_hurt_nobody(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__good__echo", text="hi")]}, {"reply": [{"text": "done"}]}])
    servers = [stdio("missing", "/no/such/program"), scripted("refusing", "--refuse"), scripted("dying", "--die"),
               scripted("old", "--version", "1999-01-01"), scripted("good"), stdio("garbage", "/bin/echo", "no JSON")]
    process, session = start(agent, provider, work, servers)
    updates, reason = play(process, session)
    assert reason == "end_turn"
    assert texts(results(updates)[0]) == ["echo: hi"]
    told = "".join(u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_thought_chunk")
    for name in ("missing", "refusing", "dying", "old", "garbage"):
        assert f"MCP server {name}" in told
    assert "MCP server good" not in told and "1999-01-01" in told
    end(process)


def test_cancel_is_told_to_the_server(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__hang")]}, {"reply": [{"text": "never"}]}])
    process, session = start(agent, provider, work, [scripted("s", "--log", work / "log")])
    prompt = process.prompt(session, "go")
    process.send(prompt)
    asked = process.until(lambda m: m.get("method") == "session/request_permission")
    process.send({"jsonrpc": "2.0", "id": asked["id"],
                  "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})
    process.until(lambda m: m.get("params", {}).get("update", {}).get("status") == "in_progress")
    deadline = time.monotonic() + DEADLINE
    while "tools/call" not in (work / "log").read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    end(process)
    log = [json.loads(line) for line in (work / "log").read_text().splitlines()]
    call, = [m for m in log if m.get("method") == "tools/call"]
    cancelled, = [m for m in log if m.get("method") == "notifications/cancelled"]
    assert cancelled["params"]["requestId"] == call["id"]


def test_progress_is_shown(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__slow")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s")])
    updates, _ = play(process, session)
    running = [texts(u) for u in updates if u.get("status") == "in_progress" and u.get("content")]
    assert running == [["1 of 2: copying"], ["2 of 2: copying"]] and texts(results(updates)[0]) == ["slow: "]
    end(process)


def test_a_server_that_writes_much_to_stderr(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__noise", text="hi")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s")])
    assert texts(results(play(process, session)[0])[0]) == ["noise: hi"]
    end(process)


def test_a_call_that_takes_too_long(agent, mock_provider, work):
    """The model is told, and so is the server."""
    provider = mock_provider([{"reply": [tool("mcp__s__hang"), tool("mcp__s__echo", text="hi")]}, {"reply": [{"text": "done"}]}])
    process = agent("--model", "openai/m", provider=provider, env={"ACP_AGENT_MCP_CALL_MS": "300"})
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": [scripted("s", "--log", work / "log")]})["result"]["sessionId"]
    first, second = results(play(process, session)[0])
    assert first["status"] == "failed" and "in time" in texts(first)[0] and texts(second) == ["echo: hi"]
    end(process)
    log = [json.loads(line) for line in (work / "log").read_text().splitlines()]
    call = [m for m in log if m.get("method") == "tools/call"][0]
    cancelled, = [m for m in log if m.get("method") == "notifications/cancelled"]
    assert cancelled["params"]["requestId"] == call["id"] and not [m for m in log if m.get("method") == "ping"]


def test_handshake_environment_and_folder(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__where")]}, {"reply": [{"text": "done"}]}])
    server = scripted("s", "--log", work / "log", env=[{"name": "EXTRA", "value": "a=b"}])
    process, session = start(agent, provider, work, [server])
    updates, _ = play(process, session)
    where = json.loads(texts(results(updates)[0])[0])
    assert where["cwd"] == os.path.realpath(work)
    assert where["env"]["EXTRA"] == "a=b" and "OPENAI_API_KEY" not in where["env"]
    end(process)
    log = [json.loads(line) for line in (work / "log").read_text().splitlines()]
    methods = [m.get("method") for m in log]
    assert methods[:3] == ["initialize", "notifications/initialized", "tools/list"]
    assert all(isinstance(m["params"], dict) for m in log if "method" in m) # servers refuse null
    assert log[0]["params"]["protocolVersion"] == "2025-11-25"
    answers = {m["id"]: m for m in log if "method" not in m}
    assert answers["p1"]["result"] == {} and answers["r1"]["result"]["roots"][0]["uri"].startswith("file:///")
    assert answers["x1"]["error"]["code"] == -32601


def test_new_tools_join(agent, mock_provider, work):
    # The server answers in order: once `echo` is answered, the new list has come.
    provider = mock_provider([{"reply": [tool("mcp__s__grow")]}, {"reply": [tool("mcp__s__echo", text="hi")]},
                              {"reply": [tool("mcp__s__grown", text="now")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s")])
    updates, _ = play(process, session)
    assert texts(results(updates)[2]) == ["grown: now"]
    end(process)


@pytest.mark.parametrize("typed, text", [
    ("/s:plan_it the party in the garden", "Plan the, party in the garden."), ("/s:plan_it it", "Plan it, -."),
])
def test_prompts_are_commands(agent, mock_provider, work, typed, text):
    provider = mock_provider([{"reply": [{"text": "first"}]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s", "--prompts")])
    play(process, session) # the server is ready then
    process.call("session/prompt", process.prompt(session, typed)["params"])
    asked = [e["request"] for e in provider.journal() if e["event"] == "request"]
    assert asked[-1]["last"]["text"] == text
    offered = [m["params"]["update"] for m in process.log if m.get("params", {}).get("update", {}).get("sessionUpdate")
               == "available_commands_update"][-1]["availableCommands"]
    command, = [c for c in offered if c["name"] == "s:plan_it"]
    assert command["description"] == "Plans" and command["input"]["hint"] == "what how"
    error = process.call("session/prompt", process.prompt(session, "/s:empty")["params"])["error"]
    assert "no text" in error["message"]
    end(process)


@pytest.mark.parametrize("answer, heard", [
    ({"result": {"action": "accept", "content": {"age": 7}}}, {"action": "accept", "content": {"age": 7}}),
    ({"result": {"action": "decline"}}, {"action": "decline"}), ({"result": {"action": "cancel"}}, {"action": "cancel"}),
    ({"result": {"action": "accept"}}, {"action": "cancel"}), ({"error": {"code": -32603, "message": "x"}}, {"action": "cancel"}),
])
def test_questions_of_servers(agent, mock_provider, work, answer, heard):
    provider = mock_provider([{"reply": [tool("mcp__s__quiz")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s")], elicitation={"form": {}})
    prompt = process.prompt(session, "go")
    process.send(prompt)
    asked = process.until(lambda m: m.get("method") == "session/request_permission")
    process.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})
    form = process.until(lambda m: m.get("method") == "elicitation/create")
    assert form["params"]["message"] == "s: How old?" and form["params"]["requestedSchema"]["required"] == ["age"]
    process.send({"jsonrpc": "2.0", "id": form["id"], **answer})
    done = process.until(lambda m: m.get("params", {}).get("update", {}).get("status") == "completed")
    assert json.loads(texts(done["params"]["update"])[0]) == heard
    assert process.answer(prompt)["result"]["stopReason"] == "end_turn"
    end(process)


def test_questions_are_refused_where_nobody_shows_forms(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__quiz")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s", "--log", work / "log")])
    updates, _ = play(process, session)
    assert json.loads(texts(results(updates)[0])[0])["code"] == -32602
    end(process)
    hello = json.loads((work / "log").read_text().splitlines()[0])
    assert "elicitation" not in hello["params"]["capabilities"]


def test_a_question_is_withdrawn_with_its_server(agent, mock_provider, work):
    provider = mock_provider([{"reply": [tool("mcp__s__quiz")]}])
    process, session = start(agent, provider, work, [scripted("s")], elicitation={"form": {}})
    prompt = process.prompt(session, "go")
    process.send(prompt)
    asked = process.until(lambda m: m.get("method") == "session/request_permission")
    process.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})
    form = process.until(lambda m: m.get("method") == "elicitation/create")
    process.send(process.request("session/close", {"sessionId": session}))
    withdrawn = process.until(lambda m: m.get("method") == "$/cancel_request")
    assert withdrawn["params"]["requestId"] == form["id"]
    end(process)


@pytest.mark.parametrize("how", ["close", "eof", "kill"])
def test_servers_end_with_the_session(agent, mock_provider, work, how):
    provider = mock_provider([{"reply": [tool("mcp__s__where")]}, {"reply": [{"text": "done"}]}])
    process, session = start(agent, provider, work, [scripted("s", "--ignore-eof")])
    updates, _ = play(process, session)
    pid = json.loads(texts(results(updates)[0])[0])["pid"]
    if how == "close":
        process.call("session/close", {"sessionId": session})
    elif how == "eof":
        end(process)
    else:
        process.process.terminate()
        process.wait()
    deadline = time.monotonic() + DEADLINE
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{pid}")
    if how == "close":
        end(process)
