"""Every conformance case is a test of its own (pytest -k permission), all from one run of the suite."""
import json

import pytest

import implemented

PASSING = ("PASS", "WARN", "INFO")


def pytest_generate_tests(metafunc):
    if "case_id" in metafunc.fixturenames:
        kit = metafunc.config.stash[metafunc.config.kit_key]
        done = kit.conformance("list", "--json")
        assert done.returncode == 0, done.stderr
        metafunc.parametrize("case_id", [c["id"] for c in json.loads(done.stdout)["cases"]])


@pytest.fixture(scope="session")
def run(request, kit, tmp_path_factory):
    """One run of the selected cases: {"exit", "cases": {id: case}, "messages": [...], "whole": bool}."""
    folder = tmp_path_factory.mktemp("conformance")
    selected = [i.callspec.params["case_id"] for i in request.session.items
                if "case_id" in getattr(i, "fixturenames", ())]
    done = kit.conformance("run", "--profile", "acp-agent", "-j", "2", "--timeout-scale", "4",
                           "--report", f"json={folder / 'report.json'}", "--trace", folder / "traces",
                           *selected, timeout=900)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return {"output": done.stdout + done.stderr, "cases": {c["id"]: c for c in report["cases"]},
            "messages": list(messages(folder / "traces"))}


def messages(folder):
    """Every JSON message on the wire, as (side, message)."""
    for trace in folder.rglob("*.ndjson"):
        for line in trace.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["side"] in ("agent", "client") and isinstance(event.get("message"), dict):
                yield event["side"], event["message"]


def test_case(run, case_id):
    case = run["cases"][case_id]
    if case["verdict"] == "SKIP":
        pytest.skip(case["reason"])
    assert case["verdict"] in PASSING, json.dumps(case, indent=2)
