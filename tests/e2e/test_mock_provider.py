"""acp-mock-provider as a program: its command line, its wire, its files, its control endpoint."""
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

from kit import DEADLINE

HI = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def http(url, body=None, method=None):
    """Status and body of one call. No proxy is asked, whatever the environment says."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=DEADLINE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def chat(provider, text="hi", **more):
    messages = [{"role": "user", "content": text}]
    return http(provider.url + "/v1/chat/completions", {"model": "m", "messages": messages, **more})


def events(stream):
    return [json.loads(line[6:]) for line in stream.decode().split("\n\n") if line.startswith("data: {")]


def text_of(stream):
    return "".join(e["choices"][0]["delta"].get("content") or "" for e in events(stream) if e["choices"])


def connect(provider):
    host, port = provider.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=DEADLINE)


def post_raw(connection, body):
    data = json.dumps(body).encode()
    connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data))


def read_until(connection, wanted):
    got = b""
    while wanted not in got:
        part = connection.recv(65536)
        assert part, f"the connection ended before {wanted!r} came: {got!r}"
        got += part
    return got


def wait_for(provider, event, count=1):
    """The journal once that many such events have happened."""
    status, lines = http(f"{provider.url}/_control/journal?event={event}&count={count}&wait={DEADLINE * 1000}")
    assert status == 200
    seen = [json.loads(line) for line in lines.splitlines()]
    assert sum(e["event"] == event for e in seen) >= count
    return seen


# --- the command line ---

@pytest.mark.parametrize("args, word", [
    (["--record", "http://127.0.0.1:1"], "--save"),
    (["--record", "http://127.0.0.1:1", "--save", "x", "--verdict"], "does not go with"),
    (["--port", "x"], "--port"), (["--port", "70000"], "--port"), (["--seed", "-1"], "--seed"),
    (["--log-level", "loud"], "loud"), (["acp-agent"], "after --"), (["--script"], "--script"),
])
def test_wrong_usage(kit, args, word):
    done = kit.run("acp-mock-provider", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert word in done.stderr and "--help" in done.stderr


@pytest.mark.parametrize("script, complaint", [
    ("[{", "byte 2"),
    ("[\n{\n", "line 3"),
    ("7", "the script must be an array of turns"),
    ('[{"reply": [{"txt": "a"}]}]', 'turns[0].reply[0]: unknown action "txt"'),
    ('[{"reply": []}, {"reply": [{"text": 7}]}]', "turns[1].reply[0]: text must be a string"),
    ('[{"reply": [{"text": "a", "cut": true}]}]', "turns[0].reply[0]: text and cut in one action"),
    ('[{"reply": [{"text": "a", "with": {}}]}]', 'turns[0].reply[0]: unknown member "with"'),
    ('[{"status": 500, "reply": [{"text": "a"}]}]', "text cannot stand before a status"),
    ('[{"when": {"$regex": "("}, "reply": []}]', "turns[0]: when"),
    ('[{"reply": [], "finish": "end"}]', "turns[0]: finish must be"),
    ('[{"reply": [], "headers": {"a": "b\\r\\nc: d"}}]', "turns[0]: headers"),
    ('{"turns": [], "models": [1]}', "models must be"),
    ('{"turns": [], "intents": {"read": {}}}', "intents.read must be"),
    ('{"turns": [], "servers": []}', "servers: expected object"),
    ('{"turns": [], "servers": {"a b": {}}}', "servers.a b: expected an object under a name"),
    ('{"turns": [], "servers": {"a": {"tool": []}}}', 'servers.a: unknown member "tool"'),
    ('{"turns": [], "servers": {"a": {"tools": {}}}}', "servers.a: tools has another type"),
])
def test_a_broken_script_is_named_with_its_place(kit, tmp_path, script, complaint):
    file = tmp_path / "script.json"
    file.write_text(script, encoding="utf-8")
    done = kit.run("acp-mock-provider", "--script", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert str(file) in done.stderr and complaint in done.stderr


def test_what_cannot_be_opened_is_named(kit, tmp_path, mock_provider):
    missing = tmp_path / "no" / "such"
    for option, code in (("--script", 2), ("--journal", 3), ("--port-file", 3)):
        done = kit.run("acp-mock-provider", option, missing)
        assert done.returncode == code
        assert str(missing) in done.stderr
    port = mock_provider([]).url.split(":")[2]
    done = kit.run("acp-mock-provider", "--port", port)
    assert done.returncode == 3
    assert f"port {port}" in done.stderr and "in use" in done.stderr


def test_port_and_port_file(mock_provider, tmp_path):
    file = tmp_path / "port"
    provider = mock_provider([], args=["--port-file", str(file)])
    assert file.read_text() == provider.url.split(":")[2] + "\n"
    assert list(tmp_path.glob("port.*")) == []


@pytest.mark.parametrize("signum", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_a_signal_ends_it_at_any_time(mock_provider, signum):
    provider = mock_provider([{"reply": [{"text": "a"}, {"stall": True}]}])
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        read_until(connection, b'"content":"a"')
        provider.process.send_signal(signum)
        assert provider.process.wait(DEADLINE) == 0
    assert provider.journal()[-1]["event"] == "gone"


# --- around a command ---

def test_the_command_has_our_streams_and_an_environment_that_leads_here(kit):
    script = 'read line; echo "$line $OPENAI_API_KEY"; echo "$OPENAI_BASE_URL $ACP_MOCK_PROVIDER"; echo oops >&2; exit 7'
    done = kit.run("acp-mock-provider", "--", "sh", "-c", script, input="hello\n",
                   env={**os.environ, "OPENAI_API_KEY": "a-real-key"})
    assert done.returncode == 7
    first, second = done.stdout.splitlines()
    assert first == "hello mock-key"
    base, root = second.split()
    assert base == root + "/v1" and root.startswith("http://127.0.0.1:")
    assert done.stderr == "oops\n"


def test_the_command_finds_every_dialect(kit):
    script = 'echo "$ANTHROPIC_BASE_URL $ANTHROPIC_API_KEY [$ANTHROPIC_AUTH_TOKEN]"; ' \
             'echo "$GOOGLE_GEMINI_BASE_URL $GEMINI_API_KEY [$GOOGLE_API_KEY]"; echo "$ACP_MOCK_PROVIDER"'
    done = kit.run("acp-mock-provider", "--", "sh", "-c", script,
                   env={**os.environ, "ANTHROPIC_AUTH_TOKEN": "a-real-one", "GOOGLE_API_KEY": "a-real-one"})
    anthropic, gemini, root = done.stdout.splitlines()
    assert anthropic == gemini == f"{root} mock-key []"


CALLER = """
import json, os, sys, urllib.error, urllib.request as u
u.install_opener(u.build_opener(u.ProxyHandler({})))
for text in sys.argv[2:]:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    try:
        u.urlopen(u.Request(url, json.dumps(body).encode(), {"content-type": "application/json"}))
    except urllib.error.HTTPError:
        pass
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("script, said, code, want", [
    ([{"reply": [{"text": "a"}]}], ["x"], 0, 0),
    ([{"reply": [{"text": "a"}]}], [], 0, 1),
    ([{"reply": [{"text": "a"}]}], [], 5, 5),
    ([{"status": 401}, {"reply": []}], ["x", "x"], 0, 1),
])
def test_the_verdict_is_the_exit_code(kit, tmp_path, script, said, code, want):
    file = tmp_path / "script.json"
    file.write_text(json.dumps(script))
    done = kit.run("acp-mock-provider", "--verdict", "--script", str(file), "--", "/usr/bin/python3", "-c", CALLER,
                   str(code), *said)
    assert done.returncode == want
    word = "" if want == 0 else "hopeless: request 2: repeats request 1" if said else "unused: turns[0]"
    assert f"verdict: {word}" in done.stderr if word else "verdict" not in done.stderr


