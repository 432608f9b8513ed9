"""Notices by e-mail and webhook: they arrive, secrets go over TLS only, and no sentence shows them."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gateway.errors import ConfigurationError, ConnectionFailed
from gateway.settings import load
from harvester.notifying.concerns import Concern, Need
from harvester.notifying.notices import Notice
from harvester.notifying.notifying import FILE, notify
from harvester.notifying.sending import send_email
from tests.notifying.mail_server import MailServer, served
from tests.web.authority import authority, server_context

pytestmark = pytest.mark.slow  # it asks servers

CONCERN = Concern(Need.FAILING, "The last 3 runs failed. Überall.")
NOTICE = Notice("laro", (CONCERN,))


@pytest.fixture
def settings(tmp_path):
    def settings(**values):
        known = {"admin_email": "admin@here.org", "repository_name": "Our\u00e9", "fetch_backoff_seconds": 0.001}
        return load(tmp_path, {}, {**known, "fetch_retries": 0, **values})

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
    assert mail.get_content().replace("\r\n", "\n").startswith("The last 3 runs failed. Überall.\n\n-- \n")


@pytest.mark.parametrize("is_at_once", [False, True])
def test_a_password_goes_over_tls(settings, tmp_path, is_at_once):
    bundle = authority(tmp_path / "authority")
    mails = MailServer(tls=server_context(tmp_path / "authority", "localhost"), is_tls_at_once=is_at_once)
    scheme = "smtps" if is_at_once else "smtp"
    with served(mails):
        url = f"{scheme}://me:p%40ss@localhost:{mails.port}"
        send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org", fetch_ca_bundle=str(bundle)))
        with pytest.raises(ConnectionFailed, match="does not take a notice"):  # nobody vouches for it
            send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org"))
    assert mails.users == [("me", "p@ss")]
    assert len(mails.mails) == 1
    assert not any(line.startswith(b"AUTH") for line in mails.said)


def test_a_password_is_not_sent_without_tls(settings):
    with served(MailServer()) as mails, pytest.raises(ConfigurationError, match="offers no TLS"):
        send_email(NOTICE, settings(notify_smtp_url=f"smtp://me:pass@127.0.0.1:{mails.port}", notify_to="a@x.org"))
    assert mails.users == []
    assert not any(line.startswith(b"AUTH") for line in mails.said)


@pytest.mark.parametrize("url", ["http://x", "smtp://", "smtp://x:0", "smtp://x:y:z", "smtp://[", "me:secret@host"])
def test_an_address_that_is_none_is_told_without_showing_it(settings, url):
    with pytest.raises(ConfigurationError, match=r"must be smtp://HOST") as told:
        send_email(NOTICE, settings(notify_smtp_url=url, notify_to="a@x.org"))
    assert "secret" not in str(told.value)


def test_whom_to_tell_must_be_said(settings):
    with pytest.raises(ConfigurationError, match="notify_to"):
        send_email(NOTICE, settings(notify_smtp_url="smtp://127.0.0.1:1"))


def test_a_webhook_gets_what_programs_and_people_read(settings):
    with _webhook() as (url, posted):
        assert notify(settings(notify_webhook_url=url), "laro", (CONCERN,)) == NOTICE
    (told,) = posted
    assert (told["subject"], told["is_well"], told["concerns"][0]["need"]) == ("laro", False, "failing")
    assert told["text"] == "laro: runs fail\nThe last 3 runs failed. Überall."


def test_a_notice_that_could_not_be_sent_is_tried_again_and_no_secret_is_logged(settings, tmp_path, caplog):
    with _webhook(500) as (url, posted), served(MailServer(refusal=b"451 not now")) as mails:
        asked = settings(notify_webhook_url=url, notify_smtp_url=f"smtp://127.0.0.1:{mails.port}", notify_to="a@x.org")
        for _ in range(2):
            assert notify(asked, "laro", (CONCERN,)) is None
        assert len(posted) == 2
        assert not (tmp_path / FILE).exists()
        mails.refusal = b""
        assert notify(asked, "laro", (CONCERN,)) == NOTICE
        assert notify(asked, "laro", (CONCERN,)) is None
    assert "451 not now" in caplog.text
    assert "HTTP status 500" in caplog.text
    assert "t0ken" not in caplog.text


def test_an_unreachable_webhook_is_told_without_its_address(settings, caplog):
    assert notify(settings(notify_webhook_url="http://127.0.0.1:1/t0ken"), "laro", (CONCERN,)) is None
    assert "could not be sent" in caplog.text
    assert "t0ken" not in caplog.text


@pytest.mark.parametrize("text", ["", "[]", '{"laro": 1}', "{"])
def test_a_memory_that_cannot_be_read_is_none(settings, tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with _webhook() as (url, _):
        assert notify(settings(notify_webhook_url=url), "laro", (CONCERN,)) == NOTICE


def test_nothing_is_sent_where_nobody_wants_it(settings, tmp_path):
    assert notify(settings(), "laro", (CONCERN,)) is None
    assert list(tmp_path.iterdir()) == []
