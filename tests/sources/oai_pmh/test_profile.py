"""A source is described; what was learned of it is shown, and what its entry says stands instead."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, repeat

import pytest

from gateway.core.errors import ConfigurationError, ConnectionFailed, NotOaiPmh, RemoteError, RemoteRefuses
from gateway.core.model import Cursor, Format, SetDescription
from harvester.http.dates import DAY, SECONDS
from harvester.http.messages import Fetched, Request
from harvester.sources import Description, Options
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.list_state import made_of, text_of
from harvester.sources.oai_pmh.profile import learned, profile
from tests.oai_pages import OAI, error
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


OPTIONS = Options("x", "http://x.org/oai?verb=Identify")

IDENTIFY = (
    "<Identify><repositoryName>X</repositoryName><baseURL>http://localhost/oai</baseURL>"
    "<protocolVersion>2.0</protocolVersion><earliestDatestamp>1999-01-01</earliestDatestamp>"
    "<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
)
FORMAT = "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat>"
FORMATS = f"<ListMetadataFormats>{FORMAT}</ListMetadataFormats>"


def _answer(content: str) -> str:
    return f'<OAI-PMH xmlns="{OAI}"><responseDate>2024-01-01T00:00:00Z</responseDate><request/>{content}</OAI-PMH>'


def _sets(*specs: str, token: str = "") -> str:
    listed = "".join(f"<set><setSpec>{spec}</setSpec><setName>{spec.upper()}</setName></set>" for spec in specs)
    return _answer(f"<ListSets>{listed}<resumptionToken>{token}</resumptionToken></ListSets>")


def _described(sets: Callable[[Request], str], identify: str = IDENTIFY, formats: str = FORMATS) -> Description:
    def fetch(request: Request) -> Fetched:
        if "verb=Identify" in request.url:
            body = _answer(identify)
        elif "verb=ListMetadataFormats" in request.url:
            body = _answer(formats)
        else:
            body = sets(request)
        return Fetched(request.url, 200, (), body.encode(), 5)

    return SOURCE.describe(OPTIONS, fetch).with_sets(SOURCE, OPTIONS, fetch)


def test_source_is_described_and_its_answers_are_kept():
    description = _described(lambda request: _sets("b") if "=t" in request.url else _sets("a", "b", token="t"))
    assert (description.repository_name, description.base_url, description.granularity) == (
        "X",
        "http://localhost/oai",
        SECONDS,
    )
    assert (description.earliest_datestamp, description.deleted_record) == ("1999-01-01", "no")
    assert description.formats == (Format("oai_dc", "", ""),)
    assert description.sets == (SetDescription("a", "A"), SetDescription("b", "B"))
    assert description.notes == ()
    assert [(page.verb, page.url) for page in description.pages] == [
        ("Identify", "http://x.org/oai?verb=Identify"),
        ("ListMetadataFormats", "http://x.org/oai?verb=ListMetadataFormats"),
        ("ListSets", "http://x.org/oai?verb=ListSets"),
        ("ListSets", "http://x.org/oai?verb=ListSets&resumptionToken=t"),
    ]


def test_source_without_sets_has_none():
    description = _described(lambda _: error("noSetHierarchy"))
    assert (description.sets, description.notes) == ((), ())


def test_trouble_with_formats_and_sets_hinders_no_harvest():
    description = _described(lambda _: "<html/>", formats="<error code='badVerb'>?</error>")
    assert (description.formats, description.sets) == ((), ())
    assert [note.partition(":")[0] for note in description.notes] == ["ListMetadataFormats", "ListSets"]


@each_row("token", ["t", ""])
def test_list_of_sets_without_end_is_ended_and_reported(token: str):
    def sets(request: Request) -> str:
        return (
            _sets("a", token="t")
            if token
            else _answer(f"<ListSets><resumptionToken>{request.url[-9:]}</resumptionToken></ListSets>")
        )

    description = _described(sets)
    assert description.notes == ("ListSets: the list of sets does not end properly; some sets may be missing.",)
    assert {set_.spec for set_ in description.sets} == ({"a"} if token else set())


def test_odd_identify_is_read_and_reported():
    description = _described(
        lambda _: _sets("a"), identify="<Identify><repositoryName>&eacute;</repositoryName></Identify>"
    )
    assert (description.repository_name, description.granularity) == ("é", DAY)
    assert "Entities of HTML" in description.notes[0]
    assert description.notes[1] == "The source says it speaks version '' of the protocol, not 2.0."


@each_row("status, kind", [(200, NotOaiPmh), (404, RemoteRefuses), (500, ConnectionFailed)])
def test_source_that_cannot_identify_itself_is_an_error(status: int, kind: type[Exception]):
    with pytest.raises(kind):
        SOURCE.describe(OPTIONS, lambda request: Fetched(request.url, status, (), b"<html/>", 5))
