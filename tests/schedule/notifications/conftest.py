"""What notices are about: sources and mirrors; and a server that keeps the mails."""

from collections.abc import Iterator

import pytest

from tests.mirror.conftest import fill, mirror, provider  # noqa: F401 - fixtures
from tests.schedule.notifications.mail_server import MailServer, served


@pytest.fixture
def mails() -> Iterator[MailServer]:
    """Serve mail until the test ends."""
    with served(MailServer()) as mails:
        yield mails
