"""Every family of complex objects there is, read for the files it names."""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from lxml import etree

from gateway.core.errors import NotXml, UnusableRecord
from gateway.core.model import FileLink, Work
from gateway.formats import oai_didl
from gateway.formats._components import OBJECT_FILE
from harvester.fulltext.pdf.file_type import mime_type
from harvester.mirror.component import Component
from harvester.mirror.read_components import METADATA, START_PAGE, components, files
from harvester.mirror.verify import Bytes, Fate, verdict
from tests.conftest import SHARED
from tests.rows import each_row

DATA = SHARED / "data"
ROOTS = ("{urn:mpeg:mpeg21:2002:02-DIDL-NS}DIDL", "{http://www.loc.gov/METS/}mets", "{http://www.loc.gov/METS/v2}mets")
NODE = "https://www.differ.nl/node/232"
RESOLVER = "http://resolver.kb.nl/resolve?urn=anp:1937:10:01:1:mpeg21"
CWI = "http://oai.cwi.nl/oai/asset/2271"
ARCHIVEMATICA = "packages/mets/artefactual-labs+mets-reader-writer"

# By family: what its first document names, as (type, MIME type, locations; `By-Value`).
FAMILIES = {
    "didl/DANS-KNAW+gmh-meresco/unwrapped/0080_differ_oai_www_differ_nl_232.record.xml": [
        ("", "text/html", NODE),
        (METADATA, "application/xml", "By-Value"),
        (START_PAGE, "text/html", NODE),
    ],
    "didl/DANS-KNAW+gmh-meresco/unwrapped/30_MODS_kb_tst_GMH_03.record.xml": [
        ("", "application/xml", "http://dspace.library.uu.nl/handle/1874/1170"),  # written between the tags
        (METADATA, "application/xml", "By-Value"),
        (OBJECT_FILE, "application/pdf", "http://dspace.library.uu.nl/bitstream/1874/1170/1/Glandorf2001.pdf"),
        (START_PAGE, "text/html", "http://dspace.library.uu.nl/handle/1874/1170"),
    ],
    "didl/DANS-KNAW+narcis-meresco/unwrapped/0060_didlmods30_pub_knaw_record_2.record.xml": [
        ("", "application/xml", "http://oai.cwi.nl/oai?verb=GetRecord&metadataPrefix=nl_didl&identifier=oai:cwi.nl:2271"),
        (METADATA, "application/xml", "By-Value"),
        (OBJECT_FILE, "application/pdf", f"{CWI}/2271OA.pdf"),
        (OBJECT_FILE, "application/pdf", f"{CWI}/2371OA.pdf"),
        (OBJECT_FILE, "application/pdf", f"{CWI}/2271EAcc.pdf"),
        (START_PAGE, "text/html", "http://repository.cwi.nl/search/fullrecord.php?publnr=2271"),
    ],
    "didl/STITCHplus+OAI_harvester_xsltproc/anp_test_data.xml": [
        ("metadata", "text/xml", "By-Value"),
        ("image", "image/jpeg", f"anp_1937-10-01_1_access.jpg {RESOLVER}:image"),
        ("alto", "text/xml", f"anp_1937-10-01_1_alto.xml {RESOLVER}:alto"),
        ("ocr", "text/xml", f"anp_1937-10-01_1_text.xml {RESOLVER}:ocr"),
    ],
    "didl/KBNLdataservices+oai-pmh-bulk-downloader/manifest__manifest.xml": [
        ("", "text/xml", "file://./metadata.xml"),
        ("", "application/pdf", "https://openaccess.leidenuniv.nl/bitstream/1887/20432/3/Stellingen%205.pdf"),
        ("", "application/pdf", "https://openaccess.leidenuniv.nl/bitstream/1887/20432/4/back.pdf"),
        ("", "application/pdf", "https://openaccess.leidenuniv.nl/bitstream/1887/20432/5/samenvatting.pdf"),
    ],
    "packages/mets/dissemin+dissemin/mets.xml": [("", "", "document.pdf")],
    "packages/mets/kitodo+kitodo-presentation/MetsDocument__av_beispiel.xml": [
        ("DEFAULT", "video/quicktime", "https://digital.slub-dresden.de/data/kitodo/1703800435/video.mov"),
        ("DEFAULT", "video/mp4", "https://digital.slub-dresden.de/data/kitodo/1703800435/video.mp4"),
    ],
    "packages/mets/mets+METS-schema/examples__dspace-sword-mets2.xml": [
        ("CONTENT", "application/pdf", "pdf1.pdf"),
        ("CONTENT", "application/pdf", "pdf2.pdf"),
        ("CONTENT", "application/pdf", "pdf3.pdf"),
    ],
    f"{ARCHIVEMATICA}/fixtures__production-aip-mets-file.xml": [
        ("original", "", "objects/abc.txt"),
    ],
}  # fmt: skip

