"""Removes what is taken down from a work: its files and addresses. Pure.

An oai_dc that contains such an address is made again without it. The rest of the record stays unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.model import FileLink, Statement, Work
from gateway.core.takedowns import Takedowns


class Forbidden(NamedTuple):
    """The forbidden parts of one item: the list of takedowns, and the addresses of files whose bytes are taken down."""

    takedowns: Takedowns
    urls: frozenset[str] = frozenset()

    def with_files(self, files: Iterable[FileLink]) -> Forbidden:
        """Return a copy with the addresses of those of `files` whose bytes are taken down."""
        urls = (file.url for file in files if self.takedowns.names_digest(file.sha256))
        return self._replace(urls=self.urls.union(urls))

    def mentions(self, content: bytes) -> bool:
        """Return whether a payload contains something that is taken down."""
        return self.takedowns.mentions(content, self.urls)

    def names(self, file: FileLink) -> bool:
        """Return whether a file must not be named."""
        return file.url in self.urls or self.takedowns.names_file(file)


def permitted(files: tuple[FileLink, ...], known: Forbidden | None) -> tuple[FileLink, ...]:
    """Return the files that may be named; `known` is None if nothing of the item is taken down."""
    return files if known is None else tuple(file for file in files if not known.names(file))


def without(work: Work, known: Forbidden | None) -> Work:
    """Return a work without what is taken down; it must have all its statements, so not be read by `glance`."""
    if known is None:
        return work
    statements = tuple(_statements(work.statements, known))
    page = work.landing_page
    is_whole = statements == work.statements and not known.mentions(repr(work.bibliography).encode("utf-8", "replace"))
    is_forbidden = page in known.urls or known.takedowns.names_address(page)
    return work._replace(
        statements=statements,
        landing_page="" if is_forbidden else page,
        files=permitted(work.files, known),
        supplements=permitted(work.supplements, known),
        oai_dc=work.oai_dc if statements == work.statements else b"",
        bibliography=work.bibliography if is_whole else None,
    )


def _statements(statements: Iterable[Statement], known: Forbidden) -> Iterable[Statement]:
    for statement in statements:
        text = known.takedowns.without(statement.text, known.urls)
        if text == statement.text.strip():
            yield statement
        elif text:
            yield statement._replace(text=text)
