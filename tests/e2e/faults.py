"""What goes wrong around a session store, made to happen at an exact moment."""
import contextlib
import json
import os
import resource
import sqlite3
import subprocess
import urllib.request

import pytest

from kit import DEADLINE

NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def store_file(home):
    return home / ".local/share/acp-agent/sessions.db"


def wait_at(provider, hold):
    """Returns as soon as a reply waits at `hold`."""
    with NO_PROXY.open(f"{provider.url}/_control/waiting?hold={hold}&wait={DEADLINE * 1000}") as answer:
        assert hold in answer.read().decode()


def release(provider, hold):
    body = json.dumps({"hold": hold}).encode()
    NO_PROXY.open(urllib.request.Request(provider.url + "/_control/release", body)).close()


@contextlib.contextmanager
def full_disk(process):
    """No file of that process can grow."""
    pid, (soft, hard) = process.process.pid, resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        if process.process.poll() is None:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def locked(file):
    """Another process is writing, and does not come to an end."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield


def mount(*args):
    done = subprocess.run(["mount", *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"file systems cannot be mounted here: {done.stderr.strip()}")


@contextlib.contextmanager
def file_system(folder, size):
    """A file system of its own with that many bytes."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
