"""A second conforming agent, which offers everything: no case accuses it, and the cases that acp-agent skips can fail."""
import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent / "agents"
PATIENCE = ("-j", "4", "--timeout-scale", "4")


@pytest.fixture
def profile(tmp_path):
    text = json.loads((HERE / "whole_agent.json").read_text(encoding="utf-8"))
    text["command"] = [sys.executable, str(HERE / "whole_agent.py")]
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(text), encoding="utf-8")
    return path


def report_of(kit, tmp_path, *args):
    report = tmp_path / "report.json"
    kit.conformance("run", *args, *PATIENCE, "--report", f"json={report}", timeout=900)
    return {c["id"]: c for c in json.loads(report.read_text(encoding="utf-8"))["cases"]}


def test_nothing_accuses_it(kit, tmp_path, profile):
    cases = report_of(kit, tmp_path, "--profile", profile)
    accused = ("FAIL", "ERROR", "NOT-EXERCISED", "WARN")
    assert [(i, c["verdict"]) for i, c in cases.items() if c["verdict"] in accused] == []


def test_what_the_reference_agent_skips_is_proven(kit, tmp_path, profile):
    ours = report_of(kit, tmp_path, "--profile", "acp-agent")
    theirs = report_of(kit, tmp_path, "--profile", profile)
    chosen = [i for i, c in ours.items() if c["verdict"] == "SKIP" and theirs[i]["verdict"] != "SKIP"]
    assert chosen
    done = kit.conformance("prove", *chosen, "--profile", profile, *PATIENCE, timeout=1800)
    assert done.returncode == 0, done.stdout
