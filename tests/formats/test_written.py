"""Optional formats (`formats_made`): what is written is read again, and the official schemas accept it."""

import json
from collections.abc import Iterator
from functools import cache

import pytest
from lxml import etree

from gateway.core import xmlio
from gateway.core.bibliography.people import agent_of, organization, person
from gateway.core.errors import GatewayError
from gateway.core.model import (
    Bibliography,
    DateType,
    Funding,
    Host,
    Identifier,
    Statement,
    Text,
    Title,
    TitleType,
    Work,
    WorkDate,
)
from gateway.formats import MetadataFormat, oai_dc, written
from gateway.formats._statements import work_of
from gateway.formats._writing import facts_of
from gateway.publish import payloads
from gateway.publish.payloads import Given
from harvester.sources.files.records import cut_document
from tests.conftest import SHARED
from tests.contract.test_formats_contract import faults
from tests.rows import each_row

OPTIONAL = [known for known in written().values() if known.is_optional]
# The schema of each format in ../shared/xsd, whose catalog.json has the places of what they import.
OFFICIAL = {
    "oai_datacite": "datacite/4.6/metadata.xsd",
    "oai_openaire": "openaire/4.0/openaire.xsd",
    "marcxml": "loc/MARC21slim.xsd",
    "mods": "loc/mods-3-8.xsd",
    "mets": "loc/mets.xsd",
    "rioxx": "rioxx/v3.0/rioxx/rioxx.xsd",
}


XS = "http://www.w3.org/2001/XMLSchema"


def _dc(*statements: tuple[str, str]) -> Work:
    return work_of(tuple(Statement(*statement) for statement in statements))


ARTICLE = _dc(
    ("title", "Wine & <b>cheese</b>: a study"), ("title", "Vin et fromage"), ("creator", "Bruyère, Élise"),
    ("creator", "King, Martin, Jr."), ("creator", "University of Nowhere"), ("creator", "Plato"),
    ("contributor", "Smith, Ann"), ("date", "2019-02-03"), ("date", "2020-05-01T10:00:00Z"),
    ("date", "info:eu-repo/date/embargoEnd/2030-01-01"), ("type", "article"), ("language", "en"),
    ("publisher", "A Press"), ("identifier", "https://doi.org/10.1234/Laro.1"),
    ("identifier", "http://hdl.handle.net/1234/5"), ("identifier", "http://laro.example.org/1.pdf"),
    ("identifier", "http://laro.example.org/1"), ("identifier", "urn:nbn:de:101:1-2019"),
    ("identifier", "ISBN 9783161484100"), ("identifier", "local 7"),
    ("source", "Journal of Tests; Vol. 12 No. 3 (2019); 45-67"), ("source", "ISSN 0028-0836"), ("subject", "wine"),
    ("description", "We tasted."), ("rights", "https://creativecommons.org/licenses/by/4.0/"),
    ("rights", "All rights reserved."), ("format", "application/pdf"), ("coverage", "France"),
    ("relation", "A series"), ("relation", "info:eu-repo/grantAgreement/EC/FP7/608166"),
)  # fmt: skip
WORKS = {
    "an article": ARTICLE,
    "a title only": _dc(("title", "Untitled 5.")),
    "nothing": Work(upstream="oai:laro:1"),
    "odd texts": _dc(
        ("title", "What? Why."), ("creator", "O'Neill"), ("creator", "van der Berg, J. P."), ("date", "[1999?]"),
        ("identifier", "ISSN 0028-0836"), ("identifier", "arXiv:1310.0733"), ("identifier", "pmid:123456"),
        ("type", "xyz"), ("relation", "info:eu-repo/grantAgreement/%00/FP7/1"),
    ),
    "a richer format": Work(
        (Statement("title", "Richer"),),
        files=ARTICLE.files,
        bibliography=Bibliography(
            titles=(Title("Richer", language="en"), Title("Plus riche", TitleType.TRANSLATED, "fr")),
            agents=(
                person("Ito", "Midori", orcid="https://orcid.org/0000-0002-1825-0097", affiliations=("Kyoto",)),
                organization("A lab", ror="https://ror.org/01an7q238"),
                agent_of("Doe, Jane", role="edt"),
            ),
            dates=(WorkDate("2001", DateType.CREATED), WorkDate("2003-04", DateType.COPYRIGHTED)),
            identifiers=(Identifier("doi", "10.1234/x", "https://doi.org/10.1234/x"),),
            host=Host(title="Proceedings", isbn="9783161484100", first_page="e12"),
            type="conference paper",
            descriptions=(Text("A note.", "", "note"),),
            funding=(Funding("A fund", "https://ror.org/01an7q238", "G 1", "http://fund.example.org/1", "Reefs"),),
        ),
    ),
}  # fmt: skip


