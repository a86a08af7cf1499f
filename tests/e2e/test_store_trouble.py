"""Trouble with the session store, seen through the agent: a full disk, a lock, damage, kill -9. The client is told what
is wrong with which file and what to do, sees the text all the same, and finds what was acknowledged at the next start."""
import sqlite3

import pytest

from faults import file_system, full_disk, locked, mount, release, store_file, wait_at

HOLD = [{"text": "shown "}, {"hold": "gate"}, {"text": "at last"}]
OK = {"times": 999, "reply": [{"text": "ok"}]}


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def begin(agent, home):
    """begin(provider) -> an agent with that home, initialized."""
    def start(provider=None, folder=home, capabilities=None, **options):
        process = agent("--model", "openai/m", home=folder, provider=provider, **options)
        process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities or {}})
        return process
    return start


def new(process, work):
    return process.call("session/new", {"cwd": str(work), "mcpServers": []})


def say(process, session, text):
    process.send(request := process.prompt(session, text))
    return process.answer(request)


def load(process, session, work):
    """The answer of session/load, and the updates before it as (kind, text or status)."""
    mark = len(process.log)
    answer = process.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    updates = [m["params"]["update"] for m in process.log[mark:] if m.get("method") == "session/update"]
    return answer, [(u["sessionUpdate"], u.get("content", {}).get("text") if u["sessionUpdate"].endswith("_chunk")
                     else u.get("status")) for u in updates]


def said(updates):
    """(who, text) of the conversation; pieces of one answer joined."""
    found = []
    for kind, text in updates:
        if not kind.endswith("_chunk"):
            continue
        who = kind.split("_")[0]
        if found and found[-1][0] == who == "agent":
            found[-1] = (who, found[-1][1] + text)
        else:
            found.append((who, text))
    return found


def expect_error(answer, file, *words):
    assert answer["error"]["code"] == -32603, answer
    for word in (str(file), *words):
        assert word in answer["error"]["message"], answer


def expect_whole(begin, work, provider, session, conversation):
    """A new process finds it, says it, and can go on with it."""
    process = begin(provider)
    listed = process.call("session/list", {})["result"]["sessions"]
    assert session in [s["sessionId"] for s in listed]
    answer, updates = load(process, session, work)
    assert "result" in answer, answer
    assert said(updates) == conversation
    assert say(process, session, "and on")["result"] == {"stopReason": "end_turn"}
    process.close()
    assert process.wait() == 0


# -- no space ----------------------------------------------------------------------------------


def test_a_full_disk_at_the_start(begin, home, mock_provider, work):
    process = begin(mock_provider([OK]))
    with full_disk(process):
        expect_error(new(process, work), store_file(home), "the disk is full", "Free some space")
    session = new(process, work)["result"]["sessionId"]
    assert say(process, session, "hello")["result"] == {"stopReason": "end_turn"}


