"""The named queries as the code runs them: what has braces in its file has a text for each order and direction."""

import re
from collections.abc import Iterator

from gateway.store.discovery_lists import COUNT, LATEST, LISTS
from gateway.store.queries import load


def texts(database: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each query of a database; a name may come several times."""
    yield from ((name, text) for name, text in load(database).items() if not re.search(r"\{\w+\}", text))
    if database == "discovery":
        yield "copies_counted", COUNT
        yield from (("copies_listed", text) for text in LISTS.values())
        yield from ((name, text) for (name, _), text in LATEST.items())
