"""What tests of steps have in common: what is known of a work, and a web that answers nothing but what a test says."""

from gateway.core.model import Work
from harvester.fulltext.steps import Known, known_of
from tests.fulltext.web import SETTINGS, RecordedWeb


def known(about: Work, **settings: str) -> Known:
    """Return what is known of a work, with all keys."""
    return known_of(about, {**SETTINGS, **settings})


def offline(**own) -> RecordedWeb:
    """Return a web without recordings."""
    return RecordedWeb(own, has_recordings=False)
