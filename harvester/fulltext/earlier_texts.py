"""The texts of files that an earlier release has found and kept: a few of them are read at each turn of the search."""

from collections.abc import Callable

from gateway.fulltext.stored_files import Copies
from gateway.store.base import Discovery, Store
from harvester.fulltext.check_copy import first_page_of
from harvester.fulltext.pages.article_xml import is_article_xml, text_of_article
from harvester.fulltext.pdf.extraction import extract
from harvester.fulltext.run import keep_first_page

_PDF = b"%PDF-"
_MOST_BEFORE = 1024  # bytes before the header that readers of PDF accept


def read_earlier(
    store: Store, discovery: Discovery, copies: Copies, most: int, is_asked_to_stop: Callable[[], bool] = lambda: False
) -> int:
    """Keep the beginning of the texts of at most `most` files that have none yet; return of how many.

    A file is tried once, also if no copy of it is kept. Raise StoreError, and ConfigurationError when the process that
    reads PDF files cannot start.
    """
    count = 0
    for digest in discovery.files_without_text(most):
        if is_asked_to_stop():
            break
        text = _text(copies, digest)
        discovery.keep_first_page(digest, "")
        if text:
            keep_first_page(store, discovery, digest, text)
        count += 1
    return count


def _text(copies: Copies, digest: str) -> str:
    try:
        body = copies.read(digest)
    except OSError:
        return ""
    if is_article_xml(body):
        return first_page_of(text_of_article(body))
    if _PDF not in body[:_MOST_BEFORE]:
        return ""
    extracted = extract(body)
    return first_page_of(extracted.front or extracted.first)
