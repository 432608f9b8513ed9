"""What documents state of their files is carried on, so that who mirrors us can verify them."""

from __future__ import annotations

import pytest

from gateway import xmlio
from gateway.formats import mets, oai_didl
from gateway.formats._stated import stated
from gateway.model import FileLink, Work
from gateway.xmltext import DCTERMS, DIDL, PREMIS

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


def test_what_a_didl_of_ours_states_of_a_file_is_read_again() -> None:
    file = FILE._replace(size=12, sha256=DIGEST, modified="2024-05-01", license="https://example.org/by")
    didl = oai_didl.write(Work(files=(file,)))
    read = oai_didl.read(xmlio.parse(didl), didl)
    assert read is not None
    assert read.files == (file._replace(found_in="didl:Resource"),)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (term("extent", "12 Bytes"), FILE._replace(size=12)),
        (fixity("sha-256", DIGEST.upper()), FILE._replace(sha256=DIGEST)),
        (term("extent", "12 pages"), FILE),
        (term("modified", "last week"), FILE),
        (term("license", "free"), FILE),
        (term("title", "12 bytes"), FILE),
        (fixity("MD5", "0a" * 16), FILE),
        (fixity("SHA-256", "short"), FILE),
        ("words", FILE),
    ],
)
def test_what_is_stated_otherwise_is_not_guessed(content: str, said: FileLink) -> None:
    assert stated(FILE, component(content)) == said


@pytest.mark.parametrize(("algorithm", "sha256"), [("SHA-256", DIGEST), ("MD5", "")])
def test_mets_states_a_digest_in_attributes(algorithm: str, sha256: str) -> None:
    document = (
        '<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><fileSec><fileGrp>'
        f'<file MIMETYPE="application/pdf" CHECKSUMTYPE="{algorithm}" CHECKSUM="{DIGEST}">'
        '<FLocat xlink:href="http://x.example.org/a.pdf"/></file></fileGrp></fileSec></mets>'
    )
    read = mets.read(xmlio.parse(document.encode()), b"")
    assert read is not None
    assert [each.sha256 for each in read.files] == [sha256]
