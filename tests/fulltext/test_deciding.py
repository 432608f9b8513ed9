"""A decision of a person is written and published at once, or refused in a sentence; it is never half of both."""

from __future__ import annotations

import pytest

from gateway.errors import DecisionRefused, StoreUnwritable
from gateway.fulltext.deciding import Decided, Deciding
from gateway.model import Decision, FoundCopy
from gateway.store.lock_file import locked
from gateway.store.takedown_file import TakedownFile
from gateway.takedowns import Kind, Takedown
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
    return Deciding(search.store, search.inbox, search.desk, search.settings)


def last(search) -> Decision:
    return search.desk.decisions(IDENTIFIER)[-1]


def following(search, verdict: str, by: str = "anna") -> Decision:
    """Return the decision of a person who looks at the last one now."""
    return last(search)._replace(verdict=verdict, decided_by=by)


def test_an_accepted_file_is_published_at_once(search) -> None:
    decision = following(search, "accept")
    decided = deciding(search)(decision)
    assert decided == Decided((decision,), stamped=2, stamped_of={IDENTIFIER: 2})
    assert decided.problems == ()
    assert component(search) is not None


def test_of_two_reviewers_one_wins_and_the_other_is_informed(search) -> None:
    of_anna, of_ben = following(search, "accept"), following(search, "reject", "ben")
    deciding(search)(of_ben)
    decided = deciding(search)(of_anna)
    assert decided == Decided((), (last(search),))
    assert decided.problems == (
        f"{IDENTIFIER}: {COPY} is skipped, because there is a new decision on it: reject by ben.",
    )
    assert component(search) is None


def test_a_rule_that_decides_after_the_person_looked_is_not_overwritten(search) -> None:
    """A search ends between the look and the decision: the file was replaced, and the person has not seen it."""
    seen = following(search, "accept")
    search.web.own[COPY] = answer(pdf(search, "A second edition."))
    search.now += 100
    search.desk.renew(search.now, (), search.now)
    search.run(identifier=IDENTIFIER)
    assert [decision.decided_by for decision in deciding(search)(seen).met] == ["rule"]
    assert component(search) is None


def test_bytes_that_have_changed_are_not_accepted(search) -> None:
    """A later look got other bytes that no rule decided on, so the last decision is still that on the former ones."""
    seen = following(search, "accept")
    search.desk.list_copies([FoundCopy(IDENTIFIER, COPY, "laro", sha256="f" * 64)], None)
    decided = deciding(search)(seen)
    assert decided == Decided((), changed=(seen,))
    reason = "because it has other bytes now, or is not listed any more. Look at it again."
    assert decided.problems == (f"{IDENTIFIER}: {COPY} is skipped, {reason}",)
    assert len(search.desk.decisions(IDENTIFIER)) == 1


def test_a_file_that_nobody_found_is_not_decided_on(search) -> None:
    forged = Decision(IDENTIFIER, "https://evil.example.net/", "f" * 64, "accept", "", "anna", 1)
    numbered = forged._replace(number=1)
    assert deciding(search)(forged, numbered).changed == (forged, numbered)
    assert len(search.desk.decisions(IDENTIFIER)) == 1


@pytest.mark.parametrize(
    ("kind", "value"), [(Kind.URL, "repository.example.net/7.pdf"), (Kind.SHA256, ""), (Kind.IDENTIFIER, IDENTIFIER)]
)
def test_what_is_taken_down_is_not_accepted(search, kind: Kind, value: str) -> None:
    entry = Takedown(kind, value or last(search).sha256)
    TakedownFile(search.settings.instance).change(lambda listed: (*listed, entry))
    with pytest.raises(DecisionRefused, match="is taken down, or its item is"):
        deciding(search)(following(search, "accept"))
    assert deciding(search)(following(search, "reject")).stamped == 0
    assert last(search).verdict == "reject"


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


def test_a_lock_that_cannot_be_made_is_reported(search) -> None:
    (search.settings.instance / "locks" / ".releasing").unlink()
    (search.settings.instance / "locks" / ".releasing").mkdir()
    with pytest.raises(StoreUnwritable, match="releasing cannot be made"):
        deciding(search)(following(search, "accept"))


def test_the_application_decides_as_the_commands_do(search) -> None:
    """The address that `gateway serve` announces by itself must not get into what is published."""
    with application(search.settings.instance, base_url="http://127.0.0.1:1234/oai", files_serve=True) as app:
        assert app.extensions["decide"](following(search, "accept")).stamped == 2
    before = stamps(search)
    assert component(search) is not None
    assert search.release() == 0
    assert stamps(search) == before


def test_the_application_refuses_to_decide_without_the_inbox(search) -> None:
    seen = following(search, "accept")
    (search.settings.instance / "inbox.sqlite").write_bytes(b"damaged")
    for more in ("-wal", "-shm"):
        (search.settings.instance / f"inbox.sqlite{more}").unlink(missing_ok=True)
    with application(search.settings.instance) as app, pytest.raises(Exception, match="inbox cannot be read"):
        app.extensions["decide"](seen)
    assert len(search.desk.decisions(IDENTIFIER)) == 1
