"""Every kind of report, read by somebody else's reader: CI's, a TAP parser, a schema validator, a Markdown parser, a browser."""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import npm

KINDS = ("junit", "tap", "json", "md", "html")

HELLO = {
    "title": "The agent says <hello> | `hello` # hello",
    "checks": ["PROMPT-11"],
    "why": "Every <conversation> begins with it.",
    "steps": [{"session": "s"}, {"prompt": "hi", "expect": {"result": {"stopReason": "end_turn"}}}],
    "mutants": [{"on": {"result": {"stopReason": "end_turn"}}, "set": {"/result/stopReason": "refusal"},
                 "fails": ["PROMPT-11"]}],
    "timeout": 2000,
}
QUIET = {**HELLO, "title": "The agent starts a session", "checks": ["NEW-01"], "steps": [{"session": "s"}],
         "mutants": [{"on": {"method": "session/new"}, "drop": True, "fails": ["NEW-01"]}]}
NEEDY = {**HELLO, "title": "It loads", "needs": ["cap:loadSession"]}
SILENT = {**HELLO, "title": "It asks the model", "model": [{"reply": [{"text": "hello"}], "check": "PROMPT-11"}],
          "steps": [{"session": "s"}]}
CASES = {"prompt/hello": HELLO, "prompt/silent": SILENT, "load/it": NEEDY, "sessions/new": QUIET}


class Reports:
    """All reports of one run."""

    def __init__(self, folder, done):
        self.done = done
        self.path = {kind: folder / f"report.{kind}" for kind in KINDS}
        for path in self.path.values():
            assert path.exists(), done.stdout + done.stderr
            assert not path.with_name(path.name + ".part").exists()
        self.json = json.loads(self.text("json"))

    def text(self, kind):
        return self.path[kind].read_bytes().decode("utf-8")

    def verdicts(self):
        return {case["id"]: case["verdict"] for case in self.json["cases"]}


@pytest.fixture
def report(kit, tmp_path):
    """report(agent, cases=..., options) -> Reports. agent: a script of agents/ and its arguments."""
    def run(agent, *options, cases=None):
        return run_agent(kit, tmp_path, agent, cases or CASES, options)
    return run


def run_agent(kit, folder, agent, cases, options=()):
    shutil.rmtree(folder / "cases", ignore_errors=True)
    for name, case in cases.items():
        path = folder / "cases" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(case), encoding="utf-8")
    script, *words = agent.split()
    wanted = [f"--report={kind}={folder / f'report.{kind}'}" for kind in KINDS]
    done = kit.conformance("run", "--cases", folder / "cases", *wanted, *options, "--", sys.executable,
                           kit.root / "tests/e2e/agents" / script, *words, errors="replace")
    return Reports(folder, done)


@pytest.fixture(scope="module")
def report_of(kit, tmp_path_factory):
    """report_of(agent) -> the reports of the cases above, from one run an agent."""
    return functools.cache(lambda agent: run_agent(kit, tmp_path_factory.mktemp("agent"), agent, CASES))


@pytest.fixture
def odd(report_of):
    return report_of("odd.py")


@pytest.fixture
def tired(report_of):
    return report_of("odd.py tired")


@pytest.fixture
def hostile(report_of):
    return report_of("hostile.py")


def node(kit, script, text, *args):
    """What a script of tests/peers prints about the text."""
    done = subprocess.run(["node", script, *map(str, args)], input=text, capture_output=True, text=True, check=False,
                          timeout=120, cwd=npm.folder(kit), env={**os.environ, "PATH": npm.path(kit)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


AGENTS = ["odd.py", "odd.py tired", "odd.py dies", "odd.py mute", "odd.py login", "hostile.py"]


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.replace(" ", "-"))
def any_report(report_of, request):
    return report_of(request.param)


# ---- junit ----------------------------------------------------------------------------------------------------------

# What CI systems agree on: elements, their attributes (! required) and children.
JUNIT = {
    "testsuites": ("name! tests! failures! errors! skipped! time!", "testsuite"),
    "testsuite": ("name! timestamp! tests! failures! errors! skipped! time!", "testcase"),
    "testcase": ("classname! name! time!", "failure error skipped system-out"),
    "failure": ("message! type!", ""),
    "error": ("message! type!", ""),
    "skipped": ("message!", ""),
    "system-out": ("", ""),
}


def check_junit(element):
    attributes, children = (text.split() for text in JUNIT[element.tag])
    assert {a.rstrip("!") for a in attributes} >= set(element.attrib) >= {a[:-1] for a in attributes if a[-1] == "!"}
    for name in {"tests", "failures", "errors", "skipped"} & set(element.attrib):
        assert int(element.get(name)) >= 0
    if "time" in element.attrib:
        assert re.fullmatch(r"\d+\.\d{3}", element.get("time"))
    if "timestamp" in element.attrib:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.get("timestamp"))
    for child in element:
        assert child.tag in children, child.tag
        check_junit(child)


