"""What cases can do beyond the reference agent: the client's services, several processes, comparisons across the logs.

The cases of tests/e2e/cases are played by a small agent that uses all of it; each of their mutants has to be noticed.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
AGENT = [sys.executable, str(HERE / "agents" / "service_agent.py")]


def conformance(kit, tmp_path, verb, *options):
    done = kit.conformance(verb, "--cases", CASES, "--timeout-scale", "4", *options, "--", *AGENT,
                           env=kit.environment(tmp_path), timeout=600)
    return done, done.stdout + done.stderr


def test_the_cases_are_well_formed(kit):
    done = kit.conformance("lint", *sorted(CASES.glob("*/*.json")))
    assert done.returncode == 0, done.stdout


def test_the_cases_pass(kit, tmp_path):
    done, said = conformance(kit, tmp_path, "run", "--trace", tmp_path / "traces")
    assert done.returncode == 0, said
    traces = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "traces").rglob("*two-at-once*"))
    assert '"agent":"b"' in traces


def test_every_mutant_is_noticed(kit, tmp_path):
    done, said = conformance(kit, tmp_path, "prove", "-j", "4")
    assert done.returncode == 0, said
