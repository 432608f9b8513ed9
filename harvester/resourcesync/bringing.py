"""Where the bytes of a resource come from: the web, a patch, a package. They are verified before anybody sees them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TypeAlias

from gateway.errors import (
    AddressRefused,
    AnswerTooLarge,
    ConnectionFailed,
    RemoteRefuses,
    UnusableRecord,
)
from harvester.resourcesync.asking import told
from harvester.resourcesync.enduring import FAILURES, Endurance
from harvester.sources import Options
from harvester.wire.entries import Entry, Link
from harvester.wire.fixity import fault_of
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.package import Package
from harvester.wire.patches import KNOWN, RELATIONS

# What arrived, None when nothing did, and the reason why it cannot be used; empty: it can.
Brought: TypeAlias = tuple[Fetched | None, str]

# What says something of one address, and nothing of the others.
REFUSALS = (AddressRefused, RemoteRefuses, AnswerTooLarge)


class FromWeb:
    """Fetches each resource, or one of its duplicates."""

    most_at_once = 10  # what a kill may cost to ask for again

    def __init__(self, options: Options, fetch: Fetch, endurance: Endurance) -> None:
        """Take how to fetch, and what decides how many failures are too many."""
        self._options, self._fetch, self._endurance = options, fetch, endurance

    def bring(self, own: Entry, held: bytes = b"") -> Brought:
        """Bring a resource, of which an earlier version may be held.

        Raise ConnectionFailed or AnswerTooSlow when the server as such is ill, and TryLater when it is overloaded.
        """
        patched = _patched(own, held, self._patch)
        if patched is not None:
            return patched, ""
        problems = []
        duplicates = (each.href for each in own.related("duplicate") if each.href.lower().startswith("http"))
        for url in (own.loc, *duplicates):
            fetched, problem = self._asked(own, url)
            if not problem:
                return fetched, ""
            problems.append(problem)
        return None, problems[0]

    def _patch(self, link: Link) -> Brought:
        return self._asked(Entry(link.href, length=link.length, digests=link.digests), link.href)

    def _asked(self, own: Entry, url: str) -> Brought:
        try:
            fetched = self._fetch(self._endurance.patient(Request(url, self._options.source)))
        except REFUSALS as error:
            return None, str(error)
        except FAILURES as error:
            self._endurance.failed(error)
            return None, str(error)
        if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._endurance.failed(ConnectionFailed(f"{told(fetched)}."))
        else:
            self._endurance.succeeded()
        if fetched.status != HTTPStatus.OK:
            return None, f"{told(fetched)}."
        is_encoded = bool(own.encoding or fetched.header("Content-Encoding"))
        return fetched, fault_of(fetched.body, None if is_encoded else own.length, own.digests)


class FromPackage:
    """Takes each resource out of a package; what cannot be used there, or is not there, comes from the web."""

    most_at_once = 500  # nothing has to be asked for again

    def __init__(self, package: Package, received_at: int, web: FromWeb) -> None:
        """Take the package, when it arrived, and what else there is."""
        self._package, self._received_at, self._web = package, received_at, web

    def bring(self, own: Entry, held: bytes = b"") -> Brought:
        """Bring a resource; the reason why it cannot be used is that of the package and that of the web."""
        fetched, problem = self._read(own) if own.path else (None, "")
        fetched = fetched or _patched(own, held, self._patch)
        if fetched is not None:
            return fetched, ""
        fetched, other = self._web.bring(own, held)
        return fetched, f"In its package: {problem} On the web: {other}" if problem and other else other

    def _read(self, own: Entry) -> Brought:
        """Return a file of the package, or the reason why it cannot be used."""
        try:
            body = self._package.read(own.path)
        except UnusableRecord as error:
            return None, str(error)
        if problem := fault_of(body, None if own.encoding else own.length, own.digests):
            return None, problem
        return Fetched(own.loc, HTTPStatus.OK, _headers(own), body, self._received_at), ""

    def _patch(self, link: Link) -> Brought:
        said = Entry(link.href, type=link.type, length=link.length, digests=link.digests, path=link.path)
        return self._read(said) if link.path else (None, "")


def _patched(own: Entry, held: bytes, bring: Callable[[Link], Brought]) -> Fetched | None:
    """Return a resource as a patch makes it of what is held; None when none does: its digest decides."""
    patches = (each for rel in RELATIONS for each in own.related(rel)) if held and own.digests else ()
    for link in patches:
        apply = KNOWN.get(link.type.partition(";")[0].strip().lower())
        patch, problem = bring(link) if apply else (None, "")
        if apply is None or patch is None or problem:
            continue
        with suppress(UnusableRecord):
            body = apply(held, patch.body)
            if not fault_of(body, own.length, own.digests):
                return Fetched(own.loc, HTTPStatus.OK, _headers(own), body, patch.received_at)
    return None


def _headers(own: Entry) -> tuple[tuple[str, str], ...]:
    return (("Content-Type", own.type),) if own.type else ()
