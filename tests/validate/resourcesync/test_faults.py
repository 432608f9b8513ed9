"""One fault for every rule: a source that is wrong in this one thing breaks this one rule, and no other."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from harvester.validate.report import Verdict
from harvester.validate.resourcesync.run import RULES, lint
from tests.validate.resourcesync.faults import FAULTS
from tests.validate.resourcesync.further_faults import FURTHER
from tests.validate.resourcesync.site import (
    BASE,
    CAPABILITIES,
    CHANGES,
    CLOSED_LIST,
    DUMP,
    NOW,
    OPEN_LIST,
    PACKAGE,
    PAGE,
    PART1,
    RESOURCES,
    WELL_KNOWN,
    Site,
)

VERDICTS = {rule.name: rule.fault for rule in RULES}


def _lint(site, path=PAGE, **given):
    return lint(BASE + path, site.fetch, now=lambda: NOW, **given)


def _findings(linted):
    results = linted.report.results
    return {result.check: result for result in results if result.verdict in (Verdict.FAIL, Verdict.WARNING)}


@pytest.mark.parametrize("path", [PAGE, WELL_KNOWN, CAPABILITIES, RESOURCES, PART1, CHANGES, CLOSED_LIST, DUMP])
def test_a_right_source_has_no_finding(path):
    linted = _lint(Site().fill(), path)
    assert _findings(linted) == {}, list(linted.lines())
    assert linted.report.exit_code == 0
    assert (linted.version, linted.limit, linted.documents) == ("1.1", "", 14)


def test_a_right_source_applies_every_rule(tmp_path):
    _lint(Site().fill(), again=tmp_path)
    linted = _lint(Site().fill(), again=tmp_path)
    assert _findings(linted) == {}
    skipped = {result.check for result in linted.report.results if result.verdict is Verdict.SKIPPED}
    assert skipped == {"change.lastmod-order", "entry.changefreq", "entry.priority", "encoding.form", "link.priority"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: " ".join(filter(None, (fault.rule, fault.words))))
def test_a_fault_is_found_by_its_rule_and_by_no_other(fault, tmp_path):
    site = Site().fill()
    fault.spoil(site)
    again = tmp_path if fault.later else None
    linted = _lint(site, fault.start, again=again)
    if fault.later:
        assert _findings(linted) == {}
        fault.later(site)
        linted = _lint(site, fault.start, again=again)
    by_rule = _findings(linted)
    assert list(by_rule) == [fault.rule], [line for line in linted.lines() if not line.startswith(("ok", "skip"))]
    assert by_rule[fault.rule].verdict is VERDICTS[fault.rule]
    assert all(evidence.asked and evidence.came and evidence.finding for evidence in by_rule[fault.rule].evidence)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if not fault.later and fault.rule not in ("answer.size", "document.entries")],
    ids=lambda fault: " ".join(filter(None, (fault.rule, fault.words))),
)
def test_a_fault_is_found_from_every_document(fault):
    for path in (WELL_KNOWN, CAPABILITIES, RESOURCES, OPEN_LIST, DUMP, PACKAGE):
        site = Site().fill()
        fault.spoil(site)
        assert list(_findings(_lint(site, path))) == [fault.rule], path


def test_an_index_that_is_a_urlset_is_found_from_its_parts():
    fault = next(fault for fault in FAULTS if fault.words == "an index that is a urlset")
    site = Site().fill()
    fault.spoil(site)
    assert list(_findings(_lint(site, PART1))) == [fault.rule]


@pytest.mark.parametrize("number", range(len(FURTHER)))
def test_faults_that_were_written_after_the_rules_are_found(number):
    rules, spoil = FURTHER[number]
    site = Site().fill()
    spoil(site)
    assert set(_findings(_lint(site))) == rules


def test_every_rule_has_a_fault_and_a_name_of_its_own():
    assert VERDICTS.keys() == {fault.rule for fault in FAULTS}
    assert len(VERDICTS) == len(RULES) >= 60
    counts = Counter((fault.rule, fault.words) for fault in FAULTS)
    assert [words for words, count in counts.items() if count > 1] == []


def test_every_rule_names_its_source():
    known = re.compile(
        r"Z39\.99(?:-2014)? (?:§[\d.]+|Appendix A)(?:, (?:RFC \d{4} )?§[\d.]+)*"
        r"|RFC \d{4} §[\d.]+|(?:schema of )?Sitemaps 0\.9|Archives §2|practice of the field"
    )
    assert [rule.section for rule in RULES if not known.fullmatch(rule.section)] == []
    assert [rule.expects for rule in RULES if not rule.expects.endswith(".")] == []
