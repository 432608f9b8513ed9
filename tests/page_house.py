"""An instance with items whose metadata a test chooses, and the web application over it: what pages are tested with."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.sax.saxutils import escape, quoteattr

import html5lib
import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from lxml.html import HtmlElement, document_fromstring
from werkzeug.test import TestResponse

from gateway.core.model import FileLink, FileOrigin
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Takedown, joined
from gateway.pages import templating
from gateway.pages.templating import texts
from gateway.publish.publish_files import file_all
from gateway.takedowns.apply import apply_takedowns
from tests.applications import application
from tests.publish.harness import Harness, Sent, dc, make_databases

BASE_URL = "https://gateway.example.org/oai"
ITEM = "/items/oai:gateway.example.org:laro/"
FOUND = FileLink(
    "https://repository.example.net/found.pdf",
    "application/pdf",
    FileOrigin.DISCOVERED,
    "unpaywall",
    2_400_000,
    "ab" * 32,
    license="https://creativecommons.org/licenses/by/4.0/",
    version="accepted",
    found_at="2026-11-21T10:00:00Z",
)


def statement(element: str, text: str, language: str = "") -> str:
    tag = f" xml:lang={quoteattr(language)}" if language else ""
    return f"<dc:{element}{tag}>{escape(text)}</dc:{element}>"


def parsed(html: str) -> HtmlElement:
    """Return a page as a tree, after a strict parser of HTML has accepted it (WHATWG HTML, parse errors)."""
    parser = html5lib.HTMLParser(strict=True)
    parser.parse(html)
    return document_fromstring(html)


def seen(html: str) -> str:
    """Return the text that a reader sees in the content of a page."""
    return " ".join("".join(parsed(html).get_element_by_id("content").itertext()).split())


@dataclass
class House:
    """What is published, and what a browser gets."""

    harness: Harness
    get: Callable[..., TestResponse]
    app: Any

    def add(self, name: str, *statements: str, title: str = "A title", **header: Any) -> str:
        """Publish an item with a title and further statements; return the path of its page."""
        self.harness.send(Sent(name, dc(escape(title), *statements), **header))
        self.harness.publish()
        return ITEM + name

    def delete(self, name: str) -> None:
        self.harness.send(Sent(name, None))
        self.harness.publish()

    def file(self, name: str, *files: FileLink) -> None:
        """Publish files that were found for an item."""
        self.harness.now += 1
        file_all(self.harness.store, self.harness.inbox, "laro", (name,), lambda _state: files)

    def take_down(self, *entries: Takedown) -> None:
        """Put entries on the list of takedowns, and apply it."""
        file = TakedownFile(self.harness.folder)
        file.change(lambda takedowns: joined(takedowns, entries))
        apply_takedowns(self.harness.store, self.harness.inbox, file)

    def page(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status)
        return answer.text


class _Compiled(BytecodeCache):
    """The templates that were compiled in this process: else each application would compile them again."""

    def __init__(self) -> None:
        self._codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._codes:
            bucket.bytecode_from_string(self._codes[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key] = bucket.bytecode_to_string()


_ONCE: dict[str, Any] = {"Environment": partial(Environment, bytecode_cache=_Compiled()), "texts": cache(texts)}


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[House]:
    """Open a folder in which the databases have been made."""
    harness = Harness(folder)
    settings = {"base_url": BASE_URL, "secret": "x" * 40} | settings
    once = patch.multiple(templating, **_ONCE)
    with closing(harness.store), closing(harness.inbox), once, application(folder, **settings) as app:
        yield House(harness, app.test_client().get, app)


@pytest.fixture
def settings() -> dict[str, Any]:
    """Return the settings of the instance; a test may give others."""
    return {}


@pytest.fixture
def house(tmp_path: Path, ready_made: Callable[..., None], settings: dict[str, Any]) -> Iterator[House]:
    ready_made(tmp_path, make_databases)
    with opened(tmp_path, **settings) as house:
        yield house
