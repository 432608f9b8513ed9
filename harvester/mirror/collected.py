"""What became of one file of an object, and whether what came for it is beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gateway.errors import ConfigurationError
from harvester.mirror.doubtful import Doubt, Suspect
from harvester.mirror.doubting import doubt
from harvester.mirror.holding import HeldFile, entry
from harvester.mirror.look import Look
from harvester.mirror.looking import MOST, content
from harvester.mirror.ocfl import Incoming, telling
from harvester.mirror.planning import Want
from harvester.mirror.sent import Refused, Sent
from harvester.mirror.verifying import Fate, Verdict
from harvester.verification.extraction import extract
from harvester.wire.dates import http_second

# What says nothing of the file itself: what was doubtful before is doubtful still.
_PASSING = (Fate.UNREACHABLE, Fate.TRY_LATER, Fate.DISALLOWED)


@dataclass(frozen=True, slots=True)
class Collected:
    """What became of one file: its entry, and the bytes when new ones arrived, either good or doubtful."""

    want: Want
    file: HeldFile
    incoming: Incoming | None = None
    suspect: Suspect | None = None
    is_unmeasured: bool = False  # neither the server nor the bytes tell where it ends
    is_unasked: bool = False  # its server has said nothing of it: it was not asked, or leads to where nothing may be
    sent: tuple[Sent, ...] = ()  # by its addresses, good or not
    refused: Refused | None = None  # in a recheck


def missing(want: Want, fate: Fate, reason: str, rule: str = "") -> Collected:
    """Return a file that could not be had; what was held of it before stays, marked as stale."""
    if want.doubted is not None and fate in _PASSING:
        return still_doubtful(want, want.doubted)
    if want.before is not None and want.before.path:
        return Collected(want, want.kept._replace(fate=fate, reason=reason, is_stale=True, rule=rule))
    return Collected(want, entry(want.component)._replace(fate=fate, reason=reason, rule=rule))


def still_doubtful(want: Want, doubted: Doubt) -> Collected:
    """Return a file of which nothing better has come than what is kept aside."""
    return missing(want, Fate.DOUBTFUL, doubted.reason, doubted.rule)


def suspected(good: Collected, rule: str, reason: str) -> Collected:
    """Return a file whose bytes came and are doubtful; they wait beside the place of good ones."""
    assert good.incoming is not None
    waiting = good.incoming.file.with_name(f"{good.incoming.file.name}.doubtful")
    with telling(waiting):
        good.incoming.file.replace(waiting)
    suspect = Suspect(good.file, good.incoming._replace(file=waiting), rule, reason)
    return replace(missing(good.want, Fate.DOUBTFUL, reason, rule), suspect=suspect)


def looked_at(good: Collected, judged: Verdict, *, is_measured: bool = True) -> Collected:
    """Return a file as good when a digest proves it or no rule doubts its bytes, else as doubtful."""
    if judged.is_proven:
        return good
    if judged.is_by_looks:
        return suspected(good, str(judged.fate), judged.reason)
    assert good.incoming is not None
    file, before = good.file, good.want.before
    with telling(good.incoming.file), content(good.incoming.file) as data:
        look = Look(
            data,
            file.mime_type,
            url=file.url or next(iter(file.locations), ""),
            came_from=file.came_from,
            content_type=file.content_type,
            stated_size=file.stated_size,
            is_older=before is not None and _is_older(file, before),
            read=_words_of,
        )
        found, has_end = doubt(look), look.has_end
    if found is not None:
        return suspected(good, *found)
    is_unmeasured = not (is_measured or has_end) and file.stated_size is None
    return replace(good, is_unmeasured=is_unmeasured and (file.size or 0) <= MOST)


def _words_of(data: bytes) -> str:
    """Return the text of a PDF; nothing where the process that reads it cannot start: `gateway check` tells of that."""
    try:
        return extract(data).text
    except ConfigurationError:
        return ""


def _is_older(file: HeldFile, before: HeldFile) -> bool:
    """Tell whether a server dates what it sends before what it sent earlier, which is held: an old copy of a cache."""
    now, then = http_second(file.last_modified), http_second(before.last_modified)
    is_other = bool(before.path) and file.url == before.url and file.sha512 != before.sha512
    return is_other and now is not None and then is not None and now < then
