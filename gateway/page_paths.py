"""Which paths are those of pages: the web server makes pages in threads of their own, apart from harvesters.

Pages are everything but what harvesters, hubs and supervisors request, so an unknown path is that of a page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flask import Flask

# The blueprints without pages. Their paths are distinguished by the first segment.
OTHERS: Final = frozenset(
    {"hub", "oaipmh", "resourcesync", "resourcesync_files", "batch_dump", "websub", "schemas", "copies", "probes"}
)


def page_test(app: Flask) -> Callable[[str], bool]:
    """Return the function that returns whether a decoded path of an application is that of a page."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.partition(".")[0] in OTHERS]
    segments = frozenset(_first(rule.rule) for rule in rules)
    return lambda path: _first(path) not in segments


def _first(path: str) -> str:
    return path.removeprefix("/").partition("/")[0]
