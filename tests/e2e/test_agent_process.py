"""acp-agent as a process: its ends, its flags, its streams under stress. What it says is the conformance suite's
business."""
import json
import os
import select
import signal
import subprocess

import pytest


HELD = [{"reply": [{"text": "one"}, {"hold": "h"}, {"text": "two"}]}]
NOT_OURS = {"OPENAI_API_KEY": "sk-0123456789", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


def in_turn(agent, provider, work, *flags):
    """An agent in the middle of a turn: (agent, session, the open prompt request)."""
    process = agent(*flags, provider=provider)
    session = process.start(work)
    prompt = process.prompt(session, "go")
    process.send(prompt)
    process.update("agent_message_chunk")
    return process, session, prompt


def all_lines(process):
    while process.read() is not None:
        pass
    return process.log


# -- ends ------------------------------------------------------------------------------------


def test_end_of_input_ends_an_idle_agent(agent):
    process = agent()
    process.close()
    assert process.wait() == 0
    assert (all_lines(process), process.stderr()) == ([], "")


def test_end_of_input_answers_the_running_turn(agent, mock_provider, work):
    process, _, prompt = in_turn(agent, mock_provider(HELD), work)
    process.close()
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert process.read() is None
    assert process.wait() == 0


def test_a_last_line_without_line_feed_counts(agent):
    process = agent()
    process.write(json.dumps(process.request("initialize", {"protocolVersion": 1})).encode())
    process.close()
    assert process.read()["result"]["protocolVersion"] == 1
    assert process.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_answers_the_running_turn(agent, mock_provider, work, number):
    process, _, prompt = in_turn(agent, mock_provider(HELD), work)
    process.process.send_signal(number)
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert process.read() is None
    assert process.wait() == 0


def test_a_second_signal_ends_at_once(agent, mock_provider, work):
    """Nobody reads, so the first signal waits for the output to leave."""
    process = agent(provider=mock_provider([{"reply": [{"text": "x" * 1000, "repeat": 3000}]}]))
    session = process.start(work)
    process.send(process.prompt(session, "flood"))
    settled(process)
    process.process.send_signal(signal.SIGTERM)
    process.process.send_signal(signal.SIGINT)
    assert process.wait() in (128 + signal.SIGTERM, 128 + signal.SIGINT)


def process_status(process):
    try:
        with open(f"/proc/{process.process.pid}/status", "rb") as status:
            return status.read()
    except OSError:
        return b""


def test_lost_output_ends_the_agent(agent, mock_provider, work):
    process, _, _ = in_turn(agent, mock_provider(HELD), work)
    process.process.stdout.close()
    process.process.stdout = None
    process.send(process.request("initialize", {"protocolVersion": 1}))
    assert process.wait() == 0


def test_nothing_is_left_running(agent, mock_provider, work):
    """The model sees the connection end with the turn."""
    provider = mock_provider(HELD)
    process, session, prompt = in_turn(agent, provider, work)
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    process.close()
    assert process.wait() == 0
    provider.stop()
    assert "gone" in [e["event"] for e in provider.journal()]


# -- streams ---------------------------------------------------------------------------------


def resident_kib(process):
    line = next(s for s in process_status(process).splitlines() if s.startswith(b"VmRSS:"))
    return int(line.split()[1])


def test_a_slow_reader_costs_no_memory_and_no_text(agent, mock_provider, work):
    """48 MiB of text for a client that reads nothing until the agent has stopped taking it."""
    process = agent(provider=mock_provider([{"reply": [{"text": "0123456789abcdef" * 64, "repeat": 48 << 10}]}]))
    session = process.start(work)
    before = resident_kib(process)
    prompt = process.prompt(session, "flood")
    process.send(prompt)
    settled(process)
    assert resident_kib(process) - before < 40 << 10  # libcurl and, in test builds, the sanitizer's share
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert process.text() == "0123456789abcdef" * (3 << 20)


def cpu_time(process):
    with open(f"/proc/{process.process.pid}/schedstat", "rb") as stat:
        return int(stat.read().split()[0])


def settled(process):
    """Waits until the agent works no more: it is stuck on its output."""
    start = last = cpu_time(process)
    quiet = 0
    while quiet < 25:
        select.select([], [], [], 0.02)
        now = cpu_time(process)
        quiet = quiet + 1 if now == last and now != start else 0
        last = now


def test_a_cancel_arrives_though_nobody_reads(agent, mock_provider, work):
    provider = mock_provider([{"reply": [{"text": "x" * 1024, "repeat": 24 << 10}]}])
    process = agent(provider=provider)
    session = process.start(work)
    prompt = process.prompt(session, "flood")
    process.send(prompt)
    settled(process)
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert len(process.text()) < 24 << 20


def test_a_prompt_of_many_megabytes(agent, mock_provider, work):
    process = agent(provider=mock_provider([{"reply": [{"text": "ok"}]}]))
    session = process.start(work)
    prompt = process.prompt(session, "x" * (20 << 20))
    process.send(prompt)
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}