def test_a_full_disk_before_the_prompt_is_kept(begin, home, mock_provider, work):
    provider = mock_provider([OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "one")
    with full_disk(process):
        expect_error(say(process, session, "two"), store_file(home), "the disk is full")
    assert len(provider.requests()) == 1, "the model was asked something that is not kept"
    assert "result" in say(process, session, "three")
    process.close()
    assert process.wait() == 0
    expect_whole(begin, work, provider, session,
                 [("user", "one"), ("agent", "ok"), ("user", "three"), ("agent", "ok")])


def test_a_full_disk_in_a_turn(begin, home, mock_provider, work):
    provider = mock_provider([{"reply": HOLD}, OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    process.send(prompt := process.prompt(session, "one"))
    wait_at(provider, "gate")
    with full_disk(process):
        release(provider, "gate")
        expect_error(process.answer(prompt), store_file(home), "the disk is full")
    assert process.text() == "shown at last"
    assert "result" in say(process, session, "two")
    process.close()
    assert process.wait() == 0
    expect_whole(begin, work, provider, session, [("user", "one"), ("user", "two"), ("agent", "ok")])


def test_a_disk_that_fills_up(begin, mock_provider, work, tmp_path):
    """A real one: prompts are taken until there is no room, and all that were taken are there."""
    provider = mock_provider([OK])
    with file_system(tmp_path / "small", "1m") as small:
        process = begin(provider, small.parent / "home", env={"ACP_AGENT_HOME": str(small)})
        session = new(process, work)["result"]["sessionId"]
        taken, text = 0, "x" * 20000
        while "result" in (answer := say(process, session, f"{taken} {text}")):
            taken += 1
            assert taken < 100
        expect_error(answer, small / "sessions.db", "the disk is full")
        assert taken > 5
        mount("-o", "remount,size=8m", small)
        assert "result" in say(process, session, "room again")
        process.close()
        assert process.wait() == 0
        process = begin(provider, small.parent / "home", env={"ACP_AGENT_HOME": str(small)})
        answer, updates = load(process, session, work)
        assert "result" in answer
        users = [text.split()[0] for who, text in said(updates) if who == "user"]
        assert [u for u in users if u in map(str, range(taken))] == [str(n) for n in range(taken)]
        assert users[-1] == "room"
        process.stop()


# -- other processes ---------------------------------------------------------------------------


def test_a_lock_that_stays(begin, home, mock_provider, work):
    provider = mock_provider([{"reply": HOLD}, OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    with locked(store_file(home)):
        expect_error(new(process, work), store_file(home), "is locked by another process", "Try again")
        expect_error(say(process, session, "lost"), store_file(home), "is locked by another process")
    process.send(prompt := process.prompt(session, "one"))
    wait_at(provider, "gate")
    with locked(store_file(home)):
        release(provider, "gate")
        expect_error(process.answer(prompt), store_file(home), "is locked by another process")
        assert process.text() == "shown at last"
    assert "result" in say(process, session, "two")
    process.close()
    assert process.wait() == 0
    expect_whole(begin, work, provider, session, [("user", "one"), ("user", "two"), ("agent", "ok")])


def test_ten_processes_make_sessions_at_once(begin, mock_provider, work):
    provider = mock_provider([OK])
    processes = [begin(provider) for _ in range(10)]
    requests = [[p.request("session/new", {"cwd": str(work), "mcpServers": []}) for _ in range(5)] for p in processes]
    for process, mine in zip(processes, requests):
        process.send(*mine)
    made = [p.answer(r)["result"]["sessionId"] for p, mine in zip(processes, requests) for r in mine]
    assert len(set(made)) == 50
    listed = processes[0].call("session/list", {})["result"]["sessions"]
    assert {s["sessionId"] for s in listed} == set(made)
    for process in processes:
        process.close()
    assert [p.wait() for p in processes] == [0] * 10


def test_two_processes_in_one_session(begin, mock_provider, work):
    """Neither takes anything from the other: all is there, each message under an id of its own."""
    provider = mock_provider([OK])
    one, two = begin(provider), begin(provider)
    session = new(one, work)["result"]["sessionId"]
    for process, text in ((one, "a"), (two, "b"), (one, "c"), (two, "d")):
        if text == "b":
            assert "result" in load(two, session, work)[0]
        assert say(process, session, text)["result"] == {"stopReason": "end_turn"}
    third = begin(provider)
    _, updates = load(third, session, work)
    assert said(updates) == [turn for text in "abcd" for turn in (("user", text), ("agent", "ok"))]
    ids = [m["params"]["update"].get("messageId") for m in third.log if m.get("method") == "session/update"]
    assert len({i for i in ids if i}) == 8


def test_two_processes_prompt_at_one_instant(begin, mock_provider, work):
    """Both questions are kept before either answer, and both answers; a third process can go on with it."""
    provider = mock_provider([{"reply": [{"text": "1 "}, {"hold": "first"}, {"text": "!"}]},
                              {"reply": [{"text": "2 "}, {"hold": "second"}, {"text": "!"}]}, OK])
    one, two = begin(provider), begin(provider)
    session = new(one, work)["result"]["sessionId"]
    assert "result" in load(two, session, work)[0]
    one.send(a := one.prompt(session, "a"))
    wait_at(provider, "first")
    two.send(b := two.prompt(session, "b"))
    wait_at(provider, "second")
    for process, prompt, hold in ((two, b, "second"), (one, a, "first")):
        release(provider, hold)
        assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    third = begin(provider)
    answer, updates = load(third, session, work)
    assert "result" in answer
    assert [text for kind, text in updates if kind == "user_message_chunk"] == ["a", "b"]
    assert [text for kind, text in updates if kind == "agent_message_chunk"] == ["2 !", "1 !"]
    assert "result" in say(third, session, "and on")


def test_a_prompt_between_the_calls_of_another_process(begin, mock_provider, work):
    """Whatever comes between, a call's result follows its call: no provider takes a conversation where it does not."""
    calls = [{"tool": "read_file", "with": {"path": name}} for name in ("a.txt", "b.txt")]
    provider = mock_provider([{"reply": calls}, OK])
    one, two = begin(provider, capabilities={"fs": {"readTextFile": True}}), begin(provider)
    session = new(one, work)["result"]["sessionId"]
    assert "result" in load(two, session, work)[0]
    one.send(prompt := one.prompt(session, "a"))
    wanted = one.until(lambda m: m.get("method") == "fs/read_text_file")
    assert "result" in say(two, session, "b")
    one.send({"jsonrpc": "2.0", "id": wanted["id"], "result": {"content": "A"}})
    other = one.until(lambda m: m.get("method") == "fs/read_text_file" and m["id"] != wanted["id"])
    one.send({"jsonrpc": "2.0", "id": other["id"], "result": {"content": "B"}})
    assert one.answer(prompt)["result"] == {"stopReason": "end_turn"}
    third = begin(provider)
    assert "result" in load(third, session, work)[0]
    assert "result" in say(third, session, "and on")
    roles = [m["role"] for m in provider.requests()[-1]["request"]["messages"]]
    at = roles.index("tool")
    assert roles[at - 1:at + 2] == ["assistant", "tool", "tool"] and roles.count("tool") == 2


def test_another_process_deletes_the_session(begin, mock_provider, work):
    provider = mock_provider([{"reply": HOLD}, OK])
    one, two = begin(provider), begin(provider)
    session = new(one, work)["result"]["sessionId"]
    one.send(prompt := one.prompt(session, "a"))
    wait_at(provider, "gate")
    assert two.call("session/delete", {"sessionId": session})["result"] == {}
    release(provider, "gate")
    assert one.answer(prompt)["error"]["code"] == -32002
    assert one.text() == "shown at last"
    assert load(one, session, work)[0]["error"]["code"] == -32002
    assert new(one, work)["result"]["sessionId"] != session


# -- copies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["session/fork", "forkSession"])
def test_copies_end_behind_a_message(begin, mock_provider, work, name):
    provider = mock_provider([{"reply": [{"text": "1"}]}, {"reply": [{"text": "2"}]}, OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "one") and "result" in say(process, session, "two")
    other, whole = begin(provider), [("user", "one"), ("agent", "1"), ("user", "two"), ("agent", "2")]
    assert said(load(other, session, work)[1]) == whole
    shown = [m["params"]["update"] for m in other.log if m.get("method") == "session/update"]
    ids = [u["messageId"] for u in shown if u["sessionUpdate"].endswith("_message_chunk")]
    for n, meta in [*((i + 1, {"messageId": id}) for i, id in enumerate(ids)), (4, {})]:
        copy = other.call(name, {"sessionId": session, "_meta": meta})["result"]["sessionId"]
        assert said(load(other, copy, work)[1]) == whole[:n]
        assert "result" in say(other, copy, "and on")
    assert said(load(other, session, work)[1]) == whole
    refused = other.call(name, {"sessionId": session, "_meta": {"messageId": "none"}})["error"]
    assert (refused["code"], refused["data"]) == (-32602, {"path": "params._meta.messageId"})
    assert other.call(name, {"sessionId": "none"})["error"]["code"] == -32002


# -- damage ------------------------------------------------------------------------------------


def damage(file, kind):
    if kind == "garbage":
        file.write_bytes(b"this is no database\n" * 1000)
    elif kind == "truncated":
        with open(file, "r+b") as store:
            store.truncate(file.stat().st_size - 6000)
    elif kind == "newer":
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        file.unlink()
        with sqlite3.connect(file) as db:
            db.execute("CREATE TABLE somebody (elses TEXT)")
            db.execute(f"PRAGMA user_version = {0 if kind == 'foreign' else 2}")
        db.close()


@pytest.mark.parametrize("kind, words", [
    ("garbage", "is not a database. Move it away"),
    ("truncated", "is damaged. Move it away"),
    ("newer", "made by a newer acp-agent"),
    ("foreign", "belongs to another program. Move it away"),
    ("foreign with a version", "belongs to another program. Move it away"),
])
def test_a_file_that_is_not_ours(begin, home, mock_provider, work, kind, words):
    provider, file = mock_provider([OK]), store_file(home)
    process = begin(provider)
    assert "result" in new(process, work)
    process.close()
    assert process.wait() == 0
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    for log in ("-wal", "-shm"):
        file.with_name(file.name + log).unlink(missing_ok=True)
    damage(file, kind)
    before = file.read_bytes()
    process = begin(provider)
    for answer in (new(process, work), process.call("session/list", {})):
        expect_error(answer, file, words)
    assert file.read_bytes() == before
    file.unlink()
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "hello")


def test_an_empty_file_is_a_new_one(begin, home, mock_provider, work):
    store_file(home).parent.mkdir(parents=True)
    store_file(home).touch()
    process = begin(mock_provider([OK]))
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "hello")


def test_a_folder_that_cannot_be_written(begin, mock_provider, work, tmp_path):
    provider = mock_provider([OK])
    with file_system(tmp_path / "small", "1m") as small:
        environment = {"ACP_AGENT_HOME": str(small / "in")}
        process = begin(provider, tmp_path / "home", env=environment)
        session = new(process, work)["result"]["sessionId"]
        assert "result" in say(process, session, "hello")
        process.close()
        assert process.wait() == 0
        mount("-o", "remount,ro", small)
        process = begin(provider, tmp_path / "home", env=environment)
        expect_error(new(process, work), small / "in" / "sessions.db", "set ACP_AGENT_HOME")
        process.stop()
        process = begin(provider, tmp_path / "home", env={"ACP_AGENT_HOME": str(small / "another")})
        expect_error(new(process, work), small / "another", "set ACP_AGENT_HOME")
        process.stop()


# -- kill -9 -----------------------------------------------------------------------------------


def kill(process):
    process.process.kill()
    process.process.wait()


def test_killed_after_a_session_was_made(begin, mock_provider, work):
    provider = mock_provider([OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    kill(process)
    expect_whole(begin, work, provider, session, [])


@pytest.mark.parametrize("reply", [[{"hold": "gate"}], HOLD], ids=["before the answer", "in the answer"])
def test_killed_in_a_turn(begin, mock_provider, work, reply):
    provider = mock_provider([{"reply": reply}, OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    process.send(process.prompt(session, "one"))
    wait_at(provider, "gate")
    kill(process)
    expect_whole(begin, work, provider, session, [("user", "one")])


def test_killed_after_the_answer(begin, mock_provider, work):
    provider = mock_provider([OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "one")
    kill(process)
    expect_whole(begin, work, provider, session, [("user", "one"), ("agent", "ok")])


READ = {"reply": [{"text": "I look. "}, {"tool": "read_file", "with": {"path": "a.txt"}}]}


def test_killed_in_a_tool_call(begin, mock_provider, work):
    provider = mock_provider([READ, OK])
    (work / "a.txt").write_text("A")
    process = begin(provider, capabilities={"fs": {"readTextFile": True}})
    session = new(process, work)["result"]["sessionId"]
    process.send(process.prompt(session, "one"))
    process.until(lambda m: m.get("method") == "fs/read_text_file")
    kill(process)
    answer, updates = load(process := begin(provider), session, work)
    assert "result" in answer
    assert said(updates) == [("user", "one"), ("agent", "I look. ")]
    assert [status for kind, status in updates if kind.startswith("tool_call")][-1] == "failed"
    assert "result" in say(process, session, "and on")
    tool = [m for m in provider.requests()[-1]["request"]["messages"] if m["role"] == "tool"]
    assert len(tool) == 1


def test_killed_after_a_tool_call(begin, mock_provider, work):
    """Its result is on the disk before the model is told."""
    provider = mock_provider([READ, {"reply": [{"hold": "gate"}]}, OK])
    (work / "a.txt").write_text("the text of a")
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    process.send(process.prompt(session, "one"))
    wait_at(provider, "gate")
    kill(process)
    answer, updates = load(process := begin(provider), session, work)
    assert "result" in answer
    assert [status for kind, status in updates if kind.startswith("tool_call")][-1] == "completed"
    assert "result" in say(process, session, "and on")
    assert "the text of a" in str(provider.requests()[-1]["request"]["messages"])


def test_killed_after_a_copy_and_a_removal(begin, mock_provider, work):
    provider = mock_provider([OK])
    process = begin(provider)
    session = new(process, work)["result"]["sessionId"]
    assert "result" in say(process, session, "one")
    copy = process.call("session/fork", {"sessionId": session, "cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    assert process.call("session/delete", {"sessionId": session})["result"] == {}
    kill(process)
    answer, _ = load(begin(provider), session, work)
    assert answer["error"]["code"] == -32002
    expect_whole(begin, work, provider, copy, [("user", "one"), ("agent", "ok")])
