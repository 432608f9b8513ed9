"""The address of a list says everything that the list shows, and nothing else is believed."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import QueryRefused
from gateway.core.model import CopyFilter, CopyOrder, Decision, FoundCopy, ListedCopy
from gateway.review.list_arguments import Asked, asked_of, filter_query, query_of
from tests.rows import each_row

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PLACES = st.builds(
    lambda identifier, url, title, score, at: ListedCopy(
        FoundCopy(identifier, url, "", title=title, score=score), Decision(identifier, url, "", "", "", "", at)
    ),
    TEXT,
    TEXT,
    TEXT,
    st.none() | st.sampled_from([0.0, 0.25, 1.0]),
    st.integers(0, 2**40),
)


def read(query: str) -> Asked:
    return asked_of(dict(parse_qsl(query, keep_blank_values=True)))


@given(
    verdict=st.sampled_from(["any", "review", "accept", "reject"]),
    texts=st.fixed_dictionaries(dict.fromkeys(("source", "host", "step", "license", "reason"), TEXT)),
    least=st.none() | st.sampled_from([0, 0.25, 1]),
    order=st.sampled_from(CopyOrder),
    place=st.none() | PLACES,
)
def test_what_is_written_into_an_address_is_read_from_it(verdict, texts, least, order, place):
    wanted = CopyFilter(**{name: text.strip() for name, text in texts.items()}, least_score=least)
    asked = Asked(verdict, wanted, order, place)
    again = read(query_of(asked))
    assert again[:3] == asked[:3]
    assert (again.after is None) == (place is None)
    if place and again.after:
        assert (again.after.copy.identifier, again.after.copy.url) == (place.copy.identifier, place.copy.url)
        if order is CopyOrder.SCORE:
            assert again.after.copy.score == place.copy.score
        if order is CopyOrder.TITLE:
            assert again.after.copy.title == place.copy.title
        if order is CopyOrder.DECIDED_AT:
            assert again.after.decision.at == place.decision.at
    assert read(filter_query(asked)) == asked._replace(after=None)


@each_row(
    "arguments, words",
    [
        ({"verdict": "maybe"}, "verdict 'maybe'"),
        ({"order": "random"}, "order 'random'"),
        ({"least_score": "high"}, "least_score is a number from 0 to 1; 'high' is none"),
        ({"most_score": "nan"}, "most_score"),
        ({"colour": "Green"}, "colour has no value 'Green'"),
        ({"host": "x" * 301}, "host is longer than 300 characters"),
        ({"after": "[]"}, "after is not one of a page"),
        ({"after": "[" * 15_000}, "after"),
        ({"before": '["", "a", 1]'}, "before"),
        ({"before": '["", "\\ud800", "a"]'}, "before"),
        ({"after": '["", "a", "b"]', "before": '["", "a", "b"]'}, "leave out `after` or `before`"),
        ({"order": "score", "after": '["high", "a", "b"]'}, "after"),
        ({"order": "score", "after": '[NaN, "a", "b"]'}, "after"),
        ({"order": "decided-at", "after": '[1e300, "a", "b"]'}, "after"),
    ],
)
def test_an_address_that_asks_for_nonsense_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(QueryRefused) as refused:
        asked_of(arguments)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 200
