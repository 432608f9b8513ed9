"""Folders that metha made: what their names say, and which of their files are missing. Pure.

metha keeps each harvest in a folder of its own, whose name is the base64url of `set#format#baseURL`, and each answer in
a file `2020-01-31-00000000.xml.gz` (`.zst` since version 0.4): the last day of a window of dates, and a number from 0.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.errors import ConfigurationError
from gateway.model import Slice
from harvester.wire.seen import Seen

_FOLDER = re.compile(r"[A-Za-z0-9_-]{16,}")
_FILE = re.compile(r"(?P<day>(?:.*/)?[0-9]{4}-[0-9]{2}-[0-9]{2})-(?P<number>[0-9]{8,12})(?P<rest>\.xml(?:\.\w+)?)")
_SHOWN = 20  # folders that a sentence names
_MOST_MISSING = 1000  # files of one window that are named as missing


class Harvest(NamedTuple):
    """What the name of a folder says of the harvest in it."""

    set_spec: str
    metadata_prefix: str
    base_url: str


def harvest_of(name: str) -> Harvest | None:
    """Return what the name of a folder says; None: metha did not make it."""
    if not _FOLDER.fullmatch(name):
        return None
    try:
        text = urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode()
    except ValueError:
        return None
    parts = text.split("#", 2)
    if len(parts) != len(Harvest._fields) or not parts[1] or not parts[2].startswith(("http://", "https://")):
        return None
    return Harvest(*parts)


def harvest_at(url: str) -> Harvest | None:
    """Return what the address of a folder says of the harvest in it; None: metha did not make it."""
    return harvest_of(unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2])


def fields_of(url: str) -> dict[str, object]:
    """Return the fields of an entry that the address of a folder says."""
    harvest = harvest_at(url)
    if harvest is None:
        return {}
    sets = {"sets": [harvest.set_spec]} if harvest.set_spec else {}
    return {"formats": [harvest.metadata_prefix], **sets, "base_url": harvest.base_url}


def refuse_cache(url: str, names: Iterable[str]) -> None:
    """Raise ConfigurationError when files lie in folders of metha below the one that is read: each is a source."""
    folders = dict.fromkeys(name.partition("/")[0] for name in names if "/" in name)
    found = [(name, harvest) for name in folders if (harvest := harvest_of(name)) is not None]
    if not found:
        return
    path = unquote(urlsplit(url).path).rstrip("/")
    shown = "; ".join(
        f"{path}/{name} ({harvest.base_url}, {' '.join(filter(None, (harvest.metadata_prefix, harvest.set_spec)))})"
        for name, harvest in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise ConfigurationError(
        f"{path} holds {len(found)} folders of metha, each with a harvest of its own. "
        f"Add each as a source: {shown}{more}."
    )


def missing(names: Iterable[str]) -> list[str]:
    """Return the names of the files that must be there because a later one of the same window is."""
    windows: dict[tuple[str, str], set[int]] = {}
    for name in names:
        if found := _FILE.fullmatch(name):
            windows.setdefault((found["day"], found["rest"]), set()).add(int(found["number"]))
    return [
        f"{day}-{number:08}{rest}"
        for (day, rest), numbers in windows.items()
        for number in range(min(max(numbers), len(numbers) + _MOST_MISSING))
        if number not in numbers
    ]


def newest_first(name: str) -> tuple[int, int, str]:
    """Return by what files are sorted so that the newest window of metha comes first, each in the order of its numbers.

    A record that changed stands in several windows. Read from the oldest on, its former version would come back, and go
    again, whenever the folder is read. Other files come last, in the order of their names.
    """
    found = _FILE.fullmatch(name)
    if found is None:
        return 0, 0, name
    return -int(found["day"][-10:].replace("-", "")), int(found["number"]), name


class Newer:
    """What came in newer windows than the one that is read. Use one for each reading, from the newest window on."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._seen, self._day, self._of_window = Seen(), "", list[str]()

    def without(self, name: str, slices: Iterable[Slice]) -> tuple[Slice, ...]:
        """Return the records of a file that have not come in a newer window with the same datestamp."""
        found = _FILE.fullmatch(name)
        if found is None:
            return tuple(slices)
        if found["day"] != self._day:
            for each in self._of_window:
                self._seen.add(each)
            self._day, self._of_window = found["day"], []
        keyed = [(f"{each.datestamp} {each.identifier}", each) for each in slices]
        kept = [(key, each) for key, each in keyed if each.problem or key not in self._seen]
        self._of_window += [key for key, _ in kept]
        return tuple(each for _, each in kept)


def has_next(name: str, names: Collection[str]) -> bool:
    """Tell whether the file is there that follows another one in its window."""
    found = _FILE.fullmatch(name)
    return found is not None and f"{found['day']}-{int(found['number']) + 1:08}{found['rest']}" in names
