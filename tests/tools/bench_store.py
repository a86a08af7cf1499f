"""Sessions in numbers: many open at once, many stored, one that is long. bench_store.py AGENT"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

OPEN, STORED, SIZES_MB, ENTRY = 1000, 100_000, (25, 50, 100), 10_000


class Agent:
    """A running acp-agent whose store is in `home`; used as a context."""

    def __init__(self, program, home):
        environment = {"PATH": os.environ["PATH"], "ACP_AGENT_HOME": str(home), "OPENAI_API_KEY": "none"}
        self.process = subprocess.Popen([program, "acp", "--model", "openai/any"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.last = 0
        self.call("initialize", protocolVersion=1, clientCapabilities={})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(timeout=60)

    def call(self, method, **params):
        """The result; updates before it are passed over."""
        self.last += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        for answer in self.process.stdout:
            if not answer.startswith(b'{"jsonrpc":"2.0","method"'):
                return json.loads(answer)["result"]
        raise SystemExit(f"the agent ended before it answered {method}")

    def new(self):
        return self.call("session/new", cwd="/", mcpServers=[])["sessionId"]

    def mib(self, field="VmRSS"):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split(field + ":")[1].split()[0]) / 1024


def timed(call, *args, **params):
    began = time.perf_counter()
    result = call(*args, **params)
    return (time.perf_counter() - began) * 1000, result


def open_many(program, home):
    with Agent(program, home) as agent:
        session = agent.new()
        before = agent.mib()
        for _ in range(OPEN):
            agent.new()
        after = agent.mib()
    print(f"{OPEN} further sessions open: RSS {before:.1f} -> {after:.1f} MiB, {(after - before) * 1024 / OPEN:.2f} KiB each")
    return session


def list_many(program, home):
    with sqlite3.connect(home / "sessions.db") as db:
        db.execute("INSERT INTO session(id, cwd, created, updated, title, settings, system) "
                   "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) "
                   "SELECT 'ses_b' || i, '/w/' || (i % 100), i, i, 'Title ' || i, settings, system "
                   "FROM c, (SELECT settings, system FROM session LIMIT 1)", (STORED,))
    with Agent(program, home) as agent:
        times, n, cursor = [], 0, {}
        while cursor is not None:
            ms, page = timed(agent.call, "session/list", **cursor)
            times.append(ms)
            n += len(page["sessions"])
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        ms, _ = timed(agent.call, "session/list", cwd="/w/7")
    print(f"session/list over {n}: first page {times[0]:.2f} ms, last {times[-1]:.2f} ms, longest {max(times):.2f} ms "
          f"of {len(times)}; first page of one folder {ms:.2f} ms")


def load_long(program, home, session):
    text = ("lorem ipsüm " * (ENTRY // 12 + 1))[:ENTRY]
    shown = json.dumps([{"type": "text", "text": text}])
    for mb in SIZES_MB:
        n = mb * 1_000_000 // ENTRY
        with sqlite3.connect(home / "sessions.db") as db:
            row, = db.execute("SELECT n FROM session WHERE id = ?", (session,)).fetchone()
            db.execute("DELETE FROM entry")
            db.executemany("INSERT INTO entry(session, number, kind, state, time, wire_id, text, shown) "
                           "VALUES (?, ?, ?, 0, 1, ?, ?, ?)",
                           ((row, i + 1, 1 + i % 2, f"m_{i}", text, None if i % 2 else shown) for i in range(n)))
            db.execute("UPDATE session SET last = ? WHERE n = ?", (n, row))
        with Agent(program, home) as agent:
            ms, _ = timed(agent.call, "session/load", sessionId=session, cwd="/", mcpServers=[])
            print(f"session/load of {mb} MB: {ms / 1000:.2f} s, RSS at most {agent.mib('VmHWM'):.0f} MiB")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        session = open_many(program, home)
        list_many(program, home)
        load_long(program, home, session)


main(*sys.argv[1:2])
