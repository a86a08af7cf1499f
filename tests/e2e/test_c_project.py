"""A day's work: in an editor made with the official SDK, the agent finds out why a test of a small C project fails, mends
it and checks that. The model is scripted; all else is real: the compiler, the terminals, the buffers that are not saved.

What happened is docs/session-c-project.md, made anew with ACP_WRITE_DOCS=1."""
import json
import os
import shutil
import subprocess

import pytest

import npm

DEADLINE = 120
PROMPT = "make test fails: find out why, mend it, and show me that it passes."
FILES = {
    "Makefile": "test: check\n\t./check\n\ncheck: check.c add.c add.h\n\t$(CC) -o $@ check.c add.c\n",
    "add.h": "int add(int a, int b);\n",
    "add.c": "#include \"add.h\"\n\nint add(int a, int b)\n{\n    return a - b;\n}\n",
    "check.c": "#include \"add.h\"\n\n#include <stdio.h>\n\nint main(void)\n{\n    int got = add(2, 3);\n"
               "    printf(\"add(2, 3) is %d\\n\", got);\n    return got == 5 ? 0 : 1;\n}\n",
}
# The user has begun to write a comment, and not saved it: the agent must see it and keep it.
UNSAVED = FILES["add.c"].replace("int add(int a", "/* The sum of both. */\nint add(int a")


def tool(name, **arguments):
    return {"tool": name, "with": arguments}


def entries(*done):
    names = ("Run the test", "Mend the fault", "Run the test again")
    return {"entries": [{"content": n, "priority": "medium", "status": s} for n, s in zip(names, done)]}


SCRIPT = [
    {"reply": [{"text": "I will run the test first."}, tool("todo_write", **entries("in_progress", "pending", "pending")),
               tool("bash", command="make test 2>&1")]},
    {"reply": [{"text": "`add` gives a wrong sum, so I look at it."}, tool("read_file", path="add.c")]},
    {"reply": [{"text": "It subtracts."}, tool("edit_file", path="add.c", old_text="return a - b;", new_text="return a + b;"),
               tool("todo_write", **entries("completed", "completed", "in_progress")), tool("bash", command="make test 2>&1")]},
    {"reply": [tool("todo_write", **entries("completed", "completed", "completed"))]},
    {"reply": [{"text": "Mended: `add` subtracted its second argument. `make test` passes now."}]},
]


def page(report):
    names = {"user": "**User**", "agent": "**Agent**", "plan": "Plan", "tool": "Tool", "editor": "Editor"}
    lines = ["# The agent mends a small C project", "",
             "Recorded by `tests/e2e/test_c_project.py`: the reference agent in an editor made with the official TypeScript SDK, whose buffers",
             "and terminals it works with. The model follows a script; the project, the compiler and the terminals are real. The buffer of `add.c`",
             "had a comment that was not saved.", ""]
    lines += [f"- {names[who]}: {what.strip()}" for who, what in report["seen"]]
    for i, output in enumerate(report["outputs"], 1):
        lines += ["", f"Terminal t{i} showed:", "", "```", output.rstrip("\n"), "```"]
    return "\n".join([*lines, "", f"The turn ended with `{report['stopReason']}`.", ""])


def by_sender(text):
    """The agent's side in its order, and what the client did: how the two interleave is up to the machine."""
    events = [line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("- ")]
    rest = [line for line in text.splitlines() if not line.startswith("- ")]
    sides = {"**Agent**": "agent", "Tool": "agent", "Plan": "agent"}
    ours = [e for e in events if sides.get(e[0]) == "agent"]
    return rest, ours, sorted(e for e in events if e not in ours)


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("cc"), reason="make and cc are not installed")
def test_a_failing_test_is_mended(kit, work, tmp_path, mock_provider):
    for name, text in FILES.items():
        (work / name).write_text(text, encoding="utf-8")
    provider = mock_provider(SCRIPT)
    home = tmp_path / "home"
    home.mkdir()
    environment = {**kit.environment(home, **provider.environment()), "PATH": npm.path(kit), "EDITOR_PROMPT": PROMPT, "CC": "cc",
                   "EDITOR_BUFFERS": json.dumps({"add.c": UNSAVED}), "LC_ALL": "C", "MAKEFLAGS": ""}
    done = subprocess.run(["node", npm.folder(kit) / "sdk24-editor.mjs", work, kit.program("acp-agent"), "acp", "--model", "openai/m"],
                          cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["stopReason"] == "end_turn" and report["exit"] == {"code": 0, "signal": None}
    assert (work / "add.c").read_text(encoding="utf-8") == UNSAVED.replace("a - b", "a + b")
    assert ["editor", "gives add.c, which is not saved"] in report["seen"] and report["unsaved"] == []
    first, second = report["outputs"]
    assert "add(2, 3) is -1" in first and "Error 1" in first and "add(2, 3) is 5" in second and "Error" not in second
    document = kit.root / "docs" / "session-c-project.md"
    if os.environ.get("ACP_WRITE_DOCS"):
        document.write_text(page(report), encoding="utf-8")
    assert by_sender(document.read_text(encoding="utf-8")) == by_sender(page(report))