def test_the_command_can_be_served(kit, tmp_path):
    client = "import json,os,urllib.request as u;" \
             "u.install_opener(u.build_opener(u.ProxyHandler({})));" \
             "print(u.urlopen(os.environ['OPENAI_BASE_URL'] + '/models').read().decode())"
    done = kit.run("acp-mock-provider", "--journal", tmp_path / "journal", "--", "/usr/bin/python3", "-c", client)
    assert done.returncode == 0
    assert json.loads(done.stdout)["data"][0]["id"] == "mock-model"
    assert '"event":"side"' in (tmp_path / "journal").read_text()


@pytest.mark.parametrize("command, code", [
    (["sh", "-c", "kill -9 $$"], 128 + 9), (["no-such-command-anywhere"], 127), (["/"], 126),
])
def test_exit_codes_of_commands(kit, command, code):
    done = kit.run("acp-mock-provider", "--", *command)
    assert (done.returncode, done.stdout) == (code, "")
    assert code > 128 or command[0] in done.stderr


@pytest.mark.parametrize("signum, code", [(signal.SIGTERM, 5), (signal.SIGHUP, 5), (signal.SIGINT, 6)])
def test_signals_are_passed_on(kit, signum, code):
    script = 'trap "exit 5" TERM; trap "exit 6" INT; echo ready; while :; do sleep 0.05; done'
    with subprocess.Popen([kit.program("acp-mock-provider"), "--", "sh", "-c", script],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signum)
        assert process.wait(DEADLINE) == code