def test_junit(any_report):
    root = ElementTree.fromstring(any_report.path["junit"].read_bytes())
    check_junit(root)
    counted = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for suite in [*root, root]:
        cases = list(suite.iter("testcase"))
        assert int(suite.get("tests")) == len(cases)
        for tag, attribute in counted.items():
            assert int(suite.get(attribute)) == sum(case.find(tag) is not None for case in cases)
    names = {f"{case.get('classname')}/{case.get('name')}": case for case in root.iter("testcase")}
    tags = {"FAIL": "failure", "ERROR": "error", "SKIP": "skipped", "NOT-EXERCISED": "skipped"}
    assert set(names) == set(any_report.verdicts())
    for case_id, verdict in any_report.verdicts().items():
        assert [child.tag for child in names[case_id]] == ([tags[verdict]] if verdict in tags else
                                                           [] if verdict == "PASS" else ["system-out"])


def test_junit_tells_the_story(tired):
    root = ElementTree.parse(tired.path["junit"]).getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failure = cases["hello"].find("failure")
    assert failure.get("type") == "PROMPT-11" and "again: acp-conformance run" in failure.text
    assert "loadSession" in cases["it"].find("skipped").get("message")
    assert "NOT-EXERCISED" in cases["silent"].find("skipped").text


# ---- json -----------------------------------------------------------------------------------------------------------


def test_json(kit, any_report):
    errors = node(kit, "check-json.mjs", any_report.text("json"), kit.root / "docs/report.schema.json")
    assert errors == []


# ---- TAP ------------------------------------------------------------------------------------------------------------


def test_tap(kit, any_report):
    tap = node(kit, "read-tap.mjs", any_report.text("tap"))
    code = any_report.json["summary"]["exit_code"]
    assert tap["ok"] == (code == 0)
    assert tap["strange"] == [] and tap["faults"] == []
    assert bool(tap["bailout"]) == (code == 3 and any_report.json["summary"]["verdicts"]["ERROR"] == 0)
    assert tap["count"] == len(any_report.json["cases"])
    for point, case in zip(tap["points"], any_report.json["cases"]):
        assert point["name"].startswith(case["id"] + " - ")
        assert point["ok"] == (case["verdict"] not in ("FAIL", "ERROR"))
        assert bool(point.get("skip")) == (case["verdict"] in ("SKIP", "NOT-EXERCISED"))
        assert point["diag"]["verdict"] == case["verdict"]
        bad = [check["id"] for check in case["checks"] if check["verdict"] != "PASS"]
        if case["verdict"] != "SKIP":
            assert [check["id"] for check in point["diag"].get("checks", [])] == bad
        if case["verdict"] != "PASS":
            assert point["diag"]["again"].startswith("acp-conformance run")


def test_tap_escapes_titles(kit, odd):
    points = node(kit, "read-tap.mjs", odd.text("tap"))["points"]
    assert points[1]["name"] == "prompt/hello - The agent says <hello> | `hello` # hello"


PERL = r"""
use TAP::Parser;
my $p = TAP::Parser->new({tap => do { local $/; <STDIN> }});
$p->run;
print join(" ", $p->tests_run, scalar $p->failed, scalar $p->skipped, scalar $p->parse_errors), "\n";
"""


