"""Whatever a server answers, one answer after the other: a list that ends, or an error of ours, and never for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import GatewayError
from gateway.model import Cursor
from harvester.http.messages import Fetched, Request
from harvester.sources import Options, Step
from harvester.sources.oai_pmh import SOURCE
from tests.oai_pages import error, page, record
from tests.sources.oai_pmh.test_answers_any_bytes import CONTENT_TYPES, mutated

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


MOST_REQUESTS = 2000
_TOKENS = st.sampled_from(["", " ", "a", "b", "c", "a+b c&amp;%2B", "é", "x" * 3000])
_SIZES = st.sampled_from(["", ' completeListSize="0"', ' completeListSize="4" cursor="2"', ' completeListSize="-1"'])
_CODES = st.sampled_from(
    [
        "badArgument",
        "badResumptionToken",
        "noRecordsMatch",
        "cannotDisseminateFormat",
        "badVerb",
        "",
        "InternalException",
    ]
)


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


@given(_ANSWERS)
def test_any_answers_are_a_list_that_ends_or_an_error_of_ours(answers: list[tuple[bytes, int, str]]) -> None:
    """No error but GatewayError may be raised; one step is the last, and it is complete or says its doubts."""
    with suppress(GatewayError):
        steps = list(_walk(answers, ""))
        assert [step.is_last for step in steps] == [False] * (len(steps) - 1) + [True]
        assert steps[-1].is_complete or steps[-1].doubts


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
