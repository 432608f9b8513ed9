"""A repository on loopback, and instance folders to harvest it into."""

from tests.fulltext.conftest import folder, quick_reader, searching  # noqa: F401 - fixtures of test_full_text_stage.py
from tests.oai_repository import command, harvester, instance, repository  # noqa: F401 - fixtures
