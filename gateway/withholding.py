"""What takedowns leave of a work: it has no file and tells no address that is taken down. Pure.

An oai_dc that tells such an address is made again without it; everything else of the record stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.model import FileLink, Statement, Work
from gateway.takedowns import Takedowns


class Forbidden(NamedTuple):
    """What must not be told of one item: the list, and the addresses of files whose bytes are taken down."""

    takedowns: Takedowns
    urls: frozenset[str] = frozenset()

    def with_files(self, files: Iterable[FileLink]) -> Forbidden:
        """Return the same with the addresses of those of some files whose bytes are taken down."""
        found = (each.url for each in files if self.takedowns.names_digest(each.sha256))
        return self._replace(urls=self.urls.union(found))

    def mentions(self, content: bytes) -> bool:
        """Tell whether a payload tells what must not be told."""
        return self.takedowns.mentions(content, self.urls)

    def names(self, file: FileLink) -> bool:
        """Tell whether a file must not be named."""
        return file.url in self.urls or self.takedowns.names_file(file)


def permitted(files: tuple[FileLink, ...], known: Forbidden | None) -> tuple[FileLink, ...]:
    """Return the files that may be named; `known` is None where nothing is taken down."""
    return files if known is None else tuple(each for each in files if not known.names(each))


def without(work: Work, known: Forbidden | None) -> Work:
    """Return a work that was read as a whole, without what must not be told."""
    if known is None:
        return work
    statements = tuple(_statements(work.statements, known))
    page = work.landing_page
    is_told = page in known.urls or known.takedowns.names_address(page)
    return work._replace(
        statements=statements,
        landing_page="" if is_told else page,
        files=permitted(work.files, known),
        oai_dc=work.oai_dc if statements == work.statements else b"",
    )


def _statements(statements: Iterable[Statement], known: Forbidden) -> Iterable[Statement]:
    for each in statements:
        text = known.takedowns.without(each.text, known.urls)
        if text == each.text.strip():
            yield each
        elif text:
            yield each._replace(text=text)
