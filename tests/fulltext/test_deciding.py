"""A decision of a person is written and published at once, or refused in a sentence; it is never half of both."""

import pytest

from gateway.core.model import Decision
from gateway.core.waiting import locked
from gateway.fulltext.deciding import Decided, Deciding
from tests.applications import application
from tests.fulltext.test_releasing import COPY, IDENTIFIER, component, pdf, stamps, unpaywall
from tests.fulltext.web import answer


@pytest.fixture
def search(searching):
    """Return a search after the file of one work was found without a licence: it waits for a person."""
    search = searching(discover_named_files=False)
    search.web.own = {**unpaywall(None), COPY: answer(pdf(search))}
    search.run(identifier=IDENTIFIER)
    search.release()
    return search


def deciding(search) -> Deciding:
    return Deciding(search.store, search.inbox, search.discovery, search.settings)


def last(search) -> Decision:
    return search.discovery.decisions(IDENTIFIER)[-1]


def following(search, verdict: str, by: str = "anna") -> Decision:
    """Return the decision of a person who looks at the last one now."""
    return last(search)._replace(verdict=verdict, decided_by=by)


def test_a_rule_that_decides_after_the_person_looked_is_not_overwritten(search) -> None:
    """A search ends between the look and the decision: the file was replaced, and the person has not seen it."""
    seen = following(search, "accept")
    search.web.own[COPY] = answer(pdf(search, "A second edition."))
    search.now += 100
    search.discovery.renew(search.now, (), search.now)
    search.run(identifier=IDENTIFIER)
    assert [decision.decided_by for decision in deciding(search)(seen).met] == ["rule"]
    assert component(search) is None


def test_a_decision_that_must_wait_too_long_for_another_release_is_published_later(search, monkeypatch) -> None:
    monkeypatch.setattr("gateway.fulltext.deciding._PATIENCE_SECONDS", 0.0)
    decision = following(search, "accept")
    with locked(search.settings.instance / "locks" / ".releasing"):
        decided = deciding(search)(decision)
    assert decided == Decided((decision,), is_published=False)
    assert "not published yet" in decided.problems[0]
    assert component(search) is None
    assert search.release() == 2
    assert component(search) is not None


def test_the_application_decides_as_the_commands_do(search) -> None:
    """The address that `gateway serve` announces by itself must not get into what is published."""
    with application(search.settings.instance, base_url="http://127.0.0.1:1234/oai", files_serve=True) as app:
        assert app.extensions["decide"](following(search, "accept")).stamped == 2
    before = stamps(search)
    assert component(search) is not None
    assert search.release() == 0
    assert stamps(search) == before
