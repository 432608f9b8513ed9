"""The outcome of one file of an object, and whether the received bytes are doubtful."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gateway.core.errors import ConfigurationError
from harvester.fulltext.pdf.extraction import extract
from harvester.http.dates import http_second
from harvester.http.messages import Fetched
from harvester.mirror.component import Component
from harvester.mirror.doubt_rules import doubt
from harvester.mirror.doubtful_files import DoubtfulFile, Suspect
from harvester.mirror.file_facts import FileFacts
from harvester.mirror.file_plan import ContradictoryAnswer, LastAnswer, PlannedFile
from harvester.mirror.file_types import MOST, content
from harvester.mirror.inventory import Arrived
from harvester.mirror.object_state import HeldFile, entry
from harvester.mirror.ocfl import Incoming
from harvester.mirror.verify import PASSING, Bytes, Fate, Verdict
from harvester.runtime.durable_files import DIGESTS, digests_by_algorithm, reporting_unwritable


@dataclass(frozen=True, slots=True)
class Collected:
    """The outcome of one file: its entry, and its new bytes, if any, either good or doubtful."""

    planned: PlannedFile
    file: HeldFile
    incoming: Incoming | None = None
    suspect: Suspect | None = None
    is_unmeasured: bool = False  # neither the server nor the bytes show where it ends
    is_unasked: bool = False  # there is no answer: it was not requested, or its address is refused
    sent: tuple[LastAnswer, ...] = ()  # the answers of its addresses, good or not
    refused: ContradictoryAnswer | None = None  # in a recheck


_END_BYTES = 4096  # bytes that are read at each end


def bytes_in(
    file: Path, component: Component, answer: Fetched | None = None, digests: Mapping[str, str] | None = None
) -> Bytes:
    """Return the bytes in a temporary file as they are judged. `digests` are computed if they are not given.

    Without an answer, their end is known. Raise StoreUnwritable.
    """
    first = last = b""
    with reporting_unwritable(file):
        if digests is None:
            digests = digests_by_algorithm(file, {*DIGESTS, *(algorithm for algorithm, _ in component.digests)})
        if size := file.stat().st_size if file.exists() else 0:  # an empty file has no bytes that could be written
            with file.open("rb") as stream:
                first = stream.read(_END_BYTES)
                stream.seek(max(0, size - _END_BYTES))
                last = stream.read()
    if answer is None:
        return Bytes(size, digests, first, last)
    is_measured = bool(answer.header("Content-Length") or answer.header("Transfer-Encoding"))
    return Bytes(size, digests, first, last, answer.header("Content-Type"), is_measured)


def received(planned: PlannedFile, aside: Path, bytes_: Bytes, judged: Verdict, fate: Fate) -> Collected:
    """Return a file with the bytes in a temporary file, which may be the right ones."""
    arrived = Arrived(bytes_.digests["sha512"], bytes_.digests["sha256"])
    file = entry(planned.component)._replace(
        path=planned.path,
        size=bytes_.size,
        sha512=arrived.sha512,
        sha256=arrived.sha256,
        verified=judged.verified,
        fate=fate,
    )
    return Collected(planned, file, Incoming(aside, arrived))


def missing(planned: PlannedFile, fate: Fate, reason: str, rule: str = "") -> Collected:
    """Return a file that could not be fetched. A file that was stored stays, marked as stale."""
    if planned.doubted is not None and fate in PASSING:
        return still_doubtful(planned, planned.doubted)
    if planned.before is not None and planned.before.path:
        return Collected(planned, planned.kept._replace(fate=fate, reason=reason, is_stale=True, rule=rule))
    return Collected(planned, entry(planned.component)._replace(fate=fate, reason=reason, rule=rule))


def still_doubtful(planned: PlannedFile, doubted: DoubtfulFile) -> Collected:
    """Return a file that is still doubtful."""
    return missing(planned, Fate.DOUBTFUL, doubted.reason, doubted.rule)


def suspected(good: Collected, rule: str, reason: str) -> Collected:
    """Return a file as doubtful. Its bytes are moved to a temporary file of their own. Raise StoreUnwritable."""
    assert good.incoming is not None
    waiting = good.incoming.file.with_name(f"{good.incoming.file.name}.doubtful")
    with reporting_unwritable(waiting):
        good.incoming.file.replace(waiting)
    suspect = Suspect(good.file, good.incoming._replace(file=waiting), rule, reason)
    return replace(missing(good.planned, Fate.DOUBTFUL, reason, rule), suspect=suspect)


def classified(good: Collected, judged: Verdict, *, is_measured: bool = True) -> Collected:
    """Return a file as good when a digest proves it or no rule doubts its bytes, else as doubtful.

    `is_measured`: the server stated the length, or marked the end. Raise StoreUnwritable.
    """
    if judged.is_proven:
        return good
    if judged.is_by_bytes:
        return suspected(good, str(judged.fate), judged.reason)
    assert good.incoming is not None
    file, before = good.file, good.planned.before
    with reporting_unwritable(good.incoming.file), content(good.incoming.file) as data:
        facts = FileFacts(
            data,
            file.mime_type,
            url=file.url or next(iter(file.locations), ""),
            came_from=file.came_from,
            content_type=file.content_type,
            stated_size=file.stated_size,
            is_older=before is not None and _is_older(file, before),
            read=_words_of,
        )
        suspect, has_end = doubt(facts), facts.has_end
    if suspect is not None:
        return suspected(good, *suspect)
    is_unmeasured = not (is_measured or has_end) and file.stated_size is None
    return replace(good, is_unmeasured=is_unmeasured and (file.size or 0) <= MOST)


def _words_of(data: bytes) -> str:
    """Return the text of a PDF; an empty string when the reading process cannot start (see `gateway check`)."""
    try:
        return extract(data).text
    except ConfigurationError:
        return ""


def _is_older(file: HeldFile, before: HeldFile) -> bool:
    """Return whether an answer is dated before the stored file of the same address: an old copy of a cache."""
    now, then = http_second(file.last_modified), http_second(before.last_modified)
    is_other = bool(before.path) and file.url == before.url and file.sha512 != before.sha512
    return is_other and now is not None and then is not None and now < then
