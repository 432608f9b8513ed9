"""Documents with several records are cut into them; one that cannot be cut is a doubt."""

import pytest

from gateway.core.model import Slice
from gateway.publish.mapping import SourceFacts, Task, prepare
from gateway.publish.payloads import Given
from harvester.sources.files.records import cut_document
from tests.rows import each_row

MARC = (
    '<record><leader/><controlfield tag="001">{}</controlfield><datafield tag="245"><subfield code="a">T</subfield>'
    "</datafield></record>"
)
MODS = "<m:mods><m:titleInfo><m:title>T</m:title></m:titleInfo></m:mods>"
FACTS = SourceFacts("files", "file:///x", "gateway.example.org")


@each_row(
    "document, names",
    [
        (f"<collection>{MARC.format(1)}{MARC.format(7)}</collection>", "1 7"),
        (f"<collection>{MARC.format('a')}{MARC.format('a')}</collection>", "1 2"),
        (f'<m:modsCollection xmlns:m="http://www.loc.gov/mods/v3">{MODS * 3}</m:modsCollection>', "1 2 3"),
        (f'<list><page xmlns:m="http://www.loc.gov/mods/v3">{MODS * 2}</page></list>', "1 2"),
        (f'<hits xmlns:m="http://www.loc.gov/mods/v3"><n/><hit>{MODS}</hit><hit>{MODS * 2}</hit></hits>', "1 2 3"),
        ("<rows><row><title>A</title><year>1</year></row><row><title>B</title><year>2</year></row></rows>", "1 2"),
        ("<work><title>A</title><year>1</year></work>", ""),
        ('<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "jats.dtd"><article><front/></article>', ""),
    ],
)  # fmt: skip
def test_a_document_is_cut_into_its_records(document: str, names: str) -> None:
    body = document.encode()
    cut = cut_document(body, "file.xml", 0)
    expected = [f"file.xml#{name}" for name in names.split()] or ["file.xml"]
    assert [(record.identifier, record.problem) for record in cut.slices] == [(name, "") for name in expected]
    assert all(_prepared(cut.repaired or body, record).problems == () for record in cut.slices)


def _prepared(text: bytes, record: Slice):
    content = text[record.start : record.stop]
    return prepare(Task(FACTS, "1", (Given("x", "", content, record.declarations, "2020", (), False, (), 0, False),)))


def test_a_document_type_with_entities_is_still_refused() -> None:
    cut = cut_document(b'<!DOCTYPE a [<!ENTITY e "f">]><a>&e;</a>', "a", 0)
    assert "document type" in cut.slices[0].problem


@each_row("name, inner", [("ProvidedCHO", "<a/>"), ("Book", "<title>A</title>")])
def test_a_document_that_may_describe_several_works_is_a_doubt(name: str, inner: str) -> None:
    body = f"<RDF>{f'<{name}>{inner}</{name}>' * 2}<Person><name>B</name></Person></RDF>".encode()
    assert f"2 elements {name}" in cut_document(body, "a", 0).doubt


@pytest.mark.parametrize("root", ['Person xmlns="https://www.openaire.eu/cerif-profile/1.1/"', "phpunit"])
def test_what_is_not_a_work_is_published_in_no_format(root: str) -> None:
    body = f"<{root}><name>x</name></{root.split(maxsplit=1)[0]}>".encode()
    prepared = _prepared(body, cut_document(body, "a", 0).slices[0])
    assert (prepared.fragments, prepared.problems[0][1].split(" ")[:2]) == ((), ["It", "describes"])
