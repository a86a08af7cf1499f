"""Side by side: acp-mock-provider and, if its program is given, aimock. Arguments: seconds a measurement, [aimock]."""
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"
TEXT = "Hello! How can I help you today?"
BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
PATH = "/v1/chat/completions"
EVENTS = 1_000_000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port):
    """A connection as soon as somebody listens."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.0005)
    raise SystemExit("bench-provider: the server does not listen; start it by hand to see why")


def request(stream):
    body = json.dumps({**BODY, "stream": stream}).encode()
    return b"POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer k\r\n" \
           b"Content-Length: %d\r\n\r\n%s" % (PATH.encode(), len(body), body)


class Server:
    def __init__(self, command):
        self.port = free_port()
        self.began = time.perf_counter()
        self.process = subprocess.Popen(["taskset", "-c", "0", *command(self.port)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def first_answer_ms(self):
        with connect(self.port) as c:
            c.sendall(request(False))
            answer = c.recv(65536)
            if b" 200 " not in answer.split(b"\r\n")[0]:
                raise SystemExit(f"bench-provider: the answer is {answer[:300]!r}")
            return (time.perf_counter() - self.began) * 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()


def load(port, stream, seconds):
    done = subprocess.run(["taskset", "-c", "1", ROOT / "build/release/tests/acp-http-load", str(port), PATH, "32",
                           str(seconds)], input=json.dumps({**BODY, "stream": stream}).encode(), capture_output=True,
                          check=True)
    seen = json.loads(done.stdout)
    if seen["failures"]:
        raise SystemExit(f"bench-provider: {seen['failures']} calls failed")
    return seen["answers_per_s"]


def events_per_s(port):
    """Reads one long stream and counts."""
    with connect(port) as c:
        c.sendall(request(True))
        began, events, last = time.perf_counter(), 0, b""
        while part := c.recv(1 << 20):
            events += (last + part).count(b"data: ")
            last = part[-5:]
            if b"[DONE]" in part[-40:]:
                return events / (time.perf_counter() - began)
    raise SystemExit("bench-provider: the stream broke off")


def measure(command, seconds):
    starts = []
    for _ in range(7):
        server = Server(command)
        starts.append(server.first_answer_ms())
        server.stop()
    server = Server(command)
    server.first_answer_ms()
    seen = {"start_ms": round(statistics.median(starts), 1), "plain_per_s": load(server.port, False, seconds),
            "streamed_per_s": load(server.port, True, seconds)}
    server.stop()
    return seen


def main():
    seconds = float(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        script, flood, fixture = (os.path.join(folder, n) for n in ("script.json", "flood.json", "fixture.json"))
        pathlib.Path(script).write_text(json.dumps([{"when": {}, "reply": [{"text": [TEXT[:20], TEXT[20:]]}]}]))
        pathlib.Path(flood).write_text(json.dumps([{"when": {"stream": True}, "reply": [{"text": "12345678", "repeat": EVENTS}]},
                                                   {"when": {}, "reply": [{"text": "a"}]}]))
        pathlib.Path(fixture).write_text(json.dumps({"fixtures": [{"match": {"userMessage": "hello"},
                                                                   "response": {"content": TEXT}}]}))
        ours = lambda file: lambda port: [BIN / "acp-mock-provider", "--script", file, "--port", str(port)]
        print("acp-mock-provider", json.dumps(measure(ours(script), seconds)), flush=True)
        if len(sys.argv) > 2:
            aimock = lambda port: [sys.argv[2], "-p", str(port), "-f", fixture, "--log-level", "silent"]
            print("aimock           ", json.dumps(measure(aimock, seconds)), flush=True)
        server = Server(ours(flood))
        server.first_answer_ms()
        print(f"acp-mock-provider {{\"events_per_s\": {events_per_s(server.port):.0f}}}")
        server.stop()


main()