def test_tap_by_perl(any_report):
    """Perl's parser takes version 13 at most; nothing here needs 14 but the escapes."""
    if shutil.which("perl") is None:
        pytest.skip("perl is not installed")
    text = any_report.text("tap").replace("TAP version 14", "TAP version 13", 1)
    done = subprocess.run(["perl", "-e", PERL], input=text, capture_output=True, text=True, check=True, timeout=60)
    counts = any_report.json["summary"]["verdicts"]
    assert done.stdout.split() == [str(n) for n in (len(any_report.json["cases"]), counts["FAIL"] + counts["ERROR"],
                                                    counts["SKIP"] + counts["NOT-EXERCISED"], 0)]


# ---- Markdown -------------------------------------------------------------------------------------------------------


def test_markdown(kit, any_report):
    tokens = node(kit, "read-markdown.mjs", any_report.text("md"))
    kinds = {token["type"] for token in tokens}
    assert not kinds & {"link", "image", "def", "del", "hr"}
    for token in tokens:
        if token["type"] == "html":
            assert re.fullmatch(r"<details><summary>Transcript and stderr</summary>\s*|</details>\s*", token["text"])
    headings = [token["text"] for token in tokens if token["type"] == "heading" and token["depth"] == 3]
    shown = [c for c in any_report.json["cases"] if c["verdict"] not in ("PASS", "SKIP")]
    assert sorted(h.split("`")[1] for h in headings) == sorted(c["id"] for c in shown)
    areas = [row[0] for token in tokens if token["type"] == "table" for row in token["rows"]]
    assert areas[:1] == [any_report.json["cases"][0]["area"]]


def test_markdown_stays_short(kit, report):
    done = report("hostile.py", "-j", "8", cases={f"prompt/case{i:03}": HELLO for i in range(90)})
    text = done.text("md")
    assert len(text.encode()) < 64 * 1024
    tokens = node(kit, "read-markdown.mjs", text)
    assert "html and json reports hold all of it" in tokens[-1]["text"] + text
    assert sum("case" in t["text"] for t in tokens if t["type"] == "codespan") >= 90


