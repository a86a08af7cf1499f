#!/usr/bin/env python3
"""A small ACP agent that lets its client do the work: files, commands, questions, permission.

Its model is asked without streaming; its sessions live in $HOME/sessions and survive it. --leave: a child outlives it.
"""
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import urllib.request

TOOLS = ("read_file", "write_file", "run", "ask")
KINDS = {"read_file": "read", "write_file": "edit", "run": "execute", "ask": "other"}
STORE = pathlib.Path(os.environ["HOME"], "sessions")
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Cancelled(Exception):
    """The turn was cancelled."""


class Agent:
    """One connection."""

    def __init__(self):
        self.inbox = queue.Queue()
        self.waiting, self.asked, self.cancelled = [], 0, set()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in sys.stdin:
            self.inbox.put(json.loads(line))
        self.inbox.put(None)

    def send(self, message):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def update(self, session, update, **members):
        self.send({"method": "session/update",
                   "params": {"sessionId": session, "update": {"sessionUpdate": update, **members}}})

    def say(self, session, text, kind="agent_message_chunk"):
        self.update(session, kind, content={"type": "text", "text": text})

    def note(self, message):
        """Takes in what is no answer to us; False at the end of input."""
        if message is None:
            return False
        if message.get("method") == "session/cancel":
            self.cancelled.add(message["params"]["sessionId"])
        elif "method" in message:
            self.waiting.append(message)
        return True

    def ask(self, session, method, wait=True, **params):
        """A request to the client: its result, or its error as {"error": ...}."""
        self.asked += 1
        id_ = f"q{self.asked}"
        self.send({"id": id_, "method": method, "params": {"sessionId": session, **params}})
        while wait:
            message = self.inbox.get()
            if not self.note(message):
                sys.exit(0)
            if message.get("id") == id_ and "method" not in message:
                return message.get("result", {"error": message.get("error")})
        return None

    # ---- a turn ----

    def command(self, session, line):
        made = self.ask(session, "terminal/create", command="sh", args=["-c", line], cwd=os.environ.get("WORK"))
        if "error" in made:
            return f"error {made['error']['code']}", "failed"
        terminal = {"terminalId": made["terminalId"]}
        end = self.ask(session, "terminal/wait_for_exit", **terminal)
        text = self.ask(session, "terminal/output", **terminal)["output"]
        self.ask(session, "terminal/release", wait=False, **terminal)
        return f"exit {end.get('exitCode')}: {text}", "completed"

    def work(self, session, name, args):
        """What the model gets, and the status of the call."""
        if name == "run":
            return self.command(session, args["line"])
        if name == "ask":
            answer = self.ask(session, "elicitation/create", mode="form", message="Who?", requestedSchema=FORM)
            return json.dumps(answer), "completed"
        method = "fs/read_text_file" if name == "read_file" else "fs/write_text_file"
        answer = self.ask(session, method, **{**args, "path": os.path.join(os.environ["WORK"], args["path"])})
        if "error" in answer:
            return f"error {answer['error']['code']}", "failed"
        return answer.get("content", "written"), "completed"

    def call(self, session, call):
        name, args = call["function"]["name"], json.loads(call["function"]["arguments"])
        id_, text, status = call["id"], "not allowed", "failed"
        self.update(session, "tool_call", toolCallId=id_, title=name, kind=KINDS[name], status="pending")
        allowed = True
        if name in ("write_file", "run"):
            options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                       {"optionId": "no", "name": "No", "kind": "reject_once"}]
            answer = self.ask(session, "session/request_permission", toolCall={"toolCallId": id_}, options=options)
            allowed = answer.get("outcome", {}).get("optionId") == "yes"
        if allowed:
            text, status = self.work(session, name, args)
        self.update(session, "tool_call_update", toolCallId=id_, status=status)
        return {"role": "tool", "tool_call_id": id_, "content": text}

    def model(self, session, messages):
        while not self.inbox.empty():
            self.note(self.inbox.get())
        if session in self.cancelled:
            raise Cancelled
        tools = [{"type": "function", "function": {"name": t, "parameters": {"type": "object"}}} for t in TOOLS]
        body = {"model": "mock-model", "messages": messages, "tools": tools}
        request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json", "Authorization": "Bearer k"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]

    def turn(self, session, text):
        self.cancelled.discard(session)
        messages = load(session) + [{"role": "user", "content": text}]
        try:
            while True:
                answer = self.model(session, messages)
                messages.append(answer)
                if answer.get("content"):
                    self.say(session, answer["content"])
                if not answer.get("tool_calls"):
                    break
                messages += [self.call(session, call) for call in answer["tool_calls"]]
        except Cancelled:
            return "cancelled"
        save(session, messages)
        return "end_turn"

    # ---- requests ----

    def replay(self, session):
        for message in load(session):
            kind = {"user": "user_message_chunk", "assistant": "agent_message_chunk"}.get(message["role"])
            if kind and message.get("content"):
                self.say(session, message["content"], kind)
        return {}

    def serve(self, message):
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            return {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
        if method == "session/new":
            os.environ["WORK"] = params["cwd"]
            session = f"s{len(list(STORE.glob('*.json')))}-{os.getpid()}"
            save(session, [])
            return {"sessionId": session}
        if method == "session/load":
            return self.replay(params["sessionId"])
        if method == "session/prompt":
            return {"stopReason": self.turn(params["sessionId"], params["prompt"][0]["text"])}
        return None

    def run(self):
        while self.waiting or self.note(self.inbox.get()):
            if not self.waiting:
                continue
            message = self.waiting.pop(0)
            result = self.serve(message) if "id" in message else None
            if result is not None:
                self.send({"id": message["id"], "result": result})
            elif "id" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


def load(session):
    return json.loads((STORE / f"{session}.json").read_text(encoding="utf-8"))


def save(session, messages):
    STORE.mkdir(exist_ok=True)
    (STORE / f"{session}.json").write_text(json.dumps(messages), encoding="utf-8")


if "--leave" in sys.argv:
    subprocess.Popen(["sleep", "98765"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, start_new_session=True)
Agent().run()
