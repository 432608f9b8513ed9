"""What all answers about sets of resources share: the store, the sets, and what is kept of them."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final, NamedTuple

from flask import Response, abort, request
from isal import isal_zlib

from gateway.resourcesync.addresses import ResourceSet
from gateway.resourcesync.documents import CONTENT_TYPE
from gateway.resourcesync.keeping import valid_parts
from gateway.resourcesync.kept import KeptDocuments, KeptFiles
from gateway.resourcesync.site_resources import SiteResources
from gateway.store.base import Store, View


class Shared(NamedTuple):
    """The store, the sets of resources, what makes their documents, and the function that returns their kept files."""

    store: Store
    sets: tuple[ResourceSet, ...]
    site: SiteResources
    kept_of: Callable[[ResourceSet], KeptFiles]

    @contextmanager
    def viewed(self, prefix: str, spec: str) -> Iterator[tuple[ResourceSet, View]]:
        """Return the set of resources of a request, and a view of it; answer with 404 if there is no such set."""
        resources = ResourceSet(prefix, spec)
        if resources not in self.sets:
            abort(404)
        with self.store.view() as view:
            yield resources, view

    def kept(self, view: View, resources: ResourceSet) -> KeptDocuments:
        """Return what is kept of a set of resources, without what is lost, damaged or no longer valid.

        A damaged package of the Resource Dump stays: it is made at the request, with the same bytes.
        """
        files = self.kept_of(resources)
        kept_documents = files.read()
        if not all(map(files.has, kept_documents.files)):  # `tend` may have replaced some meanwhile
            kept_documents = files.read()
        return kept_documents._replace(
            packages=tuple(package for package in kept_documents.packages if files.is_intact(package.file)),
            parts=valid_parts(view, self.site, resources, kept_documents.parts),
            lists=tuple(kept for kept in kept_documents.lists if all(files.is_intact(file) for _, file in kept.parts)),
        )


# --- Answers with ResourceSync documents: tags, compression, and 503 if the store fails ------------------------------

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
