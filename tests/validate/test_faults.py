"""One fault for every check: a provider that is wrong in this one thing fails this one check, and no other."""

import re
from urllib.parse import parse_qsl, quote

import pytest

from harvester.validate.errors import ILLEGAL
from harvester.validate.repository import RULES
from harvester.validate.run import CHECKS, Verdict
from tests.conftest import ROOT
from tests.validate.faults import ASKED, EXAMPLE, LEGAL, SEEN
from tests.validate.parts import in_parts
from tests.validate.strikes import Fault, instead


def _answered(illegal):
    """Return the fault of answering an illegal request as if it were a legal one of the same verb."""
    query = illegal.query.replace("{identifier}", quote(EXAMPLE, safe=""))
    pairs = parse_qsl(query, keep_blank_values=True)
    verb = dict(pairs).get("verb")
    return Fault(
        f"errors.{illegal.name}",
        answers=instead(
            LEGAL.get(verb, [("verb", "Identify")]), lambda asked: (asked.method, asked.pairs) == ("GET", pairs)
        ),
    )


ALL_FAULTS = (*ASKED, *SEEN, *map(_answered, ILLEGAL))
VERDICTS = {check.name: check.fault for check in CHECKS}


@in_parts("faults", ALL_FAULTS, 10, pytest.mark.slow)
def test_a_fault_is_found_by_its_check_and_by_no_other(faults, check):
    wrong = []
    for fault in faults:
        report = check(fault.provider())
        found = [one for one in report.results if one.verdict in (Verdict.FAIL, Verdict.WARNING)]
        wrong += [(fault.check, list(report.lines()))] * ([one.check for one in found] != [fault.check])
        assert {one.check: one.verdict for one in found}.items() <= VERDICTS.items()
        assert all(part.asked and part.came and part.finding for one in found for part in one.evidence)
    assert wrong == []


def test_every_check_has_a_fault_and_a_name_of_its_own():
    assert {check.name for check in CHECKS} - {fault.check for fault in ALL_FAULTS} == set()
    assert len(VERDICTS) == len(CHECKS)
    assert set(RULES) == set(VERDICTS) - {f"errors.{illegal.name}" for illegal in ILLEGAL}


def test_every_check_that_the_documentation_names_exists():
    text = (ROOT / "harvester" / "validate" / "README.md").read_text(encoding="utf-8")
    groups = {name.partition(".")[0] for name in VERDICTS}
    words = re.findall(r"`([a-z-]+)\.([a-z0-9-]+)`", text)
    named = {f"{group}.{name}" for group, name in words if group in groups and name != "py"}
    assert len(named) > 40
    assert named - VERDICTS.keys() == set()
