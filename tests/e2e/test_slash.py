"""Slash commands: announced, carried out, shown again."""
import pytest


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def announced(process):
    lists = [m["params"]["update"]["availableCommands"] for m in process.log if m.get("method") == "session/update"
             and m["params"]["update"]["sessionUpdate"] == "available_commands_update"]
    return [[c["name"] for c in names] for names in lists]


def ask(process, session, text):
    process.send(prompt := process.prompt(session, text))
    return process.answer(prompt)


def last_user_text(provider):
    return provider.requests()[-1]["request"]["body"]["messages"][-1]["content"]


def test_a_command_of_a_file_becomes_its_text(agent, mock_provider, work, tmp_path):
    home = tmp_path / "home"
    write(home / "commands" / "mine.md", "---\ndescription: Mine.\n---\nMine: $ARGUMENTS!")
    write(work / ".acp-agent" / "commands" / "ours.md", "Ours.")
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent(home=home, provider=provider, env={"ACP_AGENT_HOME": str(home)})
    session = process.start(work)
    ask(process, session, "/mine a b")
    assert last_user_text(provider) == "Mine: a b!"
    assert {"help", "init", "review", "status", "mine", "ours"} <= set(announced(process)[0])
    ask(process, session, "/ours and more")
    assert last_user_text(provider) == "Ours.\n\nand more"
    process.close()
    assert process.wait() == 0

    other = agent(home=home, provider=provider, env={"ACP_AGENT_HOME": str(home)})
    other.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    other.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    shown = [m["params"]["update"]["content"]["text"] for m in other.log if m.get("method") == "session/update"
             and m["params"]["update"]["sessionUpdate"] == "user_message_chunk"]
    assert shown == ["/mine a b", "/ours and more"]
    titles = other.call("session/list", {})["result"]["sessions"]
    assert titles[0]["title"] == "/mine a b"


@pytest.mark.parametrize("text", ["/nothing here", "/usr/bin/env", "//", "/"])
def test_other_words_go_to_the_model(agent, mock_provider, work, text):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent(provider=provider)
    ask(process, process.start(work), text)
    assert last_user_text(provider) == text


@pytest.mark.parametrize(("command", "wanted"), [("/help", "`/review"), ("/status", "openai/mock-model")])
def test_our_own_answers_are_not_the_models(agent, mock_provider, work, tmp_path, command, wanted):
    home = tmp_path / "home"
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent("--model", "openai/mock-model", home=home, provider=provider)
    session = process.start(work)
    assert ask(process, session, command)["result"] == {"stopReason": "end_turn"}
    assert provider.requests() == []
    assert wanted in process.text()
    assert ask(process, session, "hi")["result"] == {"stopReason": "end_turn"}
    live = process.text()
    process.close()
    assert process.wait() == 0

    other = agent("--model", "openai/mock-model", home=home, provider=provider)
    other.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    other.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    assert other.text() == live
    assert ask(other, session, "again")["result"] == {"stopReason": "end_turn"}
    roles = [(m["role"], m["content"]) for m in provider.requests()[-1]["request"]["body"]["messages"][1:]]
    assert roles == [("user", "hi"), ("assistant", "ok"), ("user", "again")]


def test_commands_are_told_when_a_session_is_open_again(agent, mock_provider, work, tmp_path):
    home = tmp_path / "home"
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent(home=home, provider=provider)
    session = process.start(work)
    ask(process, session, "hi")
    for method in ("session/load", "session/resume"):
        seen = len(announced(process))
        process.call(method, {"sessionId": session, "cwd": str(work), "mcpServers": []})
        assert len(announced(process)) == seen # they come behind all that is history
        process.call("session/list", {})
        assert len(announced(process)) == seen + 1


def test_a_reload_finds_new_files(agent, mock_provider, work):
    process = agent(provider=mock_provider())
    session = process.start(work)
    write(work / ".acp-agent" / "commands" / "late.md", "Late.")
    process.call("_reasonix.io/session/reloadExtensions", {"sessionId": session})
    process.call("session/list", {})
    assert "late" not in announced(process)[0]
    assert "late" in announced(process)[-1]


def test_init_and_review_ask_the_model(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "reply": [{"text": "ok"}]}])
    process = agent(provider=provider)
    session = process.start(work)
    ask(process, session, "/init")
    assert "AGENTS.md" in last_user_text(provider)
    ask(process, session, "/review HEAD~1")
    assert "HEAD~1" in last_user_text(provider)
