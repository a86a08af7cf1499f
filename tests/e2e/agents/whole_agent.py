#!/usr/bin/env python3
"""An ACP agent that offers everything, as plainly as can be, and asks an OpenAI-compatible model what to do.

Conformance cases for features that acp-agent has not, or not yet, are proven against it: the suite must be able to
pass them, and to fail each of their mutants. ACP_CASE_LOGIN=1 makes it want a login before it makes sessions."""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import urllib.parse
import uuid

HOME = pathlib.Path(os.environ.get("ACP_AGENT_HOME") or os.environ.get("HOME", "/nonexistent"))
STORE = HOME / "whole-agent.json"
MODES = [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}]
MODELS = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]
COMMANDS = [{"name": "greet", "description": "Says hello", "input": {"hint": "whom"}}]
OPTIONS = [{"optionId": "once", "name": "Allow", "kind": "allow_once"},
           {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
           {"optionId": "no", "name": "Reject", "kind": "reject_once"}]


class Fault(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def text(value):
    return {"type": "text", "text": value}


def need(params, name, kind):
    value = params.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Fault(-32602, f"params.{name} is missing or of another type", {"path": f"params.{name}"})
    return value


def is_json(value):
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


# ---- the wire --------------------------------------------------------------------------------------------------------

class Wire:
    """Messages out, one line each, and the requests that wait for their answers."""

    def __init__(self):
        self.lock, self.waiting, self.last = threading.Lock(), {}, 0

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n"
        with self.lock:
            sys.stdout.buffer.write(line.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()

    def update(self, session, kind, /, **members):
        self.send({"method": "session/update",
                   "params": {"sessionId": session.id, "update": {"sessionUpdate": kind, **members}}})

    def call(self, session, method, params):
        """The result; None for an error, for an answer that is none, and when the turn is cancelled."""
        done = threading.Event()
        with self.lock:
            self.last += 1
            id_, self.waiting[self.last] = self.last, [done, None]
        self.send({"id": id_, "method": method, "params": {"sessionId": session.id, **params}})
        session.open_calls.add(id_)
        done.wait()
        session.open_calls.discard(id_)
        answer = self.waiting.pop(id_)[1]
        return answer.get("result") if isinstance(answer, dict) and isinstance(answer.get("result"), dict) else None

    def answered(self, message):
        entry = self.waiting.get(message.get("id")) if isinstance(message.get("id"), int) else None
        if entry and not entry[0].is_set():
            entry[1] = message
            entry[0].set()


WIRE = Wire()


# ---- the model -------------------------------------------------------------------------------------------------------

def tool(name, **properties):
    return {"type": "function", "function": {"name": name, "description": name, "parameters": {
        "type": "object", "properties": {n: {"type": t} for n, t in properties.items()}}}}


TOOLS = [tool("read", path="string"), tool("write", path="string", text="string"),
         tool("edit", path="string", old="string", new="string"), tool("shell", command="string"),
         tool("plan", entries="array"), tool("ask", question="string"), tool("login", url="string")]


def model(session, on_text, on_thought):
    """One request: (finish reason, tool calls). Text and thoughts are handed on as they come."""
    url = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])
    session.connection = http.client.HTTPConnection(url.hostname, url.port)
    session.connection.request("POST", url.path + "/chat/completions", json.dumps(
        {"model": "mock-model", "stream": True, "messages": session.messages, "tools": TOOLS}),
        {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "none")})
    if session.cancelled.is_set():  # before there was anything to hang up on
        raise OSError("cancelled")
    answer = session.connection.getresponse()
    if answer.status != 200:
        raise Fault(-32603, f"the model answers {answer.status}")
    finish, calls = None, {}
    for line in answer:
        data = line.decode("utf-8").strip().removeprefix("data:").strip()
        if not data.startswith("{"):
            continue
        event = json.loads(data)
        if "error" in event:
            raise Fault(-32603, str(event["error"]))
        for choice in event.get("choices", []):
            delta = choice.get("delta", {})
            finish = choice.get("finish_reason") or finish
            if delta.get("content"):
                on_text(delta["content"])
            if delta.get("reasoning_content"):
                on_thought(delta["reasoning_content"])
            for part in delta.get("tool_calls", []):
                call = calls.setdefault(part["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] = part.get("id") or call["id"]
                for key in ("name", "arguments"):
                    call[key] += part.get("function", {}).get(key) or ""
    if not finish:
        raise Fault(-32603, "the model hung up")
    return finish, list(calls.values())


# ---- sessions --------------------------------------------------------------------------------------------------------

class Session:
    def __init__(self, id_, cwd, roots=(), messages=(), title=None):
        self.id, self.cwd, self.roots, self.title = id_, cwd, list(roots), title
        self.messages, self.mode, self.model = list(messages), "ask", "small"
        self.cancelled, self.running, self.connection = threading.Event(), False, None
        self.allowed, self.child, self.terminal, self.open_calls = set(), None, None, set()

    def stop(self):
        self.cancelled.set()
        if self.connection and self.connection.sock:
            try:
                self.connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self.child:
            self.child.kill()

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


# ---- tools -----------------------------------------------------------------------------------------------------------

class Turn:
    """One prompt: model, tools, model, until it is done."""

    def __init__(self, agent, session):
        self.agent, self.session = agent, session

    def run(self, prompt):
        self.session.messages.append({"role": "user", "content": "\n".join(map(self.agent.words, prompt))})
        for _ in range(100):
            said = []
            message_id = str(uuid.uuid4())

            def show(kind, value, id_=message_id):
                WIRE.update(self.session, kind, content=text(value), messageId=id_)

            finish, calls = model(self.session, lambda t: (said.append(t), show("agent_message_chunk", t)),
                                  lambda t: show("agent_thought_chunk", t, message_id + "-thought"))
            if self.session.cancelled.is_set():
                return "cancelled"
            entry = {"role": "assistant", "content": "".join(said) or None}
            if calls:
                entry["tool_calls"] = [{"id": c["id"], "type": "function", "function": {
                    "name": c["name"], "arguments": c["arguments"] if is_json(c["arguments"]) else "{}"}}
                    for c in calls]
            if entry["content"] or calls:
                self.session.messages.append(entry)
            if not calls:
                return {"length": "max_tokens", "content_filter": "refusal"}.get(finish, "end_turn")
            for call in calls:
                self.session.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.use(call)})
            if self.session.cancelled.is_set():
                return "cancelled"
        return "max_turn_requests"

    def use(self, call):
        try:
            arguments = json.loads(call["arguments"])
            if call["name"] == "plan":
                WIRE.update(self.session, "plan", entries=arguments["entries"])
                return "noted"
            self.id = call["id"]
            kind = {"read": "read", "write": "edit", "edit": "edit", "shell": "execute"}.get(call["name"], "other")
            WIRE.update(self.session, "tool_call", toolCallId=self.id, title=f"{call['name']} {call['arguments'][:40]}",
                        kind=kind, status="pending", rawInput=arguments)
            return self.play(getattr(self, "tool_" + call["name"]), arguments)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return f"the call makes no sense: {error}"

    def play(self, function, arguments):
        status, result = "completed", ""
        try:
            result = function(arguments)
        except (OSError, UnicodeDecodeError, ValueError, KeyError) as error:
            status, result = "failed", f"failed: {error}"
        if not self.session.cancelled.is_set():
            WIRE.update(self.session, "tool_call_update", toolCallId=self.id, status=status,
                        rawOutput={"text": result})
        return result

    def begin(self, **members):
        WIRE.update(self.session, "tool_call_update", toolCallId=self.id, status="in_progress", **members)

    def permit(self, name, **members):
        if name in self.session.allowed:
            return
        answer = WIRE.call(self.session, "session/request_permission", {
            "toolCall": {"toolCallId": self.id, "title": name, **members}, "options": OPTIONS})
        outcome = (answer or {}).get("outcome")
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        if chosen == "always":
            self.session.allowed.add(name)
        if chosen not in ("once", "always"):
            raise OSError("the user rejected it")

    def load(self, path):
        if self.agent.has("fs", "readTextFile"):
            answer = WIRE.call(self.session, "fs/read_text_file", {"path": path})
            if not answer or not isinstance(answer.get("content"), str):
                raise OSError("fs read error: the client gave no text")
            return answer["content"]
        return pathlib.Path(path).read_text(encoding="utf-8")

    def save(self, path, content):
        if not self.agent.has("fs", "writeTextFile"):
            pathlib.Path(path).write_text(content, encoding="utf-8")
            return
        done, id_ = threading.Event(), None
        with WIRE.lock:
            WIRE.last += 1
            id_, WIRE.waiting[WIRE.last] = WIRE.last, [done, None]
        WIRE.send({"id": id_, "method": "fs/write_text_file",
                   "params": {"sessionId": self.session.id, "path": path, "content": content}})
        self.session.open_calls.add(id_)
        done.wait()
        self.session.open_calls.discard(id_)
        if "result" not in (WIRE.waiting.pop(id_)[1] or {}):
            raise OSError("fs write error")

    def tool_read(self, arguments):
        path = self.session.resolve(arguments["path"])
        self.begin(locations=[{"path": path}])
        return self.load(path)

    def change(self, path, old, new):
        diff = [{"type": "diff", "path": path, "oldText": old, "newText": new}]
        self.permit("write", kind="edit", content=diff)
        self.begin(content=diff)
        self.save(path, new)
        return "written"

    def tool_write(self, arguments):
        return self.change(self.session.resolve(arguments["path"]), None, arguments["text"])

    def tool_edit(self, arguments):
        path = self.session.resolve(arguments["path"])
        old = self.load(path)
        if arguments["old"] not in old:
            raise OSError("the text is not there")
        return self.change(path, old, old.replace(arguments["old"], arguments["new"], 1))

    def tool_shell(self, arguments):
        self.permit("shell", kind="execute")
        if self.agent.has("terminal"):
            return self.in_terminal(arguments["command"])
        self.begin()
        self.session.child = subprocess.Popen(["/bin/sh", "-c", arguments["command"]], cwd=self.session.cwd,
                                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT)
        output = self.session.child.communicate()[0].decode("utf-8", "replace")
        return f"{output}exit {self.session.child.returncode}"

    def in_terminal(self, command):
        made = WIRE.call(self.session, "terminal/create", {
            "command": "/bin/sh", "args": ["-c", command], "cwd": self.session.cwd, "outputByteLimit": 65536})
        if not made:
            raise OSError("no terminal")
        terminal = {"terminalId": made["terminalId"]}
        self.session.terminal = terminal
        self.begin(content=[{"type": "terminal", **terminal}])
        exited = WIRE.call(self.session, "terminal/wait_for_exit", terminal)
        if exited is None:
            WIRE.call(self.session, "terminal/kill", terminal)
        output = WIRE.call(self.session, "terminal/output", terminal) or {"output": ""}
        WIRE.call(self.session, "terminal/release", terminal)
        self.session.terminal = None
        return f"{output['output']}exit {(exited or {}).get('exitCode')}"

    def tool_ask(self, arguments):
        self.begin()
        if not isinstance(self.agent.has("elicitation", "form"), dict):
            return "the user cannot be asked here"
        answer = WIRE.call(self.session, "elicitation/create", {
            "mode": "form", "message": arguments["question"], "toolCallId": self.id, "requestedSchema": {
                "type": "object", "properties": {"answer": {"type": "string"}}}}) or {}
        content = answer.get("content")
        if answer.get("action") != "accept" or not isinstance(content, dict):
            return "the user gave no answer"
        return f"the user says: {content.get('answer')}"

    def tool_login(self, arguments):
        self.begin()
        if not isinstance(self.agent.has("elicitation", "url"), dict):
            return "the user cannot be sent anywhere"
        answer = WIRE.call(self.session, "elicitation/create", {
            "mode": "url", "message": "Please log in", "elicitationId": self.id, "url": "https://localhost/login"}) or {}
        return "the user is on the way" if answer.get("action") == "accept" else "the user does not want to"


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
        self.sessions[session.id] = session
        return {"sessionId": session.id, **self.state(session)}

    def reopen(self, params):
        id_ = need(params, "sessionId", str)
        if id_ not in self.stored() and id_ not in self.sessions:
            raise Fault(-32002, "there is no such session", {"sessionId": id_})
        cwd, roots = self.folders(params)
        kept = self.stored().get(id_, {"messages": [], "title": None})
        if id_ in self.sessions:
            self.sessions[id_].stop()
        self.sessions[id_] = Session(id_, cwd, roots, kept["messages"], kept["title"])
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
        session.stop()
        del self.sessions[session.id]
        return {}

    def delete(self, params):
        id_ = need(params, "sessionId", str)
        session = self.sessions.pop(id_, None)
        if session:
            session.stop()
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
            WIRE.update(session, "usage_update", used=len(session.messages), size=1000)
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
        """Whatever the turn waits for is over."""
        for id_ in list(session.open_calls):
            if withdraw:
                WIRE.send({"method": "$/cancel_request", "params": {"requestId": id_}})
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
            session.stop()
            self.dismiss(session, withdraw=False)
            for id_ in list(session.open_calls):
                WIRE.answered({"id": id_, "error": {}})
        for thread in self.turns:
            thread.join(2)


if __name__ == "__main__":
    Agent().serve()
