"""A repository on loopback, and instance folders to harvest it into."""

import pytest

from harvester.harvest.instance import opened
from tests.oai_repository import command, harvester, instance, repository  # noqa: F401 - fixtures


@pytest.fixture
def house(instance):  # noqa: F811 - the fixture
    with opened(str(instance)) as house:
        yield house
