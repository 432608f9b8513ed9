"""Quirks of real endpoints in pairs: all records are stored, or the run says that they are not.

Each of them alone is in tests/wild/test_quirks.py.
"""

from __future__ import annotations

import os
import random
from itertools import combinations

import pytest

from harvester.harvest.instance import Instance
from harvester.harvest.run_options import RunOptions
from harvester.sources.oai_pmh.transitions import TRANSITIONS
from tests.faults.conftest import _house
from tests.faults.harvest import MakeSite, Transition, changed, faults_of, harvested, opened
from tests.faults.table import Quirk, all_quirks
from tests.rows import each_row
from tests.seeds import seed_of

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it asks servers, hundreds of times


QUIRKS = all_quirks()

# FAULTS_PAIRS: how many pairs of quirks are tried, or `all` (more than an hour); FAULTS_SEED: which; else others
# for each state of the program.
_PAIRS = os.environ.get("FAULTS_PAIRS", "30")
_PORTION = 60  # pairs that fit into one instance
_SEED = seed_of("FAULTS_SEED")

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


@each_row("quirk", [quirk for quirk in QUIRKS.values() if quirk.trap])
def test_trap_shuts_behind_who_asks_wrongly(site: MakeSite, quirk: Quirk) -> None:
    _, served = site()
    served.distort([quirk.distort])
    assert quirk.trap is not None
    for _ in range(2):
        served.answer(quirk.trap)
    assert quirk.distort in served.bitten


def test_source_without_a_quirk_is_harvested_twice_and_whole(house: Instance, site: MakeSite) -> None:
    served, name = opened(site, [])
    for _ in range(2):
        harvest = harvested(house, served, name, [])
        assert faults_of(harvest, served, []) == []
        assert harvest.says_whole
        changed(served)


def test_full_harvest_begins_with_what_was_learned(house: Instance, site: MakeSite) -> None:
    quirk = QUIRKS["token_must_be_sent_as_it_is_written"]
    served, name = opened(site, [quirk])
    page_counts = [
        harvested(house, served, name, [quirk], RunOptions(is_full=True)).run.counts["pages"] for _ in range(2)
    ]
    assert page_counts == [8, 6]  # of which two were refusals


def _pairs() -> list[tuple[Quirk, Quirk]]:
    """Return the pairs to try, the outer quirk first."""
    every = [pair for pair in combinations(QUIRKS.values(), 2) if _can_be_noticed(*pair)]
    dice = random.Random(_SEED)
    chosen = every if _PAIRS == "all" else dice.sample(every, int(_PAIRS))
    return [pair if dice.random() < 1 / 2 else pair[::-1] for pair in chosen]


def _can_be_noticed(first: Quirk, second: Quirk) -> bool:
    """Tell whether neither takes away what alone shows that the other is at work."""
    if first.entry.keys() & second.entry.keys():
        return False  # a source has one entry
    return not (first.hides & second.needs or second.hides & first.needs)


# Sources whose harvests take every transition of transitions.py; `faults_of` finds those that are not listed there.
_TRAVELLED = (
    ("byte_order_mark_twice",),
    ("every_list_is_answered_with_204",),
    ("document_is_always_cut_at_one_record",),
    ("document_is_always_cut_at_one_record", "from_and_until_are_ignored"),
    ("from_and_until_are_ignored", "deep_pages_time_out"),
    ("list_ends_after_the_first_page",),
    ("first_page_is_empty_in_passing",),
    ("list_leaves_out_what_is_named_and_get_record_does_not_know",),
    ("html_with_200_for_one_page",),
    ("list_records_is_always_answered_with_500",),
)


def test_every_transition_that_is_listed_is_taken_and_no_other(house: Instance, site: MakeSite) -> None:
    taken: set[Transition] = set()
    for names in _TRAVELLED:
        quirks = tuple(QUIRKS[name] for name in names)
        served, name = opened(site, quirks)
        taken |= harvested(house, served, name, quirks).transitions
    assert taken == {(before, after) for before, others in TRANSITIONS.items() for after in others}


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
    assert failed == {}, f"FAULTS_SEED={_SEED}"


def _faults(house: Instance, site: MakeSite, pair: tuple[Quirk, Quirk]) -> list[str]:
    served, name = opened(site, pair)
    return faults_of(harvested(house, served, name, pair), served, pair)
