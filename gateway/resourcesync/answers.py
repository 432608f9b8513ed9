"""Answers with ResourceSync documents: tags, compression, and 503 if the store fails."""

from __future__ import annotations

import logging
from hashlib import blake2b
from typing import Final

from flask import Response, request
from isal import isal_zlib

from gateway.resourcesync.documents import CONTENT_TYPE

log = logging.getLogger("gateway.resourcesync")

FRESH_SECONDS: Final = 60
_RETRY_AFTER_SECONDS: Final = 60
_GZIP: Final = 31  # wbits


def answer(content: bytes, fresh_seconds: int = FRESH_SECONDS) -> Response:
    """Return a document with a strong ETag, compressed if the client accepts it (RFC 9110 §8.8.3.3, §12.5.3)."""
    is_packed = request.accept_encodings.quality("gzip") > 0
    tag = blake2b(content, digest_size=16).hexdigest() + ("-gzip" if is_packed else "")
    response = Response(content, content_type=CONTENT_TYPE)
    response.set_etag(tag)
    response.vary.add("Accept-Encoding")
    response.cache_control.public = True
    response.cache_control.max_age = fresh_seconds
    response.make_conditional(request)
    if is_packed and response.status_code == 200:  # noqa: PLR2004 - a 304 has no body to encode
        response.set_data(isal_zlib.compress(content, level=1, wbits=_GZIP))
        response.content_encoding = "gzip"
    return response


def unavailable(error: Exception) -> Response:
    """Return the answer that says that the store fails (503), and log why."""
    log.error("A ResourceSync document was answered with 503 because the store failed: %s", error)
    headers = {"Retry-After": str(_RETRY_AFTER_SECONDS)}
    text = "The repository cannot answer now. Try again later.\n"
    return Response(text, 503, headers, content_type="text/plain; charset=UTF-8")
