"""Nothing happens without consent: paths that lead out of the workspace, answers that are no yes, commands that do not
want to end. What counts is what is on the disk, and who is still running."""
import os
import time

import pytest

DEADLINE = 60
DONE = {"reply": [{"text": "done"}]}


def tool(name, **arguments):
    return {"tool": name, "with": arguments}


def approve(process, session, value):
    process.call("session/set_config_option",
                 {"sessionId": session, "configId": "tool_approval", "value": value})


def run(process, session, answer):
    """One prompt; answer(n) is the response to the n-th question. All calls' last states, and how many were asked."""
    prompt, states, asked = process.prompt(session, "go"), {}, 0
    process.send(prompt)
    while True:
        message = process.read()
        assert message is not None, process.stderr()
        if message.get("id") == prompt["id"] and "method" not in message:
            assert message["result"]["stopReason"] == "end_turn"
            return list(states.values()), asked
        if message.get("method") == "session/request_permission":
            process.send({"jsonrpc": "2.0", "id": message["id"], **answer(asked)})
            asked += 1
        update = message.get("params", {}).get("update", {})
        if "status" in update:
            states[update["toolCallId"]] = update["status"]


def selected(option):
    return {"result": {"outcome": {"outcome": "selected", "optionId": option}}}


def snapshot(folder):
    return {str(p.relative_to(folder)): os.readlink(p) if p.is_symlink() else p.read_bytes() if p.is_file() else None
            for p in sorted(folder.rglob("*"))}


# -- ways out of the workspace -----------------------------------------------------------------

def escapes(out, work):
    """Forms of a path that lead out of work into out. The links are made in work."""
    (work / "sub" / "deep").mkdir(parents=True)
    links = {"dir": out, "rel": "../out", "file": out / "there.txt", "missing": out / "new-link.txt",
             "relmissing": "../out/new-rel.txt", "up": "..", "root": "/", "proc": "/proc/self/root",
             "chain1": "chain2", "chain2": out, "loop1": "loop2", "loop2": "loop1",
             "sub/deep/up": "../../..", "sub/dir": "../dir", "selfcwd": "/proc/self/cwd/../out"}
    for name, target in links.items():
        (work / name).symlink_to(target)
    return [
        "../out/a.txt", "./../out/a.txt", "sub/../../out/a.txt", "sub/deep/../../../out/a.txt", "..//out//a.txt",
        "sub/./.././../out/a.txt", "none/../../out/a.txt", f"{out}/a.txt", f"/{out}/a.txt", f"{work}/../out/a.txt",
        f"{out}/./a.txt", f"{out}/x/../a.txt", f"{out}/new/folder/a.txt", "dir/a.txt", "dir/there.txt",
        "dir/new/folder/a.txt", "rel/a.txt", "rel/../out/a.txt/../../../out/b.txt", "file", "missing", "relmissing",
        "up/out/a.txt", f"root{out}/a.txt", f"proc{out}/a.txt", "chain1/a.txt", "loop1/a.txt", "sub/deep/up/out/a.txt",
        "sub/dir/a.txt", "../out", f"{work}x/a.txt", "../workx/a.txt", "file/a.txt",
    ]


@pytest.mark.parametrize("approval", ["ask", "auto"])
def test_ways_out_of_the_workspace(agent, mock_provider, work, approval):
    out = work.parent / "out"
    out.mkdir()
    (out / "there.txt").write_text("before\n", encoding="utf-8")
    (work.parent / "workx").mkdir()
    paths = escapes(out, work)
    calls = [tool("write_file", path=p, content="after\n") for p in paths]
    calls += [tool("edit_file", path=p, old_text="before", new_text="after") for p in paths]
    process = agent(provider=mock_provider([{"reply": calls}, DONE]))
    session = process.start(work)
    approve(process, session, approval)
    before = snapshot(out), snapshot(work), snapshot(work.parent / "workx")
    states, _ = run(process, session, lambda n: selected("reject_once"))
    assert states == ["failed"] * len(calls)
    assert (snapshot(out), snapshot(work), snapshot(work.parent / "workx")) == before


def test_what_is_outside_is_not_read_unasked(agent, mock_provider, work):
    out = work.parent / "out"
    out.mkdir()
    (out / "there.txt").write_text("a secret\n", encoding="utf-8")
    paths = [p for p in escapes(out, work) if "there" in p or p == "file"] + ["../out/there.txt", "up/out/there.txt"]
    provider = mock_provider([{"reply": [tool("read_file", path=p) for p in paths]}, DONE])
    process = agent(provider=provider)
    session = process.start(work)
    approve(process, session, "auto")
    states, asked = run(process, session, lambda n: selected("reject_once"))
    assert states == ["failed"] * len(paths) and asked == len(paths)
    assert not any("a secret" in str(line) for line in process.log)


