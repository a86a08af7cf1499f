"""acp-conformance as a whole: against agents that misbehave, its exit codes, and what it leaves behind."""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ODD = [sys.executable, str(HERE / "agents" / "odd.py")]

HELLO = {
    "title": "The agent says hello",
    "checks": ["PROMPT-11"],
    "tags": ["greeting"],
    "steps": [{"session": "s"}, {"prompt": "hi", "expect": {"result": {"stopReason": "end_turn"}}}],
    "mutants": [{"on": {"result": {"stopReason": "end_turn"}}, "set": {"/result/stopReason": "refusal"},
                 "fails": ["PROMPT-11"]}],
    "timeout": 1000,
}
SETTLED = {**HELLO, "steps": [*HELLO["steps"], {"fence": True}]}
NEEDY = {**HELLO, "title": "It loads", "needs": ["cap:loadSession"]}


@pytest.fixture
def judge(kit, tmp_path):
    """judge(oddity, cases={...}, options) -> the finished process, with its JSON .report read."""
    temp = tmp_path / "tmp"
    temp.mkdir()

    def run(oddity="", cases=None, *options, command=None):
        shutil.rmtree(tmp_path / "cases", ignore_errors=True)
        folder = write_cases(tmp_path / "cases", cases or {"prompt/hello": HELLO})
        report = tmp_path / "report.json"
        args = ["run", "--cases", folder, "--report", f"json={report}", *options,
                "--", *(command or [*ODD, *([oddity] if oddity else [])])]
        done = kit.conformance(*args, env=kit.environment(tmp_path, TMPDIR=str(temp)))
        done.report = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        assert not list(temp.iterdir()), "temporary folders are left"
        return done

    return run


def write_cases(folder, cases):
    for name, case in cases.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(case), encoding="utf-8")
    return folder


def verdicts(report):
    return {case["id"]: case["verdict"] for case in report["cases"]}


def failed(report, case_id="prompt/hello"):
    """{requirement: verdict} of what did not pass."""
    case = next(c for c in report["cases"] if c["id"] == case_id)
    return {c["id"]: c["verdict"] for c in case["checks"] if c["verdict"] != "PASS"}


def left_running():
    """Processes that an odd agent has started and nobody ended."""
    lines = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in lines.splitlines() if "98765" in line]


# ---- agents ---------------------------------------------------------------------------------------------------------


def test_an_agent_that_conforms(judge):
    done = judge()
    assert done.returncode == 0, done.stdout
    assert verdicts(done.report) == {"prompt/hello": "PASS"}
    assert done.report["agent"]["name"] == "odd"
    assert "odd 1: conforms, 1 case in" in done.stdout
    assert "\033" not in done.stdout


@pytest.mark.parametrize("oddity, exit_code, breaches", [
    ("dies", 1, {"PROMPT-11": "FAIL"}),
    ("silent", 1, {"PROMPT-11": "FAIL", "RPC-05": "FAIL"}),
    ("closes", 1, {"PROMPT-11": "FAIL"}),
    ("garbage", 1, {"TRANS-04": "FAIL"}),
    ("binary", 1, {"TRANS-01": "FAIL"}),
    ("tired", 1, {"PROMPT-11": "FAIL", "PROMPT-12": "FAIL"}),
])
def test_agents_that_misbehave(judge, oddity, exit_code, breaches):
    done = judge(oddity)
    assert done.returncode == exit_code, done.stdout
    assert failed(done.report) == breaches
    for requirement in breaches:
        assert f" {requirement} (" in done.stdout


def test_what_comes_late_is_recorded(judge):
    done = judge("late", {"prompt/hello": SETTLED})
    assert failed(done.report) == {"PROMPT-20": "INFO"}
    assert done.returncode == 0


def test_a_flood_is_cut_short(judge):
    done = judge("floods")
    assert failed(done.report)["TRANS-04"] == "FAIL"
    assert done.returncode == 1


