"""Send a notice after a run when a person is needed for a source or a mirror, or is not needed any more.

`notified.json` in the instance folder, or in that of a mirror, stores the notices that were sent. A notice that cannot
be sent is a warning in the log, and is tried again after the next run. It never changes the outcome of a run.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic, time

from gateway.core import durable
from gateway.core.errors import AddressRefused, AnswerTooSlow, ConnectionFailed, GatewayError, RemoteRefuses, TryLater
from gateway.core.model import RunOutcome
from gateway.core.settings import Settings
from harvester.harvest.instance import Instance
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.mirror.doubtful_files import count
from harvester.mirror.folder import MirrorFolder
from harvester.runtime.locks import changing
from harvester.schedule.notifications import notices
from harvester.schedule.notifications.send import send_email, send_to_webhook

FILE = "notified.json"
_NAME = "notify"  # of the webhook, for the fetcher

log = logging.getLogger("harvester")


def notify_of_source(instance: Instance, source: str) -> None:
    """Send the notice about a source that is due, if any. Errors become warnings in the log."""
    if not is_wanted(instance.settings):
        return
    try:
        concerns = notices.concerns_of(instance, source)
    except (GatewayError, OSError) as error:
        log.warning("%s: its concerns cannot be read: %s", source, error)
        return
    notify(instance.settings, source, concerns)


def is_wanted(settings: Settings) -> bool:
    """Return whether an address for notices is set."""
    return bool(settings.text("notify_smtp_url") or settings.text("notify_webhook_url"))


def notify(
    settings: Settings,
    subject: str,
    concerns: Sequence[notices.Concern],
    clock: Callable[[], float] = time,
    folder: Path | None = None,
) -> notices.Notice | None:
    """Send the notice about a subject that is due, and return it; None: none is due, or it could not be sent.

    `folder` stores the notices that were sent; None: the instance folder. `clock` returns seconds since 1970.
    """
    if not is_wanted(settings):
        return None
    file = (folder or settings.instance) / FILE
    try:
        with changing(file):
            last, now = _read(file), int(clock())
            notice = notices.due(subject, concerns, last.get(subject), now)
            if notice is None:
                return None
            _write(file, last)  # without this file each run would send the notice again
            sent = [_is_sent(setting, notice, settings) for setting in _TRANSPORTS if settings.text(setting)]
            if not any(sent):
                return None
            last[subject] = notices.after(notice, last.get(subject), now)
            _write(file, last)
            return notice
    except (GatewayError, OSError) as error:
        log.warning("%s: the sent notices cannot be stored: %s", subject, error)
        return None


def _read(file: Path) -> dict[str, notices.SentNotice]:
    """Return the last notices; none when the file is missing or invalid."""
    try:
        known = json.loads(file.read_bytes())
        return {str(name): notices.SentNotice(int(at), tuple(map(str, needs))) for name, (at, needs) in known.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}


def _write(file: Path, last: Mapping[str, notices.SentNotice]) -> None:
    durable.write(file, json.dumps(last, indent=1).encode())


def _is_sent(setting: str, notice: notices.Notice, settings: Settings) -> bool:
    """Send a notice by the transport whose address is in a setting; return whether it succeeded."""
    address = settings.text(setting)
    if monotonic() < _PAUSED.get(address, 0.0):
        log.warning("A notice about %s is not sent: the address of %s did not answer.", notice.subject, setting)
        return False
    began = monotonic()
    try:
        _TRANSPORTS[setting](notice, settings)
    except GatewayError as error:
        log.warning("A notice about %s could not be sent. %s", notice.subject, error)
        if monotonic() - began >= _SLOW_SECONDS:
            _PAUSED[address] = monotonic() + _PAUSE_SECONDS
        return False
    log.info("A notice was sent: %s.", notice.title)
    return True


def _post(notice: notices.Notice, settings: Settings) -> None:
    """Post a notice. Errors do not contain the address, which may be a secret."""
    try:
        with Web(settings, {_NAME: Access(settings.text("notify_webhook_url"))}) as web:
            send_to_webhook(notice, settings, web.fetcher(_NAME))
    except RemoteRefuses:  # its message has no address
        raise
    except (GatewayError, ValueError) as error:
        what = getattr(error.__cause__, "strerror", None) or _SENTENCES.get(type(error)) or type(error).__name__
        raise ConnectionFailed(f"The webhook of notify_webhook_url cannot be reached: {what}.") from None


_SENTENCES: Mapping[type[Exception], str] = {
    AddressRefused: "the address is not allowed",
    AnswerTooSlow: "no answer in time",
    TryLater: "it is overloaded",
}


# By the setting with the address of each.
_TRANSPORTS: Mapping[str, Callable[[notices.Notice, Settings], None]] = {
    "notify_smtp_url": send_email,
    "notify_webhook_url": _post,
}
# The end of the pause of each slow address: it must not delay the work on many sources.
_PAUSED: dict[str, float] = {}
_SLOW_SECONDS, _PAUSE_SECONDS = 5.0, 900.0


def notify_of_mirror(place: MirrorFolder, settings: Settings, *, is_whole: bool) -> None:
    """Send the notice that is due of a mirror after a run, if one is.

    With `is_whole`, the run harvested all changes; only such a run can end a concern.
    """
    concerns = tuple(_concerns(place, settings))
    if concerns or is_whole:
        notify(settings, str(place.folder.absolute()), concerns, folder=place.folder)


def _concerns(place: MirrorFolder, settings: Settings) -> Iterator[notices.Concern]:
    yield from _failing(place.folder, settings.number("notify_after_failures"))
    if waiting := len(place.waiting):
        yield notices.Concern(
            notices.Need.DELETIONS,
            f"Deletions that wait for a decision: {waiting}; these objects are still stored. "
            f"{place.command('--yes')} confirms them.",
        )
    if changed := place.identity_changes:
        yield notices.Concern(notices.Need.IDENTITY, " ".join(changed))
    if doubtful := count(place.folder):
        yield notices.Concern(
            notices.Need.DOUBTFUL,
            f"Doubtful files: {doubtful}. The last receipt in {place.folder}/receipts names "
            "them; `harvester mirror accept` accepts one.",
        )


def _failing(folder: Path, most: int) -> Iterator[notices.Concern]:
    """Return the concern that the last runs failed, by their receipts."""
    files = sorted((folder / "receipts").glob("*.json"), key=_moment, reverse=True)[: most + notices.MOST_STOPPED]
    read = (_outcome_and_reasons(file) for file in files)
    # A stopped run shows neither a failure nor a success.
    last = list(islice((run for run in read if run[0] is not RunOutcome.STOPPED), most))
    if most and len(last) == most and all(outcome in notices.FAILED for outcome, _ in last):
        yield notices.Concern(notices.Need.FAILING, f"The last {most} runs failed. {' '.join(last[0][1][:3])}")


def _moment(receipt: Path) -> tuple[str, int]:
    """Return when a run began, by the name of its receipt; of several in one second, when it was written."""
    return receipt.name.partition("Z")[0], receipt.stat().st_mtime_ns


def _outcome_and_reasons(file: Path) -> tuple[RunOutcome | None, Sequence[str]]:
    try:
        document = json.loads(file.read_bytes())
        return RunOutcome(document["outcome"]), tuple(map(str, document["doubts"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None, ()
