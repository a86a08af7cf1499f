"""The wire and the model of whole_agent.py."""
import http.client
import json
import os
import sys
import threading
import urllib.parse


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
        session.open_calls[id_] = method
        done.wait()
        del session.open_calls[id_]
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
        {"model": "mock-model", "stream": True, "messages": session.messages, "tools": [*TOOLS, *(
            tool(f"mcp__{s.name}__{name}") for s in session.servers for name in s.tools)]}),
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
