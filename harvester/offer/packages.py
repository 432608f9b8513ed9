"""Packages for deposit by hand: DSpace's Simple Archive Format, one folder per file, complete or not there.

`dspace import` makes new items of such folders. `dspace itemupdate --addbitstreams --itemfield dc.identifier.uri` adds
the file to the item that has the first `dc.identifier.uri` of the package. Other repositories find the record in
`oai_dc.xml`, and everything that is known of the file in `provenance.json`. The same file makes the same package.
"""

import json
import re
import shutil
from collections.abc import Container, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from gateway.core.addresses import address, is_address, uri_of
from gateway.core.model import Work
from gateway.core.xmltext import clean, escape, escape_attribute, utc_datetime
from harvester.offer.files import OfferedFile
from harvester.runtime.durable_files import reporting_unwritable, sync, write_durably

_DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 60
_DIGITS: Final = 12  # of a SHA-256 in the name of a folder
_ENDINGS: Final = {
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "application/xml": ".xml",
    "text/html": ".html",
    "text/plain": ".txt",
    "application/msword": ".doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
# The qualified fields of DSpace for the elements of Dublin Core. Its registry has no `coverage` without a qualifier,
# and no `description.version`; an import ends at a field that the registry lacks.
_FIELDS: Final = {
    "coverage": ("coverage", "spatial"),
    "creator": ("contributor", "author"),
    "description": ("description", "abstract"),
    "date": ("date", "issued"),
    "language": ("language", "iso"),
}


class Package(NamedTuple):
    """One package: the name of its folder, safe on every file system and unique; its file; and the other files."""

    name: str
    file_name: str
    beside: Mapping[str, bytes]


def package_of(file: OfferedFile, work: Work, oai_dc: bytes) -> Package:
    """Return the package of a file, without its bytes; `oai_dc` is the published metadata of its item. Pure."""
    stem = _safe(file.state.upstream.rpartition("/")[2]) or "item"
    file_name = f"{stem}{_ENDINGS.get(file.link.mime_type, '.bin')}"
    beside = {
        "contents": _contents(file_name, file),
        "dublin_core.xml": _dublin_core(file, work),
        "oai_dc.xml": oai_dc if oai_dc.startswith(b"<?xml") else _DECLARATION + oai_dc,
        "provenance.json": _provenance(file),
    }
    digest = sha256(file.state.identifier.encode("utf-8", "surrogatepass")).hexdigest()
    return Package(f"{stem}-{digest[:8]}-{file.link.sha256[:_DIGITS]}", file_name, beside)


def _safe(text: str) -> str:
    """Return a text as a part of a file name that begins and ends with a letter or a digit."""
    return _UNSAFE.sub("-", text)[-_LONGEST_NAME:].strip("._-")


def _contents(file_name: str, file: OfferedFile) -> bytes:
    """Return the list of the files, as the format wants it: name and options, with tabs between."""
    version = f"\tdescription:{file.link.version} version" if file.link.version.isalpha() else ""
    lines = (
        f"{file_name}\tbundle:ORIGINAL\tprimary:true{version}",
        "oai_dc.xml\tbundle:METADATA",
        "provenance.json\tbundle:METADATA",
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _dublin_core(file: OfferedFile, work: Work) -> bytes:
    values = []
    for element, qualifier, text, language in dict.fromkeys(_values(file, work)):
        attributes = f'element="{element}" qualifier="{qualifier or "none"}"'
        attributes += f' language="{escape_attribute(language)}"' if language else ""
        values.append(f"  <dcvalue {attributes}>{escape(text)}</dcvalue>\n")
    return _DECLARATION + f'<dublin_core schema="dc">\n{"".join(values)}</dublin_core>\n'.encode()


def _values(file: OfferedFile, work: Work) -> Iterator[tuple[str, str, str, str]]:
    """Yield (element, qualifier, text, language): what the record says, and what is known of the file."""
    link = file.link
    for statement in work.statements:
        text = clean(statement.text)
        if statement.element == "identifier":
            uri = uri_of(text) or (address(text) if is_address(address(text)) else "")
            yield ("identifier", "uri", uri, "") if uri else ("identifier", "other", text, "")
        else:
            element, qualifier = _FIELDS.get(statement.element, (statement.element, ""))
            yield element, qualifier, text, statement.language
    yield "identifier", "other", clean(work.upstream), ""
    if link.license:
        yield "rights", "uri" if is_address(link.license) else "", clean(link.license), ""
    if link.version:
        yield "description", "", f"Version: {clean(link.version)}", ""
    if link.retracted:
        yield "description", "", clean(link.retracted), ""
    found_by = f"Found by {link.found_in} at {link.found_at}" if link.found_in else "Found"
    yield "description", "provenance", clean(f"{found_by}: {link.url} (SHA-256 {link.sha256})"), ""


def _provenance(file: OfferedFile) -> bytes:
    link, decision = file.link, file.decision
    facts = {
        "identifier": file.state.identifier,
        "source": file.source,
        "upstream": file.state.upstream,
        "url": link.url,
        "sha256": link.sha256,
        "size": link.size,
        "type": link.mime_type,
        "modified": link.modified or None,
        "license": link.license or None,
        "version": link.version or None,
        "found_by": link.found_in or None,
        "found_at": link.found_at or None,
        "retracted": link.retracted or None,
        "accepted_by": decision.decided_by,
        "accepted_at": utc_datetime(decision.at),
        "reason": decision.reason,
    }
    return (json.dumps(facts, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def write_package(folder: Path, package: Package, body: bytes) -> tuple[str, ...]:
    """Write a package into a folder, and return the names of the files in it that differed or were missing before.

    A package whose files are all as they must be is not touched. Any other one is replaced by a whole one. Files that
    a person added to it, such as `collections`, are kept. Raise StoreUnwritable.
    """
    place, aside, former = (folder / name for name in (package.name, f".{package.name}.new", f".{package.name}.old"))
    files = {package.file_name: body, **package.beside}
    with reporting_unwritable(place):
        is_there = place.exists()
        changed = tuple(name for name, content in files.items() if not _has(place / name, content)) if is_there else ()
        if is_there and not changed:
            return ()
        folder.mkdir(parents=True, exist_ok=True)
        for left in (aside, former):  # of a killed process
            shutil.rmtree(left, ignore_errors=True)
        aside.mkdir()
        for name, content in files.items():
            write_durably(aside / name, content)
        if is_there:
            _copy_others(place, aside, files)
        sync(aside)
        if is_there:
            place.rename(former)
        aside.rename(place)
        sync(folder)
        shutil.rmtree(former, ignore_errors=True)
    return changed


def _has(file: Path, content: bytes) -> bool:
    return file.is_file() and not file.is_symlink() and file.read_bytes() == content


def _copy_others(place: Path, aside: Path, files: Container[str]) -> None:
    """Copy what a person added to a package."""
    for other in place.iterdir():
        if other.name in files:
            continue
        if other.is_dir() and not other.is_symlink():
            shutil.copytree(other, aside / other.name, symlinks=True)
        else:
            shutil.copy2(other, aside / other.name, follow_symlinks=False)
