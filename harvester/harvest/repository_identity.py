"""The identity of a source: the accepted one, the present one, and differences that wait for a confirmation.

The name of a source may have been used before: then the records that would return under it are reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gateway.core.errors import AnswerError
from gateway.core.model import Identity, KnownIdentity
from gateway.store.base import Inbox
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import AnotherRepository

# The words of the standards for the fields of an Identity.
_WORDS = {"repository_identifier": "repositoryIdentifier", "repository_name": "repositoryName", "base_url": "baseURL"}


class Difference(NamedTuple):
    """One field in which the present identity of a source differs from the accepted one."""

    what: str
    was: str
    is_now: str

    @property
    def sentence(self) -> str:
        """The difference in words, without a full stop."""
        return f"Its {self.what} was {self.was} and is {self.is_now} now"


def accepting(source: str) -> str:
    """Return a sentence with the command that accepts the present identity of a source."""
    return f"If that is right, run `harvester source accept-identity {source}`."


def known_identity(inbox: Inbox, source: str) -> KnownIdentity | None:
    """Return the known identity of a source; None: it is unknown.

    Earlier releases stored only its last answer to Identify (OAI-PMH 2.0 §4.2).
    """
    known = inbox.identity(source)
    if known is not None:
        return known
    page = inbox.last_answer(source, "Identify")
    if page is None:
        return None
    from harvester.sources.oai_pmh.answers import parse_identify  # noqa: PLC0415 - `status` seldom needs the parser
    from harvester.sources.oai_pmh.description import identity_of  # noqa: PLC0415 - as above

    try:
        identity = identity_of(parse_identify(page.repaired or page.body))
    except AnswerError:
        return None
    return KnownIdentity(identity, identity)


def differences(known: KnownIdentity) -> tuple[Difference, ...]:
    """Return the differences from the accepted identity. A missing field is no difference."""
    return tuple(
        Difference(_WORDS[name], was, is_now)
        for name, was, is_now in zip(Identity._fields, known.accepted, known.latest, strict=True)
        if was and is_now and was.rstrip("/") != is_now.rstrip("/")
    )


def is_another(known: KnownIdentity) -> bool:
    """Return whether the repositoryIdentifier differs. Another name or address alone is common."""
    return any(difference.what == _WORDS["repository_identifier"] for difference in differences(known))


def is_waiting(known: KnownIdentity | None) -> bool:
    """Return whether a person must confirm the identity of a source."""
    return known is not None and bool(differences(known) or known.strange)


def in_words(source: str, known: KnownIdentity | None) -> str:
    """Return sentences about the identity of a source that waits for a confirmation; else an empty string."""
    if known is None or not is_waiting(known):
        return ""
    sentences = [f"{difference.sentence}." for difference in differences(known)]
    return " ".join(
        (f"{source}: the identity has changed.", *sentences, *filter(None, [known.strange]), accepting(source))
    )


def changed(inbox: Inbox, source: str, identity: Identity | None) -> tuple[str, ...]:
    """Return a sentence for each difference between an identity and the accepted one."""
    if identity is None:
        return ()
    return tuple(
        f"{difference.sentence}. {accepting(source)}"
        for difference in differences(merged(known_identity(inbox, source), identity))
    )


def refuse_another(inbox: Inbox, source: str) -> None:
    """Raise AnotherRepository when a source seemed to be another one and nobody has confirmed it."""
    known = inbox.identity(source)
    if known is not None and (known.strange or is_another(known)):
        raise AnotherRepository(in_words(source, known))


def merged(known: KnownIdentity | None, identity: Identity) -> KnownIdentity:
    """Return the known identity with a new answer. A field without an accepted value is accepted at once."""
    if known is None:
        return KnownIdentity(identity, identity)
    accepted = Identity(*(was or is_now for was, is_now in zip(known.accepted, identity, strict=True)))
    return known._replace(accepted=accepted, latest=identity)


def accept(inbox: Inbox, source: str, identity: Identity | None = None) -> None:
    """Accept an identity of a source, by default its last one.

    If it seemed to be another repository, its next complete list may begin with unknown records.
    """
    known = known_identity(inbox, source)
    identity = identity or (known.latest if known else Identity())
    old = known.accepted if known else Identity()
    accepted = Identity(*(now or was for now, was in zip(identity, old, strict=True)))
    is_another_accepted = known is not None and (bool(known.strange) or is_another(known))
    inbox.keep_identity(source, KnownIdentity(accepted, accepted, is_strange_accepted=is_another_accepted))


class Former(NamedTuple):
    """The records under a former name. `is_other`: they came from another address than the present one."""

    sentence: str
    is_other: bool


def former(instance: Instance, name: str, url: str) -> Former | None:
    """Return the records that are stored under the name of a source; None when there are none."""
    with instance.store.view() as view:
        known = view.source(name)
    counts = instance.store.counts(name)
    if known is None or not counts["items"]:
        return None
    deleted, living = counts["deleted"], counts["items"] - counts["deleted"]
    held = [f"{deleted} deleted" * bool(deleted), f"{living} published" * bool(living)]
    what = f"{' and '.join(filter(None, held))} records are stored under it"
    if known.base_url == url:
        return Former(
            f"The name {name} was used before for the same address: {what}. Deleted records that the source still has "
            "come to life again at its next harvest, under their old identifiers.",
            is_other=False,
        )
    return Former(
        f"The name {name} was used before for ANOTHER address, {known.base_url}: {what}. A record of {url} with the "
        "identifier of one of them takes its place, and deleted ones come to life again.",
        is_other=True,
    )


def note_former(instance: Instance, entry: SourceEntry, note: Callable[[str], None]) -> None:
    """Report which records return when the entry of a removed source was written by hand."""
    with instance.store.view() as view:
        known = view.source(entry.name)
        is_removed = known is not None and known.is_removed
    if is_removed and (former_url := former(instance, entry.name, entry.url)):
        note(former_url.sentence)
