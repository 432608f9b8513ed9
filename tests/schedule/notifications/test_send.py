"""Notices by e-mail and webhook: they arrive, secrets go over TLS only, and no sentence shows them."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gateway.core.errors import ConfigurationError, ConnectionFailed
from gateway.core.settings import load
from harvester.schedule.notifications.notices import Concern, Need, Notice
from harvester.schedule.notifications.notify import FILE, notify
from harvester.schedule.notifications.send import send_email
from tests.http.authority import authority, server_context
from tests.rows import each_row
from tests.schedule.notifications.mail_server import MailServer, served

pytestmark = pytest.mark.slow  # it asks servers

CONCERN = Concern(Need.FAILING, "The last 3 runs failed. Überall.")
NOTICE = Notice("laro", (CONCERN,))


@pytest.fixture
def settings(tmp_path):
    def settings(**values):
        known = {"admin_email": "admin@here.org", "repository_name": "Our\u00e9", "fetch_backoff_seconds": 0.001}
        return load(tmp_path, {}, {**known, "fetch_retries": 0, **values})  # type: ignore[dict-item]

    return settings


@contextmanager
def _webhook(status=204):
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.002,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook/t0ken", posted
        server.shutdown()
        thread.join()


def test_a_mail_says_what_is_wrong_and_from_whom_it_comes(settings):
    with served(MailServer()) as mails:
        send_email(NOTICE, settings(notify_smtp_url=f"smtp://127.0.0.1:{mails.port}", notify_to="a@x.org, b@x.org"))
    (mail,) = mails.mails
    assert (mail["From"], mail["To"]) == ("admin@here.org", "a@x.org, b@x.org")
    assert mail["Subject"] == "[Our\u00e9] laro: runs fail"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content().replace("\r\n", "\n").startswith("The last 3 runs failed. Überall.\n\n-- \n")  # type: ignore[attr-defined]


@pytest.mark.parametrize("is_at_once", [False, True])
def test_a_password_goes_over_tls(settings, tmp_path, is_at_once):
    bundle = authority(tmp_path / "authority")
    mails = MailServer(tls=server_context(tmp_path / "authority", "localhost"), is_tls_at_once=is_at_once)
    scheme = "smtps" if is_at_once else "smtp"
    with served(mails):
        url = f"{scheme}://me:p%40ss@localhost:{mails.port}"
        send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org", fetch_ca_bundle=str(bundle)))
        with pytest.raises(ConnectionFailed, match="refuses a notice"):  # nobody vouches for it
            send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org"))
    assert mails.users == [("me", "p@ss")]
    assert len(mails.mails) == 1
    assert not any(line.startswith(b"AUTH") for line in mails.clear_lines)


def test_a_password_is_not_sent_without_tls(settings):
    with served(MailServer()) as mails, pytest.raises(ConfigurationError, match="offers no TLS"):
        send_email(NOTICE, settings(notify_smtp_url=f"smtp://me:pass@127.0.0.1:{mails.port}", notify_to="a@x.org"))
    assert mails.users == []
    assert not any(line.startswith(b"AUTH") for line in mails.clear_lines)


@each_row("url", ["http://x", "smtp://", "smtp://x:0", "smtp://x:y:z", "smtp://[", "me:secret@host"])
def test_an_address_that_is_none_is_told_without_showing_it(settings, url):
    with pytest.raises(ConfigurationError, match=r"must be smtp://HOST") as caught:
        send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org"))
    assert "secret" not in str(caught.value)


def test_a_webhook_gets_what_programs_and_people_read(settings):
    with _webhook() as (url, posted):
        assert notify(settings(notify_webhook_url=url), "laro", (CONCERN,)) == NOTICE
    (message,) = posted
    assert (message["subject"], message["is_well"], message["concerns"][0]["need"]) == ("laro", False, "failing")
    assert message["text"] == "laro: runs fail\nThe last 3 runs failed. Überall."


def test_a_notice_that_could_not_be_sent_is_tried_again_and_no_secret_is_logged(settings, tmp_path, caplog):
    with _webhook(500) as (url, posted), served(MailServer(refusal=b"451 not now")) as mails:
        asked = settings(notify_webhook_url=url, notify_smtp_url=f"smtp://127.0.0.1:{mails.port}", notify_to="a@x.org")
        for _ in range(2):
            assert notify(asked, "laro", (CONCERN,)) is None
        assert len(posted) == 2
        assert json.loads((tmp_path / FILE).read_bytes()) == {}
        mails.refusal = b""
        assert notify(asked, "laro", (CONCERN,)) == NOTICE
        assert notify(asked, "laro", (CONCERN,)) is None
    assert "451 not now" in caplog.text
    assert "HTTP status 500" in caplog.text
    assert "t0ken" not in caplog.text


def test_a_memory_that_cannot_be_read_is_none(settings, tmp_path):
    with _webhook() as (url, _):
        for text in ("", "[]", '{"laro": 1}', "{", '{"laro": [1e400, []]}', "[" * 100_000):
            (tmp_path / FILE).write_text(text)
            assert notify(settings(notify_webhook_url=url), "laro", (CONCERN,)) == NOTICE, text[:9]


@pytest.fixture
def silent():
    """Return the port of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@each_row("scheme", ["smtp", "smtps"])
def test_a_mail_server_that_is_silent_is_left_after_the_time_that_it_may_take(settings, silent, scheme):
    asked = settings(notify_smtp_url=f"{scheme}://me:s3cret@127.0.0.1:{silent}", notify_to="a@x.org")
    with pytest.raises(ConnectionFailed, match=r"did not accept a notice within 0\.05 seconds") as caught:
        send_email(NOTICE, asked, 0.05)
    assert "s3cret" not in str(caught.value)