def test_a_command_that_ignores_the_signal_is_killed(kit):
    script = 'trap "" TERM; echo ready; while :; do sleep 0.05; done'
    with subprocess.Popen([kit.program("acp-mock-provider"), "--", "sh", "-c", script],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(DEADLINE) == 128 + 9


# --- answers ---

def test_two_runs_send_the_same_bytes(mock_provider):
    script = [{"reply": [{"thought": "t"}, {"text": ["a", "b"]}]}, {"reply": [{"text": "c"}]}]
    runs = []
    for seed in ("5", "5", "6"):
        provider = mock_provider(script, args=["--seed", seed])
        runs.append([chat(provider, stream=True), chat(provider)])
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize("word, wanted", [
    ("hello", "Say \"help\""), ("help", "- slow:"), ("Plan.", "You declare no tool"), ("tool", "None of the tools"),
    ("a long story\n\n think! ", "the answer is 42"),
])
def test_words_of_the_built_in_script(mock_provider, word, wanted):
    status, stream = chat(mock_provider(), word, stream=True)
    assert status == 200
    assert wanted in text_of(stream)


def test_the_built_in_script_thinks_calls_tools_and_fails(mock_provider):
    provider = mock_provider()
    tools = [{"type": "function", "function": {"name": "read_file"}}]
    _, thinking = chat(provider, "think", stream=True)
    assert any("reasoning_content" in e["choices"][0]["delta"] for e in events(thinking))
    _, calling = chat(provider, "tool", stream=True, tools=tools)
    assert events(calling)[-1]["choices"][0]["finish_reason"] == "tool_calls"
    _, failing = chat(provider, "error", stream=True)
    assert "error" in events(failing)[-1]


def test_cut_and_reset_on_the_wire(mock_provider):
    provider = mock_provider([{"reply": [{"text": "a"}, {"cut": True}]}, {"reply": [{"text": "a"}, {"reset": True}]},
                              {"reply": [{"cut": True}]}])
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        got = read_until(connection, b'"content":"a"')
        while part := connection.recv(65536):
            got += part
        assert not got.endswith(b"0\r\n\r\n")
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        read_until(connection, b'"content":"a"')
        with pytest.raises(ConnectionResetError):
            while connection.recv(65536):
                pass
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        assert connection.recv(65536) == b""


def test_a_slow_reader_loses_nothing_and_costs_no_memory(mock_provider):
    count = 300_000
    provider = mock_provider([{"reply": [{"text": "x", "repeat": count}]}])
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        got = read_until(connection, b'"content":"x"')
        wait_for(provider, "part")
        with open(f"/proc/{provider.process.pid}/status", encoding="ascii") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        got = bytearray(got)
        while not got.endswith(b"\r\n0\r\n\r\n"):
            part = connection.recv(1 << 20)
            assert part
            got += part
        assert got.count(b'"content":"x"') == count
    if "asan" not in str(provider.process.args[0]):
        assert resident < 64 * 1024


def test_an_odd_request_does_not_end_it(mock_provider):
    provider = mock_provider([{"reply": [{"text": "still here"}]}])
    for junk in (b"\0\0\0", b"GET\r\n\r\n", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n"):
        with connect(provider) as connection:
            connection.sendall(junk)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(65536)
    with connect(provider) as connection:
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert b"still here" in chat(provider)[1]


def test_what_no_turn_answers_is_said_on_stderr_too(mock_provider, tmp_path):
    provider = mock_provider([{"when": {"last": {"text": "ho"}}, "reply": []}])
    status, body = chat(provider)
    assert status == 400
    message = json.loads(body)["error"]["message"]
    assert "turns[0].when differs at /last/text" in message
    assert "/last/text" in (tmp_path / "provider0" / "stderr.txt").read_text()


# --- journal and control ---

def test_the_journal_has_every_event_in_order_and_no_key(mock_provider):
    provider = mock_provider([{"expect": {"model": "other"}, "check": "X-1", "reply": [{"text": "a"}]}])
    request = urllib.request.Request(provider.url + "/v1/chat/completions", json.dumps(HI).encode(),
                                     {"Authorization": "Bearer sesame", "X-Api-Key": "sesame"})
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE).close()
    http(provider.url + "/v1/chat/completions", b"nonsense")
    wait_for(provider, "refused")
    seen = provider.journal()
    assert [e["event"] for e in seen] == ["request", "mismatch", "part", "done", "request", "refused"]
    assert [e["seq"] for e in seen] == list(range(1, 7))
    assert seen[1]["check"] == "X-1" and "/model" in seen[1]["text"]
    assert seen[0]["request"]["headers"]["authorization"] == "Bearer <redacted>"
    assert "sesame" not in json.dumps(seen)


def test_hold_and_release_from_another_process(mock_provider):
    provider = mock_provider([{"reply": [{"text": "a"}, {"hold": "gate"}, {"text": "b"}]}])
    answers = []
    caller = threading.Thread(target=lambda: answers.append(chat(provider, stream=True)))
    caller.start()
    status, body = http(f"{provider.url}/_control/waiting?hold=gate&wait={DEADLINE * 1000}")
    assert (status, json.loads(body)) == (200, {"waiting": [{"hold": "gate", "n": 1}]})
    assert answers == []
    assert http(provider.url + "/_control/release", {"hold": "gate"})[0] == 200
    caller.join(DEADLINE)
    assert text_of(answers[0][1]) == "ab"
    assert [e["event"] for e in wait_for(provider, "done")] == ["request", "part", "hold", "release", "part", "done"]


def test_a_caller_that_hangs_up_is_noticed(mock_provider):
    provider = mock_provider([{"reply": [{"text": "a"}, {"hold": "gate"}]}])
    with connect(provider) as connection:
        post_raw(connection, {**HI, "stream": True})
        read_until(connection, b'"content":"a"')
    assert wait_for(provider, "gone")[-1]["n"] == 1


def test_the_first_answer_comes_soon_after_the_start(mock_provider):
    begun = time.monotonic()
    assert chat(mock_provider([{"reply": [{"text": "a"}]}]))[0] == 200
    print(f"start to answer: {(time.monotonic() - begun) * 1000:.1f} ms")


def test_the_built_in_script_gives_titles(mock_provider):
    provider = mock_provider()
    messages = [{"role": "system", "content": "Write a title for this conversation."}, {"role": "user", "content": "think"}]
    _, body = http(provider.url + "/v1/chat/completions", {"model": "m", "messages": messages})
    assert json.loads(body)["choices"][0]["message"]["content"] == "A talk with a mock model"


# --- recording ---

def test_what_was_recorded_is_played_again(kit, mock_provider, tmp_path):
    real = mock_provider([{"reply": [{"text": ["Hel", "lo ä a-real-key-1"]}]},
                          {"status": 429, "headers": {"retry-after": "3"}},
                          {"reply": [{"text": "abc"}, {"cut": True}]}])
    saved = tmp_path / "saved.json"
    done = kit.run("acp-mock-provider", "--record", real.url, "--save", str(saved), "--", "/usr/bin/python3", "-c",
                   STREAMER, "3", env={**os.environ, "OPENAI_API_KEY": "a-real-key-1"})
    assert done.returncode == 0, done.stderr
    assert [e["request"]["headers"]["authorization"] for e in real.journal() if e["event"] == "request"] == \
        ["Bearer <redacted>"] * 3
    script = json.loads(saved.read_text())
    assert "a-real-key-1" not in saved.read_text() and "<redacted>" in saved.read_text()
    assert [t["status"] for t in script["turns"]] == [200, 429, 200]
    assert [t["note"] for t in script["turns"]] == ["hi 0 <redacted>", "hi 1 <redacted>", "hi 2 <redacted>"]
    again = kit.run("acp-mock-provider", "--script", str(saved), "--", "/usr/bin/python3", "-c", STREAMER, "3",
                    env={**os.environ, "OPENAI_API_KEY": "a-real-key-1"})
    assert again.stdout == done.stdout.replace("a-real-key-1", "<redacted>")
    assert "200 text/event-stream" in again.stdout and "429 application/json 3" in again.stdout


STREAMER = """
import http.client, json, os, sys
address = os.environ["ACP_MOCK_PROVIDER"].removeprefix("http://")
key = os.environ["OPENAI_API_KEY"]
for i in range(int(sys.argv[1])):
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"hi {i} a-real-key-1"}]}
    connection = http.client.HTTPConnection(address)
    connection.request("POST", "/v1/chat/completions", json.dumps(body),
                       {"content-type": "application/json", "authorization": "Bearer " + key})
    answer = connection.getresponse()
    try:
        got = answer.read().decode()
    except http.client.IncompleteRead as e:
        got = e.partial.decode() + "(cut)"
    print(answer.status, answer.getheader("content-type"), answer.getheader("retry-after"), got)
"""


def test_a_recording_without_a_real_one_says_so(kit, tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = kit.run("acp-mock-provider", "--record", url, "--save", str(tmp_path / "saved"), "--", "/usr/bin/python3",
                       "-c", STREAMER, "1", env={**os.environ, "OPENAI_API_KEY": "k"})
    assert done.stdout.startswith("502 ") and "refused" in done.stdout
    assert not (tmp_path / "saved").exists()


# --- MCP servers ---

def rpc(provider, name, method, params=None, ident=1, **headers):
    """Status, headers and message of one POST to a server."""
    body = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {}), **({"id": ident} if ident else {})}
    request = urllib.request.Request(f"{provider.url}/mcp/{name}", json.dumps(body).encode(), headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_servers_of_the_script(mock_provider):
    tools = [{"name": "one", "inputSchema": {"type": "object"}}, {"name": "two", "inputSchema": {"type": "object"}}]
    provider = mock_provider({"turns": [], "servers": {
        "good": {"tools": tools, "page": 1, "results": {"two": {"content": [], "isError": True}}, "version": "2025-03-26"},
        "stream": {"stream": True, "session": False, "listen": True, "asks": [{"jsonrpc": "2.0", "id": 7, "method": "ping"}]},
        "locked": {"needs": {"X-Key": "1"}}, "broken": {"errors": {"tools/list": {"code": -1, "message": "no"}}, "http": {"ping": 503}},
        "forgets": {"forgets": 1}}})
    status, headers, text = rpc(provider, "good", "initialize")
    session = {"Mcp-Session-Id": headers["Mcp-Session-Id"]}
    assert status == 200 and json.loads(text)["result"]["protocolVersion"] == "2025-03-26"
    assert rpc(provider, "good", "notifications/initialized", ident=None, **session)[0] == 202
    assert rpc(provider, "good", "tools/list")[0] == 400
    assert rpc(provider, "good", "tools/list", **{"Mcp-Session-Id": "other"})[0] == 404
    page = json.loads(rpc(provider, "good", "tools/list", **session)[2])["result"]
    assert page == {"tools": tools[:1], "nextCursor": "1"}
    assert json.loads(rpc(provider, "good", "tools/list", {"cursor": "1"}, **session)[2])["result"] == {"tools": tools[1:]}
    said = json.loads(rpc(provider, "good", "tools/call", {"name": "one", "arguments": {"a": 1}}, **session)[2])["result"]
    assert said == {"content": [{"type": "text", "text": '{"a":1}'}]}
    assert json.loads(rpc(provider, "good", "tools/call", {"name": "two"}, **session)[2])["result"]["isError"]
    assert json.loads(rpc(provider, "good", "prompts/list", **session)[2])["error"]["code"] == -32601
    assert http(f"{provider.url}/mcp/good")[0] == 405 and http(f"{provider.url}/mcp/good", method="DELETE")[0] == 200

    status, headers, text = rpc(provider, "stream", "initialize")
    assert headers["Content-Type"] == "text/event-stream" and "Mcp-Session-Id" not in headers
    assert json.loads(text.split("data: ")[1])["result"]["serverInfo"]["name"] == "stream"
    with connect(provider) as listening:
        listening.sendall(b"GET /mcp/stream HTTP/1.1\r\nHost: h\r\n\r\n")
        read_until(listening, b'{"jsonrpc":"2.0","id":7,"method":"ping"}')

    assert rpc(provider, "locked", "initialize")[0] == 401
    assert rpc(provider, "locked", "initialize", **{"X-Key": "1"})[0] == 200
    broken = {"Mcp-Session-Id": rpc(provider, "broken", "initialize")[1]["Mcp-Session-Id"]}
    assert json.loads(rpc(provider, "broken", "tools/list", **broken)[2])["error"] == {"code": -1, "message": "no"}
    assert rpc(provider, "broken", "ping", **broken)[0] == 503
    first = {"Mcp-Session-Id": rpc(provider, "forgets", "initialize")[1]["Mcp-Session-Id"]}
    assert [rpc(provider, "forgets", "ping", **first)[0] for _ in range(3)] == [200, 404, 404]
    second = {"Mcp-Session-Id": rpc(provider, "forgets", "initialize")[1]["Mcp-Session-Id"]}
    assert [rpc(provider, "forgets", "ping", **second)[0] for _ in range(3)] == [200, 200, 200]
    assert rpc(provider, "nobody", "initialize")[0] == 404

    seen = [e for e in provider.journal() if e["event"] == "server"]
    assert seen[0]["request"]["server"] == "good" and seen[0]["request"]["message"]["method"] == "initialize"
    assert seen[0]["text"] == "good POST initialize"
