"""Every conformance case is a test of its own (pytest -k permission), all from one run of the suite."""
import json

import pytest

import implemented
from conftest import KIT

RUN_DEADLINE = 900


def pytest_generate_tests(metafunc):
    if "case_id" in metafunc.fixturenames:
        done = metafunc.config.stash[KIT].conformance("list", "--json")
        assert done.returncode == 0, done.stderr
        metafunc.parametrize("case_id", [case["id"] for case in json.loads(done.stdout)["cases"]])


class Run:
    """One run of cases: their results by id, and what crossed the wire."""

    def __init__(self, kit, folder, case_ids):
        report = folder / "report.json"
        done = kit.conformance("run", *case_ids, "--profile", "acp-agent", "-j", "2", "--timeout-scale", "4",
                               "--report", f"json={report}", "--trace", folder / "traces", timeout=RUN_DEADLINE)
        assert report.exists(), done.stdout + done.stderr
        self.cases = {c["id"]: c for c in json.loads(report.read_text(encoding="utf-8"))["cases"]}
        self.seen = {"agent": set(), "client": set()}
        self.updates = set()
        for trace in sorted((folder / "traces").rglob("*")):
            if trace.is_file():
                self._read(trace)

    def _read(self, trace):
        for line in trace.read_text(encoding="utf-8").split("\n")[:-1]:  # not splitlines: U+2028 ends no line
            event = json.loads(line)
            message = event.get("message")
            if event["side"] not in self.seen or not isinstance(message, dict) or "method" not in message:
                continue
            self.seen[event["side"]].add(message["method"])
            if event["side"] == "agent" and message["method"] == "session/update":
                self.updates.add(message["params"]["update"]["sessionUpdate"])


@pytest.fixture(scope="session")
def run(request, kit, tmp_path_factory):
    chosen = [item.callspec.params["case_id"] for item in request.session.items if is_case(item)]
    return Run(kit, tmp_path_factory.mktemp("conformance"), chosen)


def is_case(item):
    return "case_id" in getattr(getattr(item, "callspec", None), "params", ())


@pytest.fixture
def whole_run(request, run):
    """The run, if nothing was left out of it: only then can it be said that something was never seen."""
    done = request.config.stash[KIT].conformance("list", "--json")
    if len(run.cases) < len(json.loads(done.stdout)["cases"]):
        pytest.skip("only a part of the cases was chosen")
    return run


def test_case(run, case_id):
    case = run.cases[case_id]
    if case["verdict"] == "SKIP":
        pytest.skip(case["reason"])
    assert case["verdict"] in ("PASS", "WARN", "INFO"), case.get("failure") or json.dumps(case, indent=2)


def test_every_method_of_the_agent_was_called(whole_run):
    assert implemented.CLIENT_METHODS - whole_run.seen["client"] == set()


def test_every_method_the_agent_calls_was_seen(whole_run):
    assert whole_run.seen["agent"] == implemented.AGENT_METHODS


def test_every_update_kind_was_seen(whole_run):
    assert whole_run.updates == implemented.UPDATES
