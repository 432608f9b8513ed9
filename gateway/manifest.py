"""What a backup folder holds: `backup.json`, which names one whole backup. Writing it is what makes a backup valid.

DIR/backup.json            the manifest
DIR/20261122T153000Z/      the files of the instance folder, but for copies of documents
DIR/files/ab/abcd…         copies of documents, by their SHA-256; shared by one backup and the next
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gateway.durable import write
from gateway.errors import ConfigurationError

NAME = "backup.json"
COPIES = "files"
GENERATION = re.compile(r"\d{8}T\d{6}Z(-\d+)?")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. `name` is its path in the instance folder, with slashes; `modified_ns` as the system gave it."""

    name: str
    size: int
    sha256: str
    modified_ns: int
    is_database: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """One backup. Seconds are since 1970; nothing above `answered_until` had been answered when it was made.

    `last_page` is the number of the last page of the inbox.
    """

    generation: str
    begun_at: int
    ended_at: int
    domain: str
    answered_until: int
    last_page: int
    files: tuple[Entry, ...]

    @property
    def names(self) -> frozenset[str]:
        """Return the names of its files."""
        return frozenset(each.name for each in self.files)


def read(folder: Path) -> Manifest | None:
    """Return the manifest of a backup folder, or None when there is none. Raise ConfigurationError for a bad one."""
    file = folder / NAME
    try:
        document = json.loads(file.read_bytes())
        if document.pop("version") != _VERSION:
            raise ConfigurationError(f"{file} was written by a newer release than this one.")
        files = tuple(_entry(each) for each in document.pop("files"))
        found = Manifest(files=files, **document)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(f"{file} is no list of a backup: {error}.") from error
    if not GENERATION.fullmatch(found.generation):
        raise ConfigurationError(f"{file} is no list of a backup: it names the folder {found.generation!r}.")
    return found


def _entry(fields: dict[str, Any]) -> Entry:
    entry = Entry(**fields)
    parts = PurePosixPath(entry.name).parts
    if not parts or ".." in parts or PurePosixPath(entry.name).is_absolute():
        raise ValueError(f"it names the file {entry.name!r}")
    return entry


def keep(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, in one step. Raise OSError."""
    document = {"version": _VERSION, **asdict(manifest)}
    write(folder / NAME, json.dumps(document, indent=1, ensure_ascii=True).encode() + b"\n")
