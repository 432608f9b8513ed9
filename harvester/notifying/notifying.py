"""A source was worked on: if a person is needed, tell one; if nobody is any more, tell that too.

What was told is remembered in `notified.json` in the instance folder. A notice that cannot be sent is a warning in the
log, and is tried again after the next run: it never changes how a run ended.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, time
from typing import NamedTuple

from gateway import durable
from gateway.errors import AddressRefused, AnswerTooSlow, ConnectionFailed, GatewayError, RemoteRefuses, TryLater
from gateway.settings import Settings
from harvester.instance import Instance
from harvester.locks import changing
from harvester.notifying.concerns import Concern, concerns_of
from harvester.notifying.notices import Notice, Told, after, due
from harvester.notifying.sending import send_email, send_to_webhook
from harvester.web import Access, Web

FILE = "notified.json"
_NAME = "notify"  # by which the webhook is known to what fetches

log = logging.getLogger("harvester")


def notify_of_source(instance: Instance, source: str) -> None:
    """Send the notice that is due of a source, if one is."""
    if not is_wanted(instance.settings):
        return
    try:
        concerns = concerns_of(instance, source)
    except (GatewayError, OSError) as error:
        log.warning("%s: whether it needs a person cannot be told: %s", source, error)
        return
    notify(instance.settings, source, concerns)


def is_wanted(settings: Settings) -> bool:
    """Tell whether notices are to be sent at all."""
    return bool(settings.text("notify_smtp_url") or settings.text("notify_webhook_url"))


def notify(
    settings: Settings,
    subject: str,
    concerns: Sequence[Concern],
    clock: Callable[[], float] = time,
    folder: Path | None = None,
) -> Notice | None:
    """Send the notice that is due of a subject, and return it; None: none is due, or it could not be sent.

    What is told is remembered in `folder`; None: in the instance folder.
    """
    if not is_wanted(settings):
        return None
    file = (folder or settings.instance) / FILE
    try:
        with changing(file):
            told, now = _read(file), int(clock())
            notice = due(subject, concerns, told.get(subject), now)
            if notice is None:
                return None
            _write(file, told)  # who cannot remember what was told would tell it with every run
            if not _sent(notice, settings):
                return None
            told[subject] = after(notice, told.get(subject), now)
            _write(file, told)
            return notice
    except (GatewayError, OSError) as error:
        log.warning("%s: what was told cannot be remembered: %s", subject, error)
        return None


def _read(file: Path) -> dict[str, Told]:
    """Return what was told; nothing where the file is missing or is none of ours."""
    try:
        known = json.loads(file.read_bytes())
        return {str(name): Told(int(at), tuple(map(str, needs))) for name, (at, needs) in known.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}


def _write(file: Path, told: Mapping[str, Told]) -> None:
    durable.write(file, json.dumps(told, indent=1).encode())


def _sent(notice: Notice, settings: Settings) -> bool:
    """Send a notice in every way that is set; tell whether it went out in one of them."""
    done = [_is_done(way, notice, settings) for way in _WAYS if settings.text(way.setting)]  # each of them
    return any(done)


def _is_done(way: Way, notice: Notice, settings: Settings) -> bool:
    address = settings.text(way.setting)
    if monotonic() < _RESTING.get(address, 0.0):
        log.warning("A notice about %s is not sent: the address of %s did not answer.", notice.subject, way.setting)
        return False
    began = monotonic()
    try:
        way.send(notice, settings)
    except GatewayError as error:
        log.warning("A notice about %s could not be sent. %s", notice.subject, error)
        if monotonic() - began >= _SLOW_SECONDS:
            _RESTING[address] = monotonic() + _REST_SECONDS
        return False
    log.info("A notice was sent: %s.", notice.title)
    return True


def _post(notice: Notice, settings: Settings) -> None:
    """Post a notice. What is raised tells nothing of the address, which may be a secret as a whole."""
    try:
        with Web(settings, {_NAME: Access(settings.text("notify_webhook_url"))}) as web:
            send_to_webhook(notice, settings, web.fetcher(_NAME))
    except RemoteRefuses:  # a sentence of ours
        raise
    except (GatewayError, ValueError) as error:
        what = getattr(error.__cause__, "strerror", None) or _SENTENCES.get(type(error)) or type(error).__name__
        raise ConnectionFailed(f"The webhook of notify_webhook_url cannot be reached: {what}.") from None


_SENTENCES: Mapping[type[Exception], str] = {
    AddressRefused: "the address is none that may be asked",
    AnswerTooSlow: "no answer in time",
    TryLater: "it is busy",
}


class Way(NamedTuple):
    """A way in which notices are sent, and the setting that has its address."""

    setting: str
    send: Callable[[Notice, Settings], None]


_WAYS = (Way("notify_smtp_url", send_email), Way("notify_webhook_url", _post))
# Until when an address is left alone that let us wait: it must not hold up the work on many sources.
_RESTING: dict[str, float] = {}
_SLOW_SECONDS, _REST_SECONDS = 5.0, 900.0
