"""A recorded conversation is judged again without an agent, and played to one."""
import json
import re

import pytest

CASES = ["prompt", "transport", "session-setup", "process", "cancellation", "jsonrpc", "permission"]
RUN_DEADLINE = 240


@pytest.fixture(scope="module")
def traces(kit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("replay") / "traces"
    done = kit.conformance("run", *CASES, "--trace", folder, "-j", "2", "--timeout-scale", "4", timeout=RUN_DEADLINE)
    assert done.returncode == 0, done.stdout
    return folder


def replay(kit, trace, *options):
    return kit.conformance("replay", trace, *options, "--timeout-scale", "4")


def changed(trace, folder, edit):
    """The same trace with each event replaced by those of edit(event)."""
    events = [json.loads(line) for line in trace.read_text(encoding="utf-8").split("\n")[:-1]]
    path = folder / "changed.ndjson"
    kept = [e for event in events for e in edit(event)]
    path.write_text("".join(json.dumps(e) + "\n" for e in kept), encoding="utf-8")
    return path


def test_what_conformed_conforms_when_it_is_read_again(kit, traces):
    files = sorted(traces.iterdir())
    assert len(files) > 100
    for trace in files:
        done = kit.conformance("replay", trace)
        assert done.returncode == 0, done.stdout + done.stderr


def is_answer(event):
    return event["side"] == "agent" and "result" in event.get("message", {})


@pytest.mark.parametrize("edit, rule", [
    (lambda e: [e, e] if is_answer(e) else [e], "RPC-05"),
    (lambda e: [{**e, "message": {**e["message"], "id": "no such id"}} if is_answer(e) else e], "RPC-02"),
    (lambda e: [{**e, "message": {**e["message"], "result": {"stopReason": "tired"}}}
                if is_answer(e) and "stopReason" in e["message"]["result"] else e], "PROMPT-12"),
])
def test_a_broken_rule_in_a_recording_is_named(kit, traces, tmp_path, edit, rule):
    trace = changed(traces / "prompt.two-sessions-at-once.ndjson", tmp_path, edit)
    done = replay(kit, trace)
    assert done.returncode == 1, done.stdout
    assert re.search(rf"(FAIL|WARN) {rule} ", done.stdout), done.stdout


@pytest.mark.parametrize("name", ["prompt.two-sessions-at-once", "transport.characters-cut-between-reads",
                                  "session-setup.load-replays-the-conversation", "process.sigterm",
                                  "cancellation.prompt-right-behind", "jsonrpc.null-id"])
def test_the_same_agent_does_the_same_again(kit, traces, name):
    done = replay(kit, traces / f"{name}.ndjson", "--profile", "acp-agent")
    assert done.returncode == 0, done.stdout
    assert "the agent did what is recorded" in done.stdout


def test_what_the_agent_does_otherwise_is_told(kit, traces, tmp_path):
    def say_more(event):
        if event["side"] == "header":
            return [{**event, "model": [{"reply": [{"text": "something else"}]}] * 2}]
        return [event] if event["side"] != "model_event" else []

    trace = changed(traces / "prompt.two-sessions-at-once.ndjson", tmp_path, say_more)
    done = replay(kit, trace, "--profile", "acp-agent")
    assert done.returncode == 1, done.stdout
    assert '- session 2: agent_message_chunk "beta"' in done.stdout
    assert '+ session 2: agent_message_chunk "something else"' in done.stdout


@pytest.mark.parametrize("text, complaint", [
    ("", "nothing is recorded"),
    ("{\n", "changed.ndjson:1: "),
    ('{"side":"header","trace":1}\n{"side":"nobody"}\n', 'changed.ndjson:2: "side" must be'),
    ('{"side":"agent","kind":"dance","t":1,"text":"x"}\n', 'changed.ndjson:1: "kind" or "t"'),
    ('{"side":"agent","kind":"line","t":1,"base64":"?"}\n', 'changed.ndjson:1: "base64" cannot be decoded'),
])
def test_what_is_no_trace_is_refused(kit, tmp_path, text, complaint):
    trace = tmp_path / "changed.ndjson"
    trace.write_text(text, encoding="utf-8")
    done = replay(kit, trace)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


def test_several_processes_cannot_be_played(kit, traces):
    done = replay(kit, traces / "process.two-agents-side-by-side.ndjson", "--profile", "acp-agent")
    assert done.returncode == 2
    assert "several processes" in done.stderr
