"""The MCP servers of whole_agent.py: started, greeted, and ended with their session."""
import json
import os
import subprocess
import threading


class Server:
    """One stdio server, and the names of its tools."""

    def __init__(self, entry):
        self.ready, self.child, self.name, self.tools = threading.Event(), None, str(entry.get("name")), []
        env = {**os.environ, **{v["name"]: v["value"] for v in entry.get("env") or [] if isinstance(v, dict)}}
        try:
            self.child = subprocess.Popen([entry["command"], *(entry.get("args") or [])], env=env,
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except (OSError, ValueError):  # a server that is not there is no reason to have no session
            self.ready.set()
            return
        threading.Thread(target=self.greet, daemon=True).start()

    def send(self, message):
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.child.stdin.flush()

    def ask(self, id_, method, params):
        """The result; None for an error and for a server that says nothing that makes sense."""
        self.send({"id": id_, "method": method, "params": params})
        answer = json.loads(self.child.stdout.readline() or "null")
        return answer.get("result") if isinstance(answer, dict) else None

    def greet(self):
        try:
            done = self.ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                              "clientInfo": {"name": "whole", "version": "1"}})
            if done:
                self.send({"method": "notifications/initialized"})
                self.tools = [t["name"] for t in self.ask(1, "tools/list", {})["tools"]]
        except (OSError, ValueError, TypeError, KeyError):
            pass
        self.ready.set()

    def call(self, tool, arguments):
        """The blocks of the result."""
        return (self.ask(2, "tools/call", {"name": tool, "arguments": arguments}) or {}).get("content", [])

    def stop(self):
        if not self.child:
            return
        try:
            self.child.stdin.close()
        except OSError:
            pass
        threading.Thread(target=self.bury).start()

    def bury(self):
        try:
            self.child.wait(2)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def connect(params):
    entries = params.get("mcpServers") or []
    return [Server(e) for e in entries if isinstance(e, dict) and isinstance(e.get("command"), str)]
