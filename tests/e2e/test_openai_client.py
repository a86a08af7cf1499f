"""The official npm client understands what acp-mock-provider sends, in all the ways it is called."""
import json
import os
import subprocess

import pytest

import npm

HI = {"model": "mock-model", "messages": [{"role": "user", "content": "hi"}]}
TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object", "properties": {}}}}]
USAGE = {"stream_options": {"include_usage": True}}
WAYS = ("create", "stream", "helper")


@pytest.fixture
def ask(kit, mock_provider):
    """ask(script, way, **more of the request) -> what the client made of it."""
    def call(script, way, **more):
        provider = mock_provider(script)
        request = {**HI, **more, **(USAGE if way != "create" else {})}
        done = subprocess.run(["node", "openai-chat.mjs", provider.url + "/v1", way, json.dumps(request)],
                              cwd=npm.folder(kit), env={**os.environ, "PATH": npm.path(kit), "NO_PROXY": "127.0.0.1"},
                              capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)
    return call


@pytest.mark.parametrize("way", WAYS)
def test_text(ask, way):
    seen = ask([{"reply": [{"text": ["Hel", "lo ä\n\"\\"]}], "usage": {"input": 9, "output": 2, "cached": 4}}], way)
    assert seen["text"] == "Hello ä\n\"\\"
    assert seen["finish"] == "stop"
    assert seen["usage"]["total_tokens"] == 11
    assert seen["usage"]["prompt_tokens_details"]["cached_tokens"] == 4


@pytest.mark.parametrize("way", WAYS)
def test_usage_is_derived_when_asked_for(ask, way):
    seen = ask([{"reply": [{"text": "12345678"}]}], way)
    assert seen["usage"]["completion_tokens"] == 3


@pytest.mark.parametrize("way", ("create", "stream"))
def test_a_thought_stands_beside_the_text(ask, way):
    seen = ask([{"reply": [{"thought": ["a", "b"]}, {"text": "c"}]}], way)
    assert (seen["thought"], seen["text"]) == ("ab", "c")


@pytest.mark.parametrize("way", WAYS)
def test_tool_calls(ask, way):
    seen = ask([{"reply": [{"text": "I read."},
                           {"tool": "read_file", "with": {"path": "a/ä.txt"}, "fragments": 5},
                           {"tool": "read_file", "with": {}, "id": "mine"}]}], way, tools=TOOLS)
    assert [json.loads(c["args"]) for c in seen["calls"]] == [{"path": "a/ä.txt"}, {}]
    assert [c["name"] for c in seen["calls"]] == ["read_file", "read_file"]
    assert seen["calls"][0]["id"].startswith("call_") and seen["calls"][1]["id"] == "mine"
    assert (seen["text"], seen["finish"]) == ("I read.", "tool_calls")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status, name, code", [
    (400, "BadRequestError", None),
    (401, "AuthenticationError", "invalid_api_key"),
    (403, "PermissionDeniedError", "permission_denied"),
    (404, "NotFoundError", "not_found"),
    (429, "RateLimitError", "rate_limit_exceeded"),
    (500, "InternalServerError", None),
    (529, "InternalServerError", None),
])
def test_status(ask, way, status, name, code):
    error = ask([{"status": status}], way)["error"]
    assert (error["name"], error["status"], error.get("code")) == (name, status, code)
    assert f"status {status}" in error["message"]


@pytest.mark.parametrize("way", ("stream", "helper"))
def test_an_error_in_mid_stream_is_thrown(ask, way):
    error = ask([{"reply": [{"text": "a"}, {"error": {"message": "no more", "type": "odd"}}]}], way)["error"]
    assert "no more" in error["message"]
    assert error["type"] == "odd"


@pytest.mark.parametrize("way", ("stream", "helper"))
@pytest.mark.parametrize("fault", ({"cut": True}, {"reset": True}, {"malformed": True}))
def test_a_broken_stream_is_noticed(ask, way, fault):
    assert "error" in ask([{"reply": [{"text": "a"}, fault]}], way)


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_history_is_refused(ask, way):
    orphan = {"role": "tool", "tool_call_id": "x", "content": "r"}
    error = ask([{"reply": [{"text": "a"}]}], way, messages=[*HI["messages"], orphan], tools=TOOLS)["error"]
    assert error["status"] == 400
    assert "x is none of them" in error["message"]


def test_models(ask):
    assert ask({"turns": [], "models": ["a", "b"]}, "models") == {"models": ["a", "b"]}
