"""What a document states of a file that it refers to: its size, SHA-256, date and licence. Pure.

Whoever mirrors what we re-expose verifies files by it, and learns from it which of them have changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gateway.model import FileLink
from gateway.xmlio import Element, children, name_of, text_of
from gateway.xmltext import DCTERMS, DIDL

_SIZE = re.compile(r"(?i)(\d{1,15})\s*(?:bytes?|octets?)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?")


def stated(file: FileLink, component: Element) -> FileLink:
    """Return a file with what the Descriptors of its DIDL Component state of it."""
    for statement in component.iterfind(f"./{{{DIDL}}}Descriptor/{{{DIDL}}}Statement"):
        for each in children(statement):
            namespace, local = name_of(each)
            if namespace == DCTERMS and local in _TERMS:
                file = _TERMS[local](file, text_of(each))
            elif "premis" in namespace:
                file = next((file._replace(sha256=digest) for digest in _digests(each)), file)
    return file


def sha256_of(algorithm: str, digest: str) -> str:
    """Return a digest when it is a SHA-256, else nothing: no other can be told on."""
    text = digest.strip().lower()
    is_sha256 = re.sub(r"[^a-z0-9]", "", algorithm.lower()) == "sha256"
    return text if is_sha256 and _SHA256.fullmatch(text) else ""


def _digests(holder: Element) -> Iterator[str]:
    for fixity in holder.iter("{*}fixity"):
        parts = {name_of(each)[1]: text_of(each) for each in children(fixity)}
        digest = sha256_of(parts.get("messageDigestAlgorithm", ""), parts.get("messageDigest", ""))
        if digest:
            yield digest


def _sized(file: FileLink, text: str) -> FileLink:
    match = _SIZE.fullmatch(text)
    return file._replace(size=int(match[1])) if match else file


def _dated(file: FileLink, text: str) -> FileLink:
    return file._replace(modified=text) if _DATE.fullmatch(text) else file


def _licensed(file: FileLink, text: str) -> FileLink:
    return file._replace(license=text) if text.startswith(("http://", "https://")) else file


_TERMS: Mapping[str, Callable[[FileLink, str], FileLink]] = {
    "extent": _sized,
    "modified": _dated,
    "license": _licensed,
}
