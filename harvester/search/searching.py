"""One work goes through the steps: in the order of their cost, until its file is found; every step leaves a trace.

Nothing here knows of databases, threads or the network: what is known of a work and `fetch` go in, a value comes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gateway.errors import GatewayError, TryLater
from gateway.model import Candidate, Outcome, Trace, Work
from harvester.discovery import Found, Known, Step, known_of
from harvester.discovery._visiting import outcome_of
from harvester.search.checking import Told, check
from harvester.wire.copies import Copy
from harvester.wire.http import Fetch
from harvester.wire.policies import Policy

# What may be otherwise tomorrow: the search is then not over, and waits.
PASSING = frozenset((Outcome.RATE_LIMITED, Outcome.TIMEOUT, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.TLS_ERROR))

# Which of several outcomes says most about a work whose file was not found: what is nearest to a file first.
_TELLING = (
    Outcome.LOW_SCORE, Outcome.NO_TEXT, Outcome.ENCRYPTED_PDF, Outcome.EMBARGOED_UNTIL, Outcome.ROBOTS_DENIED,
    Outcome.BLOCKED_CAPTCHA, Outcome.BLOCKED_COOKIE, Outcome.BLOCKED_WALL, Outcome.FORBIDDEN, Outcome.WRONG_DOCUMENT,
    Outcome.BROKEN_PDF, Outcome.PARSE_MEMORY, Outcome.PARSE_TIMEOUT, Outcome.BODY_TOO_LARGE, Outcome.RATE_LIMITED,
    Outcome.TIMEOUT, Outcome.TLS_ERROR, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.EMPTY_BODY, Outcome.NOT_PDF,
    Outcome.WRONG_MIMETYPE, Outcome.REDIRECT_LOOP, Outcome.TOO_MANY_REDIRECTS, Outcome.MAX_HOPS, Outcome.LINK_LOOP,
    Outcome.GONE, Outcome.SKIP_HOST, Outcome.PRIVATE_ADDRESS, Outcome.BAD_SCHEME, Outcome.NOT_OA, Outcome.NO_PDF_LINK,
    Outcome.NOT_FOUND,
)  # fmt: skip


_DIGITS = 4  # of a year


class Searched(NamedTuple):
    """What came of the search for one work. `is_over` is False when it should be repeated soon."""

    outcome: Outcome
    traces: tuple[Trace, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    policy: Policy | None = None
    is_over: bool = True
    published: str = ""  # the year, as far as it is known


def search(
    work: Work, steps: Iterable[Step], fetch: Fetch, settings: Mapping[str, str], *, at: int, most_files: int
) -> Searched:
    """Take the steps for one work. Never raises for what services, servers or files do."""
    if work.files:
        return Searched(Outcome.ALREADY_HELD)
    return _Search(known_of(work, settings), fetch, at, most_files).go(steps)


class _Search:
    """One search under way."""

    def __init__(self, known: Known, fetch: Fetch, at: int, most_files: int) -> None:
        self.known, self.fetch, self.at, self.files_left = known, fetch, at, most_files
        self.traces: list[Trace] = []
        self.candidates: list[Candidate] = []
        self.ends: set[Outcome] = set()  # of the steps that were taken
        self.seen: set[str] = set()

    @property
    def is_found(self) -> bool:
        return any(each.outcome is Outcome.SUCCESS and not each.is_auxiliary for each in self.candidates)

    def go(self, steps: Iterable[Step]) -> Searched:
        for step in steps:
            if (self.is_found and step.is_for_files) or not step.wants(self.known):
                continue
            if step.needs and not self.known.settings.get(step.needs):
                note = f"Not asked: the setting discover_{step.needs} is empty."
                self.traces.append(Trace(step.name, Outcome.SKIP_HOST, note=note))
                continue
            self._take(step)
        return Searched(
            outcome=self._outcome(),
            traces=tuple(self.traces),
            candidates=tuple(self.candidates),
            policy=self.known.policy,
            is_over=self._is_over(),
            published=self._published(),
        )

    def _take(self, step: Step) -> None:
        found = self._found(step)
        self.known = self.known.with_(found)
        self.ends.add(found.outcome)
        files = [copy for copy in found.copies if not copy.is_page]
        self.traces.append(Trace(step.name, found.outcome, len(files), found.note))
        for told in self._new(step, files):
            if self.is_found or not self.files_left:
                break
            self.files_left -= 1
            self.candidates.append(check(told, self.known, self.fetch, self.at))

    def _found(self, step: Step) -> Found:
        try:
            return step.find(self.known, self.fetch)
        except TryLater as error:
            return Found(Outcome.RATE_LIMITED, note=str(error))
        except GatewayError as error:
            return Found(outcome_of(error), note=str(error))

    def _new(self, step: Step, files: Iterable[Copy]) -> Iterator[Told]:
        """Return the copies that nobody told of before, those that can be handed on first."""
        for copy in sorted(files, key=_order):
            if copy.url not in self.seen:
                self.seen.add(copy.url)
                yield Told(step.name, copy)

    def _outcome(self) -> Outcome:
        if self.is_found:
            return Outcome.SUCCESS
        told = {each.outcome for each in self.candidates} or self.ends
        if not told:
            return Outcome.NO_DOI
        return next((each for each in _TELLING if each in told), Outcome.NO_PDF_LINK)

    def _published(self) -> str:
        """Return the year as services tell it, else the record."""
        told = [each.year for each in self.known.described]
        told += [each.text[:4] for each in self.known.work.statements if each.element == "date"]
        return next((year for year in told if len(year) == _DIGITS and year.isdecimal()), "")

    def _is_over(self) -> bool:
        """Tell whether nothing that was missing may be there tomorrow."""
        return self.is_found or not (self.ends | {each.outcome for each in self.candidates}) & PASSING


_VERSIONS = {"published": 0, "accepted": 1, "": 2, "submitted": 3}
_HOSTS = {"repository": 0, "": 1, "publisher": 2}


def _order(copy: Copy) -> tuple[bool, int, int]:
    """Return the place of a copy among those of a step: a licence, the version of record, a host that lets us in."""
    return not copy.license, _VERSIONS.get(copy.version, 2), _HOSTS.get(copy.host_type, 1)
