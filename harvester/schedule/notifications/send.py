"""Send a notice by e-mail, or as JSON to a webhook, in a background thread, so that a slow server delays no harvest.

Addresses may be secret, so no message contains them. The names of sources wait in a queue, each once. A notice that is
not sent in time is due again after the next run, because only sent notices are stored.
"""

import json
import logging
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from http import HTTPStatus
from smtplib import SMTP, SMTP_SSL, SMTPException, SMTPNotSupportedError, SMTPRecipientsRefused, SMTPServerDisconnected
from threading import Condition, Event, Thread
from typing import Self
from urllib.parse import SplitResult, unquote, urlsplit

from gateway.core.errors import ConfigurationError, ConnectionFailed, RemoteRefuses
from gateway.core.settings import Settings
from harvester.http.messages import Fetch, Request
from harvester.schedule.notifications.notices import Notice

PATIENCE_SECONDS = 20.0  # for a mail server or a webhook, in all
_SILENCE_SECONDS = 10.0  # of a mail server
_SENTENCES: Mapping[type[Exception], str] = {
    TimeoutError: "it is silent",
    SMTPServerDisconnected: "it is silent, or ended the connection",
    SMTPNotSupportedError: "it does not know what an address beyond ASCII or a password needs",
    UnicodeError: "its name, the user or the password cannot be written in ASCII",
    UnicodeEncodeError: "the user or the password cannot be written in ASCII",
}
_PORTS = {"smtp": 25, "smtps": 465}
LIMIT_SECONDS = PATIENCE_SECONDS + 5.0  # at the end of the command: time for one request to a slow server
MOST_WAITING = 10_000  # names of sources

log = logging.getLogger("harvester")