def test_a_line_over_the_limit_fails_alone(agent):
    process = agent("--max-line", 1000)
    process.write(b"x" * 5000 + b"\n")
    failed = process.read()
    assert (failed["id"], failed["error"]["code"]) == (None, -32700)
    assert "result" in process.call("initialize", {"protocolVersion": 1})


def test_everything_in_one_burst(agent, mock_provider, work):
    """A cancel that was written together with its prompt is never lost."""
    process = agent(provider=mock_provider([{"when": {}, "reply": [{"text": "x"}, {"stall": True}]}]))
    session = process.start(work)
    for _ in range(20):
        prompt = process.prompt(session, "go")
        process.send(prompt, {"jsonrpc": "2.0", "method": "session/cancel",
                              "params": {"sessionId": session}})
        assert process.answer(prompt)["result"] == {"stopReason": "cancelled"}


# -- flags -----------------------------------------------------------------------------------


def test_cwd_serves_sessions_that_name_none(agent, mock_provider, work):
    (work / "a.txt").write_text("the text", encoding="utf-8")
    script = [{"reply": [{"tool": "read_file", "with": {"path": "a.txt"}}]}, {"reply": [{"text": "ok"}]}]
    process = agent("--cwd", work, provider=mock_provider(script))
    process.call("initialize", {"protocolVersion": 1})
    session = process.call("session/new", {})["result"]["sessionId"]
    process.send(process.prompt(session, "read"))
    process.until(lambda m: m.get("params", {}).get("update", {}).get("status") == "completed")
    assert process.log[-1]["params"]["update"]["content"][0]["content"]["text"] == "the text"


def test_flags_reach_the_model(agent, mock_provider, work, tmp_path):
    (tmp_path / "more.txt").write_text("from the file", encoding="utf-8")
    (work / "AGENTS.md").write_text("from the workspace", encoding="utf-8")
    provider = mock_provider([{"reply": [{"text": "ok"}]}])
    process = agent("-m", "openai/some/model", "--max-tokens", "77", "--append-system-prompt", "from the flag",
                    "--append-system-prompt-file", tmp_path / "more.txt", work, provider=provider)
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    process.answer(prompt)
    request = provider.requests()[0]["request"]
    assert request["model"] == "some/model"
    assert request["body"]["max_tokens"] == 77
    for words in ("from the workspace", "from the flag", "from the file"):
        assert words in request["system"]


def test_trace_has_both_directions(agent, tmp_path):
    trace = tmp_path / "trace.ndjson"
    process = agent("--trace", trace)
    process.write(b"no json\n")
    process.read()
    process.call("initialize", {"protocolVersion": 1})
    process.close()
    assert process.wait() == 0
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert [line["from"] for line in lines] == ["client", "agent", "client", "agent"]
    assert lines[0]["text"] == "no json"
    assert lines[3]["message"]["result"]["protocolVersion"] == 1


