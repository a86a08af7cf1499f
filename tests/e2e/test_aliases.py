"""Each check of other suites, each reported kind of fault and each open question has a case, or says why not."""
import json

import pytest

import aliases


@pytest.fixture(scope="module")
def tags(kit):
    done = kit.conformance("list", "--json")
    assert done.returncode == 0, done.stderr
    return {tag for case in json.loads(done.stdout)["cases"] for tag in case["tags"]}


def test_everything_has_a_case_or_a_reason(tags):
    assert [a for a in aliases.ALL if a not in tags and a not in aliases.WITHOUT_CASE] == []


def test_no_reason_is_out_of_date(tags):
    assert [a for a in aliases.WITHOUT_CASE if a in tags] == []
    assert [a for a in aliases.WITHOUT_CASE if a not in aliases.ALL] == []


def test_tags_are_spelt_right(tags):
    heads = ("tck:", "raw:", "defect:", "fault:", "ambiguity:", "BUG-")
    assert sorted(t for t in tags if t.startswith(heads) and t not in aliases.ALL) == []


def test_each_report_is_counted_once():
    elsewhere = [bug for bugs in aliases.BUG_ELSEWHERE.values() for bug in bugs]
    every = aliases.BUG + elsewhere
    assert len(set(every)) == len(every) == aliases.REPORTS_ABOUT_AGENTS
