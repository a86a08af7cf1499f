"""Real clients that others wrote drive acp-agent from initialize to a cancelled prompt."""
import json
import shlex
import signal
import subprocess
import threading

import pytest

import acpschema
import npm
from kit import DEADLINE

# The second answer never ends by itself: its first text is the client's sign to cancel.
HELLO = {"reply": [{"text": ["Hel", "lo, ", "peer ✓"]}]}
ENDLESS = {"reply": [{"text": "Once upon a time"}, {"hold": "for ever"}, {"text": " this is never told"}]}


@pytest.fixture
def start(kit, tmp_path, work, mock_provider):
    """Starts a command in `work` with an environment in which acp-agent finds the scripted model."""
    running = []

    def start(command, script):
        home = tmp_path / "home"
        home.mkdir()
        environment = kit.environment(home, **mock_provider(script=script).environment())
        environment["PATH"] = npm.path(kit)
        running.append(subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


def agent(kit):
    return [kit.program("acp-agent"), "acp", "--model", "openai/mock-model"]


@pytest.mark.parametrize("client", ["sdk19-client.mjs", "sdk24-client.mjs"])
def test_official_sdk(kit, work, start, client):
    process = start(["node", npm.folder(kit) / client, work, *agent(kit)], [HELLO, ENDLESS])
    out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    report = json.loads(out)
    assert report["protocolVersion"] == 1
    assert report["agentInfo"]["name"] == "acp-agent"
    assert report["turns"] == [{"text": "Hello, peer ✓", "stopReason": "end_turn"},
                               {"text": "Once upon a time", "stopReason": "cancelled"}]
    assert report["exit"] == {"code": 0, "signal": None}


@pytest.mark.parametrize("client", ["sdk19-sessions.mjs", "sdk24-sessions.mjs"])
def test_official_sdk_drives_sessions_that_last(kit, work, start, client):
    again = {"reply": [{"text": "again"}]}
    process = start(["node", npm.folder(kit) / client, work, *agent(kit)], [HELLO, again])
    out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    report = json.loads(out)
    live = report.pop("live")
    assert "".join(t.removeprefix("agent: ") for t in live) == "Hello, peer ✓"
    assert report.pop("replayed") == ["user: Say hello", "agent: Hello, peer ✓"]
    assert report == {"listed": 1, "forked": True, "silent": [], "end": "end_turn", "after": ["agent: again"], "kept": 2}


def acpx(kit, work, output_format, *more):
    return ["acpx", "--agent", shlex.join(agent(kit)), "--cwd", str(work), "--approve-all",
            "--format", output_format, *more, "exec", "Talk to me"]


def test_acpx_prints_the_answer(kit, work, start):
    process = start(acpx(kit, work, "quiet"), [HELLO])
    out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out) == (0, "Hello, peer ✓\n"), err


def test_acpx_lists_sessions(kit, work, start, tmp_path, mock_provider):
    process = start(acpx(kit, work, "quiet"), [HELLO])
    _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    command = [w for w in acpx(kit, work, "json") if w not in ("exec", "Talk to me")]
    environment = {**kit.environment(tmp_path / "home"), "OPENAI_API_KEY": "mock-key", "PATH": npm.path(kit)}
    done = subprocess.run([*command, "sessions", "list"], cwd=work, env=environment, capture_output=True, text=True,
                          check=False, timeout=DEADLINE, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert "Talk to me" in done.stdout, done.stdout


def test_acpx_resumes_sessions(kit, work, tmp_path, mock_provider):
    """Each prompt of a saved session comes from another process of acpx, and goes to another one of the agent."""
    provider = mock_provider([{"reply": [{"text": "one"}]}, {"reply": [{"text": "two"}]}])
    trace, home = tmp_path / "trace", tmp_path / "home"
    home.mkdir()
    environment = {**kit.environment(home, **provider.environment()), "PATH": npm.path(kit)}
    command = ["acpx", "--agent", shlex.join([*agent(kit), "--trace", str(trace)]), "--cwd", str(work), "--approve-all",
               "--format", "quiet", "--ttl", "1"]

    def run(*words):
        done = subprocess.run([*command, *words], cwd=work, env=environment, capture_output=True, text=True, check=False,
                              timeout=DEADLINE, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("sessions", "new")
    assert run("first words") == "one\n"
    assert run("second words") == "two\n"
    run("sessions", "close")
    messages = [json.loads(line).get("message", {}) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert "session/resume" in [m.get("method") for m in messages]
    asked = [e["request"] for e in provider.journal() if e["event"] == "request"]
    assert [m["text"] for m in asked[-1]["messages"]] == ["first words", "one", "second words"]


def acpx_transcript(process):
    """(sender, message) of each message that acpx prints; interrupts it at the agent's first text."""
    interrupted = False
    guard = threading.Timer(DEADLINE, process.kill)
    guard.start()
    for line in process.stdout:
        message = json.loads(line)
        update = message.get("params", {}).get("update", {})
        if update.get("sessionUpdate") == "agent_message_chunk" and not interrupted:
            process.send_signal(signal.SIGINT)
            interrupted = True
        from_agent = "result" in message or "error" in message or message["method"] == "session/update"
        yield ("agent" if from_agent else "client"), message
    guard.cancel()


def assert_valid(kit, transcript):
    """Every message, and every params and result in it, by the schema."""
    judge = acpschema.Messages(acpschema.load(npm.folder(kit)))
    parts = [part for sender, message in transcript for part in judge.parts(sender, message)]
    done = kit.run("acp-check-lines", input="".join(f"{name}\t{json.dumps(value)}\n" for name, value in parts))
    assert done.stdout.splitlines() == ["ok"] * len(parts)


def test_acpx_cancels(kit, work, start):
    process = start(acpx(kit, work, "json", "--json-strict"), [ENDLESS])
    transcript = list(acpx_transcript(process))
    _, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, err) == (0, "")
    assert [m["method"] for _, m in transcript if "method" in m and m["method"] != "session/update"] == [
        "initialize", "session/new", "session/prompt", "session/cancel"]
    assert transcript[-1][1]["result"]["stopReason"] == "cancelled"
    assert_valid(kit, transcript)
