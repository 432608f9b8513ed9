"""A repository on loopback, and instance folders to harvest it into."""

from tests.oai_repository import command, harvester, instance, repository  # noqa: F401 - fixtures
