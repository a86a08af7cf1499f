"""The agent's questions to its user: by forms, by the options of a permission request, or not at all."""
import pytest

FORMS = {"elicitation": {"form": {}}}
COLOURS = ["red", "green"]


def ask(agent, mock_provider, work, capabilities, answer, options=None):
    """One turn with one question; answer(request) is what the client says. The call's last update and the request."""
    arguments = {"question": "Which colour?", **({"options": options} if options else {})}
    provider = mock_provider([{"reply": [{"tool": "ask", "with": arguments}]}, {"reply": [{"text": "done"}]}])
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    prompt, last, request = process.prompt(session, "go"), None, None
    process.send(prompt)
    while True:
        message = process.read()
        assert message is not None, process.stderr()
        if message.get("id") == prompt["id"] and "method" not in message:
            assert message["result"]["stopReason"] == "end_turn"
            break
        if message.get("method") in ("session/request_permission", "elicitation/create"):
            request = message
            process.send({"jsonrpc": "2.0", "id": message["id"], **answer(message)})
        update = message.get("params", {}).get("update", {})
        if update.get("sessionUpdate") == "tool_call_update":
            last = update
    process.close()
    assert process.wait() == 0
    asked = [e["request"] for e in provider.journal() if e["event"] == "request"]
    assert asked[-1]["last"]["text"] == last["content"][0]["content"]["text"]
    return last, request


def selected(option):
    return lambda request: {"result": {"outcome": {"outcome": "selected", "optionId": option}}}


def accepted(value):
    return lambda request: {"result": {"action": "accept", "content": {"answer": value}}}


def said(update):
    return update["status"], update["content"][0]["content"]["text"]


@pytest.mark.parametrize("option, text", [
    ("answer_0", "red"), ("answer_1", "green"), ("answer_2", "chose none"), ("answer_", "chose none"),
    ("answer_1x", "chose none"), ("answer_-1", "chose none"), ("none", "chose none"), ("allow_once", "chose none"),
])
def test_options(agent, mock_provider, work, option, text):
    update, request = ask(agent, mock_provider, work, {}, selected(option), COLOURS)
    assert said(update)[0] == "completed" and text in said(update)[1]
    assert request["method"] == "session/request_permission"
    assert [o["name"] for o in request["params"]["options"]] == [*COLOURS, "None of these"]
    assert request["params"]["toolCall"]["title"] == "Which colour?"


@pytest.mark.parametrize("answer, status, text", [
    (accepted("blue"), "completed", "blue"),
    (lambda r: {"result": {"action": "decline"}}, "completed", "does not want to answer"),
    (lambda r: {"result": {"action": "cancel"}}, "completed", "without an answer"),
    (lambda r: {"result": {"action": "accept"}}, "failed", "none to the question"),
    (accepted(7), "failed", "none to the question"),
    (lambda r: {"result": {"action": "shrug"}}, "failed", "none to the question"),
    (lambda r: {"result": None}, "failed", "none to the question"),
    (lambda r: {"error": {"code": -32603, "message": "no window"}}, "failed", "no window"),
])
def test_a_form(agent, mock_provider, work, answer, status, text):
    update, request = ask(agent, mock_provider, work, FORMS, answer)
    assert said(update)[0] == status and text in said(update)[1]
    assert request["params"]["mode"] == "form" and request["params"]["message"] == "Which colour?"
    assert request["params"]["requestedSchema"]["required"] == ["answer"]


@pytest.mark.parametrize("value, status", [("red", "completed"), ("blue", "failed")])
def test_a_form_with_answers_to_choose_from(agent, mock_provider, work, value, status):
    update, request = ask(agent, mock_provider, work, FORMS, accepted(value), COLOURS)
    assert update["status"] == status
    assert request["params"]["requestedSchema"]["properties"]["answer"]["enum"] == COLOURS


def test_where_nobody_can_be_asked(agent, mock_provider, work):
    update, request = ask(agent, mock_provider, work, {}, None)
    assert request is None and update["status"] == "failed" and "end of your answer" in said(update)[1]


@pytest.mark.parametrize("capabilities", [{}, FORMS])
def test_a_cancelled_turn_withdraws_the_question(agent, mock_provider, work, capabilities):
    provider = mock_provider([{"reply": [{"tool": "ask", "with": {"question": "Which?", "options": COLOURS}}]}])
    process = agent("--model", "openai/m", provider=provider)
    process.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
    session = process.call("session/new", {"cwd": str(work), "mcpServers": []})["result"]["sessionId"]
    prompt = process.prompt(session, "go")
    process.send(prompt)
    request = process.until(lambda m: m.get("method") in ("session/request_permission", "elicitation/create"))
    process.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
    withdrawn = process.until(lambda m: m.get("method") == "$/cancel_request")
    assert withdrawn["params"]["requestId"] == request["id"]
    assert process.answer(prompt)["result"]["stopReason"] == "cancelled"
    process.close()
    assert process.wait() == 0
