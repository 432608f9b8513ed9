"""How a notice goes out: as an e-mail, or as JSON to a webhook. Addresses may hold secrets; no sentence has them."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from http import HTTPStatus
from smtplib import SMTP, SMTP_SSL, SMTPException
from urllib.parse import SplitResult, unquote, urlsplit

from gateway.errors import ConfigurationError, ConnectionFailed, RemoteRefuses
from gateway.settings import Settings
from harvester.notifying.notices import Notice
from harvester.wire.http import Fetch, Request

_SECONDS = 30.0  # of patience with a mail server
_PORTS = {"smtp": 25, "smtps": 465}


def message(notice: Notice, settings: Settings) -> EmailMessage:
    """Return a notice as an e-mail. Raise ConfigurationError when nobody is named to get it."""
    if not settings.text("notify_to"):
        raise ConfigurationError("The setting notify_to must name who gets the notices that notify_smtp_url sends.")
    made = EmailMessage()
    made["Subject"] = " ".join(f"[{settings.text('repository_name')}] {notice.title}".split())
    made["From"] = settings.text("admin_email")
    made["To"] = settings.text("notify_to")
    made["Date"] = formatdate()
    made["Message-ID"] = make_msgid(domain=settings.text("repository_domain"))
    made["Auto-Submitted"] = "auto-generated"  # RFC 3834: nobody answers it automatically
    made.set_content(f"{notice.text}\n\n-- \nThe instance {settings.instance} of {settings.text('repository_name')}\n")
    return made


def send_email(notice: Notice, settings: Settings) -> None:
    """Send a notice by the server of `notify_smtp_url`. Raise ConfigurationError or ConnectionFailed.

    A password is sent over TLS only.
    """
    server = _server(settings.text("notify_smtp_url"))
    mail = message(notice, settings)
    try:
        with _connected(server, _trust(settings)) as connection:
            if server.username:
                connection.login(unquote(server.username), unquote(server.password or ""))
            connection.send_message(mail)
    except (OSError, SMTPException) as error:
        raise ConnectionFailed(f"The mail server {server.hostname} does not take a notice: {_words(error)}.") from None


def _words(error: Exception) -> str:
    """Return what went wrong, without what was sent."""
    code, said = getattr(error, "smtp_code", None), getattr(error, "smtp_error", b"")
    if code is None:
        return str(getattr(error, "strerror", "") or type(error).__name__)
    return f"{code} {said.decode('ascii', 'replace') if isinstance(said, bytes) else said}"[:200]


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
    """Return what certificates are checked by: the authorities of the system, and those of `fetch_ca_bundle`."""
    context = ssl.create_default_context()
    if bundle := settings.text("fetch_ca_bundle"):
        context.load_verify_locations(settings.instance / bundle)
    return context


def _connected(server: SplitResult, context: ssl.SSLContext) -> SMTP:
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    if server.scheme == "smtps":
        return SMTP_SSL(host, port, timeout=_SECONDS, context=context)
    connection = SMTP(host, port, timeout=_SECONDS)
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
    """Return a notice as a webhook gets it; chat programs show `text`."""
    return {
        "repository": settings.text("repository_name"),
        "base_url": settings.text("base_url"),
        "subject": notice.subject,
        "is_well": notice.is_well,
        "concerns": [{"need": each.need.value, "sentence": each.sentence} for each in notice.concerns],
        "text": f"{notice.title}\n{notice.text}",
    }


def send_to_webhook(notice: Notice, settings: Settings, fetch: Fetch) -> None:
    """Post a notice to `notify_webhook_url`. Raise what `fetch` raises, and RemoteRefuses when it is not taken."""
    body = json.dumps(as_json(notice, settings)).encode()
    headers = (("Content-Type", "application/json"),)
    request = Request(settings.text("notify_webhook_url"), headers=headers, method="POST", body=body, follows=False)
    answer = fetch(request)
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        raise RemoteRefuses(f"The webhook answers a notice with HTTP status {answer.status}.")
