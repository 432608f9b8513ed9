"""Quirks of real endpoints in pairs: all records are stored, or the run says that they are not.

Each of them alone is in tests/wild/test_quirks.py.
"""

import os
import random
from itertools import combinations

import pytest

from harvester.harvest.instance import Instance
from tests.faults.conftest import _house
from tests.faults.harvest import MakeSite, faults_of, harvested, opened
from tests.faults.table import Quirk, all_quirks
from tests.rows import each_row
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it asks servers, hundreds of times


QUIRKS = all_quirks()

# FAULTS_PAIRS: how many pairs of quirks are tried, or `all` (more than an hour).
_PAIRS = os.environ.get("FAULTS_PAIRS", "20")
_PORTION = 60  # pairs that fit into one instance

# What the token brought from beside the set was once taken for what had been announced of the set.
# Windows that a source refuses whatever their dates are were divided down to days.
# ListIdentifiers that refuses a date was taken for none at all, and the end for one.
# ListIdentifiers that was cut after its first page was taken for one that names all.
# What stood behind the mark of UTF-8 and was none lost its accents.
_REMARKABLE_PAIRS = (
    ("token_is_white_space_in_the_middle", "from_before_the_start_of_the_server_is_refused"),
    ("byte_order_mark_twice", "latin_1_declared_as_utf_8"),
    ("token_forgets_the_set", "tokens_expire_after_the_third_page"),
    ("from_and_until_are_refused", "windows_match_nothing_in_passing"),
    ("list_ends_after_the_first_page", "list_leaves_out_what_is_named_and_its_size_fits"),
)


def _pairs() -> list[tuple[Quirk, Quirk]]:
    """Return the pairs to try, the outer quirk first."""
    every = [pair for pair in combinations(QUIRKS.values(), 2) if _can_be_noticed(*pair)]
    dice = random.Random(SEED)
    chosen = every if _PAIRS == "all" else dice.sample(every, int(_PAIRS))
    return [pair if dice.random() < 1 / 2 else pair[::-1] for pair in chosen]


def _can_be_noticed(first: Quirk, second: Quirk) -> bool:
    """Tell whether neither takes away what alone shows that the other is at work."""
    if first.entry.keys() & second.entry.keys():
        return False  # a source has one entry
    return not (first.hides & second.needs or second.hides & first.needs)


@each_row("outer, inner", _REMARKABLE_PAIRS)
def test_pair_that_once_lost_records_loses_nothing_without_a_word(
    house: Instance, site: MakeSite, outer: str, inner: str
) -> None:
    assert _faults(house, site, (QUIRKS[outer], QUIRKS[inner])) == []


def test_pairs_of_quirks_lose_nothing_without_a_word(site: MakeSite) -> None:
    """A random sample, named by its seed; with FAULTS_PAIRS=all every pair."""
    failed, pairs = {}, _pairs()
    for start in range(0, len(pairs), _PORTION):
        with _house() as house:
            for pair in pairs[start : start + _PORTION]:
                if faults := _faults(house, site, pair):
                    failed[" + ".join(quirk.name for quirk in pair)] = faults
    assert failed == {}


def _faults(house: Instance, site: MakeSite, pair: tuple[Quirk, Quirk]) -> list[str]:
    served, name = opened(site, pair)
    return faults_of(harvested(house, served, name, pair), served, pair)
