"""acp-mock-client as people use it: the dialogue on pipes and on a terminal, and single cases."""
import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import time

import pytest

AGENT = [sys.executable, str(pathlib.Path(__file__).parent / "agents" / "small_agent.py")]
DEADLINE = 60


@pytest.fixture
def chat(kit, tmp_path):
    """chat("line", ..., options=[...]) -> the finished process."""
    def run(*lines, options=(), agent=AGENT):
        return kit.run("acp-mock-client", *options, "--", *agent, input="".join(line + "\n" for line in lines),
                       cwd=tmp_path, env=kit.environment(tmp_path))
    return run


@pytest.fixture
def play(kit, tmp_path):
    """play({case}) -> the finished process."""
    def run(case, *options, agent=AGENT):
        file = tmp_path / "case.json"
        file.write_text(json.dumps(case) if not isinstance(case, str) else case, encoding="utf-8")
        return kit.run("acp-mock-client", "--case", file, *options, "--", *agent, env=kit.environment(tmp_path))
    return run


def test_a_pipe_gets_the_agents_words_and_nothing_else(chat):
    result = chat("hello", "", "think")
    assert (result.returncode, result.stdout, result.stderr) == (0, "you said hello\nyou said think\n", "")


def test_a_last_line_without_line_feed_is_a_prompt(kit, tmp_path):
    result = kit.run("acp-mock-client", *AGENT, input="hello", env=kit.environment(tmp_path))
    assert (result.returncode, result.stdout) == (0, "you said hello\n")


@pytest.mark.parametrize("options, chosen", [([], "o-no"), (["--deny"], "o-no"), (["--allow"], "o-yes")])
def test_permission_without_a_terminal(chat, options, chosen):
    assert chat("ask", options=options).stdout == f"you chose {chosen}\n"


def test_other_stop_reasons_are_told_on_stderr(chat):
    result = chat("refuse")
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "acp-mock-client: the turn ended with refusal\n"


def test_a_failed_prompt_is_no_end_but_counts(chat):
    result = chat("fail", "hello")
    assert (result.returncode, result.stdout) == (1, "you said hello\n")
    assert "the prompt was answered with error -32603: no model" in result.stderr


def test_an_agent_that_dies_is_told_with_its_last_words(chat):
    result = chat("die", "hello")
    assert result.returncode == 1
    assert "the agent has ended" in result.stderr and "out of ideas" in result.stderr


def test_an_agent_that_cannot_be_started(chat):
    result = chat("hello", agent=["/nonexistent/agent"])
    assert result.returncode == 3
    assert "cannot start /nonexistent/agent" in result.stderr


def test_json_is_what_the_agent_sent(chat):
    lines = [json.loads(line) for line in chat("hello", options=["--json"]).stdout.splitlines()]
    assert [m.get("method") or sorted(m["result"]) for m in lines] == [
        ["agentCapabilities", "protocolVersion"], ["sessionId"], "session/update", ["stopReason"]]


def test_a_trace_holds_both_sides(chat, tmp_path):
    chat("hello", options=["--trace", tmp_path / "trace.jsonl"])
    events = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [e["seq"] for e in events] == list(range(len(events)))
    assert {"agent", "client", "process"} <= {e["side"] for e in events}
    new = next(e["message"] for e in events if e.get("message", {}).get("method") == "session/new")
    assert new["params"] == {"cwd": os.path.realpath(tmp_path), "mcpServers": []}


def test_an_agent_that_does_not_end_is_ended(chat):
    assert chat("hello", agent=[*AGENT, "--stubborn"]).stdout == "you said hello\n"


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, command, cwd, env):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=env,
                                        start_new_session=True)
        os.close(slave)
        self.seen = ""

    def read_until(self, text):
        """Everything up to this text; what follows it is kept for the next call."""
        end = time.monotonic() + DEADLINE
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} did not come, but {self.seen!r}"
            if select.select([self.master], [], [], 1)[0]:
                self.seen += os.read(self.master, 4096).decode()
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        code = self.process.wait(DEADLINE)
        os.close(self.master)
        return code


@pytest.fixture
def terminal(kit, tmp_path):
    started = []

    def start(*options):
        started.append(Terminal([kit.program("acp-mock-client"), *options, "--", *AGENT], tmp_path,
                                kit.environment(tmp_path)))
        started[-1].read_until("> ")
        return started[-1]

    yield start
    for t in started:
        if t.process.poll() is None:
            t.process.kill()
            t.process.wait()


def test_a_terminal_shows_thoughts_tools_and_plans(terminal):
    t = terminal()
    t.type("think\n")
    shown = t.read_until("> ")
    for text in ("hm", "Look around", "(pending)", "(completed)", "[x] first", "[ ] then", "you said think"):
        assert text in shown
    t.type("\x04")
    assert t.end() == 0


def test_a_terminal_is_asked_for_permission(terminal):
    t = terminal()
    t.type("ask\n")
    shown = t.read_until("cancel: ")
    assert "Wipe the disk" in shown and "1  Allow" in shown and "2  Reject" in shown
    t.type("9\n")
    t.read_until("cancel: ")
    t.type("1\n")
    assert "you chose o-yes" in t.read_until("> ")
    t.type("ask\n")
    t.read_until("cancel: ")
    t.type("\n")
    assert "you chose None" in t.read_until("> ")
    t.type("\x04")
    assert t.end() == 0


