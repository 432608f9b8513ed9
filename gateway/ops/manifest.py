"""The manifest of a backup folder, `backup.json`, which names one complete backup. Writing it makes the backup valid.

DIR/backup.json            the manifest DIR/20261122T153000Z/      the files of the instance folder, without copies of
documents DIR/files/ab/abcd…         copies of documents, by their SHA-256; a backup and the next one share them
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gateway.core.durable import write
from gateway.core.errors import ConfigurationError

NAME = "backup.json"
GENERATION = re.compile(r"\d{8}T\d{6}Z(-\d+)?")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. `name` is its path in the instance folder, `size` its bytes, `modified_ns` its time of change."""

    name: str
    size: int
    sha256: str
    modified_ns: int
    is_database: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """One backup. Times are in seconds since 1970; no answer before the backup has a time above `answered_until`.

    `generation` is the name of its folder, `last_page` the number of the last page of the inbox.
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
        """The names of its files."""
        return frozenset(file.name for file in self.files)


def read(folder: Path) -> Manifest | None:
    """Return the manifest of a backup folder, or None if there is none. Raise ConfigurationError if it is wrong."""
    file = folder / NAME
    try:
        document = json.loads(file.read_bytes())
        if document.pop("version") != _VERSION:
            raise ConfigurationError(f"{file} was written by a newer release. Install that release.")
        files = tuple(_entry(entry) for entry in document.pop("files"))
        manifest = Manifest(files=files, **document)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(f"{file} is not the manifest of a backup: {error}.") from error
    if not GENERATION.fullmatch(manifest.generation):
        raise ConfigurationError(f"{file} is not the manifest of a backup: it names {manifest.generation!r}.")
    return manifest


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
