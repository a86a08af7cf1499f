"""acp-agent as a child process, line by line. Every wait has a deadline."""
import collections
import contextlib
import json
import os
import select
import subprocess

from kit import DEADLINE


class AgentProcess:
    """A running agent. Lines from it are kept in `log`, in order."""

    def __init__(self, kit, home, *args, provider=None, env=None, **options):
        variables = {**(provider.environment() if provider else {}), **(env or {})}
        self.stderr_path = home / "agent-stderr.txt"
        with open(self.stderr_path, "ab") as stderr:
            self.process = subprocess.Popen(
                [kit.program("acp-agent"), "acp", *map(str, args)], bufsize=0, stderr=stderr,
                env=kit.environment(home, **variables),
                **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **options})
        self.log = []
        self._lines, self._parts = collections.deque(), []
        self._next_id = 0

    # -- out ---------------------------------------------------------------------------------

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, *messages):
        self.write(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    def request(self, method, params):
        """The message, not sent yet."""
        self._next_id += 1
        return {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}

    def close(self):
        self.process.stdin.close()

    # -- in ----------------------------------------------------------------------------------

    def _fill(self):
        """Waits for output and cuts it into lines; False at its end."""
        fd = self.process.stdout.fileno()
        if not select.select([fd], [], [], DEADLINE)[0]:
            raise TimeoutError("the agent wrote nothing; stderr: " + self.stderr())
        data = os.read(fd, 1 << 20)
        self._parts.append(data)
        if b"\n" in data:
            *lines, rest = b"".join(self._parts).split(b"\n")
            self._lines.extend(lines)
            self._parts = [rest]
        return bool(data)

    def read(self):
        """The next message; None at the end of output."""
        while not self._lines:
            if not self._fill():
                assert not any(self._parts), f"the last line has no line feed: {self._parts!r}"
                return None
        self.log.append(json.loads(self._lines.popleft()))
        return self.log[-1]

    def until(self, wanted):
        """Reads up to the first message for which wanted(message) holds."""
        while True:
            message = self.read()
            assert message is not None, "the agent ended its output; stderr: " + self.stderr()
            if wanted(message):
                return message

    def answer(self, request):
        return self.until(lambda m: m.get("id") == request["id"] and "method" not in m)

    def call(self, method, params):
        request = self.request(method, params)
        self.send(request)
        return self.answer(request)

    def update(self, kind):
        """Reads up to an update of that kind, and returns it."""
        found = self.until(lambda m: m.get("method") == "session/update"
                           and m["params"]["update"]["sessionUpdate"] == kind)
        return found["params"]["update"]

    # -- sessions ----------------------------------------------------------------------------

    def start(self, cwd, capabilities=None):
        """initialize and session/new; returns the session's id."""
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities or {}})
        return self.call("session/new", {"cwd": str(cwd), "mcpServers": []})["result"]["sessionId"]

    def prompt(self, session, text):
        return self.request("session/prompt",
                            {"sessionId": session, "prompt": [{"type": "text", "text": text}]})

    def text(self):
        """All agent text so far."""
        updates = [m["params"]["update"] for m in self.log if m.get("method") == "session/update"]
        return "".join(u["content"]["text"] for u in updates
                       if u["sessionUpdate"] == "agent_message_chunk")

    # -- the end -----------------------------------------------------------------------------

    def stderr(self):
        return self.stderr_path.read_text(encoding="utf-8", errors="replace")

    def wait(self):
        return self.process.wait(DEADLINE)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
