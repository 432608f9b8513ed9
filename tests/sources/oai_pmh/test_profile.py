"""What was learned of a repository is shown, and what its entry says stands instead."""

from dataclasses import replace
from itertools import chain, repeat

import pytest

from gateway.core.errors import ConfigurationError, RemoteError
from gateway.core.model import Cursor
from harvester.http.dates import DAY, SECONDS
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.list_state import made_of, text_of
from harvester.sources.oai_pmh.profile import learned, profile
from tests.rows import each_row
from tests.sources.oai_pmh.repository import NOW, Repository, notes, options, refused, walked


def _cursors(*states):
    return [Cursor("x", "oai_dc", str(number), text_of(state)) for number, state in enumerate(states)]


def test_what_any_list_has_learned_is_in_the_profile():
    cursors = _cursors(
        made_of(is_verbatim=True, granularity=DAY, best_page_ms=900),
        made_of(wants_prefix=True, ignores_dates=True, best_page_ms=1200),
        made_of(is_first_generation=True, is_verb_first=True),
    )
    assert profile({}, cursors) == {
        "tokens": "verbatim",
        "prefix": "beside tokens",
        "arguments": "verb first",
        "compression": "as offered",
        "dates": "ignored",
        "granularity": DAY,
        "without": [],
        "protocol": "1.x",
        "best_page_seconds": 0.9,
    }


def test_a_list_that_has_not_begun_takes_what_the_others_have_learned():
    known = learned(_cursors(made_of(is_verbatim=True, complete=NOW, left="/2020-01-01", token="t")))
    repository, urls = Repository().fill(7), []

    def fetch(request):
        urls.append(request.url)
        return repository(request)

    steps = list(SOURCE.changes(options(known=known), Cursor("x", "oai_dc"), fetch))
    assert [url.partition("resumptionToken=")[2] for url in urls if "ListRecords" in url] == ["", "//3", "//6"]
    assert "from" not in repository.asked[0]
    assert steps[-1].is_complete


def test_the_time_of_the_fastest_page_is_learned_and_pages_that_become_much_slower_are_told_once():
    """DSpace#12980: from 89 ms at the first page to 12,988 ms at record 151,200."""
    times = chain([0.0, 0.3, 0.089, 12.988, 20.0], repeat(0.0))
    repository = Repository().fill(13)
    steps = list(
        SOURCE.changes(
            options(), Cursor("x", "oai_dc"), lambda request: replace(repository(request), seconds=next(times))
        )
    )
    (note,) = notes(steps).splitlines()
    assert note.startswith("A page took 13.0 seconds where the fastest took 0.1; ")
    assert profile({}, [steps[-1].cursor])["best_page_seconds"] == 0.089


def _own_arguments(is_wanted):
    """Return a repository whose address has an argument, and which wants the others before or behind that."""

    def fault(_, arguments):
        return None if (next(iter(arguments)) == "verb") is is_wanted else "<html/>"

    return Repository(faults=[fault]).fill(2)


def test_the_verb_goes_before_the_arguments_of_the_address_where_nothing_else_is_answered():
    """cshc.ubc.ca (HTTP::OAI)."""
    source_options, repository = options(url="http://x.org/csw?mode=oaipmh"), _own_arguments(is_wanted=True)
    description = SOURCE.describe(source_options, repository)
    assert [next(iter(request)) for request in repository.asked] == ["mode"] * 4 + ["verb"] * 2
    steps = list(SOURCE.changes(source_options.after(description), Cursor("x", "oai_dc"), repository))
    assert steps[-1].is_complete
    assert profile({}, [steps[-1].cursor])["arguments"] == "verb first"
    before = len(repository.asked)
    SOURCE.describe(replace(source_options, known=learned([steps[-1].cursor])), repository)
    assert {next(iter(request)) for request in repository.asked[before:]} == {"verb"}


def _without_dates(_, arguments):
    return refused("badArgument") if arguments.keys() & {"from", "until"} else None


def test_a_source_that_refuses_every_date_is_harvested_whole_each_time():
    """zvdd.org (metha -no-intervals)."""
    repository = Repository(faults=[_without_dates]).fill(2)
    first = walked(repository)
    second = walked(repository, first[-1].cursor.state)
    assert [len(step.slices) for step in second] == [0, 0, 2]
    assert second[-1].is_complete
    assert "badArgument: no The whole list is asked for, without dates." in notes(second)
    third = walked(repository, second[-1].cursor.state)
    assert [len(step.slices) for step in third] == [2]
    assert profile({}, [third[-1].cursor])["dates"] == "refused"
    assert len(walked(repository, first[-1].cursor.state, own={"dates": "refused"})) == 1


@each_row("wish", [{"from_": "2023-01-01"}, {"until": "2025-01-01"}, {"window": ("2023-01-01", "")}])
def test_dates_that_an_administrator_wants_are_not_given_up(wish):
    with pytest.raises(RemoteError):
        walked(Repository(faults=[_without_dates]).fill(2), **wish)


def test_what_the_entry_says_stands_instead_of_what_was_learned():
    values = profile(
        {"tokens": "encoded", "granularity": SECONDS}, _cursors(made_of(is_verbatim=True, granularity=DAY))
    )
    assert (values["tokens"], values["granularity"]) == ("encoded", SECONDS)


@each_row("own", [{"tokens": "raw"}, {"granularity": "day"}, {"dates": ""}, {"prefix": "besides"}])
def test_what_nobody_can_mean_is_refused_with_what_there_is(own):
    with pytest.raises(ConfigurationError, match="is none of"):
        profile(own, ())
    with pytest.raises(ConfigurationError, match="is none of"):
        walked(Repository().fill(2), own=own)


@each_row("way", ["encoded", "verbatim"])
def test_tokens_are_sent_at_once_as_the_entry_says(way):
    repository, urls = Repository().fill(7), []

    def fetch(request):
        urls.append(request.url)
        return repository(request)

    list(SOURCE.changes(options(own={"tokens": way}), Cursor("x", "oai_dc"), fetch))
    list(SOURCE.listed(options(own={"tokens": way}), Cursor("x", "oai_dc"), fetch))
    tokens = [url.partition("resumptionToken=")[2] for url in urls if "resumptionToken" in url]
    assert tokens == (["%2F%2F3", "%2F%2F6"] if way == "encoded" else ["//3", "//6"]) * 3
