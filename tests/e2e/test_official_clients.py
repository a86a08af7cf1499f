"""The official npm clients understand what acp-mock-provider sends, dialect by dialect, in all the ways they are called.
(Chat completions have more of it in test_openai_client.py.)"""
import json
import os
import subprocess

import pytest

import npm

SCHEMA = {"type": "object", "properties": {}}
# script, path below the address, request, its tools, words for the finish reasons, name of the type of errors
ANTHROPIC = {
    "program": "anthropic.mjs", "base": "",
    "request": {"model": "mock-model", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]},
    "tools": {"tools": [{"name": "read_file", "input_schema": SCHEMA}]},
    "orphan_words": "x is no tool_use", "ways": ("create", "stream", "helper"),
    "finish": {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"},
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 7},
    "orphan": {"messages": [{"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "x", "content": "r"}]}]},
    "statuses": {400: "BadRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError", 404: "NotFoundError",
                 429: "RateLimitError", 500: "InternalServerError", 529: "OverloadedError"},
}
RESPONSES = {
    "program": "openai-responses.mjs", "base": "/v1",
    "request": {"model": "mock-model", "input": [{"role": "user", "content": "hi"}], "store": False,
                "include": ["reasoning.encrypted_content"]},
    "tools": {"tools": [{"type": "function", "name": "read_file", "parameters": SCHEMA, "strict": False}]},
    "orphan_words": "with call_id x", "ways": ("create", "stream", "helper"),
    "finish": {"stop": "completed", "tool_calls": "completed", "length": "max_output_tokens",
               "content_filter": "content_filter"},
    "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2}, "output_tokens": 7,
              "total_tokens": 16},
    "orphan": {"input": [{"type": "function_call_output", "call_id": "x", "output": "r"}]},
    "statuses": {**ANTHROPIC["statuses"], 529: "InternalServerError"},
}
GEMINI = {
    "program": "gemini.mjs", "base": "",
    "request": {"model": "mock-model", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "tools": {"config": {"tools": [{"functionDeclarations": [{"name": "read_file", "parametersJsonSchema": SCHEMA}]}]}},
    "orphan_words": "a function response turn", "ways": ("create", "stream"),
    "finish": {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"},
    "usage": {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 7, "totalTokenCount": 16},
    "orphan": {"contents": [{"role": "user", "parts": [{"functionResponse": {"id": "x", "name": "f", "response": {}}}]}]},
    "statuses": dict.fromkeys(ANTHROPIC["statuses"], "ApiError"),
}
DIALECTS = {"anthropic": ANTHROPIC, "openai-responses": RESPONSES, "gemini": GEMINI}
WAYS = [(name, way) for name, d in DIALECTS.items() for way in d["ways"]]
STREAMS = [(name, way) for name, way in WAYS if way != "create"]

every_way = pytest.mark.parametrize("dialect, way", WAYS)
every_stream = pytest.mark.parametrize("dialect, way", STREAMS)


@pytest.fixture
def ask(kit, mock_provider):
    """ask(dialect, way, script, **more of the request) -> what the client made of it."""
    def call(dialect, way, script, **more):
        d = DIALECTS[dialect]
        provider = mock_provider(script)
        done = subprocess.run(["node", d["program"], provider.url + d["base"], way, json.dumps({**d["request"], **more})],
                              cwd=npm.folder(kit), env={**os.environ, "PATH": npm.path(kit), "NO_PROXY": "127.0.0.1"},
                              capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)
    return call


@every_way
def test_text_and_usage(ask, dialect, way):
    usage = {"input": 9, "output": 7, "cached": 4, "cache_write": 2}
    seen = ask(dialect, way, [{"reply": [{"text": ["Hel", "lo ä\n\"\\"]}], "usage": usage}])
    assert seen["text"] == "Hello ä\n\"\\"
    assert seen["finish"] == DIALECTS[dialect]["finish"]["stop"]
    wanted = DIALECTS[dialect]["usage"]
    assert {name: seen["usage"].get(name) for name in wanted} == wanted


@every_way
@pytest.mark.parametrize("finish", ("length", "content_filter"))
def test_finish(ask, dialect, way, finish):
    seen = ask(dialect, way, [{"reply": [{"text": "a"}], "finish": finish}])
    assert seen["finish"] == DIALECTS[dialect]["finish"][finish]


@every_way
def test_thoughts_and_tool_calls(ask, dialect, way):
    seen = ask(dialect, way, [{"reply": [{"thought": ["a", "b"]}, {"text": "I read."},
                                         {"tool": "read_file", "with": {"path": "a/ä.txt"}, "fragments": 5},
                                         {"tool": "read_file", "with": {}, "id": "mine"}]}],
               **DIALECTS[dialect]["tools"])
    assert (seen["thought"], seen["text"]) == ("ab", "I read.")
    assert [json.loads(c["args"]) for c in seen["calls"]] == [{"path": "a/ä.txt"}, {}]
    assert [c["name"] for c in seen["calls"]] == ["read_file", "read_file"]
    assert seen["calls"][0]["id"] and seen["calls"][1]["id"] == "mine"
    assert seen["signature"]
    assert seen["finish"] == DIALECTS[dialect]["finish"]["tool_calls"]


@every_way
@pytest.mark.parametrize("status", (400, 401, 403, 404, 429, 500, 529))
def test_status(ask, dialect, way, status):
    error = ask(dialect, way, [{"status": status}])["error"]
    assert (error["name"], error["status"]) == (DIALECTS[dialect]["statuses"][status], status)
    assert f"status {status}" in error["message"]


@every_stream
def test_an_error_in_mid_stream_is_thrown(ask, dialect, way):
    error = ask(dialect, way, [{"reply": [{"text": "a"}, {"error": {"message": "no more"}}]}])["error"]
    assert "no more" in error["message"]


@every_stream
@pytest.mark.parametrize("fault", ({"cut": True}, {"reset": True}, {"malformed": True}))
def test_a_broken_stream_is_noticed(ask, dialect, way, fault):
    seen = ask(dialect, way, [{"reply": [{"text": "a"}, fault]}])
    assert "error" in seen or seen["finish"] is None


@every_way
def test_a_broken_history_is_refused(ask, dialect, way):
    error = ask(dialect, way, [{"reply": [{"text": "a"}]}], **DIALECTS[dialect]["orphan"])["error"]
    assert error["status"] == 400
    assert DIALECTS[dialect]["orphan_words"] in error["message"]


@every_stream
@pytest.mark.parametrize("shape", (
    {"eol": "crlf"}, {"comments": True}, {"fields": True}, {"space": False}, {"write": 1}, {"write": 7, "eol": "crlf"},
    {"blank": 2}, {"huge": 100000},
), ids=json.dumps)
def test_shapes(ask, dialect, way, shape):
    if dialect == "gemini" and ("comments" in shape or "fields" in shape):
        pytest.skip("Google's client passes over events with a comment or an id")
    seen = ask(dialect, way, {"wire": shape, "turns": [{"reply": [
        {"thought": "hm"}, {"text": ["Hel", "lo ä\n"]}, {"tool": "read_file", "with": {"path": "ü"}}]}]},
        **DIALECTS[dialect]["tools"])
    assert (seen["thought"], seen["text"]) == ("hm", "Hello ä\n")
    assert [json.loads(c["args"]) for c in seen["calls"]] == [{"path": "ü"}]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_models(ask, dialect):
    assert ask(dialect, "models", {"turns": [], "models": ["a", "b"]}) == {"models": ["a", "b"]}


@pytest.mark.parametrize("dialect", ("anthropic", "gemini"))
def test_count(ask, dialect):
    assert ask(dialect, "count", [])["count"] == 1
