"""One work goes through the steps: in the order of their cost, until its file is found; every step leaves a trace.

The first steps only gather: what they know is put in order before the first copy is fetched. Each further step is
taken only while no file is found, and after all copies that are known were looked at.

Nothing here knows of databases, threads or the network: what is known of a work and `fetch` go in, a value comes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from gateway.errors import GatewayError, TryLater
from gateway.model import Candidate, FileLink, Match, Outcome, Trace, Work
from gateway.xmltext import utc_datetime
from harvester.discovery import Found, Known, Step, known_of
from harvester.discovery._once import Once
from harvester.discovery._visiting import outcome_of
from harvester.search.checking import Keep, Told, again, check, is_same, look, unasked, withheld
from harvester.search.embargoes import STEP as EMBARGO
from harvester.search.embargoes import Embargoes, next_day
from harvester.search.identity import Identity
from harvester.verification.bytes import PDF
from harvester.verification.judging import agree
from harvester.wire.access import is_shut, open_from_record
from harvester.wire.copies import IS_ARTICLE, Copy
from harvester.wire.http import Fetch
from harvester.wire.licenses import is_open
from harvester.wire.policies import VERSIONS, Colour, Policy
from harvester.wire.retractions import by_title
from harvester.wire.urls import site_of

# What may be otherwise tomorrow: the search is then not over, and waits.
PASSING = frozenset((Outcome.RATE_LIMITED, Outcome.TIMEOUT, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.TLS_ERROR))

# Which of several outcomes says most about a work whose file was not found: what is nearest to a file first.
_TELLING = (
    Outcome.LOW_SCORE, Outcome.NO_TEXT, Outcome.ENCRYPTED_PDF, Outcome.EMBARGOED_UNTIL, Outcome.FULL_TEXT_XML,
    Outcome.FULL_TEXT_HTML, Outcome.ROBOTS_DENIED,
    Outcome.BLOCKED_CAPTCHA, Outcome.BLOCKED_COOKIE, Outcome.BLOCKED_WALL, Outcome.FORBIDDEN, Outcome.SUPPLEMENT,
    Outcome.WRONG_DOCUMENT,
    Outcome.BROKEN_PDF, Outcome.PARSE_MEMORY, Outcome.PARSE_TIMEOUT, Outcome.BODY_TOO_LARGE, Outcome.RATE_LIMITED,
    Outcome.TIMEOUT, Outcome.TLS_ERROR, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.EMPTY_BODY, Outcome.NOT_PDF,
    Outcome.WRONG_MIMETYPE, Outcome.REDIRECT_LOOP, Outcome.TOO_MANY_REDIRECTS, Outcome.MAX_HOPS, Outcome.LINK_LOOP,
    Outcome.GONE, Outcome.TAKEN_DOWN, Outcome.SKIP_HOST, Outcome.PRIVATE_ADDRESS, Outcome.BAD_SCHEME, Outcome.NOT_OA,
    Outcome.NO_PDF_LINK, Outcome.NOT_FOUND,
)  # fmt: skip


_REGISTRIES = ("crossref", "datacite")  # the steps that tell whether a work was retracted
_DIGITS = 4  # of a year
RECHECK = "recheck"  # the trace of those copies that had been accepted before
_MOST_NAMED = 100  # files of one record that are fetched; a lease lasts no longer
MOST_ADDRESSES = 20  # of copies that are asked for in one search, whatever became of them; more if more files may be

# What shows us nothing of a file: it takes no place among those that may be fetched.
_REFUSED = frozenset(
    (
        Outcome.FORBIDDEN,
        Outcome.RATE_LIMITED,
        Outcome.BLOCKED_CAPTCHA,
        Outcome.BLOCKED_COOKIE,
        Outcome.BLOCKED_WALL,
        Outcome.ROBOTS_DENIED,
        Outcome.SKIP_HOST,
        Outcome.TAKEN_DOWN,
        Outcome.PRIVATE_ADDRESS,
        Outcome.BAD_SCHEME,
        Outcome.EMBARGOED_UNTIL,
        Outcome.DNS_ERROR,
        Outcome.TLS_ERROR,
        Outcome.TIMEOUT,
    )
)


class Searched(NamedTuple):
    """What came of the search for one work. `is_over` is False when it should be repeated soon."""

    outcome: Outcome
    traces: tuple[Trace, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    policy: Policy | None = None
    is_over: bool = True
    published: str = ""  # the year, as far as it is known
    basis: str = ""  # a digest of what it went by
    identity: Identity = Identity()
    before: Identity | None = None  # when it was decided last
    matches: tuple[Match, ...] = ()  # by which a DOI was found that the record lacks
    retracted: str = ""  # a sentence that says so, and who says so
    open_from: str = ""  # the day on which to search again, when what may not be had yet may be had
    lost: tuple[Match, ...] = ()  # of the search before, that are none any more
    silent: str = ""  # the step of the registry that has not answered: whether the work was retracted is not known

    @property
    def is_another(self) -> bool:
        """Tell whether the record has become that of another work since it was decided on its files."""
        return self.before is not None and self.before.is_another(self.identity)


def search(
    work: Work,
    steps: Iterable[Step],
    fetch: Fetch,
    settings: Mapping[str, str],
    *,
    at: int,
    most_files: int,
    accepted: Iterable[Candidate] = (),
    unproven: Iterable[str] = (),
    is_another: bool = False,
    wants_named: bool = False,
    refused: Iterable[str] = (),
    keep: Keep = lambda _: None,
) -> Searched:
    """Take the steps for one work. Never raises for what services, servers or files do.

    `accepted` are copies that were accepted before: one that is there as it was is all that is looked for, unless it
    was accepted for another work. Those of `unproven` addresses are read again all the same. What may be the work is
    given to `keep`. For a work whose record names its files none is searched for: those are fetched (`wants_named`),
    and not weighed. `refused` are not its DOIs.
    """
    known = replace(known_of(work, settings), refused=frozenset(refused))
    under_way = _Search(known, fetch, at, most_files, accepted, keep)
    under_way.unproven = frozenset(unproven)
    if work.files:
        return under_way.look(work.files if wants_named else (), is_another=is_another)
    return under_way.go(steps, is_another=is_another)


class _Search:
    """One search under way."""

    def __init__(
        self, known: Known, fetch: Fetch, at: int, most_files: int, accepted: Iterable[Candidate], keep: Keep
    ) -> None:
        self.fetch, self.at, self.files_left = Once(fetch), at, most_files
        self.addresses_left = max(MOST_ADDRESSES, most_files)
        self.accepted = {each.url: each for each in accepted}
        self.known = replace(known, candidates=tuple(self.accepted.values()))
        self.unproven: frozenset[str] = frozenset()
        self.keep = keep
        self.traces: list[Trace] = []
        self.candidates: list[Candidate] = []
        self.waiting: list[Told] = []  # copies that nobody has looked at yet
        self.addresses: list[Candidate] = []  # of what is no PDF, or asks for a key: kept, and not asked
        self.ends: set[Outcome] = set()  # of the steps that were taken
        self.seen: set[str] = set()
        self.reached: set[str] = set()  # where copies led to
        self.embargoes = Embargoes(utc_datetime(at)[:10])
        self.open_days: set[str] = set()  # on which what was told of may be had

    @property
    def is_found(self) -> bool:
        return any(each.outcome is Outcome.SUCCESS and not each.is_auxiliary for each in self.candidates)

    def go(self, steps: Iterable[Step], *, is_another: bool) -> Searched:
        if not is_another:
            self._recheck()
        self._hold_back_own()
        for step in steps:
            if not step.is_first:
                self._try()
            if (self.is_found and step.is_for_files) or not step.wants(self.known):
                continue
            if step.needs and not self.known.settings.get(step.needs):
                note = f"Not asked: the setting discover_{step.needs} is empty."
                self.traces.append(Trace(step.name, Outcome.SKIP_HOST, note=note))
                continue
            self._take(step)
        self._try()
        self._recheck_changed()
        return Searched(
            outcome=self._outcome(),
            traces=tuple(self.traces),
            candidates=(*self.candidates, *self.addresses),
            policy=self.known.policy,
            is_over=self._is_over(),
            published=self._published(),
            matches=self.known.matches,
            retracted=self._retracted(),
            silent=self._silent(),
            open_from="" if self.is_found else next_day(self.open_days, self.at),
        )

    def look(self, files: Iterable[FileLink], *, is_another: bool) -> Searched:
        """Return what the files are that the record itself names, and what became of those that were accepted."""
        self.candidates += [look(each, self.fetch, self.at) for each in islice(files, _MOST_NAMED)]
        if not is_another:
            self._recheck()
        self._recheck_changed()
        is_over = PASSING.isdisjoint(each.outcome for each in self.candidates)
        return Searched(Outcome.ALREADY_HELD, tuple(self.traces), tuple(self.candidates), is_over=is_over)

    def _recheck(self) -> None:
        """Take those that are as they were; the others the steps may tell of again, when more is known of the work."""
        for url, each in self.accepted.items():
            if url not in self.unproven and is_same(each, self.fetch, self.keep):
                self.seen.add(url)
                self._looked_at(each._replace(outcome=Outcome.SUCCESS))

    def _recheck_changed(self) -> None:
        """Look at every accepted copy that was not looked at yet, also beyond the limit of files."""
        for url, each in self.accepted.items():
            if url not in self.seen:
                self._looked_at(self._checked(again(each)))
        if self.accepted:
            # Every one of them was looked at: as it was, because a step named it, or just now.
            outcome = next(each.outcome for each in self.candidates if each.url in self.accepted)
            self.traces.append(Trace(RECHECK, outcome, len(self.accepted)))

    def _checked(self, told: Told) -> Candidate:
        """Return what a copy is; of one that was accepted and cannot be had, what it was."""
        told = told._replace(copy=self.embargoes.of(told.copy))
        found = check(told, self.known, self.fetch, self.at, self.keep)
        self.open_days.add(found.open_from)
        before = self.accepted.get(found.url)
        return found if found.sha256 or before is None else before._replace(outcome=found.outcome, status=found.status)

    def _take(self, step: Step) -> None:
        self.fetch.last_host = ""
        found = self._found(step)
        self._hold_back(step.name, found.copies)
        self.known = self.known.with_(found)
        self.ends.add(found.outcome)
        files = [copy for copy in found.copies if not copy.is_page]
        self.traces.append(Trace(step.name, found.outcome, len(files), found.note, found.host or self.fetch.last_host))
        self.waiting += [Told(step.name, copy) for copy in files]

    def _hold_back_own(self) -> None:
        """Hold back the pages of a record that says itself that its files may not be had yet."""
        day = open_from_record(self.known.work)
        self.open_days.add(day)
        if day > self.embargoes.today:
            note = f"The record says that its files may not be had before {day}."
            self.traces.append(Trace(EMBARGO, Outcome.EMBARGOED_UNTIL, note=note))
        if is_shut(self.known.work):
            self.embargoes.shut |= {site_of(page.url) for page in self.known.pages}
        self._hold_back(EMBARGO, self.known.pages)

    def _hold_back(self, step: str, copies: Iterable[Copy]) -> None:
        """Note what may not be had yet of what a step has told; a page of it is not visited."""
        self.open_days |= {copy.open_from for copy in copies}
        for copy in self.embargoes.hold(copies):
            self._looked_at(withheld(Told(step, copy), self.at))
        self.known = replace(self.known, withheld=frozenset(self.embargoes.pages))

    def _found(self, step: Step) -> Found:
        try:
            return step.find(self.known, self.fetch)
        except TryLater as error:
            return Found(Outcome.RATE_LIMITED, note=str(error))
        except GatewayError as error:
            return Found(outcome_of(error), note=str(error))

    def _try(self) -> None:
        """Look at the copies that wait, the best first, until one is the work. Each address is looked at once."""
        waiting, self.waiting = sorted(self.waiting, key=lambda told: _order(told.copy)), []
        for told in waiting:
            if self.is_found:
                return
            if told.copy.url in self.seen or (told.copy.url not in self.accepted and told.copy.url in self.reached):
                continue
            if told.copy.is_other_type or told.copy.needs_key:
                self.seen.add(told.copy.url)
                self.addresses.append(unasked(told, self.at))
            elif self.addresses_left and (self.files_left > 0 or _is_open(told.copy)):
                self.addresses_left -= 1
                self.seen.add(told.copy.url)
                candidate = self._checked(told)
                self.files_left -= _takes_a_place(told.copy, candidate)
                self._looked_at(candidate)

    def _looked_at(self, candidate: Candidate) -> None:
        self.reached |= {*candidate.hops, candidate.final_url}
        self.candidates.append(candidate)
        self.known = replace(self.known, candidates=(*self.known.candidates, candidate))

    def _outcome(self) -> Outcome:
        if self.is_found:
            return Outcome.POLICY_FORBIDS if self._is_forbidden() else Outcome.SUCCESS
        seen = [each for each in self.addresses if each.evidence == IS_ARTICLE]
        told = {each.outcome for each in (*self.candidates, *seen)} or self.ends
        if not told:
            return Outcome.NO_DOI
        return next((each for each in _TELLING if each in told), Outcome.NO_PDF_LINK)

    def _is_forbidden(self) -> bool:
        """Tell whether no copy has an open licence, and a policy is known that lets no repository have its version."""
        policy = self.known.policy
        if policy is None or policy.colour is Colour.GRAY:
            return False
        permitted = {each for each in VERSIONS if policy.for_version(each)}
        found = [each for each in self.candidates if each.outcome is Outcome.SUCCESS and not each.is_auxiliary]
        return not any(
            is_open(each.license) or (each.version in permitted if each.version else permitted) for each in found
        )

    def _retracted(self) -> str:
        """Return what services say of a retraction, else the record itself.

        They mean this work where they call it by its title, or a DOI by which its file is identified.
        """
        own = [each.text for each in self.known.work.statements if each.element == "title"]
        shown = any("doi" in each.identified_by for each in self.candidates)
        dois = set(self.known.own_identifiers.all("doi")) if shown else set()
        stated = [each.retracted for each in self.known.described if each.doi in dois or agree(own, each.title)]
        stated += [by_title(title, "the record") for title in own]
        return next(filter(None, stated), "")

    def _silent(self) -> str:
        """Return the step of a registry that may answer tomorrow; empty: all that were asked have answered."""
        return next((each.step for each in self.traces if each.step in _REGISTRIES and each.outcome in PASSING), "")

    def _published(self) -> str:
        """Return the year as services tell it, else the record."""
        told = [each.year for each in self.known.described]
        told += [each.text[:4] for each in self.known.work.statements if each.element == "date"]
        return next((year for year in told if len(year) == _DIGITS and year.isdecimal()), "")

    def _is_over(self) -> bool:
        """Tell whether nothing that was missing may be there tomorrow."""
        is_known = self.is_found and not self._silent()
        return is_known or not (self.ends | {each.outcome for each in self.candidates}) & PASSING


def _is_open(copy: Copy) -> bool:
    """Tell whether a copy is known to be open: it is looked at however many others were no work."""
    return copy.is_open or is_open(copy.license)


def _takes_a_place(copy: Copy, candidate: Candidate) -> bool:
    """Tell whether a copy counts among the files of a work: it is a PDF, or was said to be one and not refused."""
    return candidate.mime_type == PDF or (copy.says_pdf and candidate.outcome not in _REFUSED)


_VERSIONS = {"published": 0, "accepted": 1, "": 2, "submitted": 3}
_HOSTS = {"repository": 0, "": 1, "publisher": 2}


def _order(copy: Copy) -> tuple[bool, bool, int, int]:
    """Return the place of a copy among all: a licence, open, the version of record, a host that lets us in."""
    return not copy.license, not copy.is_open, _VERSIONS.get(copy.version, 2), _HOSTS.get(copy.host_type, 1)
