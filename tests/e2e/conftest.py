"""What every end-to-end test needs: the built programs, a clean environment, a fake model."""
import os
import pathlib

import pytest

from agent_process import AgentProcess
from kit import Kit, MockProvider

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = ("asan", "dev", "clang", "release")


def programs_folder():
    """ACP_BIN, or the first preset that has been built."""
    if "ACP_BIN" in os.environ:
        return pathlib.Path(os.environ["ACP_BIN"]).resolve()
    return next((b for p in PRESETS if (b := ROOT / "build" / p / "bin").is_dir()), None)


def pytest_sessionstart(session):
    folder = programs_folder()
    if folder is None or not (folder / "acp-agent").exists():
        raise pytest.UsageError("the programs are not built: run ./scripts/build asan (or set ACP_BIN)")
    session.config.stash[KIT] = Kit(ROOT, folder)


KIT = pytest.StashKey[Kit]()


@pytest.fixture(scope="session")
def kit(request):
    """The programs: kit.program("acp-agent"), kit.run(...)."""
    return request.config.stash[KIT]


@pytest.fixture
def work(tmp_path):
    """A fresh, empty folder to be a session's working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def mock_provider(kit, tmp_path):
    """Starts acp-mock-provider on a free port: mock_provider(script=[...]) -> MockProvider."""
    started = []

    def start(script=None, **options):
        provider = MockProvider(kit, tmp_path / f"provider{len(started)}", script, **options)
        started.append(provider)
        return provider

    yield start
    for provider in started:
        provider.stop()


@pytest.fixture
def agent(kit, tmp_path):
    """Starts acp-agent: agent(*flags, home=..., provider=..., env=...) -> AgentProcess."""
    started = []

    def start(*args, home=None, **options):
        home = home or tmp_path / f"home{len(started)}"
        home.mkdir(exist_ok=True)
        started.append(AgentProcess(kit, home, *args, **options))
        return started[-1]

    yield start
    for process in started:
        process.stop()