def test_outside_with_consent(agent, mock_provider, work):
    calls = [tool("write_file", path="../new/a.txt", content="one\n"),
             tool("edit_file", path="../new/a.txt", old_text="one", new_text="two")]
    process = agent(provider=mock_provider([{"reply": calls}, DONE]))
    session = process.start(work)
    assert run(process, session, lambda n: selected("allow_once")) == (["completed"] * 2, 2)
    assert (work.parent / "new" / "a.txt").read_text(encoding="utf-8") == "two\n"


# -- answers that are no yes -------------------------------------------------------------------

NO = [
    {"error": {"code": -32603, "message": "no"}}, {"error": {"code": -32800, "message": "cancelled"}},
    {"error": "no"}, {"error": None, "result": None}, {"result": None}, {"result": True}, {"result": "allow_once"},
    {"result": []}, {"result": {}}, {"result": {"outcome": None}}, {"result": {"outcome": "selected"}},
    {"result": {"outcome": "allow_once"}}, {"result": {"outcome": {"outcome": "cancelled"}}},
    {"result": {"outcome": {"outcome": "cancelled", "optionId": "allow_once"}}},
    {"result": {"outcome": {"outcome": "selected"}}}, {"result": {"outcome": {"optionId": "allow_once"}}},
    {"result": {"outcome": {"outcome": "selected", "optionId": 0}}},
    {"result": {"outcome": {"outcome": "selected", "optionId": ["allow_once"]}}},
    {"result": {"outcome": ["selected", "allow_once"]}}, {"result": {"outcome": "selected", "optionId": "allow_once"}},
    {"result": {"optionId": "allow_once"}}, selected(""), selected("allow"), selected("Allow"), selected("ALLOW_ONCE"),
    selected("allow_once "), selected("allow_once\0"), selected("reject_once"), selected("reject_always"),
    {**selected("allow_once"), "error": {"code": -32603, "message": "both"}},
]


@pytest.mark.parametrize("form", ["file", "command"])
def test_answers_that_are_no_yes(agent, mock_provider, work, form):
    calls = [tool("write_file", path=f"{n}.txt", content="x") if form == "file"
             else tool("bash", command=f"touch {n}.txt") for n in range(len(NO))]
    process = agent(provider=mock_provider([{"reply": calls}, DONE]))
    session = process.start(work)
    assert run(process, session, lambda n: NO[n]) == (["failed"] * len(NO), len(NO))
    assert not list(work.iterdir())


def test_no_answer_is_a_no(agent, mock_provider, work):
    call = tool("write_file", path="a.txt", content="x")
    process = agent("--permission-timeout", "1", provider=mock_provider([{"reply": [call]}, DONE]))
    prompt = process.prompt(process.start(work), "go")
    process.send(prompt)
    asked = process.until(lambda m: m.get("method") == "session/request_permission")
    withdrawn = process.until(lambda m: m.get("method") == "$/cancel_request")
    assert withdrawn["params"]["requestId"] == asked["id"]
    process.send({"jsonrpc": "2.0", "id": asked["id"], **selected("allow_once")})
    assert process.answer(prompt)["result"]["stopReason"] == "end_turn"
    assert not list(work.iterdir())


def test_the_end_of_input_is_a_no(agent, mock_provider, work):
    call = tool("write_file", path="a.txt", content="x")
    process = agent(provider=mock_provider([{"reply": [call]}, DONE]))
    process.send(process.prompt(process.start(work), "go"))
    process.until(lambda m: m.get("method") == "session/request_permission")
    process.close()
    assert process.wait() == 0
    assert not list(work.iterdir())


@pytest.mark.parametrize("change", ["text", "link"])
def test_what_changed_while_the_user_was_asked_is_not_overwritten(agent, mock_provider, work, change):
    target, other = work / "a.txt", work.parent / "other.txt"
    target.write_text("old\n", encoding="utf-8")
    other.write_text("old\n", encoding="utf-8")
    call = tool("edit_file", path="a.txt", old_text="old", new_text="new")
    process = agent(provider=mock_provider([{"reply": [call]}, DONE]))
    session = process.start(work)

    def meanwhile(_):
        target.unlink()
        if change == "text":
            target.write_text("old, and more\n", encoding="utf-8")
        else:
            target.symlink_to(other)
        return selected("allow_once")

    assert run(process, session, meanwhile) == (["failed"], 1)
    assert target.read_text(encoding="utf-8") == ("old, and more\n" if change == "text" else "old\n")
    assert other.read_text(encoding="utf-8") == "old\n"


def test_safe_mode_offers_nothing_for_good(agent, mock_provider, work):
    call = tool("write_file", path="a.txt", content="x")
    process = agent("--safe-mode", provider=mock_provider([{"reply": [call, call]}, DONE]))
    session = process.start(work)
    approve(process, session, "yolo")
    assert run(process, session, lambda n: selected("allow_always")) == (["failed"] * 2, 2)
    assert not list(work.iterdir())


