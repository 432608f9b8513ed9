"""What an instance remembers of mirrors: how far the catalogue of each had come, so that an older copy is recognised.

    INSTANCE/mirrors.json    {"/srv/mirror": {"bytes": 9120, "sha256": …, "at": …}}

An older copy of a whole mirror is recognised, unless an older copy of this file was brought back with it. Without an
instance folder nothing is remembered: a mirror needs none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from gateway.errors import ConfigurationError, StoreUnwritable
from harvester.locks import changing
from harvester.mirror.catalogue import Mark
from harvester.mirror.ocfl import replaced

NAME = "mirrors.json"
_SIGNS = ("config.toml", "sources.toml", "secret")  # of which an instance folder has at least one


class Witness:
    """The memory of one instance."""

    def __init__(self, instance: Path) -> None:
        """Take the instance folder, which need not be there."""
        self.file = instance / NAME

    def remembered(self, folder: Path) -> Mark | None:
        """Return how far the catalogue of a mirror had come. Raise ConfigurationError when that cannot be read."""
        found = self._read().get(str(folder.resolve()))
        try:
            return None if found is None else Mark(int(str(found["bytes"])), str(found["sha256"]))
        except (KeyError, ValueError) as error:
            raise self._unreadable(error) from error

    def remember(self, folder: Path, mark: Mapping[str, object], at: str) -> None:
        """Remember how far the catalogue of a mirror has come. Raise StoreUnwritable when that cannot be written."""
        if not any((self.file.parent / each).exists() for each in _SIGNS):
            return
        with changing(self.file):
            known = {**self._read(), str(folder.resolve()): {**mark, "at": at}}
            replaced(self.file, json.dumps(known, ensure_ascii=False, indent=1).encode() + b"\n")

    def _read(self) -> dict[str, Mapping[str, object]]:
        try:
            found = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreUnwritable(f"{self.file} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError) as error:
            raise self._unreadable(error) from error
        if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
            raise self._unreadable("it holds something else")
        return found

    def _unreadable(self, reason: object) -> ConfigurationError:
        return ConfigurationError(
            f"{self.file} cannot be read: {reason}. Bring it back from a copy; without it, an older copy of a mirror "
            "is not recognised until its next run."
        )
