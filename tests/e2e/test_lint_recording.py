"""Recorded conversations, our own and others', are judged on both sides by `lint`."""
import json

import pytest

INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": 1, "clientCapabilities": {}}}
INITIALIZED = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}
NEW = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}
CREATED = {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}
PROMPT = {"jsonrpc": "2.0", "id": 2, "method": "session/prompt",
          "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}}
ENDED = {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
GOOD = [("c", INITIALIZE), ("a", INITIALIZED), ("c", NEW), ("a", CREATED), ("c", PROMPT), ("a", ENDED)]


def labelled(talk):
    return "".join(json.dumps({"direction": "out" if side == "c" else "in", "payload": m}) + "\n" for side, m in talk)


def bare(talk):
    return "".join(json.dumps(m) + "\n" for _, m in talk)


def document(talk):
    return json.dumps({"messages": [{"direction": side, "raw": json.dumps(m)} for side, m in talk]}, indent=1)


FORMS = {"labelled": labelled, "bare": bare, "document": document}


@pytest.fixture(params=FORMS)
def lint(kit, tmp_path, request):
    def run(talk, *options):
        path = tmp_path / "talk.json"
        path.write_text(FORMS[request.param](talk), encoding="utf-8")
        return kit.conformance("lint", path, *options)
    return run


def test_what_conforms_passes(lint):
    done = lint(GOOD)
    assert (done.returncode, done.stderr) == (0, "")
    assert "talk.json: PASS" in done.stdout


def test_the_agents_breach_is_found(lint):
    tired = {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "tired"}}
    done = lint(GOOD[:-1] + [("a", tired)])
    assert done.returncode == 1
    assert "talk.json: FAIL" in done.stdout
    assert "stopReason" in done.stdout


def test_the_clients_breach_is_found(lint):
    nowhere = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": 7, "mcpServers": []}}
    done = lint(GOOD[:2] + [("c", nowhere)] + GOOD[3:])
    assert done.returncode == 1
    assert "talk.json: FAIL" in done.stdout
    assert "/params/cwd" in done.stdout


def test_a_should_is_a_warning_unless_strict(lint):
    late = {"jsonrpc": "2.0", "method": "other/thing"}
    done = lint(GOOD + [("a", late)])
    assert done.returncode == 0
    if "left out" not in done.stderr:  # bare lines do not tell who said what nobody knows
        assert "talk.json: WARN" in done.stdout
        assert lint(GOOD + [("a", late)], "--strict").returncode == 1


def test_without_its_beginning_there_is_no_verdict(lint):
    done = lint(GOOD[2:])
    assert (done.returncode, done.stdout) == (3, "")
    assert "initialize" in done.stderr


def test_what_holds_no_message_is_told(kit, tmp_path):
    path = tmp_path / "talk.ndjson"
    path.write_text(bare(GOOD[:2]) + "noise\n" + bare(GOOD[2:]), encoding="utf-8")
    done = kit.conformance("lint", path)
    assert done.returncode == 0
    assert "talk.ndjson:3: 1 entry is left out" in done.stderr


def test_cases_and_recordings_together(kit, tmp_path):
    case, talk = tmp_path / "area" / "case.json", tmp_path / "talk.ndjson"
    case.parent.mkdir()
    case.write_text('{"title": "x", "chekcs": [], "steps": []}', encoding="utf-8")
    talk.write_text(labelled(GOOD), encoding="utf-8")
    done = kit.conformance("lint", case, talk)
    assert done.returncode == 1
    assert "chekcs" in done.stdout and "talk.ndjson: PASS" in done.stdout
