"""What documents state of their files is carried on, so that who mirrors us can verify them."""

from gateway.core import xmlio
from gateway.core.model import FileLink, Work
from gateway.core.xmltext import DCTERMS, DIDL, OAI_DC, PREMIS
from gateway.formats import mets, oai_didl, reader_of
from gateway.formats._stated import describers, stated
from tests.rows import each_row

DIGEST = "0a" * 32
FILE = FileLink("http://x.example.org/a.pdf", "application/pdf")


def component(content: str) -> xmlio.Element:
    statement = f'<Descriptor><Statement mimeType="text/xml">{content}</Statement></Descriptor>'
    return xmlio.parse(f'<Component xmlns="{DIDL}">{statement}</Component>'.encode())


def term(name: str, text: str) -> str:
    return f'<{name} xmlns="{DCTERMS}">{text}</{name}>'


def fixity(algorithm: str, digest: str) -> str:
    parts = f"<messageDigestAlgorithm>{algorithm}</messageDigestAlgorithm><messageDigest>{digest}</messageDigest>"
    return f'<objectCharacteristics xmlns="{PREMIS}"><fixity>{parts}</fixity></objectCharacteristics>'


@each_row(
    "content, file_link",
    [
        (term("extent", "12 Bytes"), FILE._replace(size=12)),
        (fixity("sha-256", DIGEST.upper()), FILE._replace(sha256=DIGEST, digests=(("sha256", DIGEST),))),
        (fixity("MD5", "0a" * 16), FILE._replace(digests=(("md5", "0a" * 16),))),
        (fixity("CRC32", "0a" * 4), FILE._replace(digests=(("crc32", "0a" * 4),))),
        (term("extent", "12 pages"), FILE),
        (term("license", "free"), FILE),
        (fixity("HAVAL", "0a" * 16), FILE),
        (fixity("SHA-256", "short"), FILE),
    ],
)
def test_what_is_stated_otherwise_is_not_guessed(content: str, file_link: FileLink) -> None:
    assert stated(FILE, describers(component(content), {})) == file_link


@each_row("algorithm, name, digits", [("SHA-256", "sha256", 64), ("MD5", "md5", 32)])
def test_mets_states_size_date_and_digest_in_attributes(algorithm: str, name: str, digits: int) -> None:
    (file,) = files_of_mets(
        f'SIZE="5" CREATED="2024-01-02T03:04:05" CHECKSUMTYPE="{algorithm}" CHECKSUM="{"0A" * (digits // 2)}"'
    )
    assert file.digests == ((name, "0a" * (digits // 2)),)
    assert file.sha256 == ("0a" * 32 if name == "sha256" else "")
    assert (file.size, file.modified) == (5, "2024-01-02T03:04:05")


def test_mets_states_size_and_digests_in_the_premis_that_a_file_points_to() -> None:
    metadata = fixity("MD5", "0a" * 16).replace("</fixity>", "</fixity><size>7</size>", 1)
    (file,) = files_of_mets(
        'ADMID="t1 t2 nowhere"', f'<amdSec><techMD ID="t1">{metadata}</techMD><techMD ID="t2"/></amdSec>'
    )
    assert (file.size, file.digests) == (7, (("md5", "0a" * 16),))


def test_mets_2_states_it_in_its_own_way() -> None:
    metadata = fixity("SHA-1", "0a" * 20)
    dc = '<title xmlns="http://purl.org/dc/elements/1.1/">A title</title>'
    wrapped = f'<mdWrap MDTYPE="DC"><xmlData><o:dc xmlns:o="{OAI_DC}">{dc}</o:dc></xmlData></mdWrap>'
    document = (
        f'<mets xmlns="http://www.loc.gov/METS/v2"><mdSec><md USE="DESCRIPTIVE" ID="d">{wrapped}</md>'
        f'<md USE="TECHNICAL" ID="t"><mdWrap><xmlData>{metadata}</xmlData></mdWrap></md></mdSec><fileSec><fileGrp>'
        '<file ID="f" MDID="t" MIMETYPE="application/pdf" SIZE="5" CHECKSUMTYPE="MD5" CHECKSUM="'
        f'{"0a" * 16}"><FLocat LOCTYPE="URL" LOCREF="http://x.example.org/a.pdf"/></file></fileGrp></fileSec></mets>'
    )
    reader = reader_of("http://www.loc.gov/METS/v2")
    read = reader.read(xmlio.parse(document.encode()), b"")
    assert read is not None
    assert [statement.text for statement in read.statements] == ["A title"]
    (file,) = read.files
    assert (file.url, file.size) == ("http://x.example.org/a.pdf", 5)
    assert file.digests == (("sha1", "0a" * 20), ("md5", "0a" * 16))


def files_of_mets(attributes: str, before: str = "") -> tuple[FileLink, ...]:
    document = (
        f'<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink">{before}<fileSec><fileGrp>'
        f'<file MIMETYPE="application/pdf" {attributes}>'
        '<FLocat xlink:href="http://x.example.org/a.pdf"/></file></fileGrp></fileSec></mets>'
    )
    read = mets.read(xmlio.parse(document.encode()), b"")
    assert read is not None
    return read.files


def test_the_dutch_profile_states_it_in_the_item_around_the_component() -> None:
    statements = (term("extent", "5 bytes"), term("modified", "2024-01-02"), fixity("MD5", "0a" * 16))
    described = "".join(
        f'<Descriptor><Statement mimeType="text/xml">{statement}</Statement></Descriptor>' for statement in statements
    )
    resource = '<Component><Resource mimeType="application/pdf" ref="http://x.example.org/a.pdf"/></Component>'
    document = f'<DIDL xmlns="{DIDL}"><Item><Item>{described}{resource}</Item></Item></DIDL>'.encode()
    read = oai_didl.read(xmlio.parse(document), document)
    assert read is not None
    (file,) = read.files
    assert (file.size, file.modified, file.digests) == (5, "2024-01-02", (("md5", "0a" * 16),))


def test_every_digest_that_is_stated_is_told_on_and_what_we_computed_ourselves_is_marked() -> None:
    digests = (("sha512", "0a" * 64), ("md5", "0a" * 16), ("crc32", "0a" * 4))
    didl = oai_didl.write(Work(files=(FILE._replace(digests=digests, sha256=DIGEST, found_at="2024-01-01T00:00:00Z"),)))
    parts = [[element.text for element in fixity] for fixity in xmlio.parse(didl).iter(f"{{{PREMIS}}}fixity")]
    assert parts == [
        ["SHA-256", DIGEST, "gateway"],
        ["SHA-512", "0a" * 64, "upstream"],
        ["MD5", "0a" * 16, "upstream"],
        ["CRC32", "0a" * 4, "upstream"],
    ]
    read = oai_didl.read(xmlio.parse(didl), didl)
    assert read is not None
    assert [(file.sha256, file.digests) for file in read.files] == [("", digests)]
