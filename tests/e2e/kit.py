"""The built programs as Python sees them. Nothing here waits without a deadline."""
import json
import os
import re
import subprocess

DEADLINE = 60
KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


class Kit:
    """The folder of programs."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder

    def program(self, name):
        return str(self.folder / name)

    def environment(self, home, **more):
        """A clean environment: nothing of the caller's but the path, the locale and the sanitizers' options."""
        env = {k: os.environ[k] for k in KEPT if k in os.environ}
        return {**env, "HOME": str(home), **more}

    def run(self, name, *args, **options):
        """Runs a program to its end; text in and out."""
        options = {"stdin": subprocess.DEVNULL, "timeout": DEADLINE, **options}
        if "input" in options:
            del options["stdin"]
        return subprocess.run([self.program(name), *map(str, args)], capture_output=True, text=True,
                              check=False, **options)

    def conformance(self, *args, **options):
        return self.run("acp-conformance", *args, **options)


class MockProvider:
    """A running acp-mock-provider: url, environment for an agent, journal()."""

    def __init__(self, kit, folder, script=None, args=()):
        folder.mkdir()
        self._journal = folder / "journal.ndjson"
        command = [kit.program("acp-mock-provider"), "--journal", str(self._journal), *args]
        if script is not None:
            (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
            command += ["--script", str(folder / "script.json")]
        with open(folder / "stderr.txt", "wb") as stderr:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=stderr, text=True)
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not match:
            self.stop()
            raise RuntimeError(f"acp-mock-provider printed {line!r} instead of its address: "
                               + (folder / "stderr.txt").read_text(encoding="utf-8"))
        self.url = match[0]

    def environment(self):
        """What makes acp-agent talk to this provider."""
        return {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": "mock-key"}

    def journal(self):
        """The events so far, oldest first."""
        with self._journal.open(encoding="utf-8", newline="\n") as lines:
            return [json.loads(line) for line in lines]

    def requests(self):
        return [e for e in self.journal() if e["event"] == "request"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
