"""The whole way, offline: the works whose files were recorded, from their records to published DIDLs that are valid."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import pytest
from click.testing import CliRunner
from lxml import etree

from gateway.cli.main import main as gateway
from gateway.core.xmltext import DC, DIDL, DII, OAI_DC, PREMIS
from harvester.cli import main as harvester
from tests.conftest import SHARED
from tests.fulltext import documents
from tests.fulltext.conftest import Search
from tests.fulltext.web import DATA, RecordedWeb, answer

pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared")]

HOST = "https://repository.example.net"
# People decide on a file with another title than its record ("… and CMB"), and on an abstract for a meeting: without
# references on two pages at most, nothing shows that it is no part of an article with this title.
FOR_PEOPLE = ("grobid__1001._0908.0054.pdf", "grobid__two_pages.pdf")
CC_BY = "https://creativecommons.org/licenses/by/4.0/"


class Item(NamedTuple):
    """One work: its statements, and what the web has of it."""

    statements: tuple[tuple[str, str], ...]
    own: dict
    file: bytes = b""


def _works() -> Iterator[Item]:
    """Return the works: the page of each says where its file is, and under which licence."""
    for number, (name, description) in enumerate(sorted(documents.described().items())):
        page, url = f"{HOST}/{number}", f"{HOST}/{number}.pdf"
        links = f'<{url}>; rel="item"; type="application/pdf", <{CC_BY}>; rel="license"'
        file = (DATA / "pdf" / name).read_bytes()
        people = tuple(("creator", author) for author in description.authors)
        statements = (("title", description.title), *people, ("publisher", description.container), ("identifier", page))
        own = {page: answer("<p>A page", Link=links), url: answer(file)}
        yield Item(statements, own, b"" if name in FOR_PEOPLE else file)


def _line(number: int, item: Item) -> str:
    elements = "".join(f"<dc:{name}>{escape(text)}</dc:{name}>" for name, text in item.statements if text)
    metadata = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}">{elements}</o:dc>'
    return json.dumps(
        {"identifier": f"{number}", "datestamp": "2020-01-01T00:00:00Z", "sets": [], "metadata": metadata}
    )


@pytest.fixture
def works() -> list[Item]:
    return list(_works())


@pytest.fixture
def search(tmp_path: Path, works: list[Item]) -> Iterator[Search]:
    """Return a search in an instance into which these works were harvested, over the recorded web."""
    dump, folder = tmp_path / "works.jsonl", tmp_path / "instance"
    dump.write_text("\n".join(_line(number, item) for number, item in enumerate(works)))
    for command, *line in (
        (gateway, "init", "--domain", "g.example.org"),
        (harvester, "source", "add", "laro", str(dump), "--kind", "files"),
        (harvester, "run", "laro"),
    ):
        result = CliRunner().invoke(command, ["--instance", str(folder), *line])
        assert result.exit_code == 0, result.output
    own = {url: response for item in works for url, response in item.own.items()}
    begun = Search(folder, RecordedWeb(own))
    yield begun
    begun.close()


def test_recorded_works_come_to_valid_didls_with_the_files_found(search: Search, works: list[Item]) -> None:
    outcomes = search.run()
    assert len(works) == len(outcomes) > 5
    search.release()
    schema = etree.XMLSchema(file=str(SHARED / "xsd" / "mpeg21" / "didl.xsd"))
    published = 0
    for number, item in enumerate(works):
        with search.store.view() as view:
            record = view.record(f"oai:g.example.org:laro/{number}", "oai_didl")
        didl = next(etree.fromstring(record.content).iter(f"{{{DIDL}}}DIDL"))
        schema.assertValid(didl)
        digests = [element.text for element in didl.iter(f"{{{PREMIS}}}messageDigest")]
        assert digests == [sha256(item.file).hexdigest()] * bool(item.file), (number, outcomes)
        published += len(digests)
        if digests:
            named = [element.text for element in didl.iter(f"{{{DII}}}Identifier")]
            assert f"{HOST}/{number}.pdf" in named
    assert published == len(documents.described()) - len(FOR_PEOPLE)
    assert search.store.counts("laro")["fulltext"] == published
    assert search.release() == 0