# By family: the identifiers of those; what is not here has none.
IDENTIFIERS = {
    "didl/STITCHplus+OAI_harvester_xsltproc/anp_test_data.xml": [
        f"anp:1937:10:01:1:mpeg21:{role}" for role in ("metadata", "image", "alto", "ocr")
    ],
    "didl/KBNLdataservices+oai-pmh-bulk-downloader/manifest__manifest.xml": [
        "metadata", "FILE_0001", "FILE_0002", "FILE_0003",
    ],
    "didl/DANS-KNAW+narcis-meresco/unwrapped/0060_didlmods30_pub_knaw_record_2.record.xml": [
        "", "", "", "", "urn:NBN:nl:ui:18-2271-OF", "",
    ],
    "packages/mets/dissemin+dissemin/mets.xml": ["d_file_1"],
    "packages/mets/kitodo+kitodo-presentation/MetsDocument__av_beispiel.xml": [
        "FILE_0000_DEFAULT_MOV", "FILE_0000_DEFAULT_MP4",
    ],
    "packages/mets/mets+METS-schema/examples__dspace-sword-mets2.xml": [
        "sword-mets-file-1", "sword-mets-file-2", "sword-mets-file-3",
    ],
    f"{ARCHIVEMATICA}/fixtures__production-aip-mets-file.xml": ["file-db8d8d30-8c7f-4ca3-9add-2e1000b6e460"],
}  # fmt: skip


@cache
def _documents(file: Path) -> list[bytes]:
    try:
        root = etree.parse(file, etree.XMLParser(huge_tree=True)).getroot()
    except etree.XMLSyntaxError:
        return []
    return [etree.tostring(element, with_tail=False) for element in root.iter(*ROOTS)]


def _summary(component: Component) -> tuple[str, str, str]:
    where = " ".join(component.locations) if component.content is None else "By-Value"
    return component.type, component.mime_type, where


@pytest.mark.needs("../shared")
@each_row("name", FAMILIES)
def test_each_family_names_its_files_in_its_own_way(name):
    parts = components(_documents(DATA / name)[0])[: len(FAMILIES[name])]
    assert [_summary(component) for component in parts] == FAMILIES[name]
    assert [component.identifier for component in parts] == IDENTIFIERS.get(name, [""] * len(parts))


@pytest.mark.needs("../shared")
def test_every_document_there_is_can_be_read():
    """As many Components as the documents have Components and files."""
    counted = {"DIDL": 0, "mets": 0}
    expected = {"DIDL": 0, "mets": 0}
    for file in [*DATA.glob("didl/**/*.xml"), *DATA.glob("packages/**/*.xml")]:
        for document in _documents(file):
            root = etree.fromstring(document)
            kind = etree.QName(root).localname
            counted[kind] += len(components(document))
            expected[kind] += len(root.findall(".//{*}Component")) + len(root.findall(".//{*}fileSec//{*}file"))
    assert counted == expected
    assert counted["DIDL"] > 900
    assert counted["mets"] > 280


