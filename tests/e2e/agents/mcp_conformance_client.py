"""A client of MCP for @modelcontextprotocol/conformance: acp-agent, driven over ACP, its model scripted for the scenario.

mcp_conformance_client.py BIN URL; the scenario is in MCP_CONFORMANCE_SCENARIO."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOLS = {"tools_call": ("add_numbers", {"a": 5, "b": 3}), "sse-retry": ("test_reconnection", {}),
         "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {})}


def answer(message):
    """The user allows everything and sends each form as it is."""
    if message["method"] == "session/request_permission":
        return {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
    fields = message["params"]["requestedSchema"]["properties"]
    return {"action": "accept", "content": {name: f["default"] for name, f in fields.items() if "default" in f}}


def talk(agent, url, cwd):
    def send(**message):
        agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        agent.stdin.flush()

    def call(ident, method, **params):
        send(id=ident, method=method, params=params)
        for line in agent.stdout:
            message = json.loads(line)
            if "method" in message and "id" in message:
                send(id=message["id"], result=answer(message))
            elif message.get("id") == ident:
                return message
        raise SystemExit("the agent has ended")

    call(1, "initialize", protocolVersion=1, clientCapabilities={"elicitation": {"form": {}}})
    server = {"type": "http", "name": "conf", "url": url, "headers": []}
    session = call(2, "session/new", cwd=cwd, mcpServers=[server])["result"]["sessionId"]
    print(call(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}]), file=sys.stderr)


def main(folder, url):
    with tempfile.TemporaryDirectory() as home:
        name, arguments = TOOLS.get(os.environ["MCP_CONFORMANCE_SCENARIO"], (None, None))
        call = [{"reply": [{"tool": f"mcp__conf__{name}", "with": arguments}]}] if name else []
        script = pathlib.Path(home, "script.json")
        script.write_text(json.dumps([*call, {"reply": [{"text": "done"}]}]), encoding="utf-8")
        command = [f"{folder}/acp-mock-provider", "--script", str(script), "--", f"{folder}/acp-agent", "acp", "--model", "openai/m"]
        environment = {**os.environ, "HOME": home, "ACP_AGENT_HOME": home}
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as agent:
            talk(agent, url, home)
            agent.stdin.close()


main(*sys.argv[1:])
