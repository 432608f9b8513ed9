"""BagIt 1.0 (RFC 8493), and the versions before it: whether a bag is whole and every file in it what it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from gateway.errors import ConfigurationError
from harvester.mirror.ocfl import hashed

_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9]+)\.txt")
_LINE = re.compile(r"([0-9A-Fa-f]+)\s+\*?(\S.*)")
_DECLARATION = re.compile(r"BagIt-Version:\s*\d+\.\d+\s*\nTag-File-Character-Encoding:\s*(\S+)\s*")


class Bag(NamedTuple):
    """A bag that is good: where its payload lies, and what bag-info.txt says."""

    payload: Path
    info: dict[str, str]


class _Bad(Exception):
    """A bag is not good, and why."""


def is_bag(folder: Path) -> bool:
    """Tell whether a folder claims to be a bag."""
    return (folder / "bagit.txt").exists()


def checked(folder: Path) -> Bag:
    """Return a bag in which every file is there, is in its manifests, and has its digests. Else ConfigurationError."""
    try:
        info = _checked(folder)
    except (_Bad, OSError, UnicodeError, LookupError) as error:
        raise ConfigurationError(f"{folder} is no valid bag: {error}.") from error
    return Bag(folder / "data", info)


def _checked(folder: Path) -> dict[str, str]:
    declaration = _DECLARATION.fullmatch((folder / "bagit.txt").read_text("utf-8-sig"))
    if declaration is None:
        raise _Bad("its bagit.txt is not as it should be")
    if not (folder / "data").is_dir():
        raise _Bad("it has no folder data")
    encoding = declaration[1]
    manifests = [match for each in sorted(folder.iterdir()) if (match := _MANIFEST.fullmatch(each.name))]
    payload = {each.relative_to(folder).as_posix() for each in (folder / "data").rglob("*") if each.is_file()}
    if not any(match[1] is None for match in manifests):
        raise _Bad("it has no manifest of its payload")
    for match in manifests:
        stated = dict(_stated(folder / match[0], encoding))
        if match[1] is None and (unknown := payload - stated.keys()):
            raise _Bad(f"{min(unknown)} is not in {match[0]}")
        _check_digests(folder, match[0], match[2], stated)
    info = dict(_info(folder / "bag-info.txt", encoding))
    _check_oxum(folder, payload, info.get("payload-oxum", ""))
    return info


def _stated(manifest: Path, encoding: str) -> Iterator[tuple[str, str]]:
    """Return path and digest of each line. A path may not lead out of the bag."""
    for line in manifest.read_text(encoding).splitlines():
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            raise _Bad(f"{manifest.name} has a line that is none: {line[:80]!r}")
        path = unquote(match[2]) if "%" in match[2] else match[2]
        path = path.removeprefix("./")
        if path.startswith(("/", "~")) or ".." in path.split("/"):
            raise _Bad(f"{manifest.name} names {path}, which is not in the bag")
        yield path, match[1].lower()


def _check_digests(folder: Path, manifest: str, algorithm: str, stated: dict[str, str]) -> None:
    if algorithm not in _ALGORITHMS:
        raise _Bad(f"{manifest} is of an algorithm that is not known")
    for path, digest in stated.items():
        if not (folder / path).is_file():
            raise _Bad(f"{path} is in {manifest}, and not in the bag")
        if hashed(folder / path, (algorithm,))[algorithm] != digest:
            raise _Bad(f"{path} has not the digest that {manifest} states")


def _info(file: Path, encoding: str) -> Iterator[tuple[str, str]]:
    if file.exists():
        for line in re.sub(r"\r?\n[ \t]+", " ", file.read_text(encoding)).splitlines():
            name, _, value = line.partition(":")
            yield name.strip().lower(), value.strip()


def _check_oxum(folder: Path, payload: set[str], oxum: str) -> None:
    if oxum:
        found = f"{sum((folder / each).stat().st_size for each in payload)}.{len(payload)}"
        if found != oxum:
            raise _Bad(f"its payload is {found} (bytes, files), and should be {oxum}")
