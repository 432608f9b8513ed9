"""A source was worked on: if a person is needed, tell one; if nobody is any more, tell that too.

What was told is remembered in `notified.json` in the instance folder. A notice that cannot be sent is a warning in the
log, and is tried again after the next run: it never changes how a run ended.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from urllib.parse import urlsplit

from gateway import durable
from gateway.errors import ConnectionFailed, GatewayError
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
    if is_wanted(instance.settings):
        notify(instance.settings, source, concerns_of(instance, source))


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
            if notice is None or not _sent(notice, settings):
                return None
            told[subject] = after(notice, told.get(subject), now)
            durable.write(file, json.dumps(told, indent=1).encode())
            return notice
    except (GatewayError, OSError) as error:
        log.warning("%s: what was told cannot be remembered: %s", subject, error)
        return None


def _read(file: Path) -> dict[str, Told]:
    """Return what was told; nothing where the file is missing or is none of ours."""
    try:
        known = json.loads(file.read_bytes())
        return {str(name): Told(int(at), tuple(map(str, needs))) for name, (at, needs) in known.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return {}


def _sent(notice: Notice, settings: Settings) -> bool:
    """Send a notice in every way that is set; tell whether it went out in one of them."""
    ways: list[Callable[[], None]] = []
    if settings.text("notify_smtp_url"):
        ways.append(lambda: send_email(notice, settings))
    if settings.text("notify_webhook_url"):
        ways.append(lambda: _post(notice, settings))
    done = [_is_done(way, notice) for way in ways]  # each of them
    return any(done)


def _is_done(way: Callable[[], None], notice: Notice) -> bool:
    try:
        way()
    except GatewayError as error:
        log.warning("A notice about %s could not be sent. %s", notice.subject, error)
        return False
    log.info("A notice was sent: %s.", notice.title)
    return True


def _post(notice: Notice, settings: Settings) -> None:
    url = settings.text("notify_webhook_url")
    try:
        with Web(settings, {_NAME: Access(url)}) as web:
            send_to_webhook(notice, settings, web.fetcher(_NAME))
    except (GatewayError, ValueError) as error:  # its address may be a secret as a whole
        what = type(error).__name__ if url in str(error) or urlsplit(url).path in str(error) else str(error)
        raise ConnectionFailed(f"The webhook of notify_webhook_url cannot be reached: {what}") from None
