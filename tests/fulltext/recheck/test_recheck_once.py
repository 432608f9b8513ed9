"""A published file is looked at, and what has become of it is published: the rest of these tests is slow."""

from harvester.fulltext.recheck.one_file import Effect
from tests.fulltext.recheck.test_recheck_run import rechecked  # noqa: F401 - the fixture
from tests.fulltext.test_releasing import COPY, stamps
from tests.fulltext.web import answer


def test_a_file_stays_published_as_long_as_it_is_the_same_and_is_withdrawn_when_it_is_deleted(rechecked) -> None:  # noqa: F811 - the fixture
    before = stamps(rechecked.search)
    assert rechecked.all(1) == {COPY: Effect.UNCHANGED}
    assert (stamps(rechecked.search), rechecked.shown is None) == (before, False)
    rechecked.web.own[COPY] = answer(status=410)
    assert rechecked.all(1) == {COPY: Effect.LOST}
    assert (rechecked.shown, rechecked.verdicts()[-1]) == (None, ("reject", "rule"))
