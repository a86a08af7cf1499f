"""The commands of acp-agent that people use: setup, models, providers, doctor, sessions."""
import json
import os
import pty
import select
import stat
import subprocess

import pytest

from agent_process import AgentProcess
from kit import DEADLINE

OK = [{"when": {}, "reply": [{"text": "ok"}]}]


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def run(kit, home, *args, env=None, **options):
    return kit.run("acp-agent", *args, env=kit.environment(home, **(env or {})), **options)


def files(home):
    return home / ".config" / "acp-agent"


# -- setup -----------------------------------------------------------------------------------


def test_setup_without_a_terminal(kit, home, mock_provider):
    provider = mock_provider(OK)
    done = run(kit, home, "setup", "--provider", "openai", "-m", "small", "--base-url", provider.url + "/v1",
               input="sk-0123456789\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "sk-0123456789" not in done.stdout
    credentials = files(home) / "credentials.json"
    assert json.loads(credentials.read_text()) == {"openai": "sk-0123456789"}
    assert stat.S_IMODE(credentials.stat().st_mode) == 0o600
    assert json.loads((files(home) / "config.json").read_text()) == {
        "model": "openai/small", "providers": {"openai": {"baseUrl": provider.url + "/v1"}}}
    assert [r["request"]["model"] for r in provider.requests()] == ["small"]


def test_setup_leaves_the_rest_of_the_files(kit, home):
    files(home).mkdir(parents=True)
    (files(home) / "config.json").write_text('{"workMode": "economy", "model": "openai/old"}')
    (files(home) / "credentials.json").write_text('{"deepseek": "d"}')
    done = run(kit, home, "setup", "--provider", "openai", "--no-check", input="sk-1\n")
    assert done.returncode == 0, done.stderr
    assert json.loads((files(home) / "config.json").read_text()) == {"workMode": "economy", "model": "openai/gpt-5"}
    assert json.loads((files(home) / "credentials.json").read_text()) == {"deepseek": "d", "openai": "sk-1"}


def test_setup_that_does_not_work_changes_nothing(kit, home, mock_provider):
    provider = mock_provider([{"status": 401, "body": {"error": {"message": "Bad key"}}}])
    done = run(kit, home, "setup", "--provider", "openai", "--base-url", provider.url + "/v1", input="sk-1\n")
    assert done.returncode == 1 and "Bad key" in done.stderr
    assert not files(home).exists()


@pytest.mark.parametrize("args, word", [
    ([], "--provider"), (["--provider", "nope"], "--base-url"), (["--provider", "openai"], "a key is needed"),
    (["--provider", "ollama"], "--model"),
])
def test_setup_says_what_is_missing(kit, home, args, word):
    done = run(kit, home, "setup", *args)
    assert done.returncode == 2 and word in done.stderr
    assert not files(home).exists()


def test_setup_in_a_terminal_does_not_show_the_key(kit, home, mock_provider):
    provider = mock_provider(OK)
    master, slave = pty.openpty()
    process = subprocess.Popen([kit.program("acp-agent"), "setup", "--base-url", provider.url + "/v1"],
                               stdin=slave, stdout=slave, stderr=slave, close_fds=True, start_new_session=True,
                               env=kit.environment(home))
    os.close(slave)
    seen = b""

    def until(word):
        nonlocal seen
        while word not in seen:
            assert select.select([master], [], [], DEADLINE)[0], seen
            seen += os.read(master, 4096)

    until(b"Provider [openai]: ")
    os.write(master, b"\n")
    until(b"Key (not shown): ")
    os.write(master, b"sk-secret-1\n")
    until(b"Model [gpt-5]: ")
    os.write(master, b"big\n")
    until(b"The model is openai/big.")
    assert process.wait(DEADLINE) == 0
    os.close(master)
    assert b"sk-secret-1" not in seen
    assert json.loads((files(home) / "credentials.json").read_text()) == {"openai": "sk-secret-1"}


# -- tables ----------------------------------------------------------------------------------


def test_models_and_providers(kit, home):
    env = {"DEEPSEEK_API_KEY": "sk-secret-2"}
    models = json.loads(run(kit, home, "models", "--json", env=env).stdout)
    assert models["default"] == "deepseek/deepseek-chat"
    assert {m["id"] for m in models["models"]} == {"deepseek/deepseek-chat", "deepseek/deepseek-reasoner"}
    assert "* deepseek/deepseek-chat" in run(kit, home, "models", env=env).stdout
    done = run(kit, home, "providers", "--json", env=env)
    providers = {p["id"]: p for p in json.loads(done.stdout)["providers"]}
    assert providers["deepseek"]["hasKey"] and not providers["openai"]["usable"] and providers["ollama"]["usable"]
    table = run(kit, home, "providers", env=env)
    assert "DEEPSEEK_API_KEY" in table.stdout
    assert "sk-secret-2" not in done.stdout + table.stdout


@pytest.mark.parametrize("command", ["models", "providers"])
def test_a_broken_file_is_told(kit, home, command):
    files(home).mkdir(parents=True)
    (files(home) / "config.json").write_text('{"model": }')
    done = run(kit, home, command)
    assert (done.returncode, done.stdout) == (1, "")
    assert "config.json: line 1, column 11:" in done.stderr


def test_doctor(kit, home, mock_provider):
    good = run(kit, home, "doctor", "--json", env=mock_provider(OK).environment())
    assert good.returncode == 0, good.stdout
    assert all(f["ok"] for f in json.loads(good.stdout))
    (files(home)).mkdir(parents=True)
    (files(home) / "credentials.json").write_text("{}")
    (files(home) / "credentials.json").chmod(0o644)
    bad = run(kit, home, "doctor")
    assert bad.returncode == 1
    assert "chmod 600" in bad.stdout and "acp-agent setup" in bad.stdout


def test_doctor_shows_plugins(kit, home):
    for name, text in ("good", '{"name": "good", "version": "2"}'), ("bad", '{"name": "bad", "x": 1}'):
        (files(home) / "plugins" / name).mkdir(parents=True)
        (files(home) / "plugins" / name / "plugin.json").write_text(text)
    found = json.loads(run(kit, home, "doctor", "--json").stdout)
    plugins = next(f for f in found if f["what"] == "plugins")
    assert not plugins["ok"]
    assert plugins["text"].startswith("good 2 (0 commands")
    assert "plugins/bad/plugin.json: plugin.x: no such setting" in plugins["text"]


# -- sessions --------------------------------------------------------------------------------


def test_sessions(kit, home, work, mock_provider):
    process = AgentProcess(kit, home, "--model", "openai/m", provider=mock_provider(OK))
    ids = []
    for text in ("first words", "second words"):
        ids.append(process.start(work))
        process.send(prompt := process.prompt(ids[-1], text))
        process.answer(prompt)
    process.close()
    assert process.wait() == 0
    process.stop()

    listed = [json.loads(line) for line in run(kit, home, "sessions", "--json").stdout.splitlines()]
    assert [s["sessionId"] for s in listed] == ids[::-1]
    assert listed[0]["title"] == "second words"
    assert run(kit, home, "sessions", "list", "--cwd", "/").stdout == ""
    assert "first words" in run(kit, home, "sessions").stdout
    shown = run(kit, home, "sessions", "show", ids[0]).stdout
    assert "> first words\n\nok\n" in shown
    exported = [json.loads(line) for line in run(kit, home, "sessions", "export", ids[0]).stdout.splitlines()]
    assert exported[0]["sessionId"] == ids[0] and exported[0]["settings"]["mode"] == "normal"
    assert [(e["kind"], e["text"]) for e in exported[1:]] == [("user", "first words"), ("assistant", "ok")]
    assert run(kit, home, "sessions", "delete", ids[0]).returncode == 0
    gone = run(kit, home, "sessions", "show", ids[0])
    assert gone.returncode == 1 and ids[0] in gone.stderr
    assert len(run(kit, home, "sessions").stdout.splitlines()) == 1


@pytest.mark.parametrize("args", [["show"], ["list", "x"], ["mend"], ["show", "a", "b"]])
def test_sessions_called_wrongly(kit, home, args):
    done = run(kit, home, "sessions", *args)
    assert done.returncode == 2 and done.stderr