# For each format, a part of what is written, and a change of it that is wrong.
BAD = {
    "oai_datacite": (b"<publicationYear>2019<", b"<publicationYear>19<"),
    "marcxml": (b"     nab a22", b"     dab a22"),
    "mets": (b'USE="ORIGINAL"', b'USE="THUMBNAIL"'),
    "mods": (b'access="raw object"', b'access="preview"'),
    "oai_openaire": (b'objectType="fulltext"', b'objectType="article"'),
    "rioxx": (b'rel="item"', b'rel="file"'),
}


def _said(known: MetadataFormat, work: Work) -> dict[str, object]:
    """Return what a round trip keeps: Rioxx has no place for local numbers, and addresses are its page and files."""
    facts, lost = facts_of(work), ("other", "url") if known.metadata_prefix == "rioxx" else ()
    return {
        "title": facts.title.text,
        "authors": [agent.family_first for agent in facts.authors],
        "date": facts.date,
        "identifiers": sorted((entry.scheme, entry.text) for entry in facts.identifiers if entry.scheme not in lost),
        "files": [file.url for file in facts.files],
    }


def _read_again(known: MetadataFormat, work: Work) -> Work:
    assert known.write is not None
    content = known.write(work)
    return known.read(xmlio.parse(content), content) or Work()


@each_row("known", OPTIONAL)
@each_row("name", WORKS)
def test_what_is_written_is_valid_and_is_read_again(known: MetadataFormat, name: str) -> None:
    work = WORKS[name]
    assert known.write is not None
    assert faults(known.metadata_prefix, known.write(work)) == []
    assert _said(known, _read_again(known, work)) == _said(known, work)


@each_row("known", OPTIONAL)
def test_orcid_and_role_are_written(known: MetadataFormat) -> None:
    """Dublin Core, and so the published oai_dc, cannot say them."""
    agents = facts_of(_read_again(known, WORKS["a richer format"])).known.agents
    assert [agent.orcid for agent in agents][:1] == ["https://orcid.org/0000-0002-1825-0097"]
    assert not next(agent for agent in agents if agent.family == "Doe").is_author


@each_row("prefix", ["marcxml", "oai_datacite", "oai_openaire", "rioxx"])
def test_funding_is_written_and_read_again(prefix: str) -> None:
    for name, stated in (("an article", ("EC", "608166")), ("a richer format", ("A fund", "G 1"))):
        funding = facts_of(_read_again(written()[prefix], WORKS[name])).known.funding
        assert [(entry.funder, entry.grant) for entry in funding] == [stated]


def test_what_the_guidelines_of_openaire_call_mandatory_is_there() -> None:
    """OpenAIRE Guidelines for Literature Repositories 4, application profile: obligation M."""
    known = written()["oai_openaire"]
    assert known.write is not None
    root = etree.fromstring(known.write(ARTICLE))
    names = {etree.QName(element).localname: element for element in root.iter() if isinstance(element.tag, str)}
    assert {"title", "creatorName", "resourceType", "date", "identifier", "rights"} <= names.keys()
    assert names["resourceType"].get("uri") == "http://purl.org/coar/resource_type/c_6501"
    assert names["rights"].text == "embargoed access"
    assert [element.get("dateType") for element in root.iterfind("{*}dates/{*}date")] == ["Issued", "Available"]


@each_row("known", OPTIONAL)
def test_our_schema_refuses_what_we_never_write(known: MetadataFormat) -> None:
    assert known.write is not None
    right, wrong = BAD[known.metadata_prefix]
    content = known.write(ARTICLE)
    assert right in content
    assert faults(known.metadata_prefix, content.replace(right, wrong))


