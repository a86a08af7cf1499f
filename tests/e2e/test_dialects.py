"""The whole suite on each of the other model APIs: the agent's behaviour does not depend on the one it talks to."""
import json

import pytest

RUN_DEADLINE = 300


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai-responses"])
def test_the_agent_conforms_on_every_dialect(kit, tmp_path, dialect):
    report = tmp_path / "report.json"
    done = kit.conformance("run", "--profile", "acp-agent-" + dialect.split("-")[-1], "-j", "2", "--timeout-scale", "4",
                           "--report", f"json={report}", "--trace", tmp_path / "traces", timeout=RUN_DEADLINE)
    assert done.returncode == 0, done.stdout
    verdicts = [case["verdict"] for case in json.loads(report.read_text(encoding="utf-8"))["cases"]]
    assert verdicts.count("PASS") > 300
    asked = [json.loads(line)["message"]["dialect"] for trace in (tmp_path / "traces").iterdir()
             for line in trace.read_text(encoding="utf-8").split("\n") if '"side":"model","kind":"request"' in line]
    assert asked.count(dialect) >= len(asked) - 1  # one case takes the agent's home away, and the choice with it
