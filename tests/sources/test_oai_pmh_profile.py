"""What was learned of a repository is shown, and what its entry says stands instead."""

from __future__ import annotations

import pytest

from gateway.errors import ConfigurationError
from gateway.model import Cursor
from harvester.oai_pmh.profile import profile
from harvester.sources.oai_pmh import SOURCE
from harvester.wire.dates import DAY, SECONDS
from harvester.wire.list_state import ListState, state_of, text_of
from tests.sources.repository import Repository, options, refused, walked


def _cursors(*states):
    return [Cursor("x", "oai_dc", str(number), text_of(state)) for number, state in enumerate(states)]


def test_of_a_repository_that_was_never_harvested_the_standard_is_assumed():
    plain = {"tokens": "encoded", "prefix_beside_token": False, "ignores_dates": False, "granularity": "as announced"}
    assert profile({}, ()) == plain


def test_what_any_list_has_learned_is_in_the_profile():
    cursors = _cursors(ListState(is_verbatim=True, granularity=DAY), ListState(wants_prefix=True, ignores_dates=True))
    learned = {"tokens": "verbatim", "prefix_beside_token": True, "ignores_dates": True, "granularity": DAY}
    assert profile({}, cursors) == learned


def test_what_the_entry_says_stands_instead_of_what_was_learned():
    found = profile(
        {"tokens": "encoded", "granularity": SECONDS}, _cursors(ListState(is_verbatim=True, granularity=DAY))
    )
    assert (found["tokens"], found["granularity"]) == ("encoded", SECONDS)


@pytest.mark.parametrize("own", [{"tokens": "raw"}, {"granularity": "day"}])
def test_what_nobody_can_mean_is_refused_with_what_there_is(own):
    with pytest.raises(ConfigurationError, match="is none of"):
        profile(own, ())
    with pytest.raises(ConfigurationError, match="is none of"):
        walked(Repository().fill(2), own=own)


def test_dates_are_asked_for_at_the_granularity_of_the_entry():
    repository = Repository().fill(2)
    steps = walked(repository, from_="2023-01-01T00:00:00Z", own={"granularity": DAY})
    assert repository.listed()[0] == {"from": "2023-01-01"}
    assert steps[-1].is_complete


@pytest.mark.parametrize("way", ["encoded", "verbatim"])
def test_tokens_are_sent_at_once_as_the_entry_says(way):
    repository, urls = Repository().fill(7), []

    def fetch(request):
        urls.append(request.url)
        return repository(request)

    list(SOURCE.changes(options(own={"tokens": way}), Cursor("x", "oai_dc"), fetch))
    list(SOURCE.listed(options(own={"tokens": way}), Cursor("x", "oai_dc"), fetch))
    tokens = [each.partition("resumptionToken=")[2] for each in urls if "resumptionToken" in each]
    assert tokens == (["%2F%2F3", "%2F%2F6"] if way == "encoded" else ["//3", "//6"]) * 2


def test_a_granularity_that_the_source_refuses_is_given_up_for_the_other():
    def fault(_, arguments):
        return refused("badArgument") if "T" in arguments.get("from", "") else None

    repository = Repository(faults=[fault]).fill(2)
    steps = walked(repository, from_="2023-01-01T00:00:00Z", own={"granularity": SECONDS})
    assert steps[-1].is_complete
    assert state_of(steps[-1].cursor.state)[0].granularity == DAY
