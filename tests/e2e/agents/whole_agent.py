#!/usr/bin/env python3
"""An ACP agent that offers everything, as plainly as can be, and asks an OpenAI-compatible model what to do.

Conformance cases for features that acp-agent has not, or not yet, are proven against it: the suite must be able to
pass them, and to fail each of their mutants. ACP_CASE_LOGIN=1 makes it want a login before it makes sessions."""
import http.client
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import uuid

import whole_mcp
from whole_turn import Turn
from whole_wire import Fault, text, need, WIRE, model

HOME = pathlib.Path(os.environ.get("ACP_AGENT_HOME") or os.environ.get("HOME", "/nonexistent"))
STORE = HOME / "whole-agent.json"
MODES = [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}]
WINDOWS = {"small": 1000, "large": 2000}
MODELS = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]
COMMANDS = [{"name": "greet", "description": "Says hello", "input": {"hint": "whom"}}]


# ---- sessions --------------------------------------------------------------------------------------------------------

class Session:
    def __init__(self, id_, cwd, roots=(), messages=(), title=None):
        self.id, self.cwd, self.roots, self.title = id_, cwd, list(roots), title
        self.messages, self.mode, self.model = list(messages), "ask", "small"
        self.cancelled, self.running, self.connection = threading.Event(), False, None
        self.allowed, self.child, self.terminal, self.open_calls = set(), None, None, {}
        self.servers = []

    def stop(self):
        self.cancelled.set()
        if self.connection and self.connection.sock:
            try:
                self.connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self.child:
            try:
                os.killpg(self.child.pid, signal.SIGKILL)
            except OSError:
                pass

    def end(self):
        self.stop()
        for server in self.servers:
            server.stop()

    def resolve(self, path):
        whole = pathlib.Path(self.cwd, path).resolve()
        roots = [pathlib.Path(r).resolve() for r in (self.cwd, *self.roots)]
        if not any(whole == r or r in whole.parents for r in roots):
            raise OSError("outside the session's folders")
        return str(whole)

    def options(self, agent):
        options = [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": self.mode,
                    "options": [{"value": m["id"], "name": m["name"]} for m in MODES]},
                   {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": self.model,
                    "options": MODELS}]
        if isinstance(agent.has("session", "configOptions", "boolean"), dict):
            options.append({"id": "loud", "name": "Loud", "type": "boolean", "currentValue": False})
        return options


# ---- the agent -------------------------------------------------------------------------------------------------------

