"""Fetch one file of an object, verify it, and store it in a temporary file for the next version."""

from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path

from gateway.core.digests import is_strong
from gateway.core.errors import AddressRefused, AnswerTooLarge, FetchError, RemoteRefuses, RobotsDenied, TryLater
from gateway.core.xmltext import utc_datetime
from harvester.http.downloads import Arriving
from harvester.http.messages import Fetch, Fetched, Request
from harvester.mirror.file_hosts import FileHosts
from harvester.mirror.file_plan import ContradictoryAnswer, LastAnswer, PlannedFile, fingerprint, has_digests, settled
from harvester.mirror.judge_file import Collected, bytes_in, classified, missing, received, still_doubtful, suspected
from harvester.mirror.verify import Bytes, Fate, Verdict, verdict
from harvester.runtime.durable_files import reporting_unwritable

_HEADERS = (("Accept", "*/*"), ("Accept-Encoding", "identity"))

# The outcome of a file by error or by HTTP status; the first row that fits counts.
_BY_ERROR: tuple[tuple[type[FetchError], Fate], ...] = (
    (TryLater, Fate.TRY_LATER),
    (AnswerTooLarge, Fate.TOO_LARGE),
    (RobotsDenied, Fate.DISALLOWED),
    (RemoteRefuses, Fate.REFUSED),
    (AddressRefused, Fate.REFUSED),
    (FetchError, Fate.UNREACHABLE),
)
_BY_STATUS = {404: Fate.NOT_FOUND, 410: Fate.NOT_FOUND, 401: Fate.REFUSED, 403: Fate.REFUSED, 451: Fate.REFUSED}


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest size of a file in bytes, and the hosts that may be asked for files.

    A file that was received in parts, and without a stated digest, is fetched again as a whole if it has at most
    `whole_again_max_bytes`.
    """

    max_bytes: int
    hosts: FileHosts = field(default_factory=lambda: FileHosts(obeys_robots=False))
    whole_again_max_bytes: int = 0


def collect(planned: PlannedFile, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    """Fetch one file from the first of its addresses that sends good bytes into the temporary file `aside`.

    A failure of the server is an outcome, not an exception. Raise StoreUnwritable when the disk is full.
    """
    if not planned.component.addresses:
        named = ", ".join(planned.component.locations) or "none"
        return missing(planned, Fate.NO_ADDRESS, f"Its locations cannot be requested over HTTP: {named}.")
    if planned.refused is not None and planned.refused.url in planned.component.addresses:
        with reporting_unwritable(aside):
            planned.refused.file.replace(aside)
        fitting = _Asking(planned.refused.url, planned, aside, fetch, limits).fitting(planned.refused.answer)
        if fitting is not None:
            return fitting
    first: Collected | None = None
    sent: tuple[LastAnswer, ...] = ()
    refused: ContradictoryAnswer | None = None
    for url in planned.component.addresses:
        collected = _Asking(url, planned, aside, fetch, limits).outcome()
        sent, refused = sent + collected.sent, collected.refused or refused
        if collected.file.is_good:
            return replace(collected, sent=sent)
        first = collected if first is None or (collected.suspect and not first.suspect) else first
    assert first is not None
    return replace(first, sent=sent, refused=refused)


def extracted(planned: PlannedFile, aside: Path, now: int) -> Collected:
    """Store the bytes that the document carries By-Value (DIDL), if they agree with its statements.

    XML that was part of the document is serialised again, so its original bytes are unknown and are not compared. `now`
    is the second since 1970. Raise StoreUnwritable.
    """
    component = planned.component
    if component.content is None:
        return missing(planned, Fate.CORRUPT, "The content in the document is not valid base64.")
    with reporting_unwritable(aside):
        aside.write_bytes(component.content)
    bytes_ = bytes_in(aside, component)
    stated = component._replace(digests=(), size=None, mime_type="") if component.is_markup else component
    judged = verdict(stated, bytes_)
    if judged.fate is not Fate.FETCHED and not judged.is_by_bytes:
        aside.unlink()
        return missing(planned, judged.fate, judged.reason)
    good = received(planned, aside, bytes_, judged, Fate.BY_VALUE)
    good = replace(good, file=good.file._replace(received_at=utc_datetime(now)))
    return good if component.is_markup else classified(good, judged)


@dataclass(frozen=True, slots=True)
class _Asking:
    """One address of a file, the temporary file for its bytes, and the means to request it."""

    url: str
    planned: PlannedFile
    aside: Path
    fetch: Fetch
    limits: Limits

    def outcome(self) -> Collected:
        """Return the file as the address sends it. A failure of the server is an outcome."""
        try:
            collected = self._fetched()
        except FetchError as error:
            self.limits.hosts.failed(self.url, error, self.fetch)
            fate = next(fate for kind, fate in _BY_ERROR if isinstance(error, kind))
            return replace(missing(self.planned, fate, str(error)), is_unasked=isinstance(error, AddressRefused))
        self.limits.hosts.answered(self.url)
        return collected

    def _request(self, sink: Arriving, condition: tuple[tuple[str, str], ...] = ()) -> Request:
        permits = partial(self.limits.hosts.check, fetch=self.fetch)
        return Request(self.url, headers=(*_HEADERS, *condition), sink=sink, permits=permits)

    def _fetched(self) -> Collected:
        algorithms = [algorithm for algorithm, _ in self.planned.component.digests]
        is_proven = is_strong(self.planned.component.digests)
        with closing(Arriving(self.aside, self.url, self.limits.max_bytes, algorithms)) as arriving:
            collected, is_mixed = self.judged(arriving)
            is_pieced = arriving.is_pieced and collected.incoming is not None and not is_proven
        if is_mixed:
            return self._fetched()
        if is_pieced and (collected.file.size or 0) <= self.limits.whole_again_max_bytes:
            collected = self._whole_again(collected)
        return self._confirmed(collected) if collected.is_unmeasured else collected

    def _whole_again(self, pieced: Collected) -> Collected:
        """Fetch a file again as a whole that came in parts. No digest proves that the parts belong to one file.

        If that fails, the file in parts is accepted, because the server confirmed it with If-Range (RFC 9110 §13.1.5).
        """
        planned = pieced.planned.again._replace(is_recheck=False)
        again = replace(self, planned=planned, aside=self.aside.with_name(f"{self.aside.name}.whole"))
        with closing(Arriving(again.aside, self.url, self.limits.max_bytes)) as arriving:
            arriving.forget()
            whole: Collected | None
            try:
                whole, _ = again.judged(arriving)
            except FetchError:
                whole = None
            if whole is None or whole.incoming is None or not whole.file.is_good:
                arriving.forget()
                return pieced
        with reporting_unwritable(self.aside):
            again.aside.replace(self.aside)
            again.aside.with_name(f"{again.aside.name}.json").unlink(missing_ok=True)
        return replace(whole, planned=pieced.planned, incoming=whole.incoming._replace(file=self.aside))

    def _confirmed(self, collected: Collected) -> Collected:
        """Fetch a file of unknown length again. It is good when the same bytes are received, else doubtful."""
        place = self.aside.with_name(f"{self.aside.name}.again")
        with closing(Arriving(place, self.url, self.limits.max_bytes)) as again:
            answer = self.fetch(self._request(again))
            is_same = answer.status == HTTPStatus.OK and again.finish()["sha512"] == collected.file.sha512
            again.forget()
        if is_same:
            return collected
        return suspected(
            collected, "unmeasured", "Its server does not state its length, and sent different bytes the second time."
        )

    def judged(self, arriving: Arriving) -> tuple[Collected, bool]:
        """Request a file and judge it. Return also whether it is bad because its parts are of different files."""
        planned, component, has_part = self.planned, self.planned.component, arriving.size > 0
        known = None if has_part else _known(planned, self.url)
        condition = known.condition if known else ()
        request = self._request(arriving, condition)
        answer = self.fetch(request)
        if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            if is_strong(component.digests) and arriving.size:
                # The part is the whole file; its digest decides. The headers of this answer do not describe the file.
                answer = replace(answer, status=HTTPStatus.PARTIAL_CONTENT, headers=arriving.stated_headers)
            else:
                arriving.forget()
                answer = self.fetch(request)  # without a range: the part was forgotten
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None and condition:
            return _unchanged(planned, known), False
        if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            fate = _BY_STATUS.get(answer.status, Fate.UNREACHABLE)
            return missing(planned, fate, f"{self.url} answers with HTTP status {answer.status}."), False
        bytes_ = bytes_in(self.aside, component, answer, arriving.finish())
        judged = verdict(component, bytes_)
        if judged.fate is Fate.FETCHED or judged.is_by_bytes:
            return self.looked_at(bytes_, answer, judged), False
        is_mixed = has_part and answer.status == HTTPStatus.PARTIAL_CONTENT
        refused: ContradictoryAnswer | None = None
        if planned.is_recheck and not is_mixed:
            refused = ContradictoryAnswer(self.url, self.aside.with_name(f"{self.aside.name}.refused"), answer)
            arriving.move(refused.file)
        else:
            arriving.forget()
        sent = self._sent(answer)._replace(fate=judged.fate, reason=judged.reason, stated=fingerprint(component))
        return replace(missing(planned, judged.fate, judged.reason), sent=(sent,), refused=refused), is_mixed

    def fitting(self, answer: Fetched) -> Collected | None:
        """Return a file from bytes that contradicted its earlier document, if they agree with the present one."""
        bytes_ = bytes_in(self.aside, self.planned.component, answer)
        judged = verdict(self.planned.component, bytes_)
        if judged.fate is Fate.FETCHED:
            return self.looked_at(bytes_, answer, judged)
        with reporting_unwritable(self.aside):
            self.aside.unlink()
        return None

    def looked_at(self, bytes_: Bytes, answer: Fetched, judged: Verdict) -> Collected:
        """Return a file with received bytes that no statement contradicts."""
        if not self.aside.exists():  # an empty file has no bytes that could be written
            self.aside.touch()
        good = received(self.planned, self.aside, bytes_, judged, Fate.FETCHED)
        file = good.file._replace(
            url=self.url,
            came_from=answer.url if answer.url != self.url else "",
            received_at=utc_datetime(answer.received_at),
            content_type=answer.header("Content-Type"),
            entity_tag=answer.header("ETag"),
            last_modified=answer.header("Last-Modified"),
        )
        good = replace(good, file=file, sent=(self._sent(answer),))
        return classified(good, judged, is_measured=bytes_.is_measured)

    def _sent(self, answer: Fetched) -> LastAnswer:
        last_modified = settled(answer.header("Last-Modified"), answer.received_at)
        return LastAnswer(self.url, answer.header("ETag"), last_modified)


def _known(planned: PlannedFile, url: str) -> LastAnswer | None:
    """Return the last answer of an address, for a conditional request; None when the document decides."""
    held, component = planned.before, planned.component
    if planned.doubted is not None and url == planned.doubted.file.url and not is_strong(component.digests):
        doubted = planned.doubted.file
        return LastAnswer(url, doubted.entity_tag, doubted.last_modified, Fate.DOUBTFUL)
    sent = planned.sent or (() if planned.is_recheck else planned.arrived)
    last = next((answer_ for answer_ in sent if answer_.is_about(url, component)), None)
    if planned.is_recheck or last is None or last.fate is not Fate.KEPT:
        return last
    if planned.doubted is not None or is_strong(component.digests):
        return None
    return None if held is None or has_digests(component, held) is False else last


def _unchanged(planned: PlannedFile, known: LastAnswer) -> Collected:
    """Return the outcome of a file that has not changed (304): the same as for the last answer."""
    if known.fate is Fate.DOUBTFUL and planned.doubted is not None:
        return still_doubtful(planned, planned.doubted)
    if known.fate is not Fate.KEPT:
        return replace(missing(planned, known.fate, known.reason), sent=(known,))
    return Collected(planned, planned.kept._replace(fate=Fate.KEPT, reason="", is_stale=False), sent=(known,))