# -- arguments ---------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments", [
    '{"path": "a.txt", "content": "x"', '"a.txt"', "[]", "null", '{"path": "a.txt"}', '{"path": 1, "content": "x"}',
    '{"path": "a.txt", "content": null}', '{"path": "a.txt", "content": ["x"]}', '{"PATH": "a.txt", "content": "x"}',
    "{'path': 'a.txt', 'content': 'x'}", '{"path": "a.txt", "content": "x",}'])
def test_arguments_that_cannot_be_read(agent, mock_provider, work, arguments):
    call = {"tool": "write_file", "raw_arguments": arguments}
    process = agent(provider=mock_provider([{"reply": [call]}, DONE]))
    session = process.start(work)
    approve(process, session, "yolo")
    assert run(process, session, lambda n: selected("allow_once")) == (["failed"], 0)
    assert not list(work.iterdir())


# -- commands that do not want to end ----------------------------------------------------------

def running(folder):
    """Processes that work in that folder."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found.append(entry)
        except OSError:
            pass
    return found


def await_none(folder):
    end = time.monotonic() + DEADLINE
    while running(folder):
        assert time.monotonic() < end, "a command is still running"
        time.sleep(0.02)


STUBBORN = ["trap '' TERM HUP INT; while :; do sleep 0.1; done", "trap '' TERM; sleep 1000 & wait; sleep 1000",
            "(trap '' TERM; sleep 1000) & sleep 1000", "cat; sleep 1000", "yes", "exec sleep 1000"]


@pytest.mark.parametrize("command", STUBBORN)
@pytest.mark.parametrize("way", ["cancel", "end of input"])
def test_stubborn_commands_end(agent, mock_provider, work, command, way):
    line = f"touch started; {command}"
    process = agent(provider=mock_provider([{"reply": [tool("bash", command=line)]}, DONE]))
    session = process.start(work)
    approve(process, session, "yolo")
    prompt = process.prompt(session, "go")
    process.send(prompt)
    end = time.monotonic() + DEADLINE
    while not (work / "started").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    if way == "cancel":
        process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    else:
        process.close()
    assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    await_none(work)


@pytest.mark.parametrize("command, wanted", [
    ("cat; echo read", "read"), ("echo out; echo err >&2", "out\nerr\n"), ("printf '\\377\\000x'", "\ufffd\ufffdx"),
    ("sleep 1000 & echo gone", "gone"), ("kill -9 $$", "signal 9"), ("exit 3", "Exit code 3"),
    ("yes | head -c 1000000; echo last", "bytes are left out"), ("no-such-program-xyz", "Exit code 127")])
def test_what_commands_say(agent, mock_provider, work, command, wanted):
    process = agent(provider=mock_provider([{"reply": [tool("bash", command=command)]}, DONE]))
    session = process.start(work)
    approve(process, session, "yolo")
    run(process, session, lambda n: selected("reject_once"))
    last = [m["params"]["update"] for m in process.log if "content" in m.get("params", {}).get("update", {})
            and m["params"]["update"].get("status") in ("completed", "failed")][-1]
    text = last["content"][-1]["content"]["text"]
    assert wanted in text and len(text) < 100_000


def test_folders_are_listed(agent, mock_provider, work):
    (work / "sub" / "empty").mkdir(parents=True)
    (work / "b.txt").write_text("", encoding="utf-8")
    (work / "link").symlink_to("/")
    calls = [tool("list_dir"), tool("list_dir", path="sub/empty"), tool("list_dir", path="b.txt"),
             tool("list_dir", path="link"), tool("list_dir", path="none")]
    process = agent(provider=mock_provider([{"reply": calls}, DONE]))
    states, asked = run(process, process.start(work), lambda n: selected("reject_once"))
    assert (states, asked) == (["completed", "completed", "failed", "failed", "failed"], 1)
    texts = [m["params"]["update"]["content"][-1]["content"]["text"] for m in process.log
             if m.get("params", {}).get("update", {}).get("status") == "completed"]
    assert texts == ["b.txt\nlink@\nsub/\n", "[The folder is empty.]"]


def test_files_are_found(agent, mock_provider, work):
    (work / "src").mkdir()
    (work / "src" / "a.c").write_text("int main(void);\n", encoding="utf-8")
    (work / ".gitignore").write_text("*.o\n", encoding="utf-8")
    (work / "a.o").write_text("int main\n", encoding="utf-8")
    calls = [tool("glob", pattern="a.*"), tool("grep", pattern="ma[i]n"), tool("grep", pattern="("),
             tool("grep", pattern="root", path="/etc/passwd")]
    process = agent(provider=mock_provider([{"reply": calls}, DONE]))
    states, asked = run(process, process.start(work), lambda n: selected("reject_once"))
    assert (states, asked) == (["completed", "completed", "failed", "failed"], 1)
    texts = [m["params"]["update"]["content"][-1]["content"]["text"] for m in process.log
             if m.get("params", {}).get("update", {}).get("status") in ("completed", "failed")]
    assert texts[:2] == ["src/a.c\n", "src/a.c:1: int main(void);\n"]
    assert "at byte 1" in texts[2]
