"""Images and sounds: offered if the model takes them, sent to it, and still there in a session that is opened again."""
import json
import pathlib

import pytest

IMAGE = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
SOUND = {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}
SHOWN = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
OK = [{"when": {}, "reply": [{"text": "ok"}]}]


def offers(process):
    answer = process.call("initialize", {"protocolVersion": 1})["result"]["agentCapabilities"]["promptCapabilities"]
    return answer["image"], answer["audio"]


def prompt(process, session, *blocks):
    return process.call("session/prompt", {"sessionId": session, "prompt": list(blocks)})


@pytest.mark.parametrize("words, want", [("", (False, False)), ("image", (True, False)), ("image audio", (True, True))])
def test_what_the_model_takes_is_offered(agent, mock_provider, words, want):
    process = agent("--model", "openai/m", provider=mock_provider(OK), env={"ACP_AGENT_INPUT": words})
    assert offers(process) == want


def test_the_chosen_model_decides(agent, mock_provider, work, tmp_path):
    home = tmp_path / "configured"
    (home / ".config" / "acp-agent").mkdir(parents=True)
    (home / ".config" / "acp-agent" / "config.json").write_text(json.dumps({"providers": {"openai": {"models": [
        {"id": "eye", "input": ["text", "image"]}, {"id": "blind"}]}}}))
    provider = mock_provider(OK)
    process = agent("--model", "openai/eye", provider=provider, home=home)
    assert offers(process) == (True, False)
    session = process.call("session/new", {"cwd": str(work)})["result"]["sessionId"]
    assert prompt(process, session, {"type": "text", "text": "see"}, IMAGE)["result"]["stopReason"] == "end_turn"
    error = prompt(process, session, SOUND)["error"]
    assert (error["code"], error["data"]["path"]) == (-32602, "params.prompt[0]")
    process.call("session/set_model", {"sessionId": session, "modelId": "openai/blind"})
    assert prompt(process, session, IMAGE)["error"]["code"] == -32602
    assert prompt(process, session, {"type": "text", "text": "and now"})["result"]["stopReason"] == "end_turn"
    process.close()
    assert process.wait() == 0
    process = agent("--model", "openai/eye", provider=provider, home=home)
    process.call("initialize", {"protocolVersion": 1})
    process.call("session/load", {"sessionId": session, "cwd": str(work)})
    shown = [m["params"]["update"]["content"] for m in process.log if m.get("method") == "session/update"
             and m["params"]["update"]["sessionUpdate"] == "user_message_chunk"]
    assert IMAGE in shown
    process.call("session/set_model", {"sessionId": session, "modelId": "openai/eye"})
    assert prompt(process, session, {"type": "text", "text": "once more"})["result"]["stopReason"] == "end_turn"
    first, blind, again = (r["request"]["body"]["messages"][1]["content"] for r in provider.requests())
    assert first == again == [{"type": "text", "text": "see"}, SHOWN]
    assert blind[1] == {"type": "text", "text": "[An image that is not shown to you.]"}


def test_the_cases_about_them_pass(kit, tmp_path):
    """The built-in profile's model takes only text."""
    profile = json.loads((pathlib.Path(kit.root) / "conformance" / "profiles" / "acp-agent.json").read_text("utf-8"))
    profile["env"]["ACP_AGENT_INPUT"] = "image audio"
    path = tmp_path / "seeing.json"
    path.write_text(json.dumps(profile), encoding="utf-8")
    done = kit.conformance("prove", "prompt/advertised-image", "prompt/advertised-audio", "prompt/hostile-mime-type",
                           "--profile", path)
    assert done.returncode == 0, done.stdout
    assert "3 case(s)" in done.stdout
