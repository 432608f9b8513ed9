"""A fault of this program is told of the one answer or record that it met."""

import pytest

from gateway.core.errors import NotXml
from harvester.http.messages import Fetched
from harvester.sources import Options
from harvester.sources.repeated_requests import fetch_answer


def test_what_nobody_expected_is_an_answer_that_cannot_be_read():
    """A fault of ours in one page makes the list take a fallback step, around the page; it does not end the run."""

    def parse(_: bytes, __: str) -> None:
        raise ValueError("\ud800")

    with pytest.raises(
        NotXml, match=r"This program has a fault: ValueError at test_repeated_requests\.py:\d+ \(.ud800\)"
    ):
        fetch_answer(
            Options("s", "http://x.org/"), lambda request: Fetched(request.url, 200, (), b"", 0), "http://x.org/", parse
        )