def message(notice: Notice, settings: Settings) -> EmailMessage:
    """Return a notice as an e-mail. Raise ConfigurationError when a sender or a recipient is missing."""
    made = EmailMessage()
    made["Subject"] = _legal(" ".join(f"[{settings.text('repository_name')}] {notice.title}".split()))
    _address(made, "From", "admin_email", settings)
    _address(made, "To", "notify_to", settings)
    made["Date"] = formatdate()
    made["Message-ID"] = make_msgid(domain=settings.text("repository_domain"))
    made["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers
    signature = f"The instance {settings.instance} of {settings.text('repository_name')}"
    made.set_content(_legal(f"{notice.text}\n\n-- \n{signature}\n"))
    return made


def _address(mail: EmailMessage, header: str, setting: str, settings: Settings) -> None:
    try:
        mail[header] = settings.text(setting)
        is_one = any(address.domain for address in mail[header].addresses)
    except ValueError:  # a line feed, say
        is_one = False
    if not is_one:
        raise ConfigurationError(f"The setting {setting} must name an e-mail address for notices to be sent.")


def _legal(text: str) -> str:
    """Return a text in valid Unicode: file names may have undecodable bytes."""
    return text.encode("utf-8", "backslashreplace").decode()


def send_email(notice: Notice, settings: Settings, seconds: float = PATIENCE_SECONDS) -> None:
    """Send a notice through the server of `notify_smtp_url`. Raise ConfigurationError or ConnectionFailed.

    A password is sent over TLS only. It takes `seconds` at most, even when a server hangs.
    """
    server = _server(settings.text("notify_smtp_url"))
    mail, trust = message(notice, settings), _trust(settings)
    failures: list[Exception] = []
    is_over = Event()

    def deliver() -> None:
        try:
            _deliver(mail, server, trust, is_over)
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
            failures.append(error)

    thread = Thread(target=deliver, name="notice", daemon=True)
    thread.start()
    thread.join(seconds)
    is_over.set()
    if thread.is_alive():
        raise ConnectionFailed(f"The mail server {server.hostname} did not accept a notice within {seconds:g} seconds.")
    for error in failures:
        if isinstance(error, OSError | SMTPException | ValueError):
            sentence = f"The mail server {server.hostname} refuses a notice: {_words(error)}."
            raise ConnectionFailed(sentence) from None
        raise error


def _deliver(mail: EmailMessage, server: SplitResult, trust: ssl.SSLContext, is_over: Event) -> None:
    connection = _connected(server, trust)
    try:
        if server.username:
            connection.login(unquote(server.username), unquote(server.password or ""))
        if not is_over.is_set():
            connection.send_message(mail)
        with suppress(OSError, SMTPException):  # the notice is sent already
            connection.quit()
    finally:
        connection.close()


def _words(error: Exception) -> str:
    """Return the reason of an error, without the sent data."""
    code: int | None
    body: bytes | str
    if isinstance(error, SMTPRecipientsRefused) and error.recipients:
        (code, body), *_ = error.recipients.values()
    else:
        code, body = getattr(error, "smtp_code", None), getattr(error, "smtp_error", b"")
    if code is None:
        return str(getattr(error, "strerror", "") or _SENTENCES.get(type(error)) or type(error).__name__)
    return f"{code} {body.decode('ascii', 'replace') if isinstance(body, bytes) else body}"[:200]


def _server(url: str) -> SplitResult:
    try:
        server = urlsplit(url)
        is_one = server.scheme in _PORTS and bool(server.hostname) and server.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ConfigurationError("The setting notify_smtp_url must be smtp://HOST, or smtps://USER:PASSWORD@HOST:PORT.")
    return server


def _trust(settings: Settings) -> ssl.SSLContext:
    """Return a TLS context with the authorities of the system and those of `fetch_ca_bundle`."""
    context = ssl.create_default_context()
    if bundle := settings.text("fetch_ca_bundle"):
        try:
            context.load_verify_locations(settings.instance / bundle)
        except OSError as error:
            raise ConfigurationError(f"The file of fetch_ca_bundle cannot be used: {error.strerror}.") from error
    return context


def _connected(server: SplitResult, context: ssl.SSLContext) -> SMTP:
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    if server.scheme == "smtps":
        return SMTP_SSL(host, port, timeout=_SILENCE_SECONDS, context=context)
    connection = SMTP(host, port, timeout=_SILENCE_SECONDS)
    try:
        connection.ehlo()
        has_tls = connection.has_extn("starttls")
        if has_tls:
            connection.starttls(context=context)
    except BaseException:
        connection.close()
        raise
    if server.username and not has_tls:
        connection.close()
        raise ConfigurationError(
            f"{host} offers no TLS, and no password is sent without; use smtps:// in notify_smtp_url."
        )
    return connection


def as_json(notice: Notice, settings: Settings) -> Mapping[str, object]:
    """Return a notice as JSON data for a webhook; chat programs show `text`."""
    return {
        "repository": settings.text("repository_name"),
        "base_url": settings.text("base_url"),
        "subject": notice.subject,
        "is_well": notice.is_well,
        "concerns": [{"need": concern.need.value, "sentence": concern.sentence} for concern in notice.concerns],
        "text": f"{notice.title}\n{notice.text}",
    }


def send_to_webhook(notice: Notice, settings: Settings, fetch: Fetch) -> None:
    """Post a notice to `notify_webhook_url`, once. Raise the errors of `fetch`; RemoteRefuses above status 299."""
    body = json.dumps(as_json(notice, settings)).encode()
    headers = (("Content-Type", "application/json"),)
    request = Request(settings.text("notify_webhook_url"), headers=headers, method="POST", body=body, follows=False)
    answer = fetch(replace(request, patience=0, waits_seconds=0.0, deadline_seconds=PATIENCE_SECONDS))
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        raise RemoteRefuses(f"The webhook refuses a notice with HTTP status {answer.status}.")


class BackgroundNotifier:
    """Sends notices in a thread. Use it in a `with` block; at its end the queue is sent, within `limit_seconds`."""

    def __init__(
        self, notify: Callable[[str], None], limit_seconds: float = LIMIT_SECONDS, most_waiting: int = MOST_WAITING
    ) -> None:
        self._notify, self._limit_seconds, self._most_waiting = notify, limit_seconds, most_waiting
        self._names: dict[str, None] = {}  # in the order in which they came
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Send the queue until the time limit; log which notices were not sent."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        if self._thread is None:
            return
        self._thread.join(self._limit_seconds)
        with self._changed:
            left = list(self._names)
            self._names.clear()
        if self._thread.is_alive() or left:
            log.warning(
                "Notices were not sent in %g seconds; they are due again after the next run. Sources that waited: %s.",
                self._limit_seconds,
                ", ".join(left) or "none",
            )

    def put(self, source: str) -> None:
        """Add a source to the queue, unless it is there already. Never blocks."""
        with self._changed:
            if len(self._names) >= self._most_waiting and source not in self._names:
                log.warning("%s: too many notices wait; this one is due again after the next run.", source)
                return
            self._names.setdefault(source)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="notices", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _work(self) -> None:
        while (source := self._next()) is not None:
            try:
                self._notify(source)
            except Exception as error:  # noqa: BLE001 - one notice never ends the others
                log.warning("%s: a notice could not be sent: %s", source, error)

    def _next(self) -> str | None:
        """Return the next name, when there is one; None at the end."""
        with self._changed:
            while not self._names and not self._is_over:
                self._changed.wait()
            if not self._names:
                return None
            first = next(iter(self._names))
            del self._names[first]
            return first
