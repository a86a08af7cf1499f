#!/usr/bin/env python3
"""Budgets that keep the code readable: lines of a function, parameters, lines of a file.

Relies on the layout that lint.format enforces: a function's braces stand alone in column 0."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUNCTION_LINES, PARAMETERS, FILE_LINES = 60, 5, 500
EXEMPT = "NOLINTNEXTLINE(readability-function-size)"  # clang-tidy's own word, with a reason behind it


def parameters_of(signature):
    """How many parameters the last parenthesis of a signature lists."""
    text = re.sub(r"/\*.*?\*/", "", signature, flags=re.S).rstrip()
    depth, commas = 0, 0
    for char in reversed(text):
        depth += (char == ")") - (char == "(")
        if depth == 0 and char == "(":
            break
        commas += char == "," and depth == 1
    return 0 if re.search(r"\(\s*(void)?\s*\)$", text) else commas + 1


def functions(lines):
    """Yields (line number, signature, lines of the body) of each function."""
    start = None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            head = start - 1
            while head > 0 and not re.search(r"[;}]\s*$|^\s*$|\*/$|^#", lines[head - 1]):
                head -= 1
            yield head + 1, "\n".join(lines[head:start]), i - start + 1
            start = None


def judge(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > FILE_LINES:
        yield 1, f"{len(lines)} lines (at most {FILE_LINES}: a module with two jobs?)"
    if path.suffix != ".c":
        return
    for number, signature, length in functions(lines):
        if EXEMPT in lines[max(number - 2, 0)] or EXEMPT in signature:
            continue
        name = re.search(r"(\w+)\s*\(", signature)
        name = name[1] if name else "?"
        if length > FUNCTION_LINES:
            yield number, f"{name}: {length} lines (at most {FUNCTION_LINES})"
        if parameters_of(signature) > PARAMETERS:
            yield number, f"{name}: {parameters_of(signature)} parameters (at most {PARAMETERS})"


def main():
    sources = subprocess.run([ROOT / "scripts/lint/sources", "c", "h", "def", "py", "mjs"], check=True,
                             capture_output=True, text=True).stdout.split()
    sources += [str(p.relative_to(ROOT)) for p in sorted((ROOT / "scripts").rglob("*")) if p.is_file()
                and "__pycache__" not in p.parts]
    bad = [(name, *found) for name in sources for found in judge(ROOT / name)]
    for name, number, text in bad:
        print(f"{name}:{number}: {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