def test_the_story_of_a_death(judge):
    done = judge("dies")
    text = done.stdout
    assert "about to die" in text
    assert re.search(r"client --> agent +#\d+ session/prompt", text)
    assert "exit code 7" in text
    again = re.search(r"again: acp-conformance (run prompt/hello .*)", text)[1]
    assert again.endswith("odd.py dies")


@pytest.mark.parametrize("command, exit_code, words", [
    (["/nowhere/agent"], 3, "cannot start /nowhere/agent"),
    (["true"], 3, "the agent ended (exit code 0)"),
    (["false"], 3, "the agent ended (exit code 1)"),
    (["cat"], 3, "initialize was answered with an error"),
])
def test_programs_that_are_no_agents(judge, command, exit_code, words):
    done = judge(command=command)
    assert done.returncode == exit_code
    assert done.stdout.count(words) == 1
    assert set(verdicts(done.report)) == {"prompt/hello", "run/handshake"}


def test_an_agent_that_never_answers(judge):
    done = judge("mute")
    assert done.returncode == 1
    assert failed(done.report, "run/handshake") == {"RPC-05": "FAIL"}
    assert verdicts(done.report)["prompt/hello"] == "NOT-EXERCISED"


def test_reasons_to_skip(judge):
    done = judge("", {"prompt/hello": HELLO, "load/it": NEEDY})
    case = next(c for c in done.report["cases"] if c["id"] == "load/it")
    assert (case["verdict"], case["reason_code"]) == ("SKIP", "capability")
    assert done.returncode == 0
    for oddity, code in (("v2", "version"), ("login", "auth")):
        done = judge(oddity)
        assert done.report["cases"][0]["reason_code"] == code
        assert done.returncode == 3, "nothing was executed"


@pytest.mark.parametrize("oddity", ["child", "stays"])
def test_nothing_is_left_running(judge, oddity):
    done = judge(oddity)
    assert done.returncode == 0, done.stdout
    assert not left_running()