@pytest.mark.needs("../shared")
def test_hathitrust_states_size_digest_and_date_of_each_file():
    parts = components(_documents(DATA / "packages/mets/mets+METS-schema/examples__hathitrust-mets1.xml")[0])
    assert len(files(parts)) == 38  # hOCR is HTML, and a file
    assert parts[0] == Component(
        ("082924743.zip",), None, "application/zip", "ZIP00000001", "zip archive", 791464,
        (("md5", "46158492f3dbb1236041d1fa89ec9345"),), "2021-01-04T18:31:23Z",
    )  # fmt: skip


def test_our_own_didl_is_read_as_it_was_written():
    link = FileLink(
        "https://example.org/a.pdf", "application/pdf", size=5, sha256="ab" * 32, modified="2024-01-02T03:04:05Z"
    )
    parts = components(oai_didl.write(Work(landing_page="https://example.org/", files=(link,))))
    assert parts == (
        Component((link.url,), None, link.mime_type, link.url, OBJECT_FILE, 5, (("sha256", "ab" * 32),), link.modified),
        Component(("https://example.org/",), None, "text/html", "https://example.org/", START_PAGE),
    )
    assert files(parts) == parts[:1]


def test_the_example_of_the_article_is_read():
    """Example 4 of *Resource Harvesting within the OAI-PMH Framework*: identifier and metadata are the Item's own."""
    named = _stated('<i:Identifier xmlns:i="urn:mpeg:mpeg21:2002:01-DII-NS">http://e.org/14/01/</i:Identifier>')
    metadata = _stated('<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/"/>')
    resource = '<d:Component><d:Resource mimeType="application/pdf" ref="http://e.org/14/01/a.pdf"/></d:Component>'
    parts = components(_didl(f"<d:Item>{named}{metadata}{resource}</d:Item>"))
    assert files(parts) == parts == (Component(("http://e.org/14/01/a.pdf",), None, "application/pdf"),)


def _didl(inside: str) -> bytes:
    return f'<d:DIDL xmlns:d="urn:mpeg:mpeg21:2002:02-DIDL-NS">{inside}</d:DIDL>'.encode()


def _only(inside: str) -> Component:
    """Return the only Component of an Item."""
    (component,) = components(_didl(f"<d:Item><d:Component>{inside}</d:Component></d:Item>"))
    return component


def _stated(what: str) -> str:
    return f"<d:Descriptor><d:Statement>{what}</d:Statement></d:Descriptor>"


@each_row(
    "resource, content",
    [
        ('<d:Resource mimeType="text/plain" encoding="base64"> aGVs\nbG8= </d:Resource>', b"hello"),
        ('<d:Resource mimeType="text/plain">hello</d:Resource>', b"hello"),
        ('<d:Resource mimeType="text/xml"> <a>1</a> </d:Resource>', b"<a"),
    ],
)
def test_a_stream_by_value_is_taken_out(resource, content):
    (component,) = components(
        _didl(f"<d:Container><d:Item><d:Component>{resource}</d:Component></d:Item></d:Container>")
    )
    assert component.content is not None
    assert component.content.startswith(content)
    assert component.locations == ()


@each_row(
    "inside, content",
    [
        ("hel<!-- a comment -->lo", b"hello"),
        ("<![CDATA[hel]]>lo", b"hello"),
        ('5 &lt; <b xmlns="h">6</b> &amp; <!-- a comment --><i xmlns="h"/> so on', b"5 &lt; <b>6</b> &amp; <i/> so on"),
    ],
)
def test_text_around_comments_and_markup_belongs_to_a_stream(inside, content):
    component = _only(f"<d:Resource>{inside}</d:Resource>")
    assert component.content is not None
    assert re.sub(rb' xmlns[^ />]*="[^"]*"', b"", component.content) == content


def test_bytes_that_are_no_base64_are_broken_unless_they_can_be_had_elsewhere():
    broken = '<d:Resource encoding="base64">?</d:Resource>'
    inside = "".join(
        f"<d:Component>{content}</d:Component>" for content in (broken, broken + '<d:Resource ref="a"/>', broken)
    )
    parts = files(components(_didl(f"<d:Item>{inside}</d:Item>")))
    assert [(component.is_broken, component.is_by_value, component.locations) for component in parts] == [
        (True, True, ()),
        (True, False, ("a",)),
        (True, True, ()),
    ]
    (file,) = components(
        b'<mets xmlns="http://www.loc.gov/METS/"><fileSec><fileGrp><file><FContent><binData>?</binData></FContent></file>'
        b"</fileGrp></fileSec></mets>"
    )
    assert file.is_by_value


