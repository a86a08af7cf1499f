"""Each flag of `acp-agent acp` does what it says."""
import json

import pytest

OK = [{"when": {}, "reply": [{"text": "ok"}]}]


def open_session(process, cwd=None):
    process.call("initialize", {"protocolVersion": 1})
    return process.call("session/new", {"cwd": str(cwd)} if cwd else {})


def turn(process, session, text="hi"):
    process.send(prompt := process.prompt(session, text))
    return process.answer(prompt)["result"]["stopReason"]


def current(options):
    return {o["id"]: o["currentValue"] for o in options}


def first_request(agent, provider, work, *flags, **options):
    """What the model gets of the first turn."""
    process = agent(*flags, provider=provider, **options)
    assert turn(process, open_session(process, work)["result"]["sessionId"]) == "end_turn"
    return provider.requests()[0]["request"]["body"]


@pytest.mark.parametrize("form", [["--cwd", "{}"], ["--cwd={}"], ["-cwd", "{}"], ["{}"]], ids=" ".join)
def test_working_directory(agent, mock_provider, work, form):
    provider = mock_provider(OK)
    body = first_request(agent, provider, None, "--model", "openai/m", *[word.format(work) for word in form])
    assert str(work) in body["messages"][0]["content"]


def test_no_working_directory(agent, mock_provider):
    process = agent("--model", "openai/m", provider=mock_provider(OK))
    error = open_session(process)["error"]
    assert (error["code"], error["data"]["path"]) == (-32602, "params.cwd")


@pytest.mark.parametrize("flag", ["--model", "-m"])
@pytest.mark.parametrize("spec, model", [("openai/a/b", "a/b"), ("plain", "plain")])
def test_model(agent, mock_provider, work, flag, spec, model):
    assert first_request(agent, mock_provider(OK), work, flag, spec)["model"] == model


@pytest.mark.parametrize("profile", ["economy", "balanced", "delivery"])
def test_profile(agent, mock_provider, work, profile):
    provider = mock_provider(OK)
    process = agent("--model", "openai/m", "--profile", profile, provider=provider)
    result = open_session(process, work)["result"]
    assert current(result["configOptions"])["work_mode"] == profile
    turn(process, result["sessionId"])
    said = provider.requests()[0]["request"]["last"]["text"]
    assert said.startswith("hi\n\n[") == (profile != "balanced")


def test_max_tokens(agent, mock_provider, work):
    assert first_request(agent, mock_provider(OK), work, "--model", "openai/m", "--max-tokens", 7)["max_tokens"] == 7


def test_title(agent, mock_provider, work):
    process = agent("--model", "openai/m", "--title", "My work", provider=mock_provider(OK))
    turn(process, open_session(process, work)["result"]["sessionId"])
    sessions = process.call("session/list", {})["result"]["sessions"]
    assert [s["title"] for s in sessions] == ["My work"]


def test_appended_system_prompt(agent, mock_provider, work, tmp_path):
    (tmp_path / "more.txt").write_text("And be kind.")
    body = first_request(agent, mock_provider(OK), work, "--model", "openai/m", "--append-system-prompt", "Be brief.",
                         "--append-system-prompt-file", tmp_path / "more.txt")
    assert body["messages"][0]["content"].endswith("Be brief.\n\nAnd be kind.")


def test_trace(agent, mock_provider, work, tmp_path):
    process = agent("--model", "openai/m", "--trace", tmp_path / "trace", provider=mock_provider(OK))
    open_session(process, work)
    process.write(b"no JSON\n")
    process.until(lambda m: m.get("error", {}).get("code") == -32700)
    process.close()
    assert process.wait() == 0
    lines = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    assert [m["from"] for m in lines] == ["client", "agent", "client", "agent", "agent", "client", "agent"]
    assert lines[0]["message"]["method"] == "initialize" and lines[5]["text"] == "no JSON"


def test_longest_line(agent, mock_provider):
    process = agent("--model", "openai/m", "--max-line", 1000, provider=mock_provider(OK))
    process.call("initialize", {"protocolVersion": 1})
    process.write(b'{"jsonrpc":"2.0","id":"x","method":"' + b"a" * 2000 + b'"}\n')
    assert process.until(lambda m: "error" in m)["error"]["code"] == -32700
    assert process.call("session/list", {})["result"] == {"sessions": []}


@pytest.mark.parametrize("level, told", [("error", False), ("debug", True)])
def test_log_level(agent, mock_provider, work, level, told):
    process = agent("--model", "openai/m", "--log-level", level, provider=mock_provider(OK))
    turn(process, open_session(process, work)["result"]["sessionId"], "a secret prompt")
    process.close()
    assert process.wait() == 0
    assert bool(process.stderr()) == told
    assert "mock-key" not in process.stderr() and "secret" not in process.stderr()


def test_safe_mode(agent, mock_provider, work, tmp_path):
    """Neither what is configured nor what the project or the client asks for loosens it."""
    home = tmp_path / "careless"
    (home / ".config" / "acp-agent").mkdir(parents=True)
    (home / ".config" / "acp-agent" / "config.json").write_text('{"toolApproval": "yolo"}')
    (work / ".acp-agent").mkdir()
    (work / ".acp-agent" / "config.json").write_text('{"workMode": "delivery"}')
    free = agent("--model", "openai/m", provider=mock_provider(OK), home=home)
    loose = open_session(free, work)["result"]
    assert (current(loose["configOptions"])["tool_approval"], current(loose["configOptions"])["work_mode"]) == (
        "yolo", "delivery")
    free.close()
    assert free.wait() == 0
    process = agent("--model", "openai/m", "--safe-mode", provider=mock_provider(OK), home=home)
    fresh = open_session(process, work)["result"]
    old = process.call("session/resume", {"sessionId": loose["sessionId"], "cwd": str(work)})["result"]
    assert current(fresh["configOptions"])["work_mode"] == "balanced"
    for result in (fresh, old):
        option = next(o for o in result["configOptions"] if o["id"] == "tool_approval")
        assert (option["currentValue"], [v["value"] for v in option["options"]]) == ("ask", ["ask"])
    session = fresh["sessionId"]
    for method, params in (("session/set_config_option", {"configId": "tool_approval", "value": "yolo"}),
                           ("session/set_mode", {"modeId": "auto"})):
        assert process.call(method, {"sessionId": session, **params})["error"]["code"] == -32602
    assert process.call("session/set_mode", {"sessionId": session, "modeId": "default"})["result"] == {}


@pytest.mark.parametrize("flags", [["--max-tokens", "0"], ["--profile", "slow"], ["--cwd"], ["--safe-mode=1"],
                                   ["--cwd", "/no/such/folder"], ["--model", "nobody/m"]], ids=" ".join)
def test_wrong_flags(kit, tmp_path, flags):
    done = kit.run("acp-agent", "acp", *flags, env=kit.environment(tmp_path))
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("acp-agent: ") and flags[0].split("=")[0] in done.stderr or flags[-1] in done.stderr
