"""The npm packages of tests/peers (scripts/install-peers): where they are and how they are run."""
import os

import pytest


def folder(kit):
    """tests/peers with its packages installed; skips the test otherwise."""
    found = kit.root / "tests/peers"
    if not (found / "node_modules/@agentclientprotocol/sdk").is_dir():
        pytest.skip("the npm packages are not installed: run scripts/install-peers")
    return found


def path(kit):
    """A PATH on which the packages' own programs come first, their Node.js among them."""
    return f"{folder(kit) / 'node_modules/.bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
