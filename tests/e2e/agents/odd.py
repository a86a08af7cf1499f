"""A small agent that can be told to misbehave: odd.py [ODDITY]. It knows no model; a prompt is answered with "hello"."""
import json
import os
import signal
import subprocess
import sys
import time

ODDITY = sys.argv[1] if len(sys.argv) > 1 else ""


def send(message):
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    sys.stdout.write(line * (2 if ODDITY == "twice" and "id" in message else 1))
    sys.stdout.flush()


def chunk(session, text):
    content = {"type": "text", "text": text}
    send({"method": "session/update", "params": {
        "sessionId": session, "update": {"sessionUpdate": "agent_message_chunk", "content": content}}})


def third_time():
    """Of all processes that were given the same file."""
    with open(sys.argv[2], "a+", encoding="utf-8") as file:
        file.write(".")
        return file.tell() == 3


def prompt(message):
    session = message["params"]["sessionId"]
    if ODDITY == "dies":
        sys.stderr.write("about to die\n")
        os._exit(7)
    if ODDITY == "silent":
        return
    if ODDITY == "floods":
        while True:
            sys.stdout.write("noise\n" * 1000)
    if ODDITY == "half":
        while True:
            sys.stdout.write("x" * 100000)
    if ODDITY == "echoes":
        send(message)
    if ODDITY == "deafens":
        os.close(0)
        while True:
            time.sleep(1)
    if ODDITY == "leaves":
        # the agent is gone, but its stdout stays open
        subprocess.Popen(["sleep", "98765"], stdin=subprocess.DEVNULL)
        os._exit(0)
    if ODDITY == "closes":
        os.close(1)
        return
    if ODDITY == "garbage":
        sys.stdout.write("Thinking...\n{\"half\": \n")
    if ODDITY == "binary":
        sys.stdout.flush()
        os.write(1, b"\xff\xfe\x00\n")
    chunk(session, "hello")
    tired = ODDITY == "tired" or (ODDITY == "moody" and third_time())
    send({"id": message["id"], "result": {"stopReason": "tired" if tired else "end_turn"}})
    if ODDITY == "late":
        chunk(session, "too late")


def answer(message):
    method = message.get("method")
    if method == "initialize":
        if ODDITY == "mute":
            return
        send({"id": message["id"], "result": {
            "protocolVersion": 2 if ODDITY == "v2" else 1, "agentInfo": {"name": "odd", "version": "1"}}})
    elif method == "session/new":
        if ODDITY == "login":
            send({"id": message["id"], "error": {"code": -32000, "message": "log in"}})
        else:
            send({"id": message["id"], "result": {"sessionId": "s" + str(message["id"])}})
    elif method == "session/prompt":
        prompt(message)
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


if ODDITY == "child":
    # stays behind unless its whole group is ended
    subprocess.Popen(["sleep", "98765"], stdin=subprocess.DEVNULL)
if ODDITY == "environment":
    sys.stderr.write(" ".join(sorted(os.environ)) + "\n")
for line in sys.stdin:
    answer(json.loads(line))
if ODDITY == "ignores":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)
if ODDITY == "stays":
    while True:
        try:
            subprocess.run(["sleep", "98765"], check=False)
        except KeyboardInterrupt:
            pass
