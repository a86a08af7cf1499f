"""Messages that other projects published, with the verdicts of the official schema."""
import csv
import json
import os
import pathlib

import pytest


def rows(kit):
    """(file, definition, whether the schema accepts it)."""
    folder = pathlib.Path(os.environ.get("ACP_SHARED", kit.root.parent / "shared")) / "vectors/golden"
    if not (folder / "vectors.tsv").exists():
        pytest.skip(f"no vectors at {folder}; set ACP_SHARED to the folder that holds vectors/")
    with open(folder / "vectors.tsv", encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["def"] != "-":  # fragments, and answers to unknown questions
                yield folder / row["file"], row["def"], row["result"] == "ok"


def body(value):
    """What the definition describes: params or result of a whole message."""
    whole = isinstance(value, dict) and "jsonrpc" in value
    return next((value[k] for k in ("params", "result") if k in value), value) if whole else value


def test_golden_verdicts(kit):
    vectors = list(rows(kit))
    lines = [f"{name}\t{json.dumps(body(json.loads(file.read_text(encoding='utf-8'))))}" for file, name, _ in vectors]
    done = kit.run("acp-check-lines", input="".join(f"{line}\n" for line in lines))
    assert done.returncode == 0, done.stderr
    wrong = [f"{file.parent.name}/{file.name}: {answer}" for (file, _, want), answer
             in zip(vectors, done.stdout.splitlines(), strict=False) if (answer == "ok") != want]
    assert not wrong, "\n".join(wrong)
    assert len(vectors) == len(done.stdout.splitlines()) > 100
