"""What every program owes its user: a version, help, and a clear word about a wrong call."""
import pytest

PROGRAMS = ("acp-agent", "acp-mock-client", "acp-mock-provider", "acp-conformance")


@pytest.mark.parametrize("name", PROGRAMS)
def test_version_goes_to_stdout(kit, name):
    done = kit.run(name, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[0] == name


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_goes_to_stdout(kit, name):
    done = kit.run(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert name in done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_unknown_option_is_named_on_stderr(kit, name):
    done = kit.run(name, "--no-such-option")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--no-such-option" in done.stderr
