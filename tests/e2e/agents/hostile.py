"""An agent that says what breaks careless reports: markup, controls, bytes that are no UTF-8, lines that end blocks, huge lines."""
import json
import os
import sys

SCRIPT = "</title></pre></code></textarea></script><script>window.owned = 1</script><img src=x onerror='window.owned = 2'>"
CONTROLS = "\x00\x01\x1b[31mred\x1b[0m\x7f\x85\u202egnirts\u2066\ufffe\uffff"
BLOCKS = "\n...\n  ...\n---\nBail out! no\nnot ok 99 - mine\nok 100 # SKIP\n```\n````\n# mine\n| a | b |\n@someone https://example.invalid ![x](y) ]]> {{style}}"
EVERYTHING = SCRIPT + CONTROLS + BLOCKS


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def chunk(session, text):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send({"method": "session/update", "params": {"sessionId": session, "update": update}})


def prompt(message):
    session = message["params"]["sessionId"]
    chunk(session, EVERYTHING)
    chunk(session, "x" * 300_000)
    os.write(1, b"\xff\xfe\xc3" + (SCRIPT * 2000).encode() + b"\n")
    send({"method": SCRIPT, "params": {EVERYTHING: EVERYTHING}})
    sys.stderr.write(EVERYTHING.replace("\x00", "") + "\n")
    os.write(2, b"\xff\xc3\x28\n")
    send({"id": message["id"], "result": {"stopReason": EVERYTHING}})


def answer(message):
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {"protocolVersion": 1, "agentInfo": {"name": EVERYTHING, "version": EVERYTHING}}})
    elif method == "session/new":
        send({"id": message["id"], "result": {"sessionId": f"s{message['id']}{SCRIPT}"}})
    elif method == "session/prompt":
        prompt(message)
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": EVERYTHING}})


for line in sys.stdin:
    answer(json.loads(line))
os._exit(3)
