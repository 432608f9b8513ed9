"""Every quirk of real endpoints, alone: all records are stored, or the run says that they are not.

The functions in tests/faults/quirks show the quirks, and say whose they are and when they were seen or read. Pairs of
them are in tests/faults/test_faults.py.
"""

from collections.abc import Iterable

import pytest

from harvester.harvest.instance import Instance
from tests.faults.harvest import MakeSite, broken_promises, changed, faults_of, harvested, opened
from tests.faults.table import Quirk, all_quirks

FAMILIES: dict[str, list[Quirk]] = {}
for _quirk in all_quirks().values():
    FAMILIES.setdefault(_quirk.distort.__module__.rpartition(".")[2], []).append(_quirk)


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.parametrize("family", FAMILIES)
def test_every_quirk_keeps_its_promise(house: Instance, site: MakeSite, family: str) -> None:
    _assert_kept(house, site, FAMILIES[family])


def test_one_quirk_of_each_family_keeps_its_promise(house: Instance, site: MakeSite) -> None:
    _assert_kept(house, site, [quirks[-1] for quirks in FAMILIES.values()])


def _assert_kept(house: Instance, site: MakeSite, quirks: Iterable[Quirk]) -> None:
    wrong = {quirk.name: faults for quirk in quirks if (faults := _faults(house, site, quirk))}
    assert wrong == {}


def _faults(house: Instance, site: MakeSite, quirk: Quirk) -> list[str]:
    served, name = opened(site, [quirk])
    harvest = harvested(house, served, name, [quirk])
    faults = faults_of(harvest, served, [quirk])
    if quirk.is_again:
        changed(served)
        if faults or not harvest.says_whole:
            return ["the first harvest is not whole", *faults]
        harvest = harvested(house, served, name, [quirk])
        faults = faults_of(harvest, served, [quirk])
    faults += broken_promises(harvest, served, quirk)
    if quirk.distort not in served.bitten and not quirk.is_prepared:
        faults.append("it was never at work")
    return [*faults, *harvest.run.reasons] if faults else []