# ---- HTML: a browser ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(kit):
    """Chromium behind tests/peers/browser.mjs, started once."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: run scripts/install-packages test")
    with subprocess.Popen(["node", "browser.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=npm.folder(kit),
                          env={**os.environ, "PATH": npm.path(kit), "CHROMIUM": chromium}) as process:
        yield process
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.fixture
def browse(browser):
    """browse(file, steps) -> what came of the steps that asked something; there were no errors and no requests."""
    def run(path, *steps, **page):
        steps = [{"open": str(path), **page}, *steps]
        browser.stdin.write(json.dumps(steps) + "\n")
        browser.stdin.flush()
        seen = json.loads(browser.stdout.readline())
        assert "failed" not in seen, seen["failed"]
        assert seen["console"] == []
        assert [url for url in seen["requests"] if not url.startswith("data:")] == [path.as_uri()]
        return [result for step, result in zip(steps, seen["results"]) if "eval" in step]
    return run


SHOWN = {"eval": "[...document.querySelectorAll('.case')].filter(c => c.offsetParent).map(c => c.id)"}
FOCUS = {"eval": "document.activeElement.parentElement.id || document.activeElement.id"}
OPEN = {"eval": "[...document.querySelectorAll('.case[open]')].map(c => c.id)"}
WIDTHS = {"eval": "[document.documentElement.scrollWidth, innerWidth]"}
ALL = sorted(CASES)


def text_of(selector):
    return {"eval": f"document.querySelector({json.dumps(selector)}).innerText"}


def test_html_says_what_happened(browse, tired):
    done = tired
    verdicts = done.verdicts()
    title, head, shown, badges = browse(
        done.path["html"], {"eval": "document.title"}, text_of(".verdict"), SHOWN,
        {"eval": "[...document.querySelectorAll('.case')].map(c => c.querySelector('.v').innerText)"})
    assert title == "ACP conformance: odd 1 does not conform"
    assert head == "odd 1 does not conform"
    assert shown == ALL and badges == [verdicts[case_id] for case_id in ALL]


def test_html_tells_the_story(browse, tired):
    case, rows, play, again = browse(
        tired.path["html"],
        {"eval": "location.hash = 'prompt/hello'"}, text_of("[id='prompt/hello']"),
        {"eval": "[...document.querySelectorAll(\"[id='prompt/hello'] .seq li\")].map(li => [li.className, li.innerText])"},
        {"eval": "document.querySelector(\"[id='prompt/hello'] pre\").textContent"},
        text_of("[id='prompt/hello'] .again"))[1:]
    assert "Every <conversation> begins with it." in case
    assert "stopReason is one of end_turn" in case and '"tired"' in case
    broke = [text for name, text in rows if "broke" in name.split()]
    assert len(broke) == 1 and "PROMPT-11 broken here PROMPT-12 broken here result of session/prompt" in broke[0]
    assert any(name == "c" and "session/prompt #" in text for name, text in rows)
    assert "shown to fail by" in play and '{"prompt":"hi"' in play
    assert again.startswith("Run it again: acp-conformance run prompt/hello --cases ")


def test_html_filters(browse, tired):
    page = tired.path["html"]
    steps = [
        {"press": "/"}, FOCUS, {"type": "LOADS"}, SHOWN, text_of("#shown"), {"press": "Escape"}, {"eval": "new Promise(setTimeout)"}, SHOWN,
        {"click": ".totals .fail"}, SHOWN, {"click": ".totals .skip"}, SHOWN, {"click": "button[type=reset]"},
        {"choose": ["#area", "area-sessions"]}, SHOWN, {"choose": ["#area", ""]},
        {"choose": ["#level", "MUST"]}, SHOWN, {"click": "button[type=reset]"},
        {"press": "/"}, {"type": "stopreason tired"}, SHOWN, {"press": "Escape"},
        {"press": "/"}, {"type": "no such thing"}, SHOWN, text_of("#nothing"), {"press": "Escape"},
        {"click": "tbody tr:nth-child(2) td a"}, SHOWN,
    ]
    (focus, loads, count, _, everything, fails, fails_and_skips, sessions, must, words, none, nothing,
     prompts) = browse(page, *steps)
    assert focus in ("q", "controls", "filter")
    assert loads == ["load/it"] and count == "1 of 4 cases" and everything == ALL
    assert fails == ["prompt/hello"] and fails_and_skips == ["load/it", "prompt/hello"]
    assert sessions == ["sessions/new"]
    assert must
    assert words == ["prompt/hello"]
    assert none == [] and nothing == "No case is like that."
    assert set(prompts) <= {"prompt/hello", "prompt/silent"} and prompts


def test_html_by_keyboard(browse, odd):
    page = odd.path["html"]
    steps = [
        {"press": "j"}, FOCUS, {"press": "j"}, FOCUS, {"press": "ArrowDown"}, FOCUS, {"press": "ArrowUp"}, FOCUS, {"press": "k"}, FOCUS,
        {"press": "Enter"}, OPEN, {"press": "Enter"}, OPEN, {"press": "Space"}, OPEN,
        {"press": "End"}, FOCUS, {"press": "Home"}, FOCUS,
        {"press": "/"}, {"type": "jk"}, {"eval": "document.getElementById('q').value"}, {"press": "Escape"},
        {"press": "/"}, {"type": "session"}, {"press": "ArrowDown"}, FOCUS,
    ]
    (*moves, opened, closed, again, last, first, typed, found) = browse(page, *steps)
    assert moves == [ALL[0], ALL[1], ALL[2], ALL[1], ALL[0]]
    assert (opened, closed, again) == ([ALL[0]], [], [ALL[0]])
    assert (last, first) == (ALL[-1], ALL[0])
    assert typed == "jk"
    assert found in ALL


def test_html_in_the_order_of_tab(browse, odd):
    """From the top, Tab comes by the verdicts, the filter, the matrix and then the cases; what is focused can be seen."""
    look = {"eval": "(e => [e.tagName, e.id || e.type || '', e.matches(':focus-visible'), e.closest('.case')?.id ?? ''])(document.activeElement)"}
    steps = [step for _ in range(17) for step in ({"press": "Tab"}, look)]
    seen = browse(odd.path["html"], *steps)
    assert all(visible for _, _, visible, _ in seen)
    order = [name for _, name, _, _ in seen]
    assert order.index("checkbox") < order.index("q") < order.index("area") < order.index("fold")
    cases = [case for tag, _, _, case in seen if tag == "SUMMARY" and case]
    assert cases == ALL


def luminance(colour):
    red, green, blue = (int(n) for n in re.findall(r"\d+", colour)[:3])
    return (red * 299 + green * 587 + blue * 114) / 255000


def test_html_in_the_dark(browse, tired):
    page = tired.path["html"]
    colours = {"eval": "(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))"}
    for dark in (False, True):
        back, text = (luminance(c) for c in browse(page, colours, dark=dark)[0])
        assert (back < 0.2 and text > 0.7) if dark else (back > 0.9 and text < 0.3)


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_html_fits(browse, hostile, width):
    """Nothing has to be scrolled sideways, even with everything open and an agent that says endless words."""
    for scroll, inner in browse(hostile.path["html"], WIDTHS, {"click": "#fold"}, OPEN,
                                {"eval": "document.querySelectorAll('details').forEach(d => d.open = true)"}, WIDTHS, width=width)[::3]:
        assert scroll <= inner == width


def test_html_without_scripts(browse, odd):
    """Cases open, links lead, and nothing is offered that would do nothing."""
    page = odd.path["html"]
    shown, controls, opened = browse(page, SHOWN, {"eval": "document.querySelector('.controls').offsetParent"},
                                     {"click": "[id='prompt/hello'] > summary"}, OPEN, script=False)
    assert shown == ALL and controls is None and opened == ["prompt/hello"]


def test_html_opens_what_failed(browse, odd, tired):
    assert browse(tired.path["html"], OPEN) == [["prompt/hello"]]
    assert browse(odd.path["html"], OPEN) == [[]]


def test_html_lets_nothing_out(browse, hostile):
    owned, scripts, title, texts, images = browse(
        hostile.path["html"], {"eval": "window.owned ?? null"}, {"eval": "document.scripts.length"}, {"eval": "document.title"},
        {"eval": "[...document.querySelectorAll('.seq code, dd, pre')].map(e => e.textContent).join('\\n')"},
        {"eval": "document.images.length"})
    assert owned is None and scripts == 1 and images == 0
    assert title.startswith("ACP conformance: </title></pre>")
    assert "<script>window.owned = 1</script>" in texts and "{{style}}" in texts
    assert "\u241b[31m" in hostile.text("html")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]", hostile.text("html"))


def test_html_is_a_document(hostile):
    """Python's parser is no validator, but tells whether what was opened is closed."""
    import html.parser  # noqa: only here
    void = {"meta", "link", "br", "input"}
    loose = {"li", "p", "dt", "dd", "tr", "td", "th", "option"}

    class Nesting(html.parser.HTMLParser):
        stack = []

        def handle_starttag(self, tag, attrs):
            if tag not in void | loose:
                self.stack.append(tag)

        def handle_endtag(self, tag):
            if tag not in loose:
                assert self.stack.pop() == tag, self.getpos()

    nesting = Nesting()
    nesting.feed(hostile.text("html"))
    nesting.close()
    assert nesting.stack == []


def test_html_stays_small(kit, tmp_path):
    """Of a case that passed there are about 4 KB."""
    page = tmp_path / "page.html"
    done = kit.conformance("run", "initialize", "prompt", "jsonrpc", "--report", f"html={page}", "--timeout-scale", "4", timeout=300)
    assert done.returncode == 0, done.stdout
    cases = page.read_text(encoding="utf-8").count('<details class="case ')
    assert cases > 40 and page.stat().st_size < 100_000 + 6_000 * cases


# ---- all of them ----------------------------------------------------------------------------------------------------


def test_reports_replace_what_was_there(report, tmp_path):
    for kind in KINDS:
        (tmp_path / f"report.{kind}").write_text("old")
    assert "old" not in [report("odd.py").text(kind) for kind in KINDS]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cases", *sorted(f"report.{kind}" for kind in KINDS)]


def test_what_cannot_be_written_is_said(kit, tmp_path):
    done = kit.conformance("run", "initialize/version", "--dry-run")
    assert done.returncode in (0, 2)
    done = kit.conformance("run", "--report", "html=/nowhere/r.html", "--", "true")
    assert done.returncode == 3 and "cannot write the report /nowhere/r.html" in done.stderr