def test_the_environment_is_clean(judge, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    done = judge("environment", {"prompt/hello": {**HELLO, "env": {"CASE_SAYS": "1"}}})
    assert done.returncode == 0
    words = next(c for c in done.report["cases"])["stderr"].split()
    assert "CASE_SAYS" in words and "HOME" in words and "SECRET_TOKEN" not in words


# ---- a run ----------------------------------------------------------------------------------------------------------


def many(n):
    return {f"prompt/case{i}": HELLO for i in range(n)}


def test_many_at_once(judge):
    done = judge("", many(40), "-j", "8")
    assert done.report["summary"]["verdicts"]["PASS"] == 40
    assert done.report["options"]["jobs"] == 8


def test_fail_fast(judge):
    done = judge("tired", many(20), "-j", "1", "--fail-fast")
    assert done.report["summary"]["cases"] == 1
    assert done.returncode == 1


def test_selection(judge):
    cases = {"prompt/a": HELLO, "prompt/b": HELLO, "cancel/c": {**HELLO, "tags": ["other"]}}
    assert set(verdicts(judge("", cases, "greeting", "--exclude", "prompt/b").report)) == {"prompt/a"}
    assert set(verdicts(judge("", cases, "PROMPT-11", "--exclude", "prompt").report)) == {"cancel/c"}


def test_strict(judge):
    case = {**HELLO, "checks": ["PROMPT-15"], "steps": [{"session": "s"}, {"prompt": "hi"}, {"text": "agent", "equals": "x"}],
            "mutants": [{**HELLO["mutants"][0], "fails": ["PROMPT-15"]}]}
    assert failed(judge("", {"prompt/hello": case}).report) == {"PROMPT-15": "WARN"}
    done = judge("", {"prompt/hello": case}, "--strict")
    assert failed(done.report) == {"PROMPT-15": "FAIL"}
    assert done.returncode == 1


def test_traces(judge, tmp_path):
    judge("", None, "--trace", tmp_path / "traces")
    lines = (tmp_path / "traces" / "prompt.hello.ndjson").read_text(encoding="utf-8").splitlines()
    header, *events = [json.loads(line) for line in lines]
    assert (header["trace"], header["side"], header["case"]) == (1, "header", "prompt/hello")
    assert {e["side"] for e in events} >= {"agent", "client", "process"}
    assert [e["seq"] for e in events] == list(range(len(events)))


def test_interruption(kit, tmp_path):
    temp, report = tmp_path / "tmp", tmp_path / "report.json"
    temp.mkdir()
    folder = write_cases(tmp_path / "cases", {"prompt/hello": {**HELLO, "timeout": 60000}})
    process = subprocess.Popen(
        [kit.program("acp-conformance"), "run", "--cases", folder, "--report", f"json={report}", "--", *ODD, "silent"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=kit.environment(tmp_path, TMPDIR=str(temp)))
    while not list(temp.glob("*/cwd")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 3, output
    assert not list(temp.iterdir())
    if report.exists():  # a signal during the first look at the agent leaves nothing to report
        assert json.loads(report.read_text(encoding="utf-8"))["summary"]["interrupted"]


# ---- the other commands ---------------------------------------------------------------------------------------------


def test_proofs(kit, tmp_path):
    folder = write_cases(tmp_path / "cases", {"prompt/hello": HELLO})
    done = kit.conformance("prove", "--cases", folder, "--", *ODD)
    assert done.returncode == 0, done.stdout
    assert re.search(r"PROMPT-11 +1\b", done.stdout)
    assert "1 case(s), 1 mutant(s), 0 not as they should be, 0 requirement(s) unproven" in done.stdout


def test_a_mutant_nobody_notices(kit, tmp_path):
    blind = {**HELLO, "steps": [{"session": "s"}, {"prompt": "hi", "expect": {"result": {}}}]}
    done = kit.conformance("prove", "--cases", write_cases(tmp_path / "cases", {"prompt/hello": blind}), "--", *ODD)
    assert done.returncode == 1
    assert "NOT AS DECLARED" in done.stdout and "PROMPT-11 did not come" in done.stdout


def test_a_mutant_that_meets_nothing(kit, tmp_path):
    lost = {**HELLO, "mutants": [{"on": {"method": "none"}, "drop": True, "fails": ["PROMPT-11"]}]}
    done = kit.conformance("prove", "--cases", write_cases(tmp_path / "cases", {"prompt/hello": lost}), "--", *ODD)
    assert done.returncode == 1
    assert "the mutant never met what it is to change" in done.stdout


def test_a_case_that_is_not_green(kit, tmp_path):
    folder = write_cases(tmp_path / "cases", {"prompt/hello": HELLO})
    done = kit.conformance("prove", "--cases", folder, "--", *ODD, "tired")
    assert done.returncode == 1
    assert "NOT GREEN  prompt/hello" in done.stdout


def test_new_cases_are_in_order(kit, tmp_path):
    done = kit.conformance("new", "prompt/mine", "--cases", tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "prompt" / "mine.json"
    assert kit.conformance("lint", file).returncode == 0
    proven = kit.conformance("prove", "--cases", tmp_path, "prompt/mine", "-p", "acp-agent")
    assert proven.returncode == 0, proven.stdout
    again = kit.conformance("new", "prompt/mine", "--cases", tmp_path)
    assert again.returncode == 3 and "File exists" in again.stderr


def test_lint_names_the_place(kit, tmp_path):
    folder = write_cases(tmp_path, {"prompt/bad": {**HELLO, "titel": "x"}})
    done = kit.conformance("lint", folder / "prompt" / "bad.json")
    assert done.returncode == 1
    assert re.search(r'bad\.json:1:\d+: /titel: unknown member "titel"; did you mean "title"\?', done.stdout)


def test_cases_with_faults_are_not_run(judge):
    done = judge("", {"prompt/bad": {**HELLO, "titel": "x"}})
    assert done.returncode == 2 and "nothing was run" in done.stderr


def test_lists(kit, tmp_path):
    folder = write_cases(tmp_path, {"prompt/hello": HELLO})
    assert kit.conformance("list", "--cases", folder).stdout == "prompt/hello  The agent says hello\n"
    listed = json.loads(kit.conformance("list", "--json", "--cases", folder).stdout)
    assert listed["cases"][0] == {"id": "prompt/hello", "area": "prompt", "title": "The agent says hello",
                                  "checks": ["PROMPT-11"], "tags": ["greeting"], "needs": [], "mutants": 1}
    monitors = json.loads(kit.conformance("list", "--json", "--monitors").stdout)["monitors"]
    assert any("RPC-05" in m["requirements"] for m in monitors)


def test_explanations(kit, tmp_path):
    folder = write_cases(tmp_path, {"prompt/hello": HELLO})
    rule = kit.conformance("explain", "PROMPT-11", "--cases", folder).stdout
    assert "FAIL at most" in rule and "prompt/hello  The agent says hello" in rule
    case = kit.conformance("explain", "prompt/hello", "--cases", folder).stdout
    assert "PROMPT-11" in case and "set {" in case


def test_an_explanation_tells_what_the_client_does(kit, tmp_path):
    client = {"capabilities": {"fs": {"readTextFile": True}, "terminal": True, "elicitation": {"form": {}}},
              "policy": {"session/request_permission": "cancelled"}}
    folder = write_cases(tmp_path, {"prompt/hello": {**HELLO, "client": client}})
    told = kit.conformance("explain", "prompt/hello", "--cases", folder).stdout
    assert json.loads(re.search("^  client (.*)$", told, re.M)[1]) == client


@pytest.mark.parametrize("args, words", [
    (["rum"], 'did you mean "run"?'),
    (["run", "--srtict"], "did you mean --strict?"),
    (["run", "--jobs", "none"], "--jobs wants a number"),
    (["run", "--jobs"], "wants a value"),
    (["run", "--report", "pdf=x"], 'no report of the kind "pdf"; there are junit, tap, json, md and html'),
    (["run", "--report", "junit"], "--report wants KIND=FILE"),
    (["run", "--profile", "nobody"], 'there is no profile "nobody"'),
    (["run", "nothing-like-it"], "no case, area, tag or judged requirement"),
    (["run", "--cases", "/nowhere"], "cannot open the folder of cases /nowhere"),
    (["run", "--"], "the agent's command is missing"),
    (["list", "--", "x"], "list takes no agent command"),
    (["explain"], "explain wants the id"),
    (["explain", "PROMPT-111"], 'did you mean "PROMPT-11"?'),
    (["new", "Bad Name"], "name one new case"),
    (["lint", "/nowhere.json"], "cannot read /nowhere.json"),
])
def test_usage_errors(kit, args, words):
    done = kit.conformance(*args)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr


def test_help(kit):
    for args in (["--help"], ["run", "--help"], ["prove", "-h"], ["--version"]):
        done = kit.conformance(*args)
        assert done.returncode == 0 and done.stdout and not done.stderr
    assert kit.conformance().returncode == 2


def on_a_terminal(kit, tmp_path, **environment):
    """What a run prints on a terminal."""
    folder = write_cases(tmp_path / "cases", {"prompt/hello": HELLO, "load/it": NEEDY})
    ours, theirs = pty.openpty()
    process = subprocess.Popen([kit.program("acp-conformance"), "run", "--cases", folder, "--", *ODD],
                               stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env=kit.environment(tmp_path, TERM="xterm", **environment))
    os.close(theirs)
    output = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            part = b""
        if not part:
            break
        output += part
    os.close(ours)
    assert process.wait(60) == 0
    return output.decode()


def test_terminals_get_a_live_line_in_colour(kit, tmp_path):
    output = on_a_terminal(kit, tmp_path)
    assert "\r\033[K[2/2] " in output and "\033[32m" in output


def test_no_color(kit, tmp_path):
    assert not re.search(r"\033\[\d+m", on_a_terminal(kit, tmp_path, NO_COLOR="1"))


def test_a_dry_run_starts_nothing(judge):
    done = judge("", None, "--dry-run", command=["/nowhere/agent"])
    assert done.returncode == 0 and "1 case would be run against /nowhere/agent" in done.stdout
    assert done.report is None
