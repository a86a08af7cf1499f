#!/usr/bin/env python3
"""Includes may only point down: checks the #include lines of every C file against the floors."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIB = ["lib/http", "lib/uvio", "lib/acp", "lib/rpc", "lib/json", "lib/base"]

# What the files of a folder may include besides their own folder.
FLOORS = {
    "lib/base": [],
    "lib/json": ["lib/base"],
    "lib/rpc": ["lib/json", "lib/base"],
    "lib/acp": ["lib/json", "lib/base"],
    "lib/uvio": ["lib/base"],
    "lib/http": ["lib/uvio", "lib/json", "lib/base"],
    "agent": LIB,
    "mock-client": LIB,
    "mock-provider": LIB,
    "conformance": ["mock-client", "mock-provider", *LIB],
    "tests": ["agent", "mock-client", "mock-provider", "conformance", *LIB],
}

# Foreign headers, and who alone may include them. err.c turns libuv's codes into text.
FOREIGN = {
    r"uv\.h|uv/.*": ["lib/uvio", "lib/http", "agent", "mock-client", "mock-provider", "conformance",
                     "tests", "lib/base/err.c"],
    r"curl/.*": ["lib/http/fetch", "tests"],
    r"cjson/.*|cJSON.*": [f for f in FLOORS if f not in ("lib/base", "lib/uvio")],
    r"sqlite3\.h": ["agent/store", "tests"],
    r"pcre2\.h": ["agent/pattern"],
    r"cmocka\.h": ["tests"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def floor_of(path):
    name = path.as_posix()
    return next((f for f in FLOORS if name.startswith(f + "/")), None)


def find(including, name):
    """The project file that an include of that name means, or None."""
    for folder in (including.parent, pathlib.Path("."), pathlib.Path("lib")):
        path = (ROOT / folder / name).resolve()
        if path.is_file() and ROOT in path.parents:
            return path.relative_to(ROOT)
    return None


def judge(path, name, quoted):
    """What is wrong with this include, or None."""
    target = find(path, name)
    if target is None:
        for pattern, allowed in FOREIGN.items():
            if re.fullmatch(pattern, name):
                if not any(path.as_posix().startswith(a) for a in allowed):
                    return f"{name} may only be included by {', '.join(allowed)}"
        return None
    if not quoted:
        return f'{name} is ours: write it in quotes'
    floor, below = floor_of(path), floor_of(target)
    if below in (floor, None) or below in FLOORS[floor]:
        return None
    return f"{floor} may not include {below} (allowed: {', '.join(FLOORS[floor]) or 'nothing'})"


def main():
    bad = 0
    for folder in FLOORS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix not in (".c", ".h", ".def", ".inc") or "node_modules" in file.parts:
                continue
            path = file.relative_to(ROOT)
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and judge(path, match[1] or match[2], match[1] is not None)
                if wrong:
                    print(f"{path}:{number}: {wrong}")
                    bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