@pytest.mark.parametrize("args, words", [
    (["--cwd", "/no/such/folder"], "/no/such/folder"),
    (["--append-system-prompt-file", "/no/such/file"], "/no/such/file"),
    (["--trace", "/no/such/folder/file"], "/no/such/folder/file"),
    (["--model", "nope/x"], "nope/x"),
    (["--nonsense"], "--nonsense"),
    (["a", "b"], "twice"),
])
def test_a_wrong_call_is_explained(kit, args, words):
    done = kit.run("acp-agent", "acp", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


# -- keys ------------------------------------------------------------------------------------


def test_without_a_key(agent, work):
    process = agent()
    process.call("initialize", {"protocolVersion": 1})
    assert process.call("session/new", {"cwd": str(work), "mcpServers": []})["error"]["code"] == -32000
    assert process.call("authenticate", {"methodId": "environment"})["error"]["code"] == -32000
    home = process.stderr_path.parent / ".config" / "acp-agent"
    home.mkdir(parents=True)
    (home / "credentials.json").write_text('{"openai": "sk-0123456789"}', encoding="utf-8")
    assert process.call("authenticate", {"methodId": "environment"})["result"] == {}
    assert "result" in process.call("session/new", {"cwd": str(work), "mcpServers": []})


def test_a_key_never_appears(agent, mock_provider, work):
    key = "sk-a-very-secret-key"
    provider = mock_provider([{"status": 401, "body": {"error": {"message": f"Bad key {key}!"}}}])
    process = agent("--log-level", "debug", env={**provider.environment(), "OPENAI_API_KEY": key})
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    error = process.answer(prompt)["error"]
    assert error["code"] == -32000
    assert key not in json.dumps(process.log) and key not in process.stderr()
    assert "Bad key" in error["message"]


def test_an_unreachable_model_is_named(agent, work):
    process = agent(env={**NOT_OURS, "ACP_AGENT_RETRY_MS": "1"})
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    error = process.answer(prompt)["error"]
    assert error["code"] == -32603
    assert "127.0.0.1:9" in error["message"]
    assert error["data"]["provider"] == "openai"


def test_retries_are_told_to_clients_that_take_notices(agent, mock_provider, work):
    provider = mock_provider([{"status": 503, "headers": {"retry-after-ms": "1"}}, {"reply": [{"text": "ok"}]}])
    process = agent(provider=provider)
    session = process.start(work, {"session": {"notices": {}}})
    process.send(prompt := process.prompt(session, "hi"))
    assert process.update("notice")["severity"] == "warning"
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}


def thoughts(process):
    updates = [m["params"]["update"] for m in process.log if m.get("method") == "session/update"]
    return [(u["messageId"], u["content"]["text"]) for u in updates if u["sessionUpdate"] == "agent_thought_chunk"]


def test_retries_that_take_long_are_told_to_everybody(agent, mock_provider, work):
    """... and again by session/load, as all that was shown."""
    wait = {"status": 503, "headers": {"retry-after-ms": "1"}, "body": {"error": {"message": "busy"}}}
    process = agent(provider=mock_provider([wait, wait, wait, {"reply": [{"text": "ok"}]}]))
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    assert process.answer(prompt)["result"] == {"stopReason": "end_turn"}
    told = thoughts(process)
    assert len(told) == len({message for message, _ in told}) == 2  # a first short one is not worth it
    assert all("busy" in text and "Trying again" in text for _, text in told)
    process.log.clear()
    process.call("session/load", {"sessionId": session, "cwd": str(work), "mcpServers": []})
    assert thoughts(process) == told


def test_retries_end(agent, mock_provider, work):
    provider = mock_provider([{"when": {}, "status": 429, "headers": {"retry-after-ms": "1"},
                               "body": {"error": {"message": "too fast"}}}])
    process = agent(provider=provider)
    session = process.start(work)
    process.send(prompt := process.prompt(session, "hi"))
    error = process.answer(prompt)["error"]
    assert error["code"] == -32603 and "too fast" in error["message"]
    assert error["data"] == {"provider": "openai", "status": 429}
    assert len(provider.requests()) == 5


# -- odd streams -----------------------------------------------------------------------------


def test_files_as_streams(kit, tmp_path):
    """stdin and stdout may be files: a transcript can be replayed."""
    line = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    (tmp_path / "in").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with open(tmp_path / "in", "rb") as source, open(tmp_path / "out", "wb") as target:
        code = subprocess.run([kit.program("acp-agent"), "acp"], stdin=source, stdout=target, timeout=60,
                              env=kit.environment(tmp_path), check=False).returncode
    assert code == 0
    assert json.loads((tmp_path / "out").read_text(encoding="utf-8"))["id"] == 1


def test_no_standard_input(kit, tmp_path):
    done = kit.run("acp-agent", "acp", env=kit.environment(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_current_folder_does_not_matter(kit, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && exec {kit.program('acp-agent')} acp </dev/null"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60, check=False,
                          env=kit.environment(tmp_path))
    assert (done.returncode, done.stdout) == (0, b"")
    assert os.path.isdir(tmp_path)