def test_a_mets_file_may_carry_its_bytes():
    content = sha256(b"x").hexdigest()
    parts = components(
        b'<mets xmlns="http://www.loc.gov/METS/"><fileSec><fileGrp USE="a"><file ID="1" MIMETYPE="text/plain" SIZE="1" '
        b'CHECKSUMTYPE="SHA-256" CHECKSUM="'
        + content.encode()
        + b'"><FContent><binData>eA==</binData></FContent></file>'
        b'<file ID="2" USE="b"><FContent><xmlData><x/></xmlData></FContent></file>'
        b'<file ID="3"><FContent/></file><file ID="4" ADMID="nowhere"><FLocat LOCREF="a.txt"/></file>'
        b"</fileGrp></fileSec></mets>"
    )
    assert [component.identifier for component in parts] == ["1", "2", "4"]
    assert parts[0] == Component((), b"x", "text/plain", "1", "a", 1, (("sha256", content),))
    assert (parts[0].is_markup, parts[1].is_markup) == (False, True)
    assert (parts[1].type, parts[1].content) == ("b", b'<x xmlns="http://www.loc.gov/METS/"/>')
    assert (parts[2].locations, parts[2].addresses) == (("a.txt",), ())


def test_size_and_digest_of_a_mets_file_may_stand_in_the_premis_that_it_points_to():
    (component,) = components(
        b'<mets xmlns="http://www.loc.gov/METS/" xmlns:p="http://www.loc.gov/premis/v3" '
        b'xmlns:x="http://www.w3.org/1999/xlink"><amdSec ID="a1"><techMD ID="t1"><mdWrap><xmlData><p:object>'
        b"<p:objectCharacteristics><p:fixity><p:messageDigestAlgorithm>MD5</p:messageDigestAlgorithm>"
        b"<p:messageDigest>9dd4e461268c8034f5c8564e155c67a6</p:messageDigest></p:fixity><p:size>1</p:size>"
        b"</p:objectCharacteristics></p:object></xmlData></mdWrap></techMD></amdSec>"
        b'<amdSec ID="a2"><p:objectCharacteristics/><p:objectCharacteristics/></amdSec>'
        b'<fileSec><fileGrp><file ID="f" ADMID="a2 t1"><FLocat x:href="http://e.org/x"/></file></fileGrp></fileSec></mets>'
    )
    assert (component.size, component.digests) == (1, (("md5", "9dd4e461268c8034f5c8564e155c67a6"),))
    assert component.addresses == ("http://e.org/x",)


def test_an_item_in_an_item_describes_the_one_file_in_it():
    descriptor = _stated('<i:Identifier xmlns:i="urn:mpeg:mpeg21:2002:01-DII-NS">urn:nbn:nl:ui:1-2</i:Identifier>')
    one = f'<d:Component>{descriptor.replace("1-2", "1-3")}<d:Resource mimeType="a/b" ref="http://e.org/b"/></d:Component>'
    inner = f'<d:Item>{descriptor}<d:Component><d:Resource mimeType="a/b" ref="http://e.org/a"/></d:Component></d:Item>'
    parts = components(_didl(f"<d:Item>{inner}{one}</d:Item>"))
    assert [component.identifier for component in parts] == ["urn:nbn:nl:ui:1-2", "urn:nbn:nl:ui:1-3"]


def test_the_role_of_a_component_is_its_type():
    stated = '<d:Statement xmlns:c="http://purl.org/dc/elements/1.1/" c:type="role">image</d:Statement>'
    assert _only(f'<d:Descriptor>{stated}</d:Descriptor><d:Resource ref="http://e.org/a.jp2"/>').type == "image"


