"""Folders of metha: the meaning of their names, and missing files. Pure.

metha stores each harvest in its own folder, whose name is the base64url of `set#format#baseURL`. Each answer is in a
file such as `2020-01-31-00000000.xml.gz` (`.zst` since version 0.4): the last day of a window, and a number from 0.
"""

import re
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.core.errors import ConfigurationError
from gateway.core.model import Slice
from harvester.sources.seen import Seen

_FOLDER = re.compile(r"[A-Za-z0-9_-]{16,}")
_FILE = re.compile(r"(?P<day>(?:.*/)?[0-9]{4}-[0-9]{2}-[0-9]{2})-(?P<number>[0-9]{8,12})(?P<rest>\.xml(?:\.\w+)?)")
_SHOWN = 20  # folders in one sentence
_MOST_MISSING = 1000  # missing files of one window in the list


class Harvest(NamedTuple):
    """A harvest, from the name of its folder."""

    set_spec: str
    metadata_prefix: str
    base_url: str


def harvest_of(name: str) -> Harvest | None:
    """Return the harvest in the name of a folder; None: not a folder of metha."""
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
    """Return the harvest in the URL of a folder; None: not a folder of metha."""
    return harvest_of(unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2])


def fields_of(url: str) -> dict[str, object]:
    """Return the fields of an entry in `sources.toml` that the URL of a folder states."""
    harvest = harvest_at(url)
    if harvest is None:
        return {}
    sets = {"sets": [harvest.set_spec]} if harvest.set_spec else {}
    return {"formats": [harvest.metadata_prefix], **sets, "base_url": harvest.base_url}


def refuse_cache(url: str, names: Iterable[str]) -> None:
    """Raise ConfigurationError when the names show folders of metha below the path: each must be its own source."""
    folders = dict.fromkeys(name.partition("/")[0] for name in names if "/" in name)
    harvests = [(name, harvest) for name in folders if (harvest := harvest_of(name)) is not None]
    if not harvests:
        return
    path = unquote(urlsplit(url).path).rstrip("/")
    shown = "; ".join(
        f"{path}/{name} ({harvest.base_url}, {' '.join(filter(None, (harvest.metadata_prefix, harvest.set_spec)))})"
        for name, harvest in harvests[:_SHOWN]
    )
    more = f"; and {len(harvests) - _SHOWN} more" if len(harvests) > _SHOWN else ""
    raise ConfigurationError(
        f"{path} has {len(harvests)} folders of metha, each with a harvest of its own. "
        f"Add each as a source: {shown}{more}."
    )


def missing(names: Iterable[str]) -> list[str]:
    """Return the names of missing files: a later file of the same window exists."""
    windows: dict[tuple[str, str], set[int]] = {}
    for name in names:
        if match := _FILE.fullmatch(name):
            windows.setdefault((match["day"], match["rest"]), set()).add(int(match["number"]))
    return [
        f"{day}-{number:08}{rest}"
        for (day, rest), numbers in windows.items()
        for number in range(min(max(numbers), len(numbers) + _MOST_MISSING))
        if number not in numbers
    ]


def newest_first(name: str) -> tuple[int, int, str]:
    """Return a key that sorts the newest window of metha first, and the files of a window by number.

    A changed record is in several windows. From the oldest window on, each reading would restore its former version for
    a while. Other files come last, in the order of their names.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        return 0, 0, name
    return -int(match["day"][-10:].replace("-", "")), int(match["number"]), name


class Newer:
    """The records of newer windows than the current one. Use one object per reading, from the newest window on."""

    def __init__(self) -> None:
        self._seen, self._day, self._of_window = Seen(), "", list[str]()

    def without(self, name: str, slices: Iterable[Slice]) -> tuple[Slice, ...]:
        """Return the records of a file that were not in a newer window with the same datestamp."""
        match = _FILE.fullmatch(name)
        if match is None:
            return tuple(slices)
        if match["day"] != self._day:
            for file_name in self._of_window:
                self._seen.add(file_name)
            self._day, self._of_window = match["day"], []
        keyed = [(f"{record.datestamp} {record.identifier}", record) for record in slices]
        kept = [(key, slice_) for key, slice_ in keyed if slice_.problem or key not in self._seen]
        self._of_window += [key for key, _ in kept]
        return tuple(slice_ for _, slice_ in kept)


def has_next(name: str, names: Collection[str]) -> bool:
    """Return whether `names` has the next file of the same window."""
    match = _FILE.fullmatch(name)
    return match is not None and f"{match['day']}-{int(match['number']) + 1:08}{match['rest']}" in names
