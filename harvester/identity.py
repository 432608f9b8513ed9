"""Which repository a source is: what was accepted, what it says by now, and what waits for a person's word."""

from __future__ import annotations

from typing import NamedTuple

from gateway.errors import AnswerError
from gateway.model import Identity, KnownIdentity
from gateway.store.base import Inbox
from harvester.outcomes import AnotherRepository
from harvester.wire.identity import identity_of
from harvester.wire.oai_pmh import parse_identify

# The words of the standards for the fields of an Identity.
_WORDS = {
    "repository_identifier": "repositoryIdentifier",
    "repository_name": "repositoryName",
    "base_url": "baseURL",
}


class Difference(NamedTuple):
    """One thing that a source says otherwise than it was accepted."""

    what: str
    was: str
    is_now: str

    @property
    def sentence(self) -> str:
        """Say it."""
        return f"Its {self.what} was {self.was} and is {self.is_now} now"


def accepting(source: str) -> str:
    """Return how a person says that what a source is by now is right."""
    return f"If that is right, run `harvester source accept-identity {source}`."


def known_identity(inbox: Inbox, source: str) -> KnownIdentity | None:
    """Return what is known of the identity of a source; None: nothing.

    Earlier releases kept none, but its last answer to Identify.
    """
    known = inbox.identity(source)
    if known is not None:
        return known
    page = inbox.last_answer(source, "Identify")
    if page is None:
        return None
    try:
        identity = identity_of(parse_identify(page.repaired or page.body))
    except AnswerError:
        return None
    return KnownIdentity(identity, identity)


def differences(known: KnownIdentity) -> tuple[Difference, ...]:
    """Return what a source says otherwise than it was accepted; what it says nothing about is no difference."""
    return tuple(
        Difference(_WORDS[name], was, is_now)
        for name, was, is_now in zip(Identity._fields, known.accepted, known.said, strict=True)
        if was and is_now and not _is_same(was, is_now)
    )


def _is_same(was: str, is_now: str) -> bool:
    return was.rstrip("/") == is_now.rstrip("/")


def is_another(known: KnownIdentity) -> bool:
    """Tell whether a source says that it is another repository: another name or address alone is common."""
    return any(each.what == _WORDS["repository_identifier"] for each in differences(known))


def is_waiting(known: KnownIdentity | None) -> bool:
    """Tell whether a person is to say whether a source is still the repository that it was."""
    return known is not None and bool(differences(known) or known.strange)


def waiting(inbox: Inbox, source: str) -> str:
    """Return, in sentences, what of the identity of a source has changed and waits for a person; else nothing."""
    known = inbox.identity(source)
    if known is None or not is_waiting(known):
        return ""
    said = [f"{each.sentence}." for each in differences(known)]
    return " ".join((f"{source}: the identity has changed.", *said, *filter(None, [known.strange]), accepting(source)))


def changed(inbox: Inbox, source: str, said: Identity | None) -> tuple[str, ...]:
    """Return, in sentences, what a source says otherwise now than it was accepted."""
    if said is None:
        return ()
    return tuple(
        f"{each.sentence}. {accepting(source)}" for each in differences(merged(known_identity(inbox, source), said))
    )


def refuse_another(inbox: Inbox, source: str) -> None:
    """Raise AnotherRepository when a source was seen to be another one and nobody has said that this is right."""
    known = inbox.identity(source)
    if known is not None and (known.strange or is_another(known)):
        raise AnotherRepository(waiting(inbox, source))


def merged(known: KnownIdentity | None, said: Identity) -> KnownIdentity:
    """Return what is known of a source once it has said who it is. What it never said before is taken at its word."""
    if known is None:
        return KnownIdentity(said, said)
    accepted = Identity(*(was or is_now for was, is_now in zip(known.accepted, said, strict=True)))
    return known._replace(accepted=accepted, said=said)


def accept(inbox: Inbox, source: str, said: Identity | None = None) -> None:
    """Accept what a source says that it is, by default what it said last.

    Where it was taken for another repository, its next whole list may begin with unknown records.
    """
    known = known_identity(inbox, source)
    said = said or (known.said if known else Identity())
    old = known.accepted if known else Identity()
    accepted = Identity(*(now or was for now, was in zip(said, old, strict=True)))
    is_another_accepted = known is not None and (bool(known.strange) or is_another(known))
    inbox.keep_identity(source, KnownIdentity(accepted, accepted, is_strange_accepted=is_another_accepted))
