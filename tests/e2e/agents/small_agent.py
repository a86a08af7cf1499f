#!/usr/bin/env python3
"""A small ACP agent without a model: what the prompt says is what it does."""
import json
import sys
import time


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def update(kind, **members):
    send({"method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": kind, **members}}})


def say(text, kind="agent_message_chunk"):
    update(kind, content={"type": "text", "text": text})


def ask():
    """Asks for permission; the option the client chose, or None."""
    options = [{"optionId": "o-yes", "name": "Allow", "kind": "allow_once"},
               {"optionId": "o-no", "name": "Reject", "kind": "reject_once"}]
    send({"id": "ask-1", "method": "session/request_permission",
          "params": {"sessionId": "s-1", "toolCall": {"toolCallId": "t-1", "title": "Wipe the disk"}, "options": options}})
    while (message := receive()) is not None:
        if message.get("id") == "ask-1":
            return message["result"]["outcome"].get("optionId")
    return None


def wait_for_cancel():
    while (message := receive()) is not None:
        if message.get("method") == "session/cancel":
            return


def turn(text):
    """Plays one prompt; its stop reason."""
    if text == "think":
        say("hm", "agent_thought_chunk")
        update("tool_call", toolCallId="t-1", title="Look around", status="pending")
        update("tool_call_update", toolCallId="t-1", status="completed")
        update("plan", entries=[{"content": "first", "priority": "high", "status": "completed"},
                                {"content": "then", "priority": "low", "status": "pending"}])
    elif text == "ask":
        say(f"you chose {ask()}")
        return "end_turn"
    elif text == "wait":
        say("waiting")
        wait_for_cancel()
        return "cancelled"
    elif text == "escape":
        say("a\x1b[2Jb")
        return "end_turn"
    elif text == "die":
        sys.stderr.write("out of ideas\n")
        sys.exit(3)
    elif text == "refuse":
        return "refusal"
    say(f"you said {text}")
    return "end_turn"


def main():
    while (message := receive()) is not None:
        method, params, id_ = message.get("method"), message.get("params", {}), message.get("id")
        if method == "initialize":
            send({"id": id_, "result": {"protocolVersion": 1, "agentCapabilities": {}}})
        elif method == "session/new":
            send({"id": id_, "result": {"sessionId": "s-1"}})
        elif method == "session/prompt" and params["prompt"][0]["text"] == "fail":
            send({"id": id_, "error": {"code": -32603, "message": "no model"}})
        elif method == "session/prompt":
            send({"id": id_, "result": {"stopReason": turn(params["prompt"][0]["text"])}})
        elif id_ is not None:
            send({"id": id_, "error": {"code": -32601, "message": "Method not found"}})
    if "--stubborn" in sys.argv:
        time.sleep(1000)


main()
