"""Our schema validator gives the verdicts of a real JSON Schema validator, ajv, by the official schema."""
import os
import pathlib
import random
import subprocess

import pytest

import acpschema
import npm

SEED = 20250601
EXAMPLES = 12   # per definition
MUTATIONS = 4   # per example


@pytest.fixture(scope="module")
def schema(kit):
    return acpschema.load(npm.folder(kit))


def shared(kit):
    return pathlib.Path(os.environ.get("ACP_SHARED", kit.root.parent / "shared"))


def verdicts(command, lines, **options):
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300, **options)
    assert (done.returncode, done.stderr) == (0, "")
    answers = done.stdout.splitlines()
    assert len(answers) == len(lines)
    return answers


def compare(kit, pairs):
    """Both validators on each (definition, value); returns how many were valid."""
    lines = [f"{name}\t{acpschema.dumps(value)}" for name, value in pairs]
    ours = verdicts([kit.program("acp-check-lines")], lines)
    theirs = verdicts(["node", "ajv-verdicts.mjs"], lines, cwd=npm.folder(kit),
                      env={**os.environ, "PATH": npm.path(kit)})
    differ = [f"{line}\n  ours: {a}\n  ajv:  {b}" for line, a, b in zip(lines, ours, theirs)
              if a.split("\t")[0] != b.split("\t")[0] or a.startswith("error")]
    assert not differ, f"{len(differ)} of {len(lines)} differ:\n" + "\n".join(differ[:10])
    return ours.count("ok")


def test_examples_and_their_mutations(kit, schema):
    rng = random.Random(SEED)
    examples, mutations = acpschema.Examples(schema, rng), acpschema.Mutations(schema, rng)
    made = [(name, examples.make(name)) for name in schema["$defs"] for _ in range(EXAMPLES)]
    changed = [(name, mutations.mutate(value)) for name, value in made for _ in range(MUTATIONS)]
    pairs = made + changed
    ok = compare(kit, pairs)
    print(f"{len(pairs)} values, {ok} valid")
    assert 0.25 <= ok / len(pairs) <= 0.75, f"{ok} of {len(pairs)} are valid: one verdict is hardly tested"


def test_every_definition_is_judged_both_ways(kit, schema):
    """A definition whose examples are never valid, or never invalid, would be tested by halves."""
    rng = random.Random(SEED)
    examples, mutations = acpschema.Examples(schema, rng), acpschema.Mutations(schema, rng)
    for name in schema["$defs"]:
        made = [examples.make(name) for _ in range(EXAMPLES)]
        values = made + [mutations.mutate(v) for v in made for _ in range(MUTATIONS)]
        ours = verdicts([kit.program("acp-check-lines")], [f"{name}\t{acpschema.dumps(v)}" for v in values])
        assert "ok" in ours, name
        assert name.startswith("Ext") or any(a.startswith("fault") for a in ours), name


def traces(kit):
    folders = [pathlib.Path(os.environ["ACP_TRACES"])] if "ACP_TRACES" in os.environ else []
    folders.append(shared(kit) / "peers/captures")
    return [f for folder in folders if folder.is_dir() for f in sorted(folder.rglob("*")) if f.suffix in (".ndjson", ".jsonl")]


def test_recorded_traces(kit, schema):
    files = traces(kit)
    if not files:
        pytest.skip("no traces: set ACP_TRACES to a folder written by acp-conformance run --trace")
    pairs = []
    for file in files:
        judge = acpschema.Messages(schema)
        for sender, message in acpschema.messages_of(file):
            pairs.extend(judge.parts(sender, message))
    print(f"{len(files)} traces, {len(pairs)} values, {compare(kit, pairs)} valid")
    assert pairs
