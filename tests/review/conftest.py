"""An instance with files to review, and somebody who has signed in to review them."""

import pytest

from gateway.review import users
from gateway.takedowns import interactive
from tests.page_house import House, house, settings  # noqa: F401 - fixtures of this folder
from tests.review_house import Browser, Files, signed_in


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody be told that something takes long, because the machine is busy."""
    for module, limit in (
        (interactive, "_WAIT_SECONDS"),
        (interactive, "_READ_SECONDS"),
        (users, "_WAIT_SECONDS"),
    ):
        monkeypatch.setattr(module, limit, 240.0)


@pytest.fixture
def files(house: House) -> Files:  # noqa: F811 - the fixture
    return Files(house)


@pytest.fixture
def reviewer(house: House) -> Browser:  # noqa: F811 - the fixture
    return signed_in(house.app, house.harness.folder)
