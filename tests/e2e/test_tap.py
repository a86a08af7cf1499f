"""`acp-conformance tap` between a client and an agent: nothing is changed, everything is judged."""
import json
import os
import signal
import subprocess

import pytest

DEADLINE = 60
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
INITIALIZED = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}


def line(message):
    return json.dumps(message) + "\n"


@pytest.fixture
def tap(kit, tmp_path):
    def run(agent, given="", *options, **more):
        command = [kit.program("acp-conformance"), "tap", *map(str, options), "--", *map(str, agent)]
        return subprocess.run(command, input=given.encode() if isinstance(given, str) else given, capture_output=True,
                              timeout=DEADLINE, check=False, env=kit.environment(tmp_path), **more)
    return run


def answers(*lines):
    """An agent that reads one line and says these."""
    said = "".join(text if isinstance(text, str) else line(text) for text in lines)
    return ["/bin/sh", "-c", 'read -r _; printf %s "$1"; cat >/dev/null', "sh", said]


def test_every_byte_passes_as_it_is(tap):
    given = os.urandom(3 << 20) + b"\r\n\n \0no end"
    done = tap(["/bin/cat"], given)
    assert done.stdout == given
    assert done.returncode == 0


def test_an_agent_that_reads_late_gets_all(tap, tmp_path):
    given = b"x" * (8 << 20) + b"\n"
    done = tap(["/bin/sh", "-c", "exec 3<&0; sed -n '$=' <&3"], given)
    assert done.stdout == b"1\n"


def test_what_conforms_is_told_on_stderr_only(tap):
    done = tap(answers(INITIALIZED), line(INITIALIZE))
    assert done.stdout.decode() == line(INITIALIZED)
    assert done.stderr.decode() == "/bin/sh: PASS by what the monitors see in it\n"


@pytest.mark.parametrize("given, agent, rule", [
    (line(INITIALIZE), answers(INITIALIZED, "hello\n"), "TRANS-04"),
    (line(INITIALIZE) + "hello\n" + line(INITIALIZE), answers(INITIALIZED), "TRANS-05"),
])
def test_either_sides_breach_is_told_with_its_place(tap, tmp_path, given, agent, rule):
    log, report = tmp_path / "log", tmp_path / "report.json"
    done = tap(agent, given, "--log", log, "--report", f"json={report}")
    assert (done.stderr, done.returncode) == (b"", 0)
    text = log.read_text(encoding="utf-8")
    assert f" ms  {rule}  the " in text.splitlines()[0]
    assert "transcript" in text and "FAIL by what the monitors see in it" in text
    assert rule in report.read_text(encoding="utf-8")


def test_the_trace_reads_back_without_secrets(kit, tap, tmp_path):
    new = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": [
        {"name": "x", "command": "/bin/true", "args": [], "env": [{"name": "KEY", "value": "hidden-value"}]}]}}
    tap(answers(INITIALIZED, {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}),
        line(INITIALIZE) + line(new), "--trace", tmp_path / "trace-{pid}.ndjson")
    (trace,) = tmp_path.glob("trace-*.ndjson")
    assert "{" not in trace.name
    assert "hidden-value" not in trace.read_text(encoding="utf-8")
    done = kit.conformance("lint", trace)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("agent, code", [
    (["/bin/sh", "-c", "exit 7"], 7),
    (["/bin/sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL),
    (["/nowhere/agent"], 127),
])
def test_the_exit_code_is_the_agents(tap, agent, code):
    assert tap(agent).returncode == code


def test_usage(kit):
    done = kit.conformance("tap")
    assert done.returncode == 2
    assert "tap -- AGENT" in done.stderr


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_reach_the_agent(kit, tmp_path, sent):
    agent = ["/bin/sh", "-c", 'trap "echo bye; exit 3" TERM INT HUP; echo up; while :; do read -r _ || :; done']
    command = [kit.program("acp-conformance"), "tap", "--log", str(tmp_path / "log"), "--", *agent]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kit.environment(tmp_path)) as tap:
        assert tap.stdout.readline() == b"up\n"
        tap.send_signal(sent)
        tap.stdin.write(b"\n")
        tap.stdin.flush()
        assert tap.stdout.readline() == b"bye\n"
        assert tap.wait(DEADLINE) == 3


def test_a_client_that_goes_away_ends_the_agent(kit, tmp_path):
    command = [kit.program("acp-conformance"), "tap", "--log", str(tmp_path / "log"), "--", "/usr/bin/yes"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kit.environment(tmp_path)) as tap:
        assert tap.stdout.read(2) == b"y\n"
        tap.stdout.close()
        assert tap.wait(DEADLINE) != 0


def test_an_agent_that_passes_the_suite_passes_it_behind_the_tap(kit):
    """Not to be noticed is what it is for."""
    tap, agent = kit.program("acp-conformance"), kit.program("acp-agent")
    cases = ["prompt", "transport", "cancellation"]
    straight = kit.conformance("run", *cases, "--timeout-scale", "4", "--", agent, "acp", timeout=240)
    behind = kit.conformance("run", *cases, "--timeout-scale", "4", "--", tap, "tap", "--log", "/dev/null", "--",
                             agent, "acp", timeout=240)
    assert straight.returncode == 0, straight.stdout
    assert behind.stdout.splitlines()[-1].split(" in ")[0] == straight.stdout.splitlines()[-1].split(" in ")[0], \
        behind.stdout
