"""A scripted MCP server on standard input and output, good or bad as its options say."""
import argparse
import json
import os
import signal
import sys

options = argparse.ArgumentParser()
options.add_argument("--log")
options.add_argument("--version", default="2025-06-18")
for flag in ("refuse", "die", "odd-tools", "ignore-eof", "prompts"):
    options.add_argument("--" + flag, action="store_true")
o = options.parse_args()

ECHO = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = ["echo", "hang", "where", "grow", "quiz", "noise", "slow"]
FORM = {"type": "object", "properties": {"age": {"type": "integer", "title": "Age"}}, "required": ["age"]}
grown, quiz = False, None


def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def note(line):
    if o.log:
        with open(o.log, "a", encoding="utf-8") as log:
            log.write(line)


def tools():
    names = [*TOOLS, "grown"] if grown else TOOLS
    return [{"name": name, "inputSchema": ECHO} for name in names]


def odd_page(cursor):
    pages = {None: ([{"name": "do this/now", "inputSchema": ECHO}, {"description": "it has no name"}], ""),
             "": ([{"name": "page2", "inputSchema": 5}, {"name": "x" * 300, "inputSchema": ECHO}], "3"),
             "3": ([{"name": "page3", "inputSchema": ECHO}], None)}
    found, following = pages[cursor]
    return {"tools": found, **({"nextCursor": following} if following is not None else {})}


def call(params, ident):
    global grown, quiz
    name, arguments = params["name"], params.get("arguments", {})
    if name == "hang":
        return None
    if name == "noise":
        print("x" * (256 << 10), file=sys.stderr, flush=True)
    if name == "slow":
        token = params["_meta"]["progressToken"]
        for n in (1, 2):
            say(method="notifications/progress", params={"progressToken": token, "progress": n, "total": 2, "message": "copying"})
        say(method="notifications/progress", params={"progressToken": "another", "progress": 9})
    if name == "quiz":
        quiz = ident
        say(id="q1", method="elicitation/create", params={"message": "How old?", "requestedSchema": FORM})
        return None
    if name == "grow":
        grown = True
        say(method="notifications/tools/list_changed")
    if name == "where":
        text = json.dumps({"cwd": os.getcwd(), "env": dict(os.environ), "pid": os.getpid()})
    else:
        text = f"{name}: {arguments.get('text', '')}"
    return {"content": [{"type": "text", "text": text}]}


def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        if o.refuse:
            say(id=message["id"], error={"code": -32603, "message": "not today"})
            return
        if o.die:
            print("fatal: no database", file=sys.stderr, flush=True)
            os._exit(3)
        say(id=message["id"], result={"protocolVersion": o.version, "capabilities": {"tools": {}, **({"prompts": {}} if o.prompts else {})},
                                      "serverInfo": {"name": "scripted", "version": "1"}})
    elif method == "notifications/initialized":
        say(id="p1", method="ping")
        say(id="r1", method="roots/list")
        say(id="x1", method="sampling/createMessage", params={})
    elif method == "tools/list":
        say(id=message["id"], result=odd_page(params.get("cursor")) if o.odd_tools else {"tools": tools()})
    elif method == "prompts/list":
        say(id=message["id"], result={"prompts": [{"name": "plan it", "description": "Plans", "arguments": [
            {"name": "what", "required": True}, {"name": "how"}]}, {"name": "empty"}]})
    elif method == "prompts/get":
        text = "Plan {what}, {how}.".format(**{"how": "-", **params["arguments"]}) if params["name"] == "plan it" else ""
        say(id=message["id"], result={"messages": [{"role": "user", "content": {"type": "text", "text": text}}] if text else []})
    elif message.get("id") == "q1":
        said = message.get("result", message.get("error"))
        say(id=quiz, result={"content": [{"type": "text", "text": json.dumps(said)}]})
    elif method == "tools/call":
        result = call(params, message["id"])
        if result:
            say(id=message["id"], result=result)


print("this server logs to standard output", flush=True)
print("and to standard error", file=sys.stderr, flush=True)
if o.ignore_eof:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    note(line)
    answer(json.loads(line))
while o.ignore_eof:
    signal.pause()
