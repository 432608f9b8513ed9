"""Whatever a server answers or stands in a token: a list that ends, or an error of ours, and never for ever."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import GatewayError
from gateway.core.model import Cursor
from harvester.http.messages import Fetched, Request
from harvester.http.urls import request_url
from harvester.sources import Options, Step
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.answers import parse_list
from tests.oai_pages import error, page, record
from tests.sources.oai_pmh.test_answers_any_bytes import CONTENT_TYPES, mutated

MOST_REQUESTS = 2000
_TOKENS = st.sampled_from(["", " ", "a", "b", "c", "a+b c&amp;%2B", "é", "x" * 3000])
_SIZES = st.sampled_from(["", ' completeListSize="0"', ' completeListSize="4" cursor="2"', ' completeListSize="-1"'])
_REFUSALS = ("badArgument", "badResumptionToken", "noRecordsMatch", "cannotDisseminateFormat", "badVerb")
_CODES = st.sampled_from([*_REFUSALS, "", "InternalException"])


@st.composite
def _pages(draw: st.DrawFn) -> bytes:
    numbers = draw(st.lists(st.integers(0, 9), max_size=3))
    token = draw(st.one_of(st.none(), _TOKENS))
    return page(*(record(number) for number in numbers), token=token, attributes=draw(_SIZES)).encode()


_ANSWERS = st.lists(
    st.tuples(
        st.one_of(_pages(), _pages(), _CODES.map(lambda code: error(code).encode()), mutated(), st.binary(max_size=40)),
        st.sampled_from([200, 200, 200, 204, 403, 404, 413, 422, 500, 503]),
        CONTENT_TYPES,
    ),
    min_size=1,
    max_size=6,
)


class RunsAway(Exception):
    """It would ask for ever."""


def _walk(answers: list[tuple[bytes, int, str]], state: str) -> Iterator[Step]:
    responses = chain(answers, repeat(answers[-1], MOST_REQUESTS))

    def fetch(request: Request) -> Fetched:
        body, status, content_type = next(responses, (b"", 0, ""))
        if not status:
            raise RunsAway
        return Fetched(request.url, status, (("Content-Type", content_type),), body, 1_717_243_200)

    options = Options("x", "http://x.org/oai", granularity="YYYY-MM-DD")
    yield from SOURCE.changes(options, Cursor("x", "oai_dc", "", state), fetch)


@pytest.mark.slow
@given(_ANSWERS)
def test_any_answers_are_a_list_that_ends_or_an_error_of_ours(answers: list[tuple[bytes, int, str]]) -> None:
    """No error but GatewayError may be raised; one step is the last, and it is complete or says its doubts."""
    with suppress(GatewayError):
        steps = list(_walk(answers, ""))
        assert [step.is_last for step in steps] == [False] * (len(steps) - 1) + [True]
        assert steps[-1].is_complete or steps[-1].doubts


@pytest.mark.slow
@given(_ANSWERS, st.integers(0, 5))
def test_list_goes_on_from_wherever_it_was_left(answers: list[tuple[bytes, int, str]], at: int) -> None:
    """The state behind any step is one that the next run can begin with: it raises errors of ours, and no others."""
    state = ""
    with suppress(GatewayError):
        for number, step in enumerate(_walk(answers, "")):
            state = step.cursor.state
            if number == at:
                break
        list(_walk(answers, state))


# What XML can carry (XML 1.0 §2.2), but for the carriage return, which every parser makes a line feed.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(st.text(CHARACTERS, max_size=60))
def test_token_is_sent_as_it_was_given(token: str) -> None:
    answer = parse_list(page(record(1), token=_escaped(token)).encode())
    assert answer.token is not None
    assert answer.token.text == token.strip()
    url = request_url("http://x.org/oai?a=b", "ListRecords", ("resumptionToken", answer.token.text))
    sent = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    assert sent == {"a": "b", "verb": "ListRecords"} | ({"resumptionToken": token.strip()} if token.strip() else {})
