"""A local server that is named without a model: the smallest model that can chat is taken."""
import contextlib
import http.server
import json
import threading

import pytest

OK = [{"when": {}, "reply": [{"text": "ok"}]}]


def script(*models):
    return {"models": list(models), "turns": OK}


def open_session(process, cwd):
    process.call("initialize", {"protocolVersion": 1})
    return process.call("session/new", {"cwd": str(cwd)})


def model_of(answer):
    return next(o["currentValue"] for o in answer["result"]["configOptions"] if o["id"] == "model")


@pytest.mark.parametrize("models, want", [
    (["llama3.1:8b", "qwen2.5:0.5b", "nomic-embed-text:137m"], "ollama/qwen2.5:0.5b"),
    (["mistral", "phi"], "ollama/mistral"),
])
def test_the_smallest_one_is_taken(agent, mock_provider, work, models, want):
    provider = mock_provider(script(*models))
    process = agent(env={"OLLAMA_HOST": provider.url.removeprefix("http://")})
    answer = open_session(process, work)
    assert model_of(answer) == want
    process.send(prompt := process.prompt(answer["result"]["sessionId"], "hi"))
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    sent = [r["request"]["model"] for r in provider.requests() if "request" in r]
    assert sent == [want.removeprefix("ollama/")]
    assert model_of(process.call("session/new", {"cwd": str(work)})) == want


def test_it_is_asked_once_for_a_burst(agent, mock_provider, work):
    process = agent(env={"OLLAMA_HOST": mock_provider(script("a:1b")).url + "/v1"})
    process.call("initialize", {"protocolVersion": 1})
    requests = [process.request("session/new", {"cwd": str(work)}) for _ in range(5)]
    process.send(*requests)
    assert {model_of(process.answer(r)) for r in requests} == {"ollama/a:1b"}


@pytest.mark.parametrize("host", ["127.0.0.1:9", "not a host"])
def test_nobody_there(agent, work, host):
    process = agent(env={"OLLAMA_HOST": host})
    assert open_session(process, work)["error"]["code"] == -32000
    assert process.call("session/new", {"cwd": str(work)})["error"]["code"] == -32000


def test_a_login_needs_no_key(agent, mock_provider, work):
    """... also after logging out, before any server was asked."""
    process = agent(env={"OLLAMA_HOST": mock_provider(script("a:1b")).url + "/v1"})
    process.call("initialize", {"protocolVersion": 1})
    assert process.call("logout", {})["result"] == {}
    assert process.call("session/new", {"cwd": str(work)})["error"]["code"] == -32000
    assert process.call("authenticate", {"methodId": "environment"})["result"] == {}
    assert model_of(process.call("session/new", {"cwd": str(work)})) == "ollama/a:1b"


def test_only_models_that_cannot_chat(agent, mock_provider, work):
    process = agent(env={"OLLAMA_HOST": mock_provider(script("bge-m3")).url + "/v1"})
    assert open_session(process, work)["error"]["code"] == -32000


@contextlib.contextmanager
def server(body, gate=None):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if gate:
                gate.wait(60)
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as it:
        threading.Thread(target=it.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{it.server_port}/v1"
        it.shutdown()


@pytest.mark.parametrize("body", [b"", b"no JSON", b"[]", b'{"data": 1}', b'{"data": [{"id": 5}, {"id": ""}, null]}',
                                  b" " * (2 << 20)], ids=["empty", "text", "list", "number", "items", "long"])
def test_odd_lists(agent, work, body):
    with server(body) as url:
        assert open_session(agent(env={"OLLAMA_HOST": url}), work)["error"]["code"] == -32000


def test_the_end_does_not_wait_for_it(agent, work):
    gate = threading.Event()
    with server(json.dumps({"data": []}).encode(), gate) as url:
        process = agent(env={"OLLAMA_HOST": url})
        process.call("initialize", {"protocolVersion": 1})
        process.send(request := process.request("session/new", {"cwd": str(work)}))
        process.close()
        assert process.answer(request)["error"]["code"] == -32603
        assert process.wait() == 0
        gate.set()
