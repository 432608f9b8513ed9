"""Compares the texts of two files: a host that stamps each download changes the bytes and not the text."""

from __future__ import annotations

import re
from hashlib import sha256

from gateway.model import Outcome
from harvester.fulltext.pdf.extraction import SECONDS, extract
from harvester.fulltext.pdf.file_type import PDF, mime_type

_UNREADABLE = (Outcome.BROKEN_PDF, Outcome.ENCRYPTED_PDF)
NO_TEXT = "none"  # instead of a digest: it was read, and has no text to compare
# Words in the lines that hosts stamp on pages.
_STAMP = re.compile(
    r"(?i)\b(?:downloaded|accessed|retrieved|printed|heruntergeladen|abgerufen|téléchargée?|consultée?|descargado"
    r"|scaricato|baixado|gedownload)\b"
)


def text_digest(body: bytes, seconds: float = SECONDS) -> str:
    """Return a digest of the words of a PDF without the lines that hosts stamp on pages; NO_TEXT if there are none.

    Raise ConfigurationError when the process that reads PDF files cannot start.
    """
    if mime_type(body) != PDF:
        return NO_TEXT
    lines = extract(body, seconds).text.splitlines()
    words = " ".join(word for line in lines if not _STAMP.search(line) for word in line.split())
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest() if words else NO_TEXT


def unreadable(body: bytes, seconds: float = SECONDS) -> Outcome | None:
    """Return why nobody can read a PDF; None: it can be read, or is no PDF. Raise errors as `text_digest`."""
    outcome = extract(body, seconds).outcome if mime_type(body) == PDF else None
    return outcome if outcome in _UNREADABLE else None
