"""What a source states of a file goes the whole way: read by a gateway, told on as PREMIS, compared by its mirror."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import md5, sha1, sha256, sha384, sha512
from types import SimpleNamespace
from typing import cast
from urllib.request import urlopen
from zlib import adler32, crc32

import pytest

from gateway.xmltext import DCTERMS, DIDL, OAI_DC, PREMIS
from tests.live import called, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Item, Provider, serving
from tests.mirror.rounds import SETTINGS

COMPUTED: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda content: md5(content).hexdigest(),
    "SHA-1": lambda content: sha1(content).hexdigest(),
    "SHA-256": lambda content: sha256(content).hexdigest(),
    "SHA-384": lambda content: sha384(content).hexdigest(),
    "SHA-512": lambda content: sha512(content).hexdigest(),
    "CRC32": lambda content: f"{crc32(content):08x}",
    "Adler-32": lambda content: f"{adler32(content):08x}",
}


def _didl(said: str, url: str, title: str, *, is_dutch: bool) -> str:
    """Return a DIDL that states what is said of its file in the Component, or as the Dutch profile does around it."""
    described = f'<d:Descriptor><d:Statement mimeType="text/xml">{said}</d:Statement></d:Descriptor>'
    typed = (
        '<d:Descriptor><d:Statement mimeType="text/xml"><r:type xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'r:resource="info:eu-repo/semantics/objectFile"/></d:Statement></d:Descriptor>'
    )
    resource = f'<d:Resource mimeType="text/plain" ref="{url}"/>'
    if is_dutch:
        file = f"<d:Item>{typed}{described}<d:Component>{resource}</d:Component></d:Item>"
    else:
        file = f"<d:Component>{typed}{described}{resource}</d:Component>"
    dc = f'<dc xmlns="{OAI_DC}"><title xmlns="http://purl.org/dc/elements/1.1/">{title}</title></dc>'
    metadata = f'<d:Descriptor><d:Statement mimeType="text/xml">{dc}</d:Statement></d:Descriptor>'
    return f'<d:DIDL xmlns:d="{DIDL}"><d:Item>{metadata}{file}</d:Item></d:DIDL>'


def _fixity(algorithm: str, digest: str) -> str:
    parts = f"<messageDigestAlgorithm>{algorithm}</messageDigestAlgorithm><messageDigest>{digest}</messageDigest>"
    return f'<objectCharacteristics xmlns="{PREMIS}"><fixity>{parts}</fixity></objectCharacteristics>'


def _mets(algorithm: str, digest: str, url: str, title: str) -> str:
    dc = f'<title xmlns="http://purl.org/dc/elements/1.1/">{title}</title>'
    return (
        '<mets xmlns="http://www.loc.gov/METS/" xmlns:x="http://www.w3.org/1999/xlink">'
        f'<dmdSec ID="d"><mdWrap MDTYPE="DC"><xmlData><o:dc xmlns:o="{OAI_DC}">{dc}</o:dc></xmlData></mdWrap></dmdSec>'
        f'<fileSec><fileGrp><file ID="f" MIMETYPE="text/plain" CHECKSUMTYPE="{algorithm}" CHECKSUM="{digest}">'
        f'<FLocat LOCTYPE="URL" x:href="{url}"/></file></fileGrp></fileSec></mets>'
    )


def _document(form: str, algorithm: str, content: bytes, url: str, title: str) -> bytes:
    if algorithm in COMPUTED:
        digest = COMPUTED[algorithm](content)
        if form == "METS":
            return _mets(algorithm, digest, url, title).encode()
        said = _fixity(algorithm, digest)
    else:
        texts = {"extent": f"{len(content)} bytes", "modified": f"2024-01-{content[0]:02}"}
        said = f'<t:{algorithm} xmlns:t="{DCTERMS}">{texts[algorithm]}</t:{algorithm}>'
    return _didl(said, url, title, is_dutch=form == "Dutch").encode()


FORMS = {
    "oai_didl": (
        *(("DIDL", each) for each in ("MD5", "SHA-1", "SHA-512", "CRC32")),
        *(("Dutch", each) for each in ("MD5", "SHA-384", "Adler-32", "extent", "modified")),
    ),
    "mets": tuple(("METS", each) for each in ("MD5", "SHA-256", "SHA-512")),
}


def _content(form: str, algorithm: str, day: int) -> bytes:
    """Return a file of its own for each form, as long as its other one, unless it is the length that is stated."""
    more = b"." if algorithm == "extent" and day > 1 else b""
    return bytes([day]) + md5(f"{form} {algorithm}".encode()).hexdigest()[:8].encode() + more


class _Source:
    """A provider with an object for each form, whose only file has the same address in every round."""

    def __init__(self, provider: Provider, prefix: str) -> None:
        self.provider, self.prefix = provider, prefix

    def holds(self, number: int, title: str, *, is_replaced: bool) -> None:
        for form, algorithm in FORMS[self.prefix]:
            content = _content(form, algorithm, 3 if is_replaced else 1)
            name = f"oai:p:{form}-{algorithm}"
            document = _document(form, algorithm, content, self.provider.file_url(f"{name}/a.txt"), title)
            self.provider.items[name] = Item(
                {"a.txt": content}, datestamp=f"2030-01-0{number}T00:00:00Z", document=document
            )
        self.provider.asked.clear()


@pytest.mark.unmeasured
@pytest.mark.long
def test_a_file_replaced_in_place_is_fetched_again_by_the_mirror_of_a_gateway(tmp_path):
    """Only one of size, date and digest is stated of each file, and tells that it was replaced."""
    with serving() as one, serving() as another:
        sources = (_Source(one, "oai_didl"), _Source(another, "mets"))
        kinds = {each.prefix.replace("_", "-"): (each.provider.base_url, (each.prefix,)) for each in sources}
        folder = instance(tmp_path / "a", kinds)
        with served(folder) as server:
            mirror = Mirror(tmp_path / "mirror", cast("Provider", SimpleNamespace(base_url=server.url)))

            def after(number: int, title: str, *, is_replaced: bool) -> list[str]:
                """Return the files that were asked for once gateway and mirror have followed a change."""
                for each in sources:
                    each.holds(number, title, is_replaced=is_replaced)
                ran = called("harvester", folder, "run", "--all", **SETTINGS)
                assert ran.returncode == 0, ran.stderr
                mirror.run("--allow", "127.0.0.1")
                expected = {**one.expected(), **another.expected()}
                assert {name.partition("/")[2]: files for name, files in mirror.held().items()} == expected
                return sorted(one.asked + another.asked)

            everything = sorted(f"oai:p:{form}-{name}/a.txt" for forms in FORMS.values() for form, name in forms)
            assert after(1, "One", is_replaced=False) == everything
            assert _told(server.url) == {
                f"oai:p:{form}-{name}": (name, COMPUTED[name](_content(form, name, 1)), "upstream")
                for forms in FORMS.values()
                for form, name in forms
                if name in COMPUTED
            }
            assert after(2, "One", is_replaced=True) == everything
            # A checksum of 32 bits, a size and a date leave it to the server to say that nothing has changed.
            weak = ("CRC32/a.txt", "Adler-32/a.txt", "extent/a.txt", "modified/a.txt")
            assert after(3, "Two", is_replaced=True) == [each for each in everything if each.endswith(weak)]
            held = {name: mirror.holding(name).files[0] for name in mirror.held()}
            assert {each.fate for each in held.values()} == {"kept"}
            unverified = [name.partition("oai:p:")[2] for name, each in held.items() if not each.verified]
            assert unverified == ["Dutch-modified"]


def _told(base_url: str) -> dict[str, tuple[str, ...]]:
    """Return what a gateway tells on of the digest of each file: algorithm, digest, and who states it."""
    with urlopen(f"{base_url}?verb=ListRecords&metadataPrefix=oai_didl") as answer:
        records = re.findall(r"(?s)<record>.*?</record>", answer.read().decode())
    found = {
        re.findall("oai:p:[A-Z][^<]*", each)[0]: tuple(re.findall(r"<premis:messageDigest\w*>([^<]*)<", each))
        for each in records
    }
    return {name: parts for name, parts in found.items() if parts}
