"""One prompt turn of whole_agent.py, and its tools."""
import json
import pathlib
import subprocess
import threading
import uuid

from whole_wire import text, is_json, WIRE, tool, model

OPTIONS = [{"optionId": kind, "name": name, "kind": kind} for kind, name in (
    ("allow_once", "Allow"), ("allow_always", "Always allow"), ("reject_once", "Reject"))]


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
            if not calls and finish == "stop" and self.session.mode == "plan" and self.approved():
                self.session.messages.append({"role": "user", "content": "The plan is approved."})
                continue
            if finish == "length" and isinstance(self.agent.has("session", "notices"), dict):
                WIRE.update(self.session, "notice", severity="warning", title="The answer was cut off")
            if not calls:
                return {"length": "max_tokens", "content_filter": "refusal"}.get(finish, "end_turn")
            for call in calls:
                self.session.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.use(call)})
            if self.session.cancelled.is_set():
                return "cancelled"
        return "max_turn_requests"

    def approved(self):
        """A plan is a question; with a yes the mode is left."""
        self.id = str(uuid.uuid4())
        WIRE.update(self.session, "tool_call", toolCallId=self.id, title="Leave the plan mode", kind="switch_mode",
                    status="pending")
        try:
            self.permit("plan", kind="switch_mode")
            yes = True
        except OSError:
            yes = False
        if yes:
            self.session.mode = "ask"
            WIRE.update(self.session, "current_mode_update", currentModeId="ask")
        if not self.session.cancelled.is_set():
            WIRE.update(self.session, "tool_call_update", toolCallId=self.id, status="completed" if yes else "failed")
        return yes

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
            if call["name"].startswith("mcp__"):
                return self.play(lambda given: self.of_server(call["name"], given), arguments)
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

    def of_server(self, name, arguments):
        _, server, tool = name.split("__", 2)
        blocks = next(s for s in self.session.servers if s.name == server).call(tool, arguments)
        self.begin(content=[{"type": "content", "content": b} for b in blocks])
        return json.dumps(blocks)

    def begin(self, **members):
        WIRE.update(self.session, "tool_call_update", toolCallId=self.id, status="in_progress", **members)

    def permit(self, name, **members):
        if name in self.session.allowed:
            return
        answer = WIRE.call(self.session, "session/request_permission", {
            "toolCall": {"toolCallId": self.id, "title": name, **members}, "options": OPTIONS})
        outcome = (answer or {}).get("outcome")
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        if chosen == "allow_always":
            self.session.allowed.add(name)
        if chosen not in ("allow_once", "allow_always"):
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
        self.session.open_calls[id_] = "fs/write_text_file"
        done.wait()
        del self.session.open_calls[id_]
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
                                              stderr=subprocess.STDOUT, start_new_session=True)
        if self.session.cancelled.is_set():  # while it was being started
            self.session.stop()
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
