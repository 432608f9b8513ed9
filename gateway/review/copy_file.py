"""`/review/copies/<SHA-256>`: our copy of a file, for users only.

It is a foreign document. A browser saves it and shows nothing of it in our origin: `sandbox`, `nosniff`, attachment.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Response, abort, send_file

from gateway.core.model import Decision, FoundCopy
from gateway.core.settings import place_of_copy
from gateway.fulltext.deciding import Withdrawn
from gateway.review.frame import ReviewPages, refused
from gateway.review.listing import sources_of
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery, Store

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MOST_OWNERS: Final = 1_000
_PDF: Final = b"%PDF-"
_BEGINNING: Final = 1024  # bytes in which a PDF names itself


class CopyFile:
    """Answers with our copies."""

    def __init__(self, discovery: Callable[[], Discovery], store: Store, instance: Path, pages: ReviewPages) -> None:
        self._discovery, self._store, self._instance, self._pages = discovery, store, instance, pages

    def answer(self, digest: str) -> Response:
        """Answer with a copy that a search got for an item of the user's sources; 451 if it is taken down."""
        if not _DIGEST.fullmatch(digest):
            abort(HTTPStatus.NOT_FOUND)
        texts = self._pages.texts.review_list
        sources = sources_of(signed_in())
        own = () if sources == ("",) else sources
        owners = self._discovery().copies_with(digest, _MOST_OWNERS, own) if sources else ()
        place = place_of_copy(self._instance, digest)
        if owners and all(map(self._withdrawn(digest), owners)):
            return refused(self._pages, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, texts.taken_down)
        if not owners or not place.is_file():
            return refused(self._pages, HTTPStatus.NOT_FOUND, texts.no_copy, texts.no_copy_hint)
        with place.open("rb") as file:
            is_pdf = _PDF in file.read(_BEGINNING)
        response = send_file(
            place,
            mimetype="application/pdf" if is_pdf else "application/octet-stream",
            etag=digest,
            conditional=True,
            as_attachment=True,
            download_name=digest + (".pdf" if is_pdf else ".bin"),
        )
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    def _withdrawn(self, digest: str) -> Callable[[FoundCopy], bool]:
        has = Withdrawn(self._store, self._discovery()).has
        return lambda copy: has(Decision(copy.identifier, copy.url, digest, "", "", "", 0))
