"""The last digest of the catalogue of each mirror, stored in the instance folder. It reveals an older copy.

    INSTANCE/mirrors.json    {"/srv/mirror": {"bytes": 9120, "sha256": …, "at": …}}

An older copy of a whole mirror is recognised, unless this file was restored from an older copy, too. A mirror needs
no instance folder; without one, nothing is stored.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from gateway.core.errors import ConfigurationError, StoreUnwritable
from harvester.mirror.catalogue import Mark
from harvester.runtime.durable_files import replace_durably
from harvester.runtime.locks import changing

NAME = "mirrors.json"
_SIGNS = ("config.toml", "sources.toml", "secret")  # of which an instance folder has at least one


class InstanceMemory:
    """The file mirrors.json of one instance."""

    def __init__(self, instance: Path) -> None:
        self.file = instance / NAME

    def remembered(self, folder: Path) -> Mark | None:
        """Return the last mark of the catalogue of a mirror, if any. Raise ConfigurationError if it is unreadable.

        Raise StoreUnwritable when the file cannot be opened.
        """
        entry = self.read().get(str(folder.resolve()))
        try:
            return None if entry is None else Mark(int(str(entry["bytes"])), str(entry["sha256"]))
        except (KeyError, ValueError) as error:
            raise self._unreadable(error) from error

    def remember(self, folder: Path, mark: Mapping[str, object], at: str) -> None:
        """Store the mark of the catalogue of a mirror; `at` is a UTCdatetime. Raise StoreUnwritable.

        Raise ConfigurationError if the file is unreadable.
        """
        if not any((self.file.parent / sign).exists() for sign in _SIGNS):
            return
        with changing(self.file):
            known = {**self.read(), str(folder.resolve()): {**mark, "at": at}}
            replace_durably(self.file, json.dumps(known, ensure_ascii=False, indent=1).encode() + b"\n")

    def read(self) -> dict[str, Mapping[str, object]]:
        """Return the whole file. Raise as `remembered`."""
        try:
            document = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreUnwritable(f"{self.file} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError) as error:
            raise self._unreadable(error) from error
        if not isinstance(document, dict) or not all(isinstance(value, dict) for value in document.values()):
            raise self._unreadable("it holds something else")
        return document

    def _unreadable(self, reason: object) -> ConfigurationError:
        return ConfigurationError(
            f"{self.file} cannot be read: {reason}. Bring it back from a copy; without it, an older copy of a mirror "
            "is not recognised until its next run."
        )
