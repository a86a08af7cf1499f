"""What shells offer and what the man page says is what the programs take."""
import re
import shutil
import subprocess

import pytest

BASH = """source {root}/completion/acp-kit.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _acp_kit; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


# A zsh on a terminal of its own completes a line and tells what the line has become.
ZSH = """zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; cd /"
zpty -w shell 'tell() { zle complete-word; print -r -- "<""<$BUFFER>"">"; exit }; zle -N tell; bindkey "^T" tell'
zpty -w shell 'print -r -- "rea""dy"'
zpty -r shell said '*ready*'
zpty -n -w shell "$2"$'\\C-t'
zpty -r shell said '*<<*>>*'
print -r -- "$said"
"""


def path_of(kit):
    return f"{kit.folder}:/usr/bin:/bin"


def in_bash(kit, *words):
    done = subprocess.run(["bash", "-c", BASH.format(root=kit.root), "bash", *words], capture_output=True, text=True,
                          check=True, timeout=60, env={"PATH": path_of(kit)})
    return done.stdout.split()


def in_fish(kit, line, home):
    done = subprocess.run(["fish", "-c", f"source {kit.root}/completion/acp-kit.fish; complete -C '{line}'"],
                          capture_output=True, text=True, check=True, timeout=60,
                          env={"PATH": path_of(kit), "HOME": str(home)})
    return done.stdout.split()


def in_zsh(kit, folder, line):
    done = subprocess.run(["zsh", "-fc", ZSH, "zsh", str(folder), line], capture_output=True, text=True, check=True,
                          timeout=60, env={"PATH": path_of(kit), "TERM": "dumb"})
    return re.search("<<(.*)>>", done.stdout)[1]


def install(kit, prefix):
    subprocess.run(["cmake", "--install", str(kit.folder.parent), "--prefix", str(prefix)], check=True,
                   capture_output=True, timeout=120)


@pytest.mark.parametrize("words, offered", [
    (["acp-conformance", "re"], ["replay"]),
    (["acp-conformance", "run", "--fail"], ["--fail-fast"]),
    (["acp-conformance", "run", "prompt/two-s"], ["prompt/two-sessions-at-once"]),
    (["acp-conformance", "run", "--report", "j"], ["json=", "junit="]),
    (["acp-conformance", "run", "--profile", "acp-agent-g"], ["acp-agent-gemini"]),
    (["acp-agent", "se"], ["setup", "sessions"]),
    (["acp-agent", "sessions", "e"], ["export"]),
    (["acp-agent", "acp", "--profile", "b"], ["balanced"]),
    (["acp-mock-provider", "--ver"], ["--verdict", "--version"]),
    (["acp-mock-client", "--al"], ["--allow"]),
    (["acp-mock-provider", "--", "acp-mock-c"], ["acp-mock-client"]),
])
def test_bash(kit, words, offered):
    assert in_bash(kit, *words) == offered


def test_bash_offers_every_command(kit):
    usage = kit.conformance("--help").stdout
    commands = re.findall(r"^  ([a-z]+) +[a-z]", usage, re.M)[1:]
    assert in_bash(kit, "acp-conformance", "") == commands


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize("line, offered", [
    ("acp-conformance re", ["replay"]),
    ("acp-conformance run --fail", ["--fail-fast"]),
    ("acp-conformance run prompt/two-s", ["prompt/two-sessions-at-once"]),
    ("acp-agent se", ["sessions", "setup"]),
])
def test_fish(kit, tmp_path, line, offered):
    assert sorted(in_fish(kit, line, tmp_path)) == offered


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("line, completed", [
    ("acp-conformance re", "acp-conformance replay "),
    ("acp-conformance run --fail", "acp-conformance run --fail-fast "),
    ("acp-conformance run prompt/two-s", "acp-conformance run prompt/two-sessions-at-once "),
    ("acp-conformance run --report j", "acp-conformance run --report j"),
    ("acp-conformance run --report ju", "acp-conformance run --report junit="),
    ("acp-agent acp --profile b", "acp-agent acp --profile balanced "),
    ("acp-mock-client --al", "acp-mock-client --allow "),
])
def test_zsh(kit, line, completed):
    assert in_zsh(kit, kit.root / "completion", line) == completed


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_when_installed(kit, tmp_path):
    install(kit, tmp_path)
    folder = tmp_path / "share" / "zsh" / "site-functions"
    assert in_zsh(kit, folder, "acp-conformance re") == "acp-conformance replay "


def test_the_man_page_has_every_option(kit):
    page = (kit.root / "docs" / "man" / "acp-conformance.1").read_text(encoding="utf-8")
    in_page = set(re.findall(r"Fl Fl ([a-z-]+)", page))
    usage = kit.conformance("--help").stdout
    told = {"help", "version"}
    for command in re.findall(r"^  ([a-z]+) +[a-z]", usage, re.M)[1:]:
        assert f".It Cm {command}\n" in page
        told |= set(re.findall(r"^ +(?:-., )?--([a-z-]+)", kit.conformance(command, "--help").stdout, re.M))
    assert in_page == told


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_the_man_page_is_well_formed(kit):
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(kit.root / "docs/man/acp-conformance.1")],
                          capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


def test_everything_is_installed(kit, tmp_path):
    install(kit, tmp_path)
    for file in ("bin/acp-agent", "share/man/man1/acp-conformance.1", "share/zsh/site-functions/_acp-kit",
                 "share/bash-completion/completions/acp-mock-client", "share/fish/vendor_completions.d/acp-agent.fish"):
        assert (tmp_path / file).exists(), file
