"""A plugin's sidecar: does what its actions are called. sidecar.py LOG"""
import json
import os
import sys

FORM = {"title": "Deploy", "message": "Where to?", "fields": [{"name": "name", "type": "text"}, {"name": "sure", "type": "boolean"}]}
CHOICE = {"title": "Which?", "fields": [{"name": "which", "type": "choice", "options": [
    {"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}]}
waiting = None


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def act(ident, action, arguments):
    global waiting
    if action == "echo":
        say(id=ident, result={"text": f"echo: {arguments}"})
    elif action == "publish":
        say(method="host/ui/publish", params={"surfaceId": "s", "kind": "card", "payload": {"title": "Coverage", "body": "81 %"}})
        say(id=ident, result={})
    elif action in ("form", "choice"):
        waiting = ident
        say(id="ask", method="host/ui/request", params={"surfaceId": "f", "payload": FORM if action == "form" else CHOICE})
    elif action == "die":
        os._exit(3)
    elif action == "fail":
        say(id=ident, error={"code": -32603, "message": "no can do"})


for line in sys.stdin:
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        log.write(line)
    message = json.loads(line)
    if message.get("method") == "extension/initialize":
        say(id=message["id"], result={})
    elif message.get("method") == "extension/ui/action":
        act(message["id"], **message["params"])
    elif message.get("id") == "ask":
        say(id=waiting, result={"text": json.dumps(message["result"])})