def test_what_an_agent_says_cannot_steer_the_terminal(terminal):
    t = terminal()
    t.type("escape\n")
    assert "a?[2Jb" in t.read_until("> ")
    t.type("\x04")
    assert t.end() == 0


def test_interrupt_cancels_the_turn_and_a_second_one_ends(terminal):
    t = terminal()
    t.type("wait\n")
    t.read_until("waiting")
    t.process.send_signal(2)
    assert "the turn ended with cancelled" in t.read_until("> ")
    t.process.send_signal(2)
    assert t.end() == 0


CASE = {"title": "t", "checks": ["A-1"], "steps": [
    {"session": "s"},
    {"prompt": "hello", "expect": {"result": {"stopReason": "end_turn"}}},
    {"text": "agent", "equals": "you said hello", "check": "A-2"}]}


def test_a_case_that_holds(play):
    result = play(CASE)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "2 held, 0 broken, 0 not reached"


def test_a_case_that_does_not_hold(play):
    result = play({**CASE, "steps": [*CASE["steps"], {"text": "agent", "equals": "x", "check": "A-3"}]}, "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 1
    assert [(m["check"], m["outcome"]) for m in lines[:-1]] == [("A-1", "held"), ("A-2", "held"), ("A-3", "broken")]
    assert lines[-1] == {"event": "done", "why": "finished", "text": "", "held": 2, "broken": 1, "unreached": 0}


def test_a_case_about_the_model_says_what_to_use(play):
    result = play({**CASE, "steps": [{"session": "s"}, {"hold": "h"}]})
    assert result.returncode == 3
    assert "run the case with acp-conformance" in result.stdout


def test_a_deadline_can_be_given(play):
    result = play({**CASE, "steps": [{"session": "s"}, {"prompt": "wait", "check": "A-1"}]}, "--timeout", "0.2")
    assert result.returncode == 1
    assert "no answer to session/prompt: not within 200 ms" in result.stdout


def test_a_fresh_folder_is_used_and_removed(play, tmp_path):
    steps = [{"write_file": "a/b.txt", "content": "${cwd}"}, {"file": "a/b.txt", "match": "^/"}]
    result = play({**CASE, "steps": steps}, "--trace", tmp_path / "trace.jsonl")
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "trace.jsonl").exists()
    assert not [p for p in pathlib.Path("/tmp").glob("acp-mock-client-*") if (p / "a/b.txt").exists()]


def test_a_given_folder_is_kept(play, tmp_path, work):
    result = play({**CASE, "files": {"x.txt": "text"}}, "--cwd", work)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (work / "x.txt").read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize("case, complaint", [
    ("{", "case.json: "), ({"steps": [{"fence": 1}]}, "steps[0]: fence: expected true"),
    ({}, "steps: expected a list")])
def test_a_broken_case_file_is_named(play, case, complaint):
    result = play(case)
    assert result.returncode == 2
    assert complaint in result.stderr


@pytest.mark.parametrize("arguments, complaint", [
    ([], "no agent: give its command"), (["--case"], "requires an argument"), (["--nope"], "unrecognized option"),
    (["--case", "x", "--allow", "agent"], "leave out --allow"), (["--timeout", "1", "agent"], "goes with --case"),
    (["--case", "x", "--timeout", "soon", "agent"], "needs a number of seconds, not soon"),
    (["--cwd", "/nonexistent", "agent"], "--cwd /nonexistent: "), (["--case", "/nonexistent", "agent"], "/nonexistent: ")])
def test_wrong_usage(kit, arguments, complaint):
    result = kit.run("acp-mock-client", *arguments)
    assert result.returncode == 2
    assert complaint in result.stderr


def test_an_interrupted_case_leaves_nothing_behind(kit, tmp_path):
    (tmp_path / "case.json").write_text(json.dumps({**CASE, "steps": [{"session": "s"}, {"prompt": "wait"}]}), "utf-8")
    process = subprocess.Popen([kit.program("acp-mock-client"), "--case", str(tmp_path / "case.json"), "--", *AGENT],
                               stdout=subprocess.PIPE, text=True, env=kit.environment(tmp_path, TMPDIR=str(tmp_path)))
    while "prompt" not in process.stdout.readline():
        pass
    process.send_signal(2)
    assert "interrupted" in process.communicate(timeout=DEADLINE)[0]
    assert process.returncode == 3
    assert list(tmp_path.glob("acp-mock-client-*")) == []


def test_the_reference_agent_on_a_fake_model(kit, tmp_path, mock_provider):
    provider = mock_provider(script=[{"reply": [{"text": ["Hel", "lo"]}]}, {"reply": [{"text": "again"}]}])
    result = kit.run("acp-mock-client", "--", kit.program("acp-agent"), "acp", input="one\ntwo\n", cwd=tmp_path,
                     env=kit.environment(tmp_path, **provider.environment()))
    assert (result.returncode, result.stdout) == (0, "Hello\nagain\n"), result.stderr


def test_help_and_version(kit):
    text = kit.run("acp-mock-client", "--help")
    assert text.returncode == 0 and "examples:" in text.stdout
    assert kit.run("acp-mock-client", "--version").stdout.startswith("acp-mock-client ")
