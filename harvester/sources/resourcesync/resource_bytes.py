"""The bytes of a resource, from the web or from a package. They are verified before they are read.

A Change List may name a patch beside the resource (Z39.99 §14.4). Patches are not read: the whole resource is fetched.
"""

from http import HTTPStatus
from typing import TypeAlias

from gateway.core.errors import AddressRefused, AnswerTooLarge, ConnectionFailed, RemoteRefuses, UnusableRecord
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import Options
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.fixity import fault_of
from harvester.sources.resourcesync.package import Package
from harvester.sources.resourcesync.request import FAILURES, Endurance, status_clause

# The answer (None: none), and the reason why it cannot be used (empty: it can).
Supplied: TypeAlias = tuple[Fetched | None, str]

# Errors of one URL that do not concern others.
REFUSALS = (AddressRefused, RemoteRefuses, AnswerTooLarge)


class FromWeb:
    """A supplier that fetches each resource, or one of its duplicates."""

    most_at_once = 10  # at most these are fetched again after a kill

    def __init__(self, options: Options, fetch: Fetch, endurance: Endurance) -> None:
        self._options, self._fetch, self._endurance = options, fetch, endurance

    def supply(self, own: Entry) -> Supplied:
        """Return a fetched resource.

        Raise ConnectionFailed or AnswerTooSlow when the whole server is failing, and TryLater when it is overloaded.
        """
        problems = []
        duplicates = (link.href for link in own.related("duplicate") if link.href.lower().startswith("http"))
        for url in (own.loc, *duplicates):
            fetched, problem = self._asked(own, url)
            if not problem:
                return fetched, ""
            problems.append(problem)
        return None, problems[0]

    def _asked(self, own: Entry, url: str) -> Supplied:
        try:
            fetched = self._fetch(self._endurance.patient(Request(url, self._options.source)))
        except REFUSALS as error:
            return None, str(error)
        except FAILURES as error:
            self._endurance.failed(error)
            return None, str(error)
        if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._endurance.failed(ConnectionFailed(f"{status_clause(fetched)}."))
        else:
            self._endurance.succeeded()
        if fetched.status != HTTPStatus.OK:
            return None, f"{status_clause(fetched)}."
        is_encoded = bool(own.encoding or fetched.header("Content-Encoding"))
        return fetched, fault_of(fetched.body, None if is_encoded else own.length, own.digests)


class FromPackage:
    """A supplier that reads resources from a package, and fetches those missing or unusable there."""

    most_at_once = 500  # a kill needs no new requests

    def __init__(self, package: Package, received_at: int, web: FromWeb) -> None:
        self._package, self._received_at, self._web = package, received_at, web

    def supply(self, own: Entry) -> Supplied:
        """Return a resource; the reason why it is unusable names both package and web. Raise as `FromWeb` does."""
        fetched, problem = self._read(own) if own.path else (None, "")
        if fetched is not None:
            return fetched, ""
        fetched, other = self._web.supply(own)
        return fetched, f"In its package: {problem} On the web: {other}" if problem and other else other

    def _read(self, own: Entry) -> Supplied:
        """Return a file of the package, or the reason why it is unusable."""
        try:
            body = self._package.read(own.path)
        except UnusableRecord as error:
            return None, str(error)
        if problem := fault_of(body, None if own.encoding else own.length, own.digests):
            return None, problem
        return Fetched(own.loc, HTTPStatus.OK, _headers(own), body, self._received_at), ""


def _headers(own: Entry) -> tuple[tuple[str, str], ...]:
    return (("Content-Type", own.type),) if own.type else ()
