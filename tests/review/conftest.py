"""An instance with files to review, and somebody who has signed in to review them."""

from __future__ import annotations

import pytest

from tests.page_house import House, house, settings  # noqa: F401 - fixtures of this folder
from tests.review_files import Files
from tests.review_house import Browser, signed_in


@pytest.fixture
def files(house: House) -> Files:  # noqa: F811 - the fixture
    return Files(house)


@pytest.fixture
def reviewer(house: House) -> Browser:  # noqa: F811 - the fixture
    return signed_in(house.app, house.desk.folder)
