"""How a run is chosen, cut up and repeated, and what it leaves for the next one."""
import json
import pathlib
import sys

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
NAMES = [f"prompt/case{i}" for i in range(7)]


@pytest.fixture
def run(kit, tmp_path):
    """run(*options, agent=[...], names=[...]) -> the finished process, with .ids of the cases in its report."""

    def go(*options, agent=(), names=NAMES):
        for name in names:
            path = tmp_path / "cases" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(CASE), encoding="utf-8")
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        done = kit.conformance(
            "run", *options, "--cases", tmp_path / "cases", "--report", f"json={report}", "--", *ODD, *agent,
            env=kit.environment(tmp_path, XDG_STATE_HOME=str(tmp_path / "state")))
        done.cases = json.loads(report.read_text(encoding="utf-8"))["cases"] if report.exists() else []
        done.ids = [c["id"] for c in done.cases]
        return done

    return go


def test_files_of_selectors(run, tmp_path):
    chosen = tmp_path / "chosen"
    chosen.write_text("# two of them\n\n prompt/case1 \r\nprompt/case[34]\n", encoding="utf-8")
    assert run(f"@{chosen}").ids == ["prompt/case1", "prompt/case3", "prompt/case4"]
    assert run("prompt", "--exclude", f"@{chosen}").ids == [NAMES[i] for i in (0, 2, 5, 6)]


@pytest.mark.parametrize("text, words", [
    ("# nothing\n", "names no case"),
    ("prompt/case1\n@other\n", ":2: a file of selectors cannot name another file"),
    ("nobody\n", '"nobody"'),
    (None, "cannot read"),
])
def test_files_of_selectors_that_are_wrong(run, tmp_path, text, words):
    chosen = tmp_path / "chosen"
    if text is not None:
        chosen.write_text(text, encoding="utf-8")
    done = run(f"@{chosen}")
    assert done.returncode == 2
    assert words in done.stderr


def test_shards_are_the_whole_and_do_not_overlap(run):
    parts = [run("--shard", f"{i}/3").ids for i in (1, 2, 3)]
    assert parts[0] == ["prompt/case0", "prompt/case3", "prompt/case6"]
    assert sorted(sum(parts, [])) == NAMES


@pytest.mark.parametrize("value", ["0/2", "3/2", "1", "1/2x", "-1/2", "1/"])
def test_shards_that_are_none(run, value):
    done = run("--shard", value)
    assert done.returncode == 2 and "1 <= I <= N" in done.stderr


def test_what_failed_last(run, tmp_path):
    assert run("prompt/case2", "prompt/case5", agent=["tired"]).returncode == 1
    assert run("--last-failed").ids == ["prompt/case2", "prompt/case5"]
    done = run("--last-failed")
    assert done.returncode == 2 and "no case failed last time" in done.stderr
    state = tmp_path / "deep" / "state"
    assert run("prompt/case1", "--state", state, agent=["tired"]).returncode == 1
    assert run("--last-failed", "--state", state).ids == ["prompt/case1"]


def test_rounds_that_agree(run):
    done = run("--repeat", "3")
    assert done.returncode == 0
    assert done.ids == NAMES, "one result a case"
    assert "3 rounds begun, 0 flaky cases" in done.stdout


def test_rounds_that_differ(run, tmp_path):
    done = run("prompt/case0", "--repeat", "4", "-j", "1", agent=["moody", str(tmp_path / "mood")])
    assert done.returncode == 1, done.stdout
    assert "1 flaky case\n" in done.stdout
    assert "flaky: prompt/case0  3 of 4 PASS, 1 of 4 FAIL" in done.stdout
    assert [c["verdict"] for c in done.cases] == ["FAIL"], "the worst is kept"


def test_until_something_fails(run, tmp_path):
    done = run("prompt/case0", "--repeat", "until-failure", "-j", "1", agent=["moody", str(tmp_path / "mood")])
    assert done.returncode == 1
    assert "flaky: prompt/case0  2 of 3 PASS, 1 of 3 FAIL" in done.stdout


# ---- baseline -------------------------------------------------------------------------------------------------------


def write_baseline(path, *entries):
    rows = [{"case": c, "check": k, "status": s, "reason": "so be it"} for c, k, s in entries]
    path.write_text(json.dumps({"format": "acp-conformance-baseline", "version": 1, "entries": rows}), encoding="utf-8")
    return path


def test_what_is_known_does_not_count(run, tmp_path):
    entries = [("prompt/case0", k, "known") for k in ("PROMPT-11", "PROMPT-12")]
    done = run("prompt/case0", "--baseline", write_baseline(tmp_path / "b", *entries), agent=["tired"])
    assert done.returncode == 0, done.stdout
    assert "baseline: 2 known and 0 flaky failures, 0 stale" in done.stdout
    assert done.cases[0]["verdict"] == "INFO"
    assert "so be it" in done.cases[0]["checks"][0]["note"]
    done = run("prompt/case0", "prompt/case1", "--baseline", tmp_path / "b", agent=["tired"])
    assert done.returncode == 1, "what is new counts"


def test_what_no_longer_fails_is_stale(run, tmp_path):
    done = run("--baseline", write_baseline(tmp_path / "b", ("prompt/case0", "PROMPT-11", "known")))
    assert done.returncode == 4
    assert "stale: prompt/case0 PROMPT-11 does not fail any more" in done.stdout
    done = run("--baseline", write_baseline(tmp_path / "b", ("prompt/gone", "PROMPT-11", "known")))
    assert done.returncode == 4 and "has no such case" in done.stdout
    done = run("--baseline", write_baseline(tmp_path / "b", ("prompt/case0", "PROMPT-11", "flaky")))
    assert done.returncode == 0, "flaky ones never are"
    done = run("prompt/case1", "--baseline", write_baseline(tmp_path / "b", ("prompt/case0", "PROMPT-11", "known")))
    assert done.returncode == 0, "what was not run says nothing"


def test_baselines_that_were_written_are_read(run, tmp_path):
    path = tmp_path / "b"
    assert run("prompt/case[01]", "--write-baseline", path, agent=["tired"]).returncode == 1
    written = json.loads(path.read_text(encoding="utf-8"))["entries"]
    assert {(e["case"], e["check"], e["status"]) for e in written} == {
        (f"prompt/case{i}", f"PROMPT-{k}", "known") for i in (0, 1) for k in (11, 12)}
    assert run("prompt/case[01]", "--baseline", path, agent=["tired"]).returncode == 0
    assert run("prompt/case0", "--baseline", path, "--write-baseline", path).returncode == 4
    assert {e["case"] for e in json.loads(path.read_text(encoding="utf-8"))["entries"]} == {"prompt/case1"}


@pytest.mark.parametrize("text, words", [
    ("{", "b: byte 1"),
    ("{}", "no baseline"),
    ('{"format": "acp-conformance-baseline", "version": 1, "entries": [{"case": "a/b", "check": "X-1"}]}',
     "entries[0].reason: missing"),
    ('{"format": "acp-conformance-baseline", "version": 1, "entries": [{"case": "a/b", "check": "X-1", "reason": ""}]}',
     "entries[0].reason: empty"),
    ('{"format": "acp-conformance-baseline", "version": 1, "entries": [3]}', "an entry is no object"),
])
def test_baselines_that_are_wrong(run, tmp_path, text, words):
    (tmp_path / "b").write_text(text, encoding="utf-8")
    done = run("--baseline", tmp_path / "b")
    assert done.returncode == 2 and words in done.stderr
