"""Which addresses are called files, and which never: rows of shapes seen in real records. All become legal URIs."""

from lxml import etree

from gateway.core.addresses import address
from gateway.core.model import FileLink, Statement, Work
from gateway.formats import oai_didl
from gateway.formats._file_links import file_type, type_named
from gateway.formats._statements import work_of
from tests.rows import each_row

PDF, UNKNOWN = "application/pdf", "application/octet-stream"
FILES = [
    ("https://ep.eur.nl/retrieve/2191/40.pdf", PDF),
    ("http://authors.library.caltech.edu/55529/3/ng.3237-S2.xlsx",
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("https://repo.example.org/bitstream/123/4/1/foo.pdf?sequence=1&isAllowed=y", PDF),
    ("https://repo.example.org/bitstreams/0a1b2c3d-0000-1111-2222-333344445555/download", UNKNOWN),
    ("https://repo.example.org/server/api/core/bitstreams/0a1b2c3d-0000-1111-2222-333344445555/content", UNKNOWN),
    ("http://newprairiepress.org/cgi/viewcontent.cgi?article=1928&context=aerc", PDF),
    ("https://digitalscholarship.tnstate.edu/context/a/article/1079/type/native/viewcontent", UNKNOWN),
    ("http://ijict.org/index.php/ijoat/article/download/system-on-chip/745", UNKNOWN),
    ("http://www.combinatorics.org/ojs/index.php/eljc/article/viewFile/v18i1p145/pdf/", UNKNOWN),
    ("https://imafungus.pensoft.net/article/173358/download/pdf/", PDF),
    ("https://biblio.ugent.be/publication/5963889/file/5963914", UNKNOWN),
    ("https://research-explorer.app.ist.ac.at/download/5580/5619", UNKNOWN),
    ("http://www.ncbi.nlm.nih.gov/pmc/articles/PMC3041178/pdf/", PDF),
    ("http://arxiv.org/pdf/0901.2443v2", PDF),
    ("https://hal.archives-ouvertes.fr/hal-00362065/document", PDF),
    ("https://x.example.org/a.tar.gz#page=2", "application/gzip"),
    ("https://repo.example.org/bitstream/2062/150/1/README", UNKNOWN),
    ("http://eprints.example.org/id/eprint/66183/2/scores.lilyp", UNKNOWN),
    ("https://data.example.org/records/19/files/data.fits", UNKNOWN),
    ("https://dig.example.org/islandora/object/x%3A1/datastream/OBJ/view", UNKNOWN),
    ("https://pure.example.org/ws/portalfiles/portal/123/thesis", UNKNOWN),
    ("https://share.example.org/ndownloader/files/12", UNKNOWN),
    ("https://opus.example.org/frontdoor/deliver/index/docId/12/file/thesis", UNKNOWN),
    ("https://data.example.org/api/access/datafile/12", UNKNOWN),
    ("http://arno.example.org/show.cgi?fid=997", UNKNOWN),
]  # fmt: skip
PAGES = [
    "http://cdm16311.contentdm.oclc.org:80/cdm/ref/collection/p15136coll1/id/0",
    "http://hdl.handle.net/10575/25",
    "http://arxiv.org/abs/0901.2443",
    "https://research-explorer.app.ist.ac.at/record/5580",
    "https://repo.example.org/index.php/x/article/view/12/34",
    "https://hal.archives-ouvertes.fr/hal-00362065",
    "http://edocs.ub.unimaas.nl/loader/file.asp?id=886",
    "http://example.zip",
    "http://example.org/view?file=a.pdf",
    "https://commons.wikimedia.org/wiki/File:Example.jpg",
    "https://github.com/somebody/thing/blob/main/paper.pdf",
    "https://repo.example.org/bitstream/1/2/3/index.html",
    "https://repo.example.org/handle/2062/150",
    "https://data.example.org/records/19/files/",
    "https://data.example.org/records/19/files/data.fits/preview",
    "https://dig.example.org/islandora/object/x%3A1/datastream/MODS/view",
    "http://arno.example.org/show.cgi?did=997",
]


@each_row("url, mime_type", FILES)
def test_an_address_that_is_known_to_lead_to_a_file(url: str, mime_type: str) -> None:
    assert file_type(url) == mime_type


@each_row("url", PAGES)
def test_a_landing_page_is_never_called_a_file(url: str) -> None:
    assert file_type(url, PDF) == ""


def test_what_the_record_says_of_its_only_file_counts_where_the_address_is_silent() -> None:
    url = "http://ijict.org/index.php/ijoat/article/download/1/745"
    read = work_of((Statement("identifier", url), Statement("format", "text/xml")))
    assert [(file.url, file.mime_type) for file in read.files] == [(url, "text/xml")]
    both = (Statement("identifier", url), Statement("format", "text/xml"), Statement("format", "application/pdf"))
    assert work_of(both).files[0].mime_type == UNKNOWN


@each_row(
    "text, mime_type",
    [
        ("application/pdf", PDF),
        ("Application/PDF; charset=binary", PDF),
        (".pdf", PDF),
        ("pdf", PDF),
        ("postscript", "application/postscript"),
        ("text/html", ""),
        ("application/xhtml+xml", ""),
        ("html", ""),
        ("24 p.", ""),
        ("text", "text/plain"),
        ("print", ""),
    ],
)
def test_a_word_for_a_type(text: str, mime_type: str) -> None:
    assert type_named(text) == mime_type


@each_row(
    "text, expected",
    [
        ("application/pdf http://x.example.org/1/", [("http://x.example.org/1/", PDF)]),
        ("pdf\n   http://x.example.org/1/a b", []),
        ("pdf http://x.example.org/1/a b.pdf", [("http://x.example.org/1/a%20b.pdf", PDF)]),
        ("pdf http://x.example.org/get?a=1&amp;b=2", [("http://x.example.org/get?a=1&b=2", PDF)]),
        ("application/pdf https://doi.org/10.1234/x", []),
        ("pdf\n   http://x.example.org/1/a", [("http://x.example.org/1/a", PDF)]),
        ("text/html http://x.example.org/1/", []),
        ("pdf http://[x/", []),
        ("http://x.example.org/1/", []),
        ("see http://x.example.org/1/", []),
    ],
)
def test_a_format_with_the_type_before_the_address(text: str, expected: list) -> None:
    assert [(file.url, file.mime_type) for file in work_of((Statement("format", text),)).files] == expected


def test_identifiers_the_landing_page_and_the_license_are_told_apart() -> None:
    work = work_of(
        (
            Statement("identifier", "https://doi.org/10.1234/a<b>"),
            Statement("identifier", "https://hdl.handle.net/1/2"),
            Statement("identifier", "ISSN 1234"),
            Statement("identifier", "http://no host/"),
            Statement("relation", "http://laro.example.org/1"),
            Statement("source", "http://elsewhere.example.org/"),
            Statement("relation", "http://laro.example.org/1.pdf"),
            Statement("rights", "free"),
            Statement("rights", "http://creativecommons.org/licenses/by/4.0/"),
            Statement("rights", "http://creativecommons.org/licenses/by-nc/4.0/"),
        )
    )
    assert work.identifiers == ("https://doi.org/10.1234/a%3Cb%3E", "https://hdl.handle.net/1/2")
    assert work.landing_page == "http://laro.example.org/1"
    assert [(file.url, file.license) for file in work.files] == [
        ("http://laro.example.org/1.pdf", "http://creativecommons.org/licenses/by/4.0/")
    ]


@each_row(
    "statements, page",
    [
        # A relation may lead anywhere: to the software, the journal, the community.
        ([("relation", "https://x.example.org/community/"), ("identifier", "https://doi.org/10.1234/x")],
         "https://doi.org/10.1234/x"),
        ([("relation", "https://x.example.org/other"), ("identifier", "https://x.example.org/1")],
         "https://x.example.org/1"),
        # EPrints: the file is the identifier, its page is the relation.
        ([("identifier", "http://e.example.org/1/2/a.pdf"), ("relation", "http://e.example.org/1/"),
          ("identifier", "https://doi.org/10.1234/x")], "http://e.example.org/1/"),
        ([("identifier", "http://e.example.org/1/2/a.pdf"), ("relation", "http://other.example.org/"),
          ("identifier", "https://doi.org/10.1234/x")], "https://doi.org/10.1234/x"),
        ([("relation", "http://x.example.org/1"), ("identifier", "ISSN 1234-5678")], "http://x.example.org/1"),
        ([("relation", "https://doi.org/10.1234/other")], ""),
        ([("source", "http://x.example.org/")], ""),
    ],
)  # fmt: skip
def test_the_landing_page_is_the_works_own(statements: list, page: str) -> None:
    assert work_of(tuple(Statement(*statement) for statement in statements)).landing_page == page


def test_another_identifier_of_the_same_work_may_stand_in_a_relation() -> None:
    same = Statement("relation", "info:eu-repo/semantics/altIdentifier/doi/10.1234/x")
    assert work_of((same, Statement("relation", "doi:10.1234/other"))).identifiers == ("https://doi.org/10.1234/x",)


ANY_URI = etree.XMLSchema(
    etree.fromstring(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="ref" type="xs:anyURI"/></xs:schema>'
    )
)


@each_row(
    "stated, legal",
    [
        ("http://a.org/22240/2/Ch08[1].pdf", "http://a.org/22240/2/Ch08%5B1%5D.pdf"),  # authors.library.caltech.edu
        ("http://[::1]/a[1].pdf", "http://[::1]/a%5B1%5D.pdf"),
        ("http://a.org/b c.pdf", "http://a.org/b%20c.pdf"),
        ("http://a.org/100%.pdf", "http://a.org/100%25.pdf"),
        ("http://a.org/b#c#d", "http://a.org/b#c%23d"),
        ("http://a.org/é.pdf", "http://a.org/%C3%A9.pdf"),
        ("http://a.org/b%20c.pdf?d=e&f#g", "http://a.org/b%20c.pdf?d=e&f#g"),
    ],
)
def test_an_address_becomes_legal_and_stays_the_same_address(stated: str, legal: str) -> None:
    assert address(stated) == legal
    assert _references(stated) == [legal]


@each_row("stated", ["http://a.org:port/b.pdf", "http://a.org:/b.pdf", "http://a@b@c.org/d.pdf"])
def test_what_can_be_no_address_is_no_component(stated: str) -> None:
    assert _references(stated) == []


def _references(stated: str) -> list[str]:
    root = etree.fromstring(oai_didl.write(Work(upstream="oai:a.org:1", files=(FileLink(address(stated)),))))
    references = [resource.get("ref") or "" for resource in root.iter("{*}Resource")]
    for reference in references:
        element = etree.Element("ref")
        element.text = reference
        ANY_URI.assertValid(element)
    return references
