"""Every quirk of real endpoints, alone: all records are stored, or the run says that they are not.

Each test is named after the symptom; the function of that name in tests/faults/quirks shows it, and says whose it is
and when that was seen or read. Pairs of them are in tests/faults/test_faults.py.
"""

from __future__ import annotations

import pytest

from harvester.harvest.instance import Instance
from tests.faults.harvest import MakeSite, broken_promises, changed, faults_of, harvested, opened
from tests.faults.table import Quirk, all_quirks

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

QUIRKS = all_quirks()


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda quirk: quirk.name)
def test_quirk_keeps_its_promise(house: Instance, site: MakeSite, quirk: Quirk) -> None:
    served, name = opened(site, [quirk])
    harvest = harvested(house, served, name, [quirk])
    faults = faults_of(harvest, served, [quirk])
    if quirk.is_again:
        changed(served)
        assert faults == []
        assert harvest.says_whole
        harvest = harvested(house, served, name, [quirk])
        faults = faults_of(harvest, served, [quirk])
    faults += broken_promises(harvest, served, quirk)
    assert faults == [], harvest.run.reasons
    assert quirk.distort in served.bitten or quirk.is_prepared
