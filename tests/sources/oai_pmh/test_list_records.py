"""Lists of OAI-PMH sources, walked through a canned `fetch`: what is asked, what is kept, when a list is whole."""

from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from gateway.core.errors import ConfigurationError, ConnectionFailed, NotOaiPmh, NotXml, RemoteError, RemoteRefuses
from gateway.core.model import Cursor
from gateway.core.xmltext import parse_utc_datetime
from harvester.http.dates import DAY, SECONDS
from harvester.http.messages import Fetched, Request
from harvester.sources import ListEnd, Options, Step
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.list_state import Dates, state_of, text_of
from tests.oai_pages import error, identifiers, page, record
from tests.rows import each_row
from tests.sources.oai_pmh.repository import notes

NOW = parse_utc_datetime("2024-02-03T04:10:00Z")[0]
OPTIONS = Options("x", "http://x.org/oai", 0, granularity=SECONDS)

Answer = str | bytes | tuple[int, str]


IDENTIFY = page("<earliestDatestamp>2024-01-01</earliestDatestamp>", verb="Identify")


@dataclass
class Canned:
    """A `fetch` that gives one answer after the other, the last for ever, and remembers what it was asked.

    These are lists of records; other verbs have their own answers, and are remembered beside.
    """

    answers: list[Answer]
    others: dict[str, Answer] = field(
        default_factory=lambda: {"Identify": IDENTIFY, "ListIdentifiers": error("badVerb")}
    )
    asked: list[Request] = field(default_factory=list)
    beside: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Fetched:
        verb = request.url.partition("verb=")[2].partition("&")[0]
        if verb in self.others:
            self.beside.append(request)
            return self._fetched(request, self.others[verb])
        self.asked.append(request)
        return self._fetched(request, self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def _fetched(self, request: Request, answer: Answer) -> Fetched:
        status, text = answer if isinstance(answer, tuple) else (200, answer)
        body = text if isinstance(text, bytes) else text.encode()
        headers = (("Content-Type", "text/xml"), ("Set-Cookie", "session=1"))
        return Fetched(request.url, status, headers, body, NOW)

    @property
    def arguments(self) -> list[dict[str, str]]:
        """What was asked, as arguments."""
        return [dict(parse_qsl(urlsplit(request.url).query, keep_blank_values=True)) for request in self.asked]


def pages(*counts: int, announced: int | None = None, last: str | None = "") -> list[Answer]:
    """Return the pages of a list with so many records each; the last has the token `last`, None for no token."""
    made: list[Answer] = []
    number = 0
    for place, count in enumerate(counts, 1):
        records = [record(number := number + 1) for _ in range(count)]
        token = last if place == len(counts) else f"t{place}"
        size = "" if announced is None else f' completeListSize="{announced}"'
        made.append(page(*records, token=token, attributes=size))
    return made


def walked(
    answers: list[Answer], options: Options = OPTIONS, state: str = "", set_spec: str = ""
) -> tuple[list[Step], Canned]:
    """Walk a list to its end."""
    fetch = Canned(list(answers))
    return list(SOURCE.changes(options, Cursor("x", "oai_dc", set_spec, state), fetch)), fetch


# --- whole lists ------------------------------------------------------------------------------------------------


def test_list_is_walked_to_its_empty_token():
    steps, fetch = walked(pages(2, 2, 1, announced=5))
    assert fetch.arguments == [
        {"verb": "ListRecords", "metadataPrefix": "oai_dc"},
        {"verb": "ListRecords", "resumptionToken": "t1"},
        {"verb": "ListRecords", "resumptionToken": "t2"},
    ]
    assert [identifiers(step.slices) for step in steps] == [["1", "2"], ["3", "4"], ["5"]]
    assert [(step.received, step.announced, step.end) for step in steps] == [
        (2, (5, 5), ListEnd.MORE),
        (4, (5, 5), ListEnd.MORE),
        (5, (5, 5), ListEnd.PROPER),
    ]
    assert [step.is_complete for step in steps] == [False, False, True]
    assert [step.is_last for step in steps] == [False, False, True]
    assert not any(step.notes or step.doubts for step in steps)


@each_row("last", ["", "  \n ", None])
def test_list_ends_with_an_empty_token_or_none(last: str | None):
    steps, _ = walked(pages(1, 1, last=last))
    assert steps[-1].is_complete


def test_page_is_kept_as_it_came_but_for_secrets():
    (step,), fetch = walked(pages(1), set_spec="a:b")
    kept, url = step.page, fetch.asked[0].url
    assert (kept.source, kept.verb, kept.url, kept.status, kept.received_at) == ("x", "ListRecords", url, 200, NOW)
    assert kept.headers == (("Content-Type", "text/xml"),)
    assert (kept.metadata_prefix, kept.set_spec) == ("oai_dc", "a:b")
    assert kept.body == str(pages(1)[0]).encode()
    assert fetch.arguments[0]["set"] == "a:b"


def test_a_list_without_records_is_asked_for_with_dates_before_it_is_believed():
    """LearningRegistry#60: nothing came without dates. Of an empty repository nothing is learned so."""
    steps, fetch = walked([error("noRecordsMatch")])
    dates = [(argument.get("from"), argument.get("until")) for argument in fetch.arguments]
    assert dates == [(None, None), ("2024-01-01T00:00:00Z", None), (None, "2023-12-31T23:59:59Z")]
    assert [step.is_complete for step in steps] == [False, False, True]
    assert state_of(steps[-1].cursor.state)[0].profile.dates == Dates.UNKNOWN
    assert steps[0].notes == ("Nothing matches without dates; the same is asked for with some.",)


def test_a_source_that_must_be_given_dates_is_given_some_for_the_check_as_well():
    none, some, more = error("noRecordsMatch"), page(record(1), record(2), token="t"), page(record(2), record(3))
    steps, fetch = walked([none, some, more, none])
    assert steps[-1].received == 4
    *_, check = (request.url.partition("&until=")[2] for request in fetch.beside if "ListIdentifiers" in request.url)
    assert check == "2999-12-31T23%3A59%3A59Z"
    assert state_of(steps[-1].cursor.state)[0].profile.dates == Dates.NEEDED


@each_row("status", [200, 400, 404, 422, 500])
def test_nothing_new_is_a_complete_list_whatever_its_status(status: int):
    """Europe PMC says noRecordsMatch with 404, Zenodo with 422."""
    (step,), fetch = walked([(status, error("noRecordsMatch"))], replace(OPTIONS, from_="2024-01-01"))
    assert (step.is_complete, step.received, step.slices) == (True, 0, ())
    assert fetch.asked[0].mark == b"<OAI-PMH"


def test_more_than_announced_is_told_and_no_loss():
    steps, _ = walked(pages(2, 2, announced=3))
    assert steps[-1].is_complete
    assert steps[-1].notes == ("The source announced 3 records and sent 4.",)


def test_announcement_that_changes_is_reported():
    answers = [*pages(2, 2, announced=5)[:1], *pages(2, 2, announced=4)[1:]]
    steps, _ = walked(answers)
    assert steps[-1].announced == (5, 4)
    assert "The completeListSize changed from 5 to 4." in steps[1].notes


def test_less_than_announced_is_a_doubt_when_nothing_else_can_be_asked():
    """OJS 3.3.0 sometimes gave an empty token after its first page."""
    steps, _ = walked(pages(2, announced=100))
    assert steps[-1].end is ListEnd.GAPS
    assert not steps[-1].is_complete
    assert steps[-1].doubts[0] == "The source announced 100 records and sent 2."
    assert steps[-1].doubts[1] == "ListIdentifiers: badVerb"


def test_no_records_match_after_a_token_ends_the_list_and_is_verified():
    steps, _ = walked([*pages(2, 2, announced=4, last="t2"), error("noRecordsMatch")])
    assert steps[-1].is_complete
    steps, _ = walked([*pages(2, 2, announced=9, last="t2"), error("noRecordsMatch")])
    assert (steps[-1].end, steps[-1].is_complete) == (ListEnd.GAPS, False)


@each_row("code", ["badResumptionToken", "badArgument", "unknownError"])
def test_refused_token_after_the_last_record_is_the_end(code: str):
    """Invenio gives a further token when the last page is full; DOAJ counts to the end and goes on."""
    steps, _ = walked([*pages(2, 2, announced=4, last="t2"), error(code)])
    assert steps[-1].is_complete
    assert steps[-1].notes == (f"The token after the last record was refused ({code}).",)


# --- lists without end ------------------------------------------------------------------------------------------


def test_token_that_repeats_is_the_end_after_the_last_record_and_else_a_list_that_is_not_whole():
    one, two = pages(2, 2, last="t1")
    steps, _ = walked([one, two])
    assert (steps[-1].received, steps[-1].end) == (4, ListEnd.GAPS)
    assert "badVerb" in steps[-1].doubts[0]
    assert "a resumptionToken it had given before: the list would never end" in notes(steps)
    steps, _ = walked(pages(2, 2, announced=4, last="t1"))
    assert steps[-1].is_complete


def test_single_record_may_come_again_on_a_later_page_but_not_on_the_next():
    one, two, three = (page(record(number), token=f"t{place}") for place, number in enumerate([1, 2, 1]))
    steps, _ = walked([one, two, three, page(record(3))])
    assert [step.received for step in steps[:4]] == [1, 2, 3, 4]
    assert "Records came again in one list: 1; its pages may have shifted." in steps[-1].doubts[0]
    steps, _ = walked([one, page(record(1), token="u"), page(record(2))])
    assert "The source sent the same records: the list would never end." in steps[1].notes[1]


# --- answers that cannot be used --------------------------------------------------------------------------------


@each_row(
    "bad, kind",
    [
        ("<html><title>Just a moment</title></html>", NotOaiPmh),
        ("", NotXml),
        (str(pages(2)[0])[:-100], NotXml),
        (page(verb="ListSets"), NotOaiPmh),
    ],
)
def test_unusable_answer_is_asked_for_again_and_then_an_error(bad: str, kind: type[Exception]):
    steps, fetch = walked([bad, bad, *pages(1)])
    assert steps[-1].is_complete
    assert [request.repetition for request in fetch.asked] == [0, 1, 2]
    fetch = Canned([bad], {})
    with pytest.raises(kind, match="was asked 4 times"):
        list(SOURCE.changes(OPTIONS, Cursor("x", "oai_dc"), fetch))
    assert "verb=Identify" in fetch.asked[-1].url


def test_what_came_before_an_error_remains_good():
    fetch = Canned([*pages(2, 2)[:1], "<html/>"], {})
    steps = SOURCE.changes(OPTIONS, Cursor("x", "oai_dc"), fetch)
    first = next(steps)
    with pytest.raises(NotOaiPmh):
        next(steps)
    again, fetch = walked(pages(2, 2)[1:], state=first.cursor.state)
    assert fetch.arguments[0] == {"verb": "ListRecords", "resumptionToken": "t1"}
    assert (again[-1].received, again[-1].is_complete) == (4, True)


def test_one_empty_page_is_passed_over_and_asked_for_again_where_more_was_announced():
    """Primo ends lists early with an empty page that is full a moment later."""
    steps, _ = walked([*pages(2, 0, 2)])
    assert (steps[-1].is_complete, steps[-1].received) == (True, 4)
    one, two = pages(2, 2, announced=4)
    steps, fetch = walked([one, page(), page(), two])
    assert (len(fetch.asked), steps[-1].received, steps[-1].is_complete) == (4, 4, True)
    steps, fetch = walked([one, page()])
    assert [request.repetition for request in fetch.asked[:5]] == [0, 0, 1, 2, 3]
    assert not steps[-1].is_complete


@each_row(
    "status, kind, sentence",
    [
        (401, RemoteRefuses, "credentials"),
        (403, RemoteRefuses, r"403 \(Forbidden\)\. Ask its administrator"),
        (404, RemoteRefuses, "Correct the url"),
        (302, RemoteRefuses, "302"),
        (499, RemoteRefuses, "499."),
        (500, ConnectionFailed, "failing"),
        (503, ConnectionFailed, "failing"),
    ],
)
def test_status_without_an_answer_says_what_to_do(status: int, kind: type[Exception], sentence: str):
    fetch = Canned([(status, "<html/>")], {})
    with pytest.raises(kind, match=sentence):
        list(SOURCE.changes(OPTIONS, Cursor("x", "oai_dc"), fetch))
    assert [argument["verb"] for argument in fetch.arguments] == ["ListRecords", "Identify"][: 1 + (status >= 500)]


@each_row("code", ["badArgument", "cannotDisseminateFormat", "noSetHierarchy", "badVerb", "badResumptionToken"])
def test_errors_of_the_first_request_are_raised(code: str):
    with pytest.raises(RemoteError) as caught:
        walked([error(code, "no")])
    assert caught.value.codes == {code}


# --- tokens that are not taken ----------------------------------------------------------------------------------


def test_token_is_sent_as_it_was_written_when_the_encoded_one_is_refused():
    """dash.harvard.edu did not decode its own tokens."""
    bad = error("badResumptionToken")
    one = page(record(1), token="a/b")
    steps, fetch = walked([one, bad, bad, page(record(2), token="c/d"), page(record(3))])
    sent = [urlsplit(request.url).query.partition("Token=")[2] for request in fetch.asked]
    assert sent[:5] == ["", "a%2Fb", "a%2Fb", "a/b", "c/d"]
    assert [step.notes for step in steps[1:3]] == [
        ("The token was refused; it was sent again.",),
        ("The token was refused; it was sent again as the source had written it.",),
    ]
    assert steps[-1].is_complete
    _, fetch = walked([one, page(record(2))], state=steps[-1].cursor.state)
    assert fetch.asked[1].url.endswith("Token=a/b")


def test_refused_token_goes_on_from_the_last_date_that_came():
    bad = error("badResumptionToken")
    options = replace(OPTIONS, from_="2023-01-01")
    steps, fetch = walked([*pages(2, 2)[:1], bad, bad, *pages(2, 2)], options)
    assert fetch.arguments[3]["from"] == "2024-01-01T00:00:00Z"
    assert "It goes on with what is dated 2024-01-01T00:00:00Z or later." in steps[2].notes[0]
    assert [step.received for step in steps] == [2, 2, 2, 2, 4, 4]
    assert "The list could not be walked in one piece." in steps[-1].doubts[0]


def test_list_in_progress_begins_anew_when_it_must_leave_its_tokens_and_nobody_knows_what_came():
    """A dump keeps no inbox."""
    bad = error("badResumptionToken")
    (first, *_), _ = walked([*pages(2, 2)[:1], *pages(2)])
    steps, fetch = walked([bad, bad, *pages(2, 2)], state=first.cursor.state)
    assert "begins anew" in steps[1].notes[0]
    assert "from" not in fetch.arguments[2]
    assert (steps[-1].received, steps[-1].is_complete) == (4, True)


def _in_set(*specs: str, token: str = "", first: int = 1) -> str:
    """Return a page with a record in each of these sets; none for an empty spec."""
    return page(*(record(number, sets=filter(None, (spec,))) for number, spec in enumerate(specs, first)), token=token)


def test_token_that_forgets_the_set_is_left_and_what_it_brought_from_beside_is_not_kept():
    """SobekCM#6, LearningRegistry#53."""
    steps, fetch = walked([_in_set("a", "a:b", token="t"), _in_set("a", "c", first=3), _in_set("a")], set_spec="a")
    assert identifiers(steps[1].slices) == ["3"]
    assert "The resumptionToken brought records of other sets or dates than were asked for: 1." in steps[1].notes[0]
    assert (fetch.arguments[2]["from"], fetch.arguments[2]["set"]) == ("2024-01-01T00:00:00Z", "a")


def test_token_that_forgets_the_dates_is_left_as_well():
    """SobekCM#6, LearningRegistry#53."""
    late = record(2).replace("2024-01-01", "2024-03-01")
    steps, fetch = walked(
        [page(record(1), token="t"), page(late), page(record(1))], replace(OPTIONS, until="2024-02-01")
    )
    assert steps[-1].received == 1
    assert "of other sets or dates" in notes(steps)
    assert fetch.arguments[2]["until"] == "2024-02-01T23:59:59Z"
    steps, _ = walked([page(late, token="t"), page(record(1))], replace(OPTIONS, until="2024-02-01"))
    assert steps[-1].received == 2


@each_row("first, second", [(("a", "c"), ("c", "c")), (("a", ""), ("c",)), (("a", "a"), ("", "a:b"))])
def test_sets_that_headers_do_not_name_say_nothing_of_a_token(first: tuple[str, ...], second: tuple[str, ...]):
    steps, _ = walked([_in_set(*first, token="t"), _in_set(*second, first=9)], set_spec="a")
    assert (steps[-1].received, steps[-1].is_complete) == (len(first) + len(second), True)


# --- what to ask for --------------------------------------------------------------------------------------------


def _next(options: Options, *answers: Answer) -> dict[str, str]:
    """Return what is asked after a list that was answered so."""
    steps, _ = walked(list(answers) or pages(1), options)
    _, fetch = walked(pages(1), options, steps[-1].cursor.state)
    return fetch.arguments[0]


def test_next_list_begins_at_the_first_answer_of_the_last_less_the_overlap():
    first, last = pages(1, 1)
    assert _next(OPTIONS, first, str(last).replace("04:05:06", "09:09:09"))["from"] == "2024-02-03T04:05:06Z"
    assert _next(replace(OPTIONS, overlap_seconds=3600))["from"] == "2024-02-03T03:05:06Z"
    for granularity in (DAY, ""):
        assert _next(replace(OPTIONS, granularity=granularity))["from"] == "2024-02-03"
        assert _next(replace(OPTIONS, granularity=granularity, overlap_seconds=86_400))["from"] == "2024-02-02"


@each_row(
    "date, why",
    [
        ("", "our own time 2024-02-03T04:10:00Z"),
        ("today", "our own time 2024-02-03T04:10:00Z"),
        ("2024-02-30T00:00:00Z", "our own time 2024-02-03T04:10:00Z"),
        ("2999-01-01T00:00:00Z", "future"),
    ],
)
def test_our_own_time_stands_for_a_response_date_that_is_none_or_in_the_future(date: str, why: str):
    answer = page(record(1), date=date)
    assert _next(OPTIONS, answer)["from"] == "2024-02-03T04:10:00Z"
    assert why in walked([answer])[0][0].notes[0]


def test_list_that_is_not_whole_leaves_the_date_where_it_was():
    whole, _ = walked(pages(1))
    short, _ = walked([str(pages(1, announced=9)[0]).replace("2024-02", "2024-03")], state=whole[-1].cursor.state)
    _, fetch = walked(pages(1), state=short[-1].cursor.state)
    assert fetch.arguments[0]["from"] == "2024-02-03T04:05:06Z"


def test_administrators_bounds_hold_for_every_list():
    options = replace(OPTIONS, from_="2020-01-01", until="2030-01-01")
    _, fetch = walked(pages(1), options)
    assert fetch.arguments[0] == {
        "verb": "ListRecords",
        "metadataPrefix": "oai_dc",
        "from": "2020-01-01T00:00:00Z",
        "until": "2030-01-01T23:59:59Z",
    }
    assert _next(options)["from"] == "2024-02-03T04:05:06Z"
    assert _next(replace(options, from_="2025-01-01"))["from"] == "2025-01-01T00:00:00Z"


def test_window_is_a_list_of_its_own():
    whole, _ = walked(pages(1))
    options = replace(OPTIONS, window=("2021-01-01", "2021-12-31"))
    window, fetch = walked(pages(1, announced=1), options, whole[-1].cursor.state)
    assert (fetch.arguments[0]["from"], fetch.arguments[0]["until"]) == ("2021-01-01T00:00:00Z", "2021-12-31T23:59:59Z")
    assert window[-1].is_complete
    _, fetch = walked(pages(1), state=window[-1].cursor.state)
    assert fetch.arguments[0]["from"] == "2024-02-03T04:05:06Z"
    assert "until" not in fetch.arguments[0]
    options = replace(OPTIONS, from_="2020-01-01", until="2022-01-01", window=("", "2021-01-01"))
    _, fetch = walked(pages(1), options)  # half a window leaves the other bound as configured
    assert (fetch.arguments[0]["from"], fetch.arguments[0]["until"]) == ("2020-01-01T00:00:00Z", "2021-01-01T23:59:59Z")


def test_interrupted_window_goes_on_only_as_the_same_window():
    options = replace(OPTIONS, window=("2021-01-01", ""))
    fetch = Canned(list(pages(1, 1)))
    first = next(SOURCE.changes(options, Cursor("x", "oai_dc"), fetch))
    _, fetch = walked(pages(1), options, first.cursor.state)
    assert fetch.arguments[0]["resumptionToken"] == "t1"
    for other in (OPTIONS, replace(OPTIONS, window=("2022-01-01", ""))):
        _, fetch = walked(pages(1), other, first.cursor.state)
        assert "resumptionToken" not in fetch.arguments[0]


def test_list_in_progress_goes_on_when_windows_are_over():
    (first, *_), _ = walked(pages(1, 1))
    window = replace(OPTIONS, window=("2021-01-01", ""))
    begun = next(SOURCE.changes(window, first.cursor, Canned(list(pages(1, 1)))))
    other = replace(OPTIONS, window=("2022-01-01", ""))
    # The window's own token has expired by then.
    refused = error("badResumptionToken")
    _, fetch = walked([refused, refused, *pages(1)], window, begun.cursor.state)
    assert [argument.get("from", "") for argument in fetch.arguments] == ["", "", "2021-01-01T00:00:00Z"]
    over, fetch = walked(pages(1), other, begun.cursor.state)
    assert fetch.arguments[0]["from"] == "2022-01-01T00:00:00Z"
    for state in (begun.cursor.state, over[-1].cursor.state):
        _, fetch = walked(pages(1), state=state)
        assert fetch.arguments[0]["resumptionToken"] == "t1"


def _changed(before: Options, after: Options) -> dict[str, str]:
    """Return what is asked when the entry has changed behind two lists that were whole."""
    steps, _ = walked(pages(1), before)
    steps, _ = walked(pages(1), before, steps[-1].cursor.state)
    _, fetch = walked(pages(1), after, steps[-1].cursor.state)
    return fetch.arguments[0]


@each_row(
    "after, asked",
    [
        ("", ""),
        ("2020-01-01", "2020-01-01T00:00:00Z"),
        ("2022-01-01", "2024-02-03T04:05:06Z"),
        ("2022-01-01T00:00:00Z", "2024-02-03T04:05:06Z"),
        ("2023-01-01", "2024-02-03T04:05:06Z"),
    ],
)
def test_an_entry_that_reaches_further_back_than_before_is_harvested_from_there_and_any_other_goes_on(after, asked):
    arguments = _changed(replace(OPTIONS, from_="2022-01-01"), replace(OPTIONS, from_=after))
    assert arguments.get("from", "") == asked


@each_row(
    "before, after",
    [({"from_": "2022-01-01"}, {}), ({"from_": "2022-01-01"}, {"from_": "2020-01-01"}), ({"until": "2022-01-01"}, {})],
)
def test_list_in_progress_that_reaches_less_far_than_its_entry_by_now_begins_anew(before, after):
    begun = next(SOURCE.changes(replace(OPTIONS, **before), Cursor("x", "oai_dc"), Canned(list(pages(1, 1)))))
    _, fetch = walked(pages(1), replace(OPTIONS, **after), begun.cursor.state)
    assert "resumptionToken" not in fetch.arguments[0]
    assert fetch.arguments[0].get("from", "") == (f"{after['from_']}T00:00:00Z" if after else "")


def test_dates_of_a_run_and_of_the_entry_that_leave_nothing_are_refused():
    with pytest.raises(ConfigurationError, match="from is later than until"):
        walked([], replace(OPTIONS, from_="2022-01-01", window=("", "2021-01-01")))


def test_nothing_is_asked_for_behind_the_last_date_that_is_wanted_and_from_there_when_it_is_wanted_no_longer():
    options = replace(OPTIONS, from_="2020-01-01", until="2022-01-01")
    asked = _next(options)
    assert (asked["from"], asked["until"]) == ("2022-01-01T23:59:59Z", "2022-01-01T23:59:59Z")
    asked = _changed(replace(OPTIONS, until="2022-01-01"), OPTIONS)
    assert (asked["from"], "until" in asked) == ("2022-01-01T23:59:59Z", False)


def test_state_that_cannot_be_read_begins_anew_and_is_reported():
    for state in ("?", '{"version": 2, "token": "t", "until": "soon"}'):
        steps, fetch = walked(pages(1), state=state)
        assert fetch.arguments[0].keys() == {"verb", "metadataPrefix"}
    steps, _ = walked(pages(1), state="?")
    assert "begins anew" in steps[0].notes[0]


@each_row("wrong", [{"from_": "soon"}, {"window": ("", "2024-02-30")}])
def test_dates_that_are_none_are_refused(wrong: dict[str, str]):
    with pytest.raises(ConfigurationError, match="dates to harvest are wrong"):
        walked(pages(1), replace(OPTIONS, **wrong))  # type: ignore[arg-type]


@each_row(
    "granularity, first, second",
    [
        (SECONDS, ("2024-01-02T00:00:00Z", "2024-01-03T23:59:59Z"), ("2024-01-02", "2024-01-03")),
        (DAY, ("2024-01-02", "2024-01-03"), ("2024-01-02T00:00:00Z", "2024-01-03T23:59:59Z")),
    ],
)
def test_refused_dates_are_sent_at_the_other_granularity(granularity: str, first, second):
    """Nakala announces days and DSpace seconds, and some take only the other."""
    options = replace(OPTIONS, granularity=granularity, from_="2024-01-02", until="2024-01-03")
    steps, fetch = walked([error("badArgument"), *pages(1)], options)
    assert [(argument["from"], argument["until"]) for argument in fetch.arguments] == [first, second]
    assert "were sent again" in steps[0].notes[0]
    with pytest.raises(RemoteError):
        walked([error("badArgument")], options)


def test_a_source_that_gave_records_without_dates_is_believed_when_it_has_none():
    steps, _ = walked(pages(1))
    state = state_of(steps[-1].cursor.state)[0]
    assert state.profile.dates == Dates.OPTIONAL
    _, fetch = walked([error("noRecordsMatch")], state=text_of(state.moved(complete=0)))
    assert len(fetch.asked) == 1


def test_records_older_than_asked_for_are_told_and_taken():
    (step,), _ = walked(pages(2), replace(OPTIONS, from_="2024-01-02"))
    assert len(step.slices) == 2
    assert step.notes == ("Records older than from=2024-01-02T00:00:00Z were sent: 2 of 2 on the first page.",)


def test_list_in_progress_that_reaches_as_far_as_its_entry_goes_on():
    options = replace(OPTIONS, from_="2022-01-01")
    begun = next(SOURCE.changes(options, Cursor("x", "oai_dc"), Canned(list(pages(1, 1)))))
    _, fetch = walked(pages(1), replace(OPTIONS, from_="2023-01-01"), begun.cursor.state)
    assert fetch.arguments[0]["resumptionToken"] == "t1"


def test_a_cursor_beyond_what_has_come_is_told():
    parts = [page(record(number), token=f"t{number}", attributes=f' cursor="{6 * (number - 1)}"') for number in (1, 2)]
    steps, _ = walked([*parts, page(record(3), token="")])
    assert "The cursor says 6 where 1 records had come." in notes(steps)