def test_an_address_where_the_bytes_belong_is_the_place_of_the_file():
    component = _only('<d:Resource mimeType="a/b">http://e.org/a </d:Resource>')
    assert (component.addresses, component.content) == (("http://e.org/a",), None)


@each_row("extent, size", [("12 bytes", 12), ("1 byte", 1), ("12 p.", None), ("12", None)])
def test_an_extent_is_a_size_when_it_speaks_of_bytes(extent, size):
    descriptor = _stated(f'<t:extent xmlns:t="http://purl.org/dc/terms/">{extent}</t:extent>')
    component = _only(f'{descriptor}<d:Resource ref="a"/>')
    assert component.size == size


@each_row("document, error", [(b"<a/>", UnusableRecord), (b"<a", NotXml)])
def test_what_is_no_complex_object_is_reported(document, error):
    with pytest.raises(error):
        components(document)


FIXITY = (
    '<p:objectCharacteristics xmlns:p="http://www.loc.gov/premis/v3"><p:fixity><p:messageDigestAlgorithm>{}'
    "</p:messageDigestAlgorithm><p:messageDigest>{}</p:messageDigest></p:fixity></p:objectCharacteristics>"
)
TERM = '<t:{0} xmlns:t="http://purl.org/dc/terms/">{1}</t:{0}>'


def test_the_dutch_profile_states_size_date_and_digests_of_a_file_in_the_item_around_it():
    terms = (TERM.format("extent", "5 bytes"), TERM.format("modified", "2024-01-02"))
    descriptors = "".join(map(_stated, (*terms, FIXITY.format("MD5", "ab" * 16), FIXITY.format("SHA-512", "cd" * 64))))
    own = _stated(FIXITY.format("SHA-1", "ef" * 20))
    file = f'<d:Item>{descriptors}<d:Component>{own}<d:Resource mimeType="a/b" ref="http://e.org/a"/></d:Component></d:Item>'
    (component,) = components(_didl(f"<d:Item>{file}</d:Item>"))
    assert (component.size, component.modified) == (5, "2024-01-02")
    assert dict(component.digests) == {"sha1": "ef" * 20, "md5": "ab" * 16, "sha512": "cd" * 64}


def test_the_outermost_item_states_of_its_only_file_the_size_and_the_digests_but_not_the_date():
    """A date there is that of the work."""
    terms = (TERM.format("extent", "5 bytes"), TERM.format("modified", "2024-01-02"))
    descriptors = "".join(map(_stated, (*terms, FIXITY.format("MD5", "ab" * 16))))
    resource = '<d:Component><d:Resource mimeType="a/b" ref="http://e.org/a"/></d:Component>'
    (component,) = components(_didl(f"<d:Item>{descriptors}{resource}</d:Item>"))
    assert (component.size, component.digests, component.modified) == (5, (("md5", "ab" * 16),), "")


def test_who_states_a_digest_is_known_where_a_didl_of_ours_tells_it():
    link = FileLink("https://example.org/a", sha256="ab" * 32, digests=(("md5", "cd" * 16),), found_at="2024")
    (component,) = components(oai_didl.write(Work(files=(link,))))
    assert (component.computed, component.decisive) == (("sha256",), (("md5", "cd" * 16),))


def test_fault_in_one_complex_object_is_told_of_that_object(monkeypatch: pytest.MonkeyPatch):
    def broken(_: object) -> None:
        raise ValueError("x")

    monkeypatch.setattr("harvester.mirror.read_components.READERS", {("urn:x", "a"): broken})
    with pytest.raises(UnusableRecord, match="This program has a fault: ValueError"):
        components(b'<a xmlns="urn:x"/>')


def test_file_that_begins_with_many_comments_is_judged_at_once():
    """1 kB took for ever, with the interpreter's lock held."""
    body = b"<!---->" * 146 + b"x"
    assert verdict(Component(mime_type="application/pdf"), Bytes(len(body), {}, body, body)).fate is Fate.WRONG_TYPE
    assert mime_type(body * 60) == "text/plain"