# --- real records ---------------------------------------------------------------------------------------------------


@cache
def _corpus() -> dict[str, Work]:
    """Return the works of all records of ../shared/data/records, each as the oai_dc that is published of it."""
    return {
        name: work
        for name, payload in _payloads()
        if (work := _mapped(payload)) is not None
        for content in (oai_dc.write(work),)
        if (work := oai_dc.read(xmlio.parse(content), content)) is not None
    }


def _payloads() -> Iterator[tuple[str, Given]]:
    for path in sorted((SHARED / "data" / "records").glob("*/*.xml")):
        body = path.read_bytes()
        cut = cut_document(body, path.stem, 0)
        text = cut.repaired or body
        for place, part in enumerate(cut.slices):
            if not part.is_deleted and not part.problem:
                content = text[part.start : part.stop]
                given = Given("x", "", content, part.declarations, "2020-01-01", (), False, (), 0, False)
                yield f"{path.parent.name}/{path.name} {place}", given


def _mapped(given: Given) -> Work | None:
    try:
        read = payloads.read(given, False, {})
    except GatewayError:
        return None
    return payloads.work_of("x", [read]) if read.work else None


def _official(place: str) -> etree.XMLSchema:
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(_Offline())
    tree = etree.parse(SHARED / "xsd" / place, parser)
    return etree.XMLSchema(_as_its_profile(tree) if "rioxx" in place else tree)


def _as_its_profile(tree: etree._ElementTree) -> etree._ElementTree:
    """Return a schema of Rioxx 3 without what its profile contradicts.

    There every element stands once, grants and relations have no text, and no part may be unknown.
    """
    for element in tree.iter(f"{{{XS}}}all", f"{{{XS}}}complexType", f"{{{XS}}}attribute", f"{{{XS}}}element"):
        kind = element.tag.rpartition("}")[2]
        if kind == "all":
            element.tag = f"{{{XS}}}choice"
            element.set("maxOccurs", "unbounded")
        elif kind == "complexType":
            element.set("mixed", "true")
        elif kind == "attribute":
            element.attrib.pop("use", None)
        if element.get("name") in ("publication_date", "rel"):  # such as `2020-04`; `cite-as` is not in its list
            element.attrib.pop("type")
    return tree


class _Offline(etree.Resolver):
    def resolve(self, url: str, _identifier: str, context: object) -> object:  # type: ignore[override]
        if url.endswith("/v3.0/rioxx/rioxxterms.xsd"):
            terms = etree.tostring(_as_its_profile(etree.parse(SHARED / "xsd/rioxx/v3.0/rioxx/rioxxterms.xsd")))
            return self.resolve_string(terms, context, base_url=url)
        places = json.loads((SHARED / "xsd" / "catalog.json").read_text("utf-8"))
        place = places.get(url) or places.get(url.replace("https:", "http:"))
        return self.resolve_filename(str(SHARED / "xsd" / place), context) if place else None  # type: ignore[attr-defined]


@pytest.mark.reference
@pytest.mark.needs("../shared")
@each_row("known", OPTIONAL)
def test_every_record_of_the_corpus_survives_the_round_trip(known: MetadataFormat) -> None:
    works = _corpus()
    assert len(works) > 100
    differing = {name for name, work in works.items() if _said(known, _read_again(known, work)) != _said(known, work)}
    assert differing == set()


@pytest.mark.reference
@pytest.mark.needs("../shared")
@each_row("known", OPTIONAL)
def test_the_official_schema_accepts_what_ours_accepts(known: MetadataFormat) -> None:
    judge, wrong = _official(OFFICIAL[known.metadata_prefix]), {}
    assert known.write is not None
    for name, work in (_corpus() | WORKS).items():
        content = known.write(work)
        root = etree.fromstring(content)
        for relation in root.iterfind("{*}relation"):  # of Rioxx
            relation.attrib.clear()  # its schema has none of the attributes that its profile describes
        if not judge.validate(root):
            wrong[name] = [error.message for error in judge.error_log][:2]  # type: ignore[attr-defined]
        assert faults(known.metadata_prefix, content) == []
    assert wrong == {}
