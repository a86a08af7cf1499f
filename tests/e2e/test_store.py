"""kill -9 against the session store, at every point where it could matter: what was acknowledged is there, what
was not committed is not, and the file is sound. The writer stops at each point and says so; nothing here sleeps."""
import json
import signal
import sqlite3
import subprocess

import pytest

from kit import DEADLINE

WRITER = "acp-store-writer"


class Writer:
    """A running `acp-store-writer write`, which waits at its points."""

    def __init__(self, kit, file):
        self.process = subprocess.Popen([kit.program(WRITER), "write", str(file)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def next_point(self):
        """The point it waits at, "STEP POINT"; None when it is through."""
        line = self.process.stdout.readline()
        return line.rstrip("\n") or None

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def go_to(self, index):
        """Lets it run to its point number `index`."""
        for _ in range(index):
            assert self.next_point()
            self.go_on()
        return self.next_point()

    def end(self, signum=None):
        if signum:
            self.process.send_signal(signum)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(DEADLINE)


def dump(kit, file):
    """All that is stored, read by another process."""
    done = kit.run(WRITER, "dump", file)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def say(kit, file, session, text):
    return kit.run(WRITER, "say", file, session, text)


@pytest.fixture(scope="module")
def life(kit, tmp_path_factory):
    """One life without a kill: (points in order, what is stored at each of them)."""
    file = tmp_path_factory.mktemp("store") / "sessions.db"
    writer, points, states = Writer(kit, file), [], []
    while point := writer.next_point():
        points.append(point)
        states.append(dump(kit, file) if not point.startswith("open ") else [])
        writer.go_on()
    assert writer.end() == 0
    return points, states


def test_every_step_stops_before_and_after_its_commit(life):
    points, states = life
    steps = list(dict.fromkeys(p.split()[0] for p in points))
    assert steps == ["open", "add", "user", "calls", "result-1", "result-2", "plan", "answer", "title", "settings",
                     "fork", "cut", "delete"]
    for step in steps[1:]:
        at = points.index(f"{step} written")
        assert points[at:at + 3] == [f"{step} written", f"{step} committed", f"{step} acknowledged"]
        assert states[at - 1] == states[at] != states[at + 1] == states[at + 2]


def killed_at_each_point(kit, life, tmp_path):
    """(point, file, what was stored before the kill) for each point."""
    points, states = life
    for index, point in enumerate(points):
        folder = tmp_path / f"{index:02}"
        folder.mkdir()
        file = folder / "sessions.db"
        writer = Writer(kit, file)
        assert writer.go_to(index) == point
        assert writer.end(signal.SIGKILL) == -signal.SIGKILL
        yield point, file, states[index]


def test_kill_9_at_every_point(kit, life, tmp_path):
    for point, file, state in killed_at_each_point(kit, life, tmp_path):
        assert dump(kit, file) == state, point
        for session in [row["id"] for row in state if "id" in row]:
            done = say(kit, file, session, "and on")
            assert (done.returncode, done.stderr) == (0, ""), point
            mine = [row for row in dump(kit, file) if row.get("session") == session]
            assert mine[-1]["text"] == "and on", point
        with sqlite3.connect(file) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], point
        db.close()


COMPLETED, FAILED, INTERRUPTED = 1, 2, 3


def test_an_unfinished_call_is_never_read_as_completed(kit, life, tmp_path):
    for point, file, _ in killed_at_each_point(kit, life, tmp_path):
        calls = {row["wire_id"]: row for row in dump(kit, file) if row.get("session") == "ses" and row["kind"] == 3}
        for name, ended in (("c1", COMPLETED), ("c2", FAILED)):
            if name in calls:
                call = calls[name]
                assert call["state"] in (ended, INTERRUPTED), point
                assert (call["outcome"] is None) == (call["state"] == INTERRUPTED), point
                assert call["text"], point


def test_a_lock_dies_with_its_process(kit, life, tmp_path):
    points, _ = life
    file = tmp_path / "sessions.db"
    writer = Writer(kit, file)
    assert writer.go_to(points.index("plan written")) == "plan written"
    refused = say(kit, file, "ses", "too early")
    assert refused.returncode == 1
    assert "is locked by another process" in refused.stderr
    assert str(file) in refused.stderr
    writer.end(signal.SIGKILL)
    assert say(kit, file, "ses", "now").returncode == 0
    assert dump(kit, file)[-1]["text"] == "now"
