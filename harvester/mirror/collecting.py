"""One file of an object, collected out of band: asked for, verified, and laid aside for the next version."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

from gateway.digests import is_strong
from gateway.errors import (
    AddressRefused,
    AnswerTooLarge,
    FetchError,
    RemoteRefuses,
    RobotsDenied,
    TryLater,
)
from gateway.xmltext import utc_datetime
from harvester.mirror.arriving import Arriving
from harvester.mirror.collected import Collected, looked_at, missing, still_doubtful, suspected
from harvester.mirror.holding import entry
from harvester.mirror.inventory import Arrived
from harvester.mirror.ocfl import ALWAYS, Incoming, hashed, telling
from harvester.mirror.planning import Want, has_digests
from harvester.mirror.robots import SILENCES
from harvester.mirror.sent import Refused, Sent, fingerprint, settled
from harvester.mirror.verifying import Bytes, Fate, Verdict, verdict
from harvester.wire.http import Fetch, Fetched, Request

_LOOK = 4096  # bytes at either end that are looked at
_HEADERS = (("Accept", "*/*"), ("Accept-Encoding", "identity"))

# What an error of the network, or a status, means for a file; the first row that fits.
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
    """How large a file may be, and what raises a FetchError when an address may not be asked for (robots.txt).

    `failed`, `busy` and `heard` are called with an address whose host did not answer, was busy, or answered. Up to
    `whole_again_max_bytes` a file that came in parts, and has no digest stated, is fetched once more whole.
    """

    max_bytes: int
    check: Callable[[str, Fetch], None] = lambda _url, _fetch: None
    failed: Callable[[str, Fetch], None] = lambda _url, _fetch: None
    busy: Callable[[str, TryLater], None] = lambda _url, _error: None
    heard: Callable[[str], None] = lambda _url: None
    whole_again_max_bytes: int = 0


def collect(want: Want, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    """Collect one file: the first of its locations that brings good bytes. Never raises for what the remote does."""
    if not want.component.addresses:
        named = ", ".join(want.component.locations) or "nothing"
        return missing(want, Fate.NO_ADDRESS, f"It names {named}, which cannot be asked for.")
    if want.refused is not None and (fitting := _fitting(want, want.refused, aside)) is not None:
        return fitting
    first: Collected | None = None
    sent: tuple[Sent, ...] = ()
    refused: Refused | None = None
    for url in want.component.addresses:
        found = _from(url, want, aside, fetch, limits)
        sent, refused = sent + found.sent, found.refused or refused
        if found.file.is_good:
            return replace(found, sent=sent)
        first = found if first is None or (found.suspect and not first.suspect) else first
    assert first is not None
    return replace(first, sent=sent, refused=refused)


def extracted(want: Want, aside: Path, now: int) -> Collected:
    """Lay aside a stream that the document carries By-Value, when it is what the document states of it.

    Markup that stood in the document was written anew: nobody can say what its bytes had been, and none are compared.
    """
    component = want.component
    if component.content is None:
        return missing(want, Fate.CORRUPT, "The bytes that the document carries are no base64.")
    with telling(aside):
        aside.write_bytes(component.content)
    digests = hashed(aside, {*ALWAYS, *(algorithm for algorithm, _ in component.digests)})
    size = len(component.content)
    stated = component._replace(digests=(), size=None, mime_type="") if component.is_markup else component
    judged = verdict(stated, Bytes(size, digests, component.content[:_LOOK], component.content[-_LOOK:]))
    if judged.fate is not Fate.FETCHED and not judged.is_by_looks:
        aside.unlink()
        return missing(want, judged.fate, judged.reason)
    arrived = Arrived(digests["sha512"], digests["sha256"])
    file = entry(component)._replace(
        path=want.path,
        size=size,
        sha512=arrived.sha512,
        sha256=arrived.sha256,
        received_at=utc_datetime(now),
        verified=judged.verified,
        fate=Fate.BY_VALUE,
    )
    good = Collected(want, file, Incoming(aside, arrived))
    return good if component.is_markup else looked_at(good, judged)


def _from(url: str, want: Want, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    try:
        found = _fetched(url, want, aside, fetch, limits)
    except FetchError as error:
        if isinstance(error, SILENCES):
            limits.failed(url, fetch)
        if isinstance(error, TryLater):
            limits.busy(url, error)
        fate = next(fate for kind, fate in _BY_ERROR if isinstance(error, kind))
        return replace(missing(want, fate, str(error)), is_unasked=isinstance(error, AddressRefused))
    limits.heard(url)
    return found


def _fetched(url: str, want: Want, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    algorithms = [algorithm for algorithm, _ in want.component.digests]
    with closing(Arriving(aside, url, limits.max_bytes, algorithms)) as arriving:
        found, is_mixed = _judged(url, want, aside, arriving, fetch, limits)
        is_pieced = arriving.is_pieced and found.incoming is not None and not is_strong(want.component.digests)
    if is_mixed:
        return _fetched(url, want, aside, fetch, limits)
    if is_pieced and (found.file.size or 0) <= limits.whole_again_max_bytes:
        found = _whole_again(found, url, aside, fetch, limits)
    return _confirmed(found, url, aside, fetch, limits) if found.is_unmeasured else found


def _whole_again(pieced: Collected, url: str, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    """Return a file that came in parts as it comes whole: no digest tells whether its parts are of one file.

    Where it does not come whole, the server's word that it has not changed (If-Range) must do.
    """
    whole_aside = aside.with_name(f"{aside.name}.whole")
    with closing(Arriving(whole_aside, url, limits.max_bytes)) as arriving:
        arriving.forget()
        whole: Collected | None
        try:
            whole, _ = _judged(url, pieced.want.again._replace(is_recheck=False), whole_aside, arriving, fetch, limits)
        except FetchError:
            whole = None
        if whole is None or whole.incoming is None or not whole.file.is_good:
            arriving.forget()
            return pieced
    with telling(aside):
        whole_aside.replace(aside)
        whole_aside.with_name(f"{whole_aside.name}.json").unlink(missing_ok=True)
    return replace(whole, want=pieced.want, incoming=whole.incoming._replace(file=aside))


def _confirmed(found: Collected, url: str, aside: Path, fetch: Fetch, limits: Limits) -> Collected:
    """Return a file of which nobody says where it ends: good when it comes with the same bytes once more."""
    assert found.incoming is not None
    with closing(Arriving(aside.with_name(f"{aside.name}.again"), url, limits.max_bytes)) as again:
        answer = fetch(Request(url, headers=_HEADERS, sink=again, permits=lambda at: limits.check(at, fetch)))
        is_same = answer.status == HTTPStatus.OK and again.finish()["sha512"] == found.file.sha512
        again.forget()
    if is_same:
        return found
    return suspected(
        found, "unmeasured", "Its server does not say where it ends, and sent other bytes the second time."
    )


def _judged(
    url: str, want: Want, aside: Path, arriving: Arriving, fetch: Fetch, limits: Limits
) -> tuple[Collected, bool]:
    """Ask for a file and judge it; tell whether it is bad because its two parts were not of one file."""
    has_part = arriving.size > 0
    known = None if has_part else _known(want, url)
    condition = known.condition if known else ()
    request = Request(url, headers=(*_HEADERS, *condition), sink=arriving, permits=lambda at: limits.check(at, fetch))
    answer = fetch(request)
    if (
        answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
        and is_strong(want.component.digests)
        and arriving.size
    ):
        # The part is all there is; its digest will tell. What this answer says of itself is not said of the file.
        answer = replace(answer, status=HTTPStatus.PARTIAL_CONTENT, headers=arriving.said)
    elif answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        arriving.forget()
        answer = fetch(request)  # without a range: the part was forgotten
    if answer.status == HTTPStatus.NOT_MODIFIED and known is not None and condition:
        return _unchanged(want, known), False
    if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
        fate = _BY_STATUS.get(answer.status, Fate.UNREACHABLE)
        return missing(want, fate, f"{url} answers with HTTP status {answer.status}."), False
    found = _bytes(aside, arriving.finish(), arriving.size, answer)
    judged = verdict(want.component, found)
    if judged.fate is Fate.FETCHED or judged.is_by_looks:
        return _looked_at(url, want, aside, found, answer, judged), False
    is_mixed = has_part and answer.status == HTTPStatus.PARTIAL_CONTENT
    refused: Refused | None = None
    if want.is_recheck and not is_mixed:
        refused = Refused(url, aside.with_name(f"{aside.name}.refused"), answer)
        arriving.move(refused.file)
    else:
        arriving.forget()
    sent = Sent(url, *_settled_validators(answer), judged.fate, judged.reason, fingerprint(want.component))
    bad = replace(missing(want, judged.fate, judged.reason), sent=(sent,), refused=refused)
    return bad, is_mixed


def _fitting(want: Want, refused: Refused, aside: Path) -> Collected | None:
    """Return a file of bytes that contradicted its document, when they fit what that states now."""
    if refused.url not in want.component.addresses:
        return None
    with telling(aside):
        refused.file.replace(aside)
    digests = hashed(aside, {*ALWAYS, *(algorithm for algorithm, _ in want.component.digests)})
    found = _bytes(aside, digests, aside.stat().st_size, refused.answer)
    judged = verdict(want.component, found)
    if judged.fate is Fate.FETCHED:
        return _looked_at(refused.url, want, aside, found, refused.answer, judged)
    with telling(aside):
        aside.unlink()
    return None


def _looked_at(url: str, want: Want, aside: Path, found: Bytes, answer: Fetched, judged: Verdict) -> Collected:
    if not aside.exists():  # an empty file has no bytes that could be written
        aside.touch()
    arrived = Arrived(found.digests["sha512"], found.digests["sha256"])
    entity_tag, last_modified = _validators(answer)
    file = entry(want.component)._replace(
        path=want.path,
        size=found.size,
        sha512=arrived.sha512,
        sha256=arrived.sha256,
        url=url,
        came_from=answer.url if answer.url != url else "",
        received_at=utc_datetime(answer.received_at),
        content_type=answer.header("Content-Type"),
        entity_tag=entity_tag,
        last_modified=last_modified,
        verified=judged.verified,
        fate=Fate.FETCHED,
    )
    good = Collected(want, file, Incoming(aside, arrived), sent=(Sent(url, *_settled_validators(answer)),))
    return looked_at(good, judged, is_measured=found.is_measured)


def _validators(answer: Fetched) -> tuple[str, str]:
    return answer.header("ETag"), answer.header("Last-Modified")


def _settled_validators(answer: Fetched) -> tuple[str, str]:
    return answer.header("ETag"), settled(answer.header("Last-Modified"), answer.received_at)


def _known(want: Want, url: str) -> Sent | None:
    """Return what an address sent last, where neither the document nor another address tells whether it has changed."""
    held, component = want.before, want.component
    if want.doubted is not None and url == want.doubted.file.url and not is_strong(component.digests):
        doubted = want.doubted.file
        return Sent(url, doubted.entity_tag, doubted.last_modified, Fate.DOUBTFUL)
    sent = want.sent or (() if want.is_recheck else want.arrived)
    last = next((each for each in sent if each.is_about(url, component)), None)
    if want.is_recheck or last is None or last.fate is not Fate.KEPT:
        return last
    if want.doubted is not None or is_strong(component.digests):
        return None
    return None if held is None or has_digests(component, held) is False else last


def _unchanged(want: Want, known: Sent) -> Collected:
    """Return a file of which a server has what it sent last: what was wrong with that is wrong still."""
    if known.fate is Fate.DOUBTFUL and want.doubted is not None:
        return still_doubtful(want, want.doubted)
    if known.fate is not Fate.KEPT:
        return replace(missing(want, known.fate, known.reason), sent=(known,))
    return Collected(want, want.kept._replace(fate=Fate.KEPT, reason="", is_stale=False), sent=(known,))


def _bytes(file: Path, digests: dict[str, str], size: int, answer: Fetched) -> Bytes:
    first = last = b""
    if size:
        with telling(file), file.open("rb") as stream:
            first = stream.read(_LOOK)
            stream.seek(max(0, size - _LOOK))
            last = stream.read()
    is_measured = bool(answer.header("Content-Length") or answer.header("Transfer-Encoding"))
    return Bytes(size, digests, first, last, answer.header("Content-Type"), is_measured)
