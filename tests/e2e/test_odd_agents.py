"""Agents that die, hang, flood and worse: each comes to its verdict, and nothing stays behind."""
import json
import os
import pathlib
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ODD = [sys.executable, str(HERE / "agents" / "odd.py")]

CASE = {
    "title": "The agent says hello",
    "checks": ["PROMPT-11"],
    "steps": [{"session": "s"}, {"prompt": "hi", "expect": {"result": {"stopReason": "end_turn"}}}],
    "mutants": [{"on": {"result": {"stopReason": "end_turn"}}, "set": {"/result/stopReason": "refusal"},
                 "fails": ["PROMPT-11"]}],
    "timeout": 1000,
}

# What it does, the exit code of the run, a requirement that must have failed (None: none may).
AGENTS = [
    (["false"], 3, None),
    (["cat"], 3, None),
    (["sh", "-c", "cat /dev/zero"], 3, None),
    ("dies", 1, "PROMPT-11"),
    ("silent", 1, "RPC-05"),
    ("floods", 1, "TRANS-04"),
    ("half", 1, "PROMPT-11"),
    ("garbage", 1, "TRANS-04"),
    ("binary", 1, "TRANS-01"),
    ("child", 0, None),
    ("leaves", 1, "PROMPT-11"),
    ("closes", 1, "PROMPT-11"),
    ("deafens", 1, "PROMPT-11"),
    ("twice", 1, "RPC-05"),
    ("ignores", 0, None),
    ("echoes", 1, "RPC-05"),
]


def processes_with(word):
    """Of all processes whose environment names the folder; those that end meanwhile are not there."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and word.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            pass
    return found


@pytest.mark.parametrize("agent, exit_code, broken", AGENTS, ids=lambda v: v if isinstance(v, str) else None)
def test_odd_agents(kit, tmp_path, agent, exit_code, broken):
    folder, temp, report = tmp_path / "cases" / "prompt", tmp_path / "tmp", tmp_path / "report.json"
    folder.mkdir(parents=True)
    temp.mkdir()
    (folder / "hello.json").write_text(json.dumps(CASE), encoding="utf-8")
    command = [*ODD, agent] if isinstance(agent, str) else agent
    began = time.monotonic()
    done = kit.conformance("run", "--cases", folder.parent, "--report", f"json={report}", "--", *command,
                           env=kit.environment(tmp_path, TMPDIR=str(temp)), timeout=30)
    assert time.monotonic() - began < 30
    assert done.returncode == exit_code, done.stdout + done.stderr
    checks = [k for c in json.loads(report.read_text(encoding="utf-8"))["cases"] for k in c["checks"]]
    failed = {k["id"] for k in checks if k["verdict"] == "FAIL"}
    assert broken in failed if broken else not failed
    assert not list(temp.iterdir()), "temporary folders are left"
    assert not processes_with(str(temp)), "processes are left"
