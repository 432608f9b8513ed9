"""The inventory of an OCFL object (Oxford Common File Layout 1.1 §3.5): what each version holds, and where. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gateway.core.errors import StoreDamaged

TYPE = "https://ocfl.io/1.1/spec/#inventory"
NAME = "inventory.json"
SIDECAR = "inventory.json.sha512"


class User(NamedTuple):
    """Who made a version (OCFL 1.1 §3.5.3.1): a name, and a URI such as `mailto:` or an ORCID."""

    name: str
    address: str


PROGRAM = User("harvester mirror", "urn:oai-gateway:harvester")  # where nobody is named


class Version(NamedTuple):
    """One version (OCFL 1.1 §3.5.3.1): its date, message and author, and the SHA-512 of each file by logical path."""

    created: str
    message: str
    state: Mapping[str, str]
    user: User = PROGRAM


@dataclass(frozen=True, slots=True)
class Inventory:
    """The inventory of an object. `manifest`: the content path of each SHA-512; `sha256`: the SHA-256 of each path."""

    identifier: str
    manifest: Mapping[str, str] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[Version, ...] = ()

    @property
    def head(self) -> int:
        """The number of the newest version."""
        return len(self.versions)

    @property
    def state(self) -> Mapping[str, str]:
        """The files of the newest version."""
        return self.versions[-1].state if self.versions else {}

    @property
    def by_sha256(self) -> Mapping[str, str]:
        """The SHA-512 of all content of all versions, by SHA-256."""
        return {self.sha256[place]: digest for digest, place in self.manifest.items() if place in self.sha256}

    def place(self, logical: str) -> str:
        """Return the content path of a file of the newest version, relative to the folder of the object."""
        return self.manifest[self.state[logical]]


class Arrived(NamedTuple):
    """The digests of bytes that are new to an object."""

    sha512: str
    sha256: str


def with_version(
    before: Inventory, state: Mapping[str, str | Arrived], created: str, message: str, user: User = PROGRAM
) -> tuple[Inventory, dict[str, str]]:
    """Return the inventory with a further version, and the content paths to be written, by logical path.

    A file that is stored already is given by its SHA-512. The same bytes are stored once in all versions. Raise
    ValueError for a path that OCFL 1.1 §3.5.3.1 forbids, and for a digest that is not stored.
    """
    manifest, sha256, written = dict(before.manifest), dict(before.sha256), dict[str, str]()
    for logical, content in sorted(state.items()):
        _check_path(logical, state)
        if isinstance(content, Arrived) and content.sha512 not in manifest:
            place = f"v{before.head + 1}/content/{logical}"
            manifest[content.sha512] = written[logical] = place
            sha256[place] = content.sha256
    plain = {logical: entry.sha512 if isinstance(entry, Arrived) else entry for logical, entry in state.items()}
    if unknown := set(plain.values()) - set(manifest):
        raise ValueError(f"{before.identifier} does not hold {min(unknown)}.")
    versions = (*before.versions, Version(created, message, plain, user))
    return Inventory(before.identifier, manifest, sha256, versions), written


def _check_path(path: str, others: Mapping[str, object]) -> None:
    parts = path.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    if {"", ".", ".."} & set(parts) or any(name in others for name in above):
        raise ValueError(f"{path!r} is no path for a file of an object.")


def written(inventory: Inventory) -> bytes:
    """Return the inventory as JSON in UTF-8 (OCFL 1.1 §3.5)."""
    versions = {
        f"v{number}": {
            "created": version.created,
            "message": version.message,
            "state": _by_digest(version.state),
            "user": version.user._asdict(),
        }
        for number, version in enumerate(inventory.versions, 1)
    }
    document = {
        "id": inventory.identifier,
        "type": TYPE,
        "digestAlgorithm": "sha512",
        "head": f"v{inventory.head}",
        "manifest": {digest: [place] for digest, place in inventory.manifest.items()},
        "fixity": {"sha256": _by_digest(inventory.sha256)},
        "versions": versions,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def _by_digest(digests: Mapping[str, str]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    for path, digest in sorted(digests.items()):
        places.setdefault(digest, []).append(path)
    return places


def read(content: bytes) -> Inventory:
    """Return the inventory that `written` wrote. Raise StoreDamaged when it cannot be read."""
    try:
        document = json.loads(content)
        versions = document["versions"]
        numbered = [versions[f"v{number}"] for number in range(1, len(versions) + 1)]
        return Inventory(
            document["id"],
            {digest: places[0] for digest, places in document["manifest"].items()},
            _by_path(document.get("fixity", {}).get("sha256", {})),
            tuple(_version(version) for version in numbered),
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise StoreDamaged(f"An inventory cannot be read: {error!r}.") from error


def _version(document: Mapping[str, Any]) -> Version:
    user = document.get("user", {})
    known = User(user.get("name", PROGRAM.name), user.get("address", PROGRAM.address))
    return Version(document["created"], document["message"], _by_path(document["state"]), known)


def _by_path(digests: Mapping[str, Any]) -> dict[str, str]:
    return {path: digest for digest, paths in digests.items() for path in paths}
