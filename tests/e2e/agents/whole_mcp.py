"""The MCP servers of whole_agent.py: started, greeted, and ended with their session."""
import json
import os
import subprocess
import threading


class Server:
    """One stdio server. What it offers is not asked for: no case needs its tools."""

    def __init__(self, entry):
        self.ready, self.child = threading.Event(), None
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

    def greet(self):
        try:
            self.send({"id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "whole", "version": "1"}}})
            if self.child.stdout.readline():
                self.send({"method": "notifications/initialized"})
        except (OSError, ValueError):
            pass
        self.ready.set()

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
