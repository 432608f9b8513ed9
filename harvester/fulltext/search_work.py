"""The search for one work: its steps run in the order of their cost until a file is found. Each step leaves a trace.

The first steps only collect copies, which are sorted before one is fetched. Each further step runs only while no file
is found, and after all known copies were checked. The page that Crossref or DataCite names as registered is visited
without the resolver.

`most_files` (`discover_max_files`) counts PDFs, and links that say PDF. XML, plain text, data, and APIs that need a key
(`api.wiley.com`, `api.elsevier.com`) are stored as addresses and not requested. Refusals (401, 403, 429, a captcha, a
login, robots.txt) do not count. A copy that is known to be open is checked beyond that number. Within a search an
address is requested once (`steps/_fetch_once.py`). The policy of the publisher is asked for last; then the supplements
to which the visited pages link are fetched, at most `most_files`. They never end a search. With `discover_supplements`,
pages are visited for them although the file is known.

With all keys, Crossref, DataCite, Unpaywall, OpenAlex and Semantic Scholar take 3 requests for a gold work. A bronze
one takes 4, with one for the policy. A closed work without a copy takes 6 or 7. It takes 8 if Unpaywall is asked about
two other versions of the work. Requests for robots.txt and redirects of the site are not counted. Each other service
adds at most one, and none for a work with an open copy.
`tests/fulltext/test_order.py` counts them.

This module uses no database, thread or network: it gets a work and `fetch`, and returns a value.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice

from gateway.core.addresses import address
from gateway.core.errors import GatewayError, TryLater
from gateway.core.model import Candidate, FileLink, Outcome, Trace, Work
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.licenses import is_open
from gateway.fulltext.search_result import RECHECK, SearchResult
from harvester.fulltext.access_rights import is_shut, open_from_record
from harvester.fulltext.check_copy import Keep, KeepText, Offer, again, check, check_named, is_same, unasked, withheld
from harvester.fulltext.embargoes import STEP as EMBARGO
from harvester.fulltext.embargoes import Embargoes, next_day
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.pdf.file_type import PDF
from harvester.fulltext.search_outcome import (
    PASSING,
    is_over,
    outcome_of_search,
    retraction_of,
    silent_registry,
    subjects_of,
    works_among,
    year_of,
)
from harvester.fulltext.steps import Known, Step, StepResult, known_of
from harvester.fulltext.steps._fetch_once import FetchOnce
from harvester.fulltext.steps._pages import resolvers_of
from harvester.fulltext.steps._visit import outcome_of
from harvester.http.messages import Fetch
from harvester.http.urls import host_of

_CROSSREF = "crossref"  # the name of its step
_MOST_NAMED = 100  # files of one record that are fetched; a lease lasts no longer
_MOST_MINING = 3  # refusals of one host; then none of its other addresses for text mining is requested
MOST_ADDRESSES = 20  # addresses of copies requested in one search; more if `most_files` is more

# The host refuses readers without a key or a subscription, or all programs.
_REFUSALS = frozenset(
    (Outcome.FORBIDDEN, Outcome.BLOCKED_CAPTCHA, Outcome.BLOCKED_COOKIE, Outcome.BLOCKED_WALL, Outcome.RATE_LIMITED)
)

# Refusals: they do not count among the files that may be fetched.
_REFUSED = frozenset(
    (
        *_REFUSALS, Outcome.ROBOTS_DENIED, Outcome.SKIP_HOST, Outcome.TAKEN_DOWN, Outcome.PRIVATE_ADDRESS,
        Outcome.BAD_SCHEME, Outcome.EMBARGOED_UNTIL, Outcome.DNS_ERROR, Outcome.TLS_ERROR, Outcome.TIMEOUT,
    )
)  # fmt: skip


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
    looked: Mapping[str, Candidate] | None = None,
    is_another: bool = False,
    wants_named: bool = False,
    refused: Iterable[str] = (),
    supplements: Iterable[Candidate] = (),
    keep: Keep = lambda _: None,
    keep_text: KeepText = lambda *_: None,
) -> SearchResult:
    """Search for one work and return the result. No failure of a service, a server or a file raises an error.

    `at` is now, in Unix seconds. `accepted` are copies that were accepted before: an unchanged one ends the search,
    unless it was accepted for another work. Those at `unproven` addresses are read again in any case. `looked` are
    published files that a recheck looks after, by address: they are not requested. `keep` gets the bytes of files that
    may be the work, `keep_text` the beginning of each text that was read. If the record names its files, they are only
    fetched (`wants_named`) and not judged. `refused` are DOIs that a person has rejected. `supplements` are those that
    the last search knew.
    """
    known = replace(known_of(work, settings), refused=frozenset(refused))
    under_way = _Search(known, fetch, at, most_files, accepted, keep)
    under_way.keep_text = keep_text
    under_way.former_supplements = tuple(map(again, supplements))
    under_way.unproven, under_way.looked = frozenset(unproven), looked or {}
    if work.files:
        return under_way.check_named_files(work.all_files if wants_named else (), steps, is_another=is_another)
    return under_way.go(steps, is_another=is_another)


class _Search:
    """One search under way."""

    def __init__(
        self, known: Known, fetch: Fetch, at: int, most_files: int, accepted: Iterable[Candidate], keep: Keep
    ) -> None:
        self.fetch, self.at, self.files_left = FetchOnce(fetch), at, most_files
        self.addresses_left = max(MOST_ADDRESSES, most_files)
        self.accepted = {candidate.url: candidate for candidate in accepted}
        self.known = replace(known, candidates=tuple(self.accepted.values()))
        self.unproven: frozenset[str] = frozenset()
        self.looked: Mapping[str, Candidate] = {}
        self.keep = keep
        self.keep_text: KeepText = lambda *_: None
        self.traces: list[Trace] = []
        self.candidates: list[Candidate] = []
        self.waiting: list[Offer] = []  # copies that are not yet checked
        self.supplements: list[Offer] = []  # they are checked last, at most `most_files` of them
        self.former_supplements: tuple[Offer, ...] = ()
        self.supplements_left = most_files
        self.addresses: list[Candidate] = []  # copies that are not PDFs or need a key: stored, not requested
        self.ends: set[Outcome] = set()  # outcomes of the steps for files
        self.seen: set[str] = set()
        self.reached: set[str] = set()  # final addresses of copies
        self.embargoes = Embargoes(utc_datetime(at)[:10])
        self.open_days: set[str] = set()  # days on which embargoed copies become available

    @property
    def is_found(self) -> bool:
        return bool(works_among(self.candidates))

    def go(self, steps: Iterable[Step], *, is_another: bool) -> SearchResult:
        if not is_another:
            self._recheck()
        self._hold_back_own()
        for step in steps:
            if not step.is_first:
                self._try()
            if (self.is_found and not self._is_needed(step)) or not step.wants(self.known):
                continue
            if step.needs and not self.known.settings.get(step.needs):
                note = f"Not asked: the setting discover_{step.needs} is empty."
                self.traces.append(Trace(step.name, Outcome.SKIP_HOST, note=note))
                continue
            self._take(step)
        self._try()
        self._recheck_changed()
        self._check_supplements()
        copies = [candidate for candidate in self.candidates if not candidate.is_supplement]
        return SearchResult(
            outcome=outcome_of_search(self.known, copies, self.addresses, self.ends),
            traces=tuple(self.traces),
            candidates=(*self.candidates, *self.addresses),
            policy=self.known.policy,
            is_over=is_over(copies, self.traces),
            published=year_of(self.known),
            matches=self.known.matches,
            retracted=retraction_of(self.known, self.candidates),
            silent=silent_registry(self.traces),
            open_from="" if self.is_found else next_day(self.open_days, self.at),
            subjects=subjects_of(self.known),
        )

    def _is_needed(self, step: Step) -> bool:
        """Return whether a step runs although the work is found."""
        return not step.is_for_files or (step.finds_supplements and self.known.settings.get("supplements") == "True")

    def check_named_files(self, files: Iterable[FileLink], steps: Iterable[Step], *, is_another: bool) -> SearchResult:
        """Return the result for the files that the record itself names, and for the accepted ones."""
        self.candidates += [
            self._looked(file) or check_named(file, self.fetch, self.at) for file in islice(files, _MOST_NAMED)
        ]
        if not is_another:
            self._recheck()
        self._recheck_changed()
        for step in steps:
            if step.is_for_files and self._is_needed(step) and step.wants(self.known):
                self._take(step)
        self._check_supplements()
        is_over = PASSING.isdisjoint(candidate.outcome for candidate in self.candidates)
        is_refused = {candidate.outcome for candidate in self.candidates} == {Outcome.PRIVATE_ADDRESS}
        outcome = Outcome.PRIVATE_ADDRESS if is_refused else Outcome.ALREADY_HELD
        return SearchResult(outcome, tuple(self.traces), tuple(self.candidates), is_over=is_over)

    def _looked(self, file: FileLink) -> Candidate | None:
        """Return what a recheck knows of a file that the record names, unless the record states other bytes."""
        candidate = self.looked.get(file.url)
        is_stated = candidate is None or not file.digests or ("sha256", candidate.sha256) in file.digests
        return candidate if is_stated else None

    def _recheck(self) -> None:
        """Take the unchanged accepted copies; steps may name the others again later."""
        for url, candidate in self.accepted.items():
            if url not in self.unproven and (address(url) in self.looked or is_same(candidate, self.fetch, self.keep)):
                self.seen.add(url)
                outcome = Outcome.SUPPLEMENT if candidate.is_supplement else Outcome.SUCCESS
                self._note(candidate._replace(outcome=outcome))

    def _recheck_changed(self) -> None:
        """Check every accepted copy that is not yet checked, also beyond the limit of files."""
        for url, accepted in self.accepted.items():
            if url not in self.seen:
                self._note(self._checked(again(accepted)))
        if self.accepted:
            # All of them are checked now.
            outcome = next(candidate.outcome for candidate in self.candidates if candidate.url in self.accepted)
            self.traces.append(Trace(RECHECK, outcome, len(self.accepted)))

    def _checked(self, offer: Offer) -> Candidate:
        """Return the result for a copy; for an accepted one that cannot be fetched, the earlier result."""
        offer = offer._replace(copy=self.embargoes.of(offer.copy))
        candidate = check(offer, self.known, self.fetch, self.at, self.keep, self.keep_text)
        self.open_days.add(candidate.open_from)
        before = self.accepted.get(candidate.url)
        return (
            candidate
            if candidate.sha256 or before is None
            else before._replace(outcome=candidate.outcome, status=candidate.status)
        )

    def _take(self, step: Step) -> None:
        self.fetch.last_host = ""
        result = self._result_of(step)
        self._hold_back(step.name, result.copies)
        self.known = self.known.with_(result)
        if step.is_for_files:
            self.ends.add(result.outcome)
        files = [copy for copy in result.copies if not (copy.is_page or copy.is_supplement)]
        host = result.host or self.fetch.last_host
        way = self.fetch.way_to(host) if host else ()
        self.traces.append(Trace(step.name, result.outcome, len(files), result.note, host, way))
        self.waiting += [Offer(step.name, copy) for copy in files]
        self.supplements += [Offer(step.name, copy) for copy in result.copies if copy.is_supplement]

    def _hold_back_own(self) -> None:
        """Withhold the pages of a record that states an embargo itself."""
        self.embargoes.own_day = day = open_from_record(self.known.work)
        self.embargoes.is_own_shut = is_shut(self.known.work)
        self.open_days.add(day)
        if day > self.embargoes.today:
            note = f"The record says that its files are not available before {day}."
            self.traces.append(Trace(EMBARGO, Outcome.EMBARGOED_UNTIL, note=note))
        self._hold_back(EMBARGO, [page._replace(is_shut=self.embargoes.is_own_shut) for page in self.known.pages])

    def _hold_back(self, step: str, copies: Iterable[Copy]) -> None:
        """Note the embargoed copies of a step; their pages are not visited."""
        self.open_days |= {copy.open_from for copy in copies}
        self.embargoes.arrive(self.fetch.redirects)
        # Unless Crossref does not know the DOI, a publisher may have registered it.
        is_unknown = {trace.outcome for trace in self.traces if trace.step == _CROSSREF} == {Outcome.NOT_FOUND}
        resolvers = self.embargoes.resolvers(resolvers_of(self.known, with_doi=is_unknown))
        for copy in self.embargoes.hold((*copies, *resolvers)):
            self._note(withheld(Offer(step, copy), self.at))
        self.known = replace(self.known, withheld=frozenset(self.embargoes.pages))

    def _result_of(self, step: Step) -> StepResult:
        try:
            return step.find(self.known, self.fetch)
        except TryLater as error:
            return StepResult(Outcome.RATE_LIMITED, note=str(error))
        except GatewayError as error:
            return StepResult(outcome_of(error), note=str(error))

    def _try(self) -> None:
        """Check the waiting copies, the best first, until one is the work. Each address is checked once."""
        waiting, self.waiting = sorted(self.waiting, key=lambda offer: _order(offer.copy)), []
        for offer in waiting:
            if self.is_found:
                return
            if offer.copy.url in self.seen or (offer.copy.url not in self.accepted and offer.copy.url in self.reached):
                continue
            if self._is_refused(offer.copy):  # a page may name the same address for readers, so it stays
                self.addresses.append(unasked(offer, self.at))
            elif offer.copy.is_other_type or offer.copy.needs_key:
                self.seen.add(offer.copy.url)
                self.addresses.append(unasked(offer, self.at))
            elif self.addresses_left and (self.files_left > 0 or offer.copy.is_open or is_open(offer.copy.license)):
                self.addresses_left -= 1
                self.seen.add(offer.copy.url)
                candidate = self._checked(offer)
                is_file = offer.copy.says_pdf and candidate.outcome not in _REFUSED
                self.files_left -= is_file or candidate.mime_type == PDF
                self._note(candidate)

    def _check_supplements(self) -> None:
        """Check the supplements to which pages of the work link; each address of a search is checked once."""
        for offer in (*self.supplements, *self.former_supplements):  # what the page says now counts
            url = offer.copy.url
            is_new = url not in self.seen and url not in self.reached and not offer.copy.needs_key
            if is_new and self.supplements_left and self.addresses_left:
                self.seen.add(url)
                self.supplements_left -= 1
                self.addresses_left -= 1
                self._note(self._checked(offer))

    def _is_refused(self, copy: Copy) -> bool:
        """Return whether an address is for text mining, and its host has refused three requests."""
        host = host_of(copy.url)
        return (
            copy.is_for_mining
            and sum(candidate.outcome in _REFUSALS and host_of(candidate.url) == host for candidate in self.candidates)
            >= _MOST_MINING
        )

    def _note(self, candidate: Candidate) -> None:
        self.reached |= {*candidate.hops, candidate.final_url}
        self.addresses = [address for address in self.addresses if address.url != candidate.url]
        self.candidates.append(candidate)
        self.known = replace(self.known, candidates=(*self.known.candidates, candidate))


_VERSIONS = {"published": 0, "accepted": 1, "": 2, "submitted": 3}
_HOSTS = {"repository": 0, "": 1, "publisher": 2}


def _order(copy: Copy) -> tuple[bool, bool, int, int, bool]:
    """Return the sort key of a copy: with a licence, open, version of record, repository first.

    Among equal ones, addresses for text mining come last.
    """
    version, host = _VERSIONS.get(copy.version, 2), _HOSTS.get(copy.host_type, 1)
    return not copy.license, not copy.is_open, version, host, copy.is_for_mining
