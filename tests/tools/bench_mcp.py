"""MCP servers in numbers: what a session waits for them. bench_mcp.py BIN"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 15
SERVER = pathlib.Path(__file__).resolve().parents[1] / "e2e" / "agents" / "mcp_server.py"


def entry(i):
    return {"name": f"s{i}", "command": "/usr/bin/python3", "args": [str(SERVER)], "env": []}


class Agent:
    """acp-agent on a mock provider that answers everything with a word."""

    def __init__(self, folder, home):
        script = pathlib.Path(home, "script.json")
        script.write_text(json.dumps([{"when": {}, "reply": [{"text": "done"}]}]), encoding="utf-8")
        command = [f"{folder}/acp-mock-provider", "--script", script, "--", f"{folder}/acp-agent", "acp", "--model", "openai/m"]
        environment = {"PATH": os.environ["PATH"], "HOME": home, "ACP_AGENT_HOME": home}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.last = 0
        self.call("initialize", protocolVersion=1, clientCapabilities={})

    def call(self, method, **params):
        """The result, and the milliseconds it took."""
        self.last += 1
        began = time.perf_counter()
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.last and "method" not in message:
                return message["result"], (time.perf_counter() - began) * 1000
        raise SystemExit(f"the agent ended before it answered {method}")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(timeout=60)


def measure(folder, n):
    opened, turned = [], []
    with tempfile.TemporaryDirectory() as home:
        agent = Agent(folder, home)
        for _ in range(ROUNDS):
            made, ms = agent.call("session/new", cwd=home, mcpServers=[entry(i) for i in range(n)])
            opened.append(ms)
            prompt = [{"type": "text", "text": "hi"}]
            turned.append(agent.call("session/prompt", sessionId=made["sessionId"], prompt=prompt)[1])
            agent.call("session/close", sessionId=made["sessionId"])
        agent.end()
    print(f"{n} servers: session/new {statistics.median(opened):.2f} ms, the first turn after it {statistics.median(turned):.0f} ms")


for count in (0, 1, 5):
    measure(sys.argv[1], count)
