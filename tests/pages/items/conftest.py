"""An instance whose pages are looked at."""

from tests.page_house import house, settings  # noqa: F401 - fixtures of this folder
