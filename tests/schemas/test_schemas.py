"""Our schemas compile without a network, accept what they should, refuse what they should, and agree with the OAI's."""

import json
from itertools import chain
from pathlib import Path

import pytest
from lxml import etree

from tests.conftest import ROOT, SHARED
from tests.rows import each_row

SCHEMAS = ROOT / "schemas"
ANSWERS = Path(__file__).with_name("answers")
XS = "{http://www.w3.org/2001/XMLSchema}"

# Each: what is wrong, the good answer, and the change that makes it bad.
BAD = (
    ("a code that does not exist", "errors", 'code="badArgument"', 'code="badHarvester"'),
    ("a responseDate that is a day", "errors", "2026-11-21T04:00:00Z", "2026-11-21"),
    ("a responseDate that does not exist", "errors", "2026-11-21T04", "2026-02-30T04"),
    ("an unknown verb", "Identify", 'verb="Identify"', 'verb="Identity"'),
    ("a domain that is no name", "Identify", ">gateway.example.org<", ">127.0.0.1<"),
    ("an escape in small letters", "Identify", "%20B(2)", "%2fB(2)"),
    ("a manifest about data", "Identify", "entity#metadata", "entity#data"),
    ("rights that refer to nothing", "Identify", ' ref="https://creativecommons.org/publicdomain/zero/1.0/"', ""),
    ("a prefix with a colon", "ListMetadataFormats", "mods.laro-2", "mods:laro"),
    ("a setSpec that ends in a colon", "ListSets", "source:laro:physics", "source:laro:"),
    ("a setSpec with an accent", "ListSets", "source:laro:physics", "source:laro:chimie-é"),
    ("a status of our own", "ListIdentifiers", 'status="deleted"', 'status="withdrawn"'),
    ("a cursor below the start", "ListIdentifiers", 'cursor="0"', 'cursor="-1"'),
    ("a record without a header", "ListRecords", "header", "heading"),
    ("an element that Dublin Core has not", "ListRecords", "dc:creator>", "dc:author>"),
    ("a provenance that does not say whether it altered", "ListRecords", ' altered="false"', ""),
    ("metadata in the envelope's namespace", "foreign-metadata", "http://www.tei-c.org/ns/1.0", "http://www.openarchives.org/OAI/2.0/"),
    ("two payloads in one record", "foreign-metadata", "</TEI>", '</TEI><x xmlns="urn:x"/>'),
    ("a DIDL without an Item", "GetRecord", "didl:Item>", "didl:Object>"),
    ("a Component without a Resource", "GetRecord", "didl:Resource ", "didl:Source "),
    ("a fixity without a digest", "GetRecord", "premis:messageDigest>", "premis:digest>"),
)  # fmt: skip


@pytest.fixture(scope="module")
def ours() -> etree.XMLSchema:
    return _compiled(SCHEMAS / "OAI-PMH.xsd")


def _compiled(file: Path) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(file, etree.XMLParser(no_network=True)))


@each_row("file", sorted(SCHEMAS.glob("*.xsd")))
def test_schema_compiles_alone_and_imports_only_its_neighbours(file: Path) -> None:
    _compiled(file)
    for imported in etree.parse(file).iter(f"{XS}import", f"{XS}include"):
        assert (SCHEMAS / imported.get("schemaLocation", "")).is_file()


@each_row("file", sorted(ANSWERS.glob("*.xml")))
def test_good_answer_is_accepted(ours: etree.XMLSchema, file: Path) -> None:
    assert ours.validate(etree.parse(file)), ours.error_log


@each_row("name, old, new", [bad[1:] for bad in BAD])
def test_bad_answer_is_refused(ours: etree.XMLSchema, name: str, old: str, new: str) -> None:
    good = (ANSWERS / f"{name}.xml").read_text(encoding="utf-8")
    bad = good.replace(old, new)
    assert bad != good
    assert not ours.validate(etree.fromstring(bad.encode()))


# --- against the official schemas, where they are ---------------------------------------------------------------


@pytest.fixture(scope="module")
def official() -> etree.XMLSchema:
    folder = SHARED / "xsd"
    catalog = json.loads((folder / "catalog.json").read_text(encoding="utf-8"))

    class Catalog(etree.Resolver):
        def resolve(self, url: str, _public_id: str, context: object) -> object:  # type: ignore[override]
            return self.resolve_filename(str(folder / catalog[url]), context) if url in catalog else None  # type: ignore[attr-defined]

    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(Catalog())
    return etree.XMLSchema(etree.parse(folder / "driver-oai.xsd", parser))


def _judged(schema: etree.XMLSchema, file: Path) -> bool:
    return bool(schema.validate(etree.parse(file)))


@pytest.mark.slow
@pytest.mark.needs("../shared")
def test_our_verdict_on_the_examples_of_the_standard_is_the_official_one(
    ours: etree.XMLSchema, official: etree.XMLSchema
) -> None:
    # Not of what we write: the gateway description, and rights as RDF, whose schema the official set lacks as well.
    files = [file for file in (SHARED / "spec").glob("*.xml") if not file.name.startswith(("gateway", "rdf", "static"))]
    verdicts = {file.name: (_judged(ours, file), _judged(official, file)) for file in files}
    assert any(ours_says for ours_says, _ in verdicts.values())
    assert {name: pair for name, pair in verdicts.items() if pair[0] != pair[1]} == {}


@pytest.mark.slow
@pytest.mark.needs("../shared")
def test_what_we_accept_of_our_own_output_the_official_schemas_accept_too(
    ours: etree.XMLSchema, official: etree.XMLSchema
) -> None:
    # foreign-metadata: the official schema wants to know every payload, which a gateway cannot promise.
    golden = (ROOT / "tests" / "golden").glob("oai_di*.xml"), (ROOT / "tests" / "golden").glob("oai_dc.*.xml")
    files = [*ANSWERS.glob("*.xml"), *chain(*golden)]  # optional formats: tests/formats/test_written.py
    known = [file for file in files if file.stem != "foreign-metadata"]
    assert {file.name: (_judged(ours, file), _judged(official, file)) for file in known} == {
        file.name: (True, True) for file in known
    }