class Agent:
    def __init__(self):
        self.capabilities, self.initialized, self.sessions = {}, False, {}
        self.logged_in = not os.environ.get("ACP_CASE_LOGIN")
        self.turns = []

    def has(self, *path):
        value = self.capabilities
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    @staticmethod
    def words(block):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            return block["text"]
        if kind == "resource_link" and isinstance(block.get("uri"), str):
            return block["uri"]
        if kind == "resource" and isinstance(block.get("resource"), dict):
            return str(block["resource"].get("text", block["resource"].get("uri")))
        if kind in ("image", "audio") and isinstance(block.get("data"), str):
            return f"[{kind}]"
        raise Fault(-32602, "params.prompt holds a block that is none", {"path": "params.prompt"})

    def stored(self):
        try:
            return json.loads(STORE.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def store(self, session, gone=False):
        kept = self.stored()
        kept[session.id] = {"cwd": session.cwd, "messages": session.messages, "title": session.title,
                            "roots": session.roots}
        if gone:
            del kept[session.id]
        STORE.write_text(json.dumps(kept), encoding="utf-8")

    def session(self, params):
        id_ = need(params, "sessionId", str)
        if id_ not in self.sessions:
            raise Fault(-32002, "there is no such session", {"sessionId": id_})
        return self.sessions[id_]

    # ---- methods ----

    def initialize(self, params):
        version = params.get("protocolVersion")
        if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version <= 65535:
            raise Fault(-32602, "params.protocolVersion is no version")
        capabilities = params.get("clientCapabilities")
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        self.initialized = True
        return {"protocolVersion": 1, "agentInfo": {"name": "whole-agent", "version": "1"},
                "authMethods": [{"id": "key", "name": "Key"}],
                "agentCapabilities": {
                    "loadSession": True, "auth": {"logout": {}}, "mcpCapabilities": {"http": False, "sse": False},
                    "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
                    "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {},
                                            "additionalDirectories": {}}}}

    def authenticate(self, params):
        if need(params, "methodId", str) != "key":
            raise Fault(-32602, "there is no such login method")
        self.logged_in = True
        return {}

    def logout(self, _params):
        self.logged_in = not os.environ.get("ACP_CASE_LOGIN")
        return {}

    def folders(self, params):
        cwd = need(params, "cwd", str)
        roots = params.get("additionalDirectories") or []
        if not isinstance(roots, list) or not all(isinstance(r, str) and os.path.isabs(r) for r in roots):
            raise Fault(-32602, "params.additionalDirectories holds what is no absolute path")
        if not os.path.isdir(cwd) or not os.path.isabs(cwd):
            raise Fault(-32602, "params.cwd is no absolute folder")
        return cwd, roots

    def state(self, session):
        return {"modes": {"currentModeId": session.mode, "availableModes": MODES},
                "configOptions": session.options(self)}

    def new(self, params):
        if not self.logged_in:
            raise Fault(-32000, "please log in")
        cwd, roots = self.folders(params)
        session = Session(str(uuid.uuid4()), cwd, roots)
        session.servers = whole_mcp.connect(params)
        self.sessions[session.id] = session
        return {"sessionId": session.id, **self.state(session)}

    def reopen(self, params):
        id_ = need(params, "sessionId", str)
        if id_ not in self.stored() and id_ not in self.sessions:
            raise Fault(-32002, "there is no such session", {"sessionId": id_})
        cwd, roots = self.folders(params)
        kept = self.stored().get(id_, {"messages": [], "title": None})
        if id_ in self.sessions:
            self.sessions[id_].end()
        self.sessions[id_] = Session(id_, cwd, roots, kept["messages"], kept["title"])
        self.sessions[id_].servers = whole_mcp.connect(params)
        return self.sessions[id_]

    def load(self, params):
        session = self.reopen(params)
        for message in session.messages:
            kind = {"user": "user_message_chunk", "assistant": "agent_message_chunk"}.get(message["role"])
            if kind and message["content"]:
                WIRE.update(session, kind, content=text(message["content"]), messageId=str(uuid.uuid4()))
            for call in message.get("tool_calls", []):
                WIRE.update(session, "tool_call", toolCallId=call["id"], title=call["function"]["name"],
                            status="completed")
        return self.state(session)

    def resume(self, params):
        return self.state(self.reopen(params))

    def list(self, params):
        cwd = params.get("cwd")
        if params.get("cursor") is not None or not (cwd is None or isinstance(cwd, str)):
            raise Fault(-32602, "params.cursor is none of ours")
        known = {**{i: (k["cwd"], k["title"], k["roots"]) for i, k in self.stored().items()},
                 **{i: (s.cwd, s.title, s.roots) for i, s in self.sessions.items()}}
        return {"sessions": [{"sessionId": i, "cwd": c, "title": t, "additionalDirectories": r,
                              "updatedAt": "2026-12-01T00:00:00Z"}
                             for i, (c, t, r) in known.items() if cwd in (None, c)]}

    def close(self, params):
        session = self.session(params)
        session.end()
        del self.sessions[session.id]
        return {}

    def delete(self, params):
        id_ = need(params, "sessionId", str)
        session = self.sessions.pop(id_, None)
        if session:
            session.end()
        if id_ in self.stored():
            self.store(Session(id_, ""), gone=True)
        return {}

    def set_mode(self, params):
        session, mode = self.session(params), need(params, "modeId", str)
        if mode not in [m["id"] for m in MODES]:
            raise Fault(-32602, "there is no such mode")
        session.mode = mode
        WIRE.update(session, "config_option_update", configOptions=session.options(self))
        return {}

    def set_option(self, params):
        session, id_, value = self.session(params), need(params, "configId", str), params.get("value")
        if (id_, value) in [("mode", m["id"]) for m in MODES]:
            session.mode = value
            WIRE.update(session, "current_mode_update", currentModeId=value)
        elif (id_, value) in [("model", m["value"]) for m in MODELS]:
            session.model = value
        elif (id_, type(value)) != ("loud", bool):
            raise Fault(-32602, "there is no such option or value")
        return {"configOptions": session.options(self)}

    # ---- prompts ----

    def prompt(self, params):
        session, prompt = self.session(params), need(params, "prompt", list)
        list(map(self.words, prompt))
        if session.running:
            raise Fault(-32600, "a turn of this session is running")
        session.running = True
        session.cancelled.clear()
        return session, prompt

    def turn(self, id_, session, prompt):
        answer = {"error": {"code": -32603, "message": "the turn failed"}}
        before = len(session.messages)
        for server in session.servers:
            server.ready.wait(5)
        try:
            words = self.words(prompt[0]) if prompt else ""
            if words.startswith("/greet"):
                WIRE.update(session, "agent_message_chunk", content=text("Hello" + words.removeprefix("/greet")))
                reason = "end_turn"
            else:
                reason = Turn(self, session).run(prompt)
            session.title = session.title or words[:40]
            if reason == "refusal":
                del session.messages[before:]
            self.store(session)
            WIRE.update(session, "usage_update", used=len(session.messages),
                        size=WINDOWS[session.model])
            answer = {"result": {"stopReason": reason}}
        except Fault as fault:
            answer = {"error": fault.error}
        except (OSError, ValueError, http.client.HTTPException, AttributeError) as error:
            answer = {"error": {"code": -32603, "message": f"the model failed: {error}"}}
        if "error" in answer and not session.cancelled.is_set():
            del session.messages[before:]
        if session.cancelled.is_set():
            answer = {"result": {"stopReason": "cancelled"}}
        session.running = False
        WIRE.send({"id": id_, **answer})

    def cancel(self, params):
        session = self.sessions.get(params.get("sessionId"))
        if session and session.running:
            session.stop()
            self.dismiss(session, withdraw=False)

    def cancel_request(self, params):
        for session in self.sessions.values():
            if session.running and session.prompt_id == params.get("requestId"):
                session.stop()
                self.dismiss(session, withdraw=True)

    @staticmethod
    def dismiss(session, withdraw):
        """Whatever the turn waits for is over; after session/cancel a client answers its questions by itself."""
        for id_, method in list(session.open_calls.items()):
            if withdraw:
                WIRE.send({"method": "$/cancel_request", "params": {"requestId": id_}})
            if withdraw or method == "fs/read_text_file":
                WIRE.answered({"id": id_, "error": {}})

    METHODS = {"initialize": initialize, "authenticate": authenticate, "logout": logout, "session/new": new,
               "session/load": load, "session/resume": resume, "session/list": list, "session/close": close,
               "session/delete": delete, "session/set_mode": set_mode, "session/set_config_option": set_option}

    def request(self, id_, method, params):
        if method != "initialize" and not self.initialized:
            raise Fault(-32600, "initialize comes first")
        if method != "session/prompt" and method not in self.METHODS:
            raise Fault(-32601, f"there is no method {method}")
        if params is not None and not isinstance(params, dict):
            raise Fault(-32602, "params is no object")
        if method != "session/prompt":
            return self.METHODS[method](self, params or {})
        session, prompt = self.prompt(params or {})
        session.prompt_id = id_
        thread = threading.Thread(target=self.turn, args=(id_, session, prompt), daemon=True)
        self.turns.append(thread)
        thread.start()
        return None

    def take(self, message):
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Fault(-32600, "no JSON-RPC 2.0 message")
        id_, method, params = message.get("id"), message.get("method"), message.get("params")
        if "method" not in message and "id" in message and ("result" in message or "error" in message):
            WIRE.answered(message)
            return
        if not isinstance(method, str) or isinstance(id_, (bool, dict, list)):
            raise Fault(-32600, "no JSON-RPC 2.0 message")
        if "id" not in message:
            known = {"session/cancel": self.cancel, "$/cancel_request": self.cancel_request}.get(method)
            if known and isinstance(params, dict):
                known(params)
            return
        try:
            result = self.request(id_, method, params)
        except Fault as fault:
            WIRE.send({"id": id_, "error": fault.error})
            return
        if result is not None:
            WIRE.send({"id": id_, "result": result})
        if method == "session/new":
            WIRE.update(self.sessions[result["sessionId"]], "available_commands_update", availableCommands=COMMANDS)

    def serve(self):
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                message = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                WIRE.send({"id": None, "error": {"code": -32700, "message": "no JSON"}})
                continue
            try:
                self.take(message)
            except Fault as fault:
                WIRE.send({"id": None, "error": fault.error})
        for session in self.sessions.values():
            session.end()
            self.dismiss(session, withdraw=False)
            for id_ in list(session.open_calls):
                WIRE.answered({"id": id_, "error": {}})
        for thread in self.turns:
            thread.join(2)


if __name__ == "__main__":
    Agent().serve()
