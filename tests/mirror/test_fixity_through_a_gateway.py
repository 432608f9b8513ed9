"""What a source states of a file goes the whole way: read by a gateway, told on as PREMIS, compared by its mirror."""

import re
from collections.abc import Callable
from hashlib import md5, sha1, sha256, sha384, sha512
from types import SimpleNamespace
from typing import cast
from zlib import adler32, crc32

import pytest

from gateway.core.xmltext import DIDL, OAI_DC, PREMIS
from tests.live import called, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Item, Provider, serving
from tests.rows import each_row

SETTINGS = {"fetch_backoff_seconds": 0.01, "fetch_retries": 2}

COMPUTED: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda content: md5(content).hexdigest(),
    "SHA-1": lambda content: sha1(content).hexdigest(),
    "SHA-256": lambda content: sha256(content).hexdigest(),
    "SHA-384": lambda content: sha384(content).hexdigest(),
    "SHA-512": lambda content: sha512(content).hexdigest(),
    "CRC32": lambda content: f"{crc32(content):08x}",
    "Adler-32": lambda content: f"{adler32(content):08x}",
}


def _didl(statement: str, url: str, title: str, *, is_dutch: bool) -> str:
    """Return a DIDL that states what is said of its file in the Component, or as the Dutch profile does around it."""
    described = f'<d:Descriptor><d:Statement mimeType="text/xml">{statement}</d:Statement></d:Descriptor>'
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


_CONTENT = b"a file"
_RIGHT, _WRONG = COMPUTED["MD5"](_CONTENT), "0" * 32


def _several(*digests: tuple[str, str], is_dutch: bool = True) -> Callable[[str], str]:
    described = "".join(_fixity(*pair) for pair in digests)
    return lambda url: _didl(described, url, "One", is_dutch=is_dutch)


def _both(url: str) -> str:
    """Return a DIDL that states one MD5 in its Component, and another one around it."""
    near = f'<d:Descriptor><d:Statement mimeType="text/xml">{_fixity("MD5", _RIGHT)}</d:Statement></d:Descriptor>'
    text = _didl(_fixity("MD5", _WRONG), url, "One", is_dutch=True)
    return text.replace("<d:Component>", f"<d:Component>{near}")


_STRONG = tuple(COMPUTED)[:5]
# What is stated of a file: what became of it, what is verified or the reason, what cannot be used.
STATED: dict[str, tuple[Callable[[str], str], str, str, tuple[str, ...]]] = {
    "all": (
        _several(*((algorithm, COMPUTED[algorithm](_CONTENT)) for algorithm in _STRONG)),
        "fetched",
        "sha512 sha384 sha256 sha1 md5",
        (),
    ),
    "other-form": (
        _several(("MD5", f"0x{_RIGHT.upper()}"), ("SHA-1", ":".join(re.findall("..", COMPUTED["SHA-1"](_CONTENT))))),
        "fetched",
        "sha1 md5",
        (),
    ),
    "unread": (_several(("MD5", _RIGHT), ("TIGER", "abc")), "fetched", "md5", ("TIGER abc",)),
    "two-of-one-kind": (
        _several(("MD5", _RIGHT), ("MD5", _WRONG), is_dutch=False),
        "corrupt",
        f"the document states {_WRONG} and {_RIGHT}",
        (),
    ),
    "nearer": (_both, "fetched", "md5", (f"MD5 {_WRONG}, where {_RIGHT} is stated nearer to the file",)),
    "mets": (
        lambda url: (
            _mets("MD5", _RIGHT, url, "One")
            .replace(
                "<fileSec>",
                f'<amdSec><techMD ID="t"><mdWrap MDTYPE="PREMIS"><xmlData>{_fixity("MD5", _WRONG)}</xmlData>'
                "</mdWrap></techMD></amdSec><fileSec>",
            )
            .replace("<file ", '<file ADMID="t" ')
        ),
        "corrupt",
        f"the document states {_WRONG} and {_RIGHT}",
        (),
    ),
}


def _stating(provider: Provider, names: tuple[str, ...] = tuple(STATED)) -> None:
    for name in names:
        document = STATED[name][0](provider.file_url(f"oai:p:{name}/a.txt")).encode()
        provider.items[f"oai:p:{name}"] = Item({"a.txt": _CONTENT}, document=document)


@each_row("name", STATED)
def test_what_is_stated_of_a_file_is_compared_or_reported(tmp_path, name):
    _, fate, reason, unread = STATED[name]
    with serving() as provider:
        _stating(provider, (name,))
        mirror = Mirror(tmp_path / "mirror", provider)
        receipt = mirror.run(status=0 if fate == "fetched" else 3)
        (file,) = mirror.holding(f"oai:p:{name}").files
    assert (file.fate, file.stated_unread) == (fate, unread)
    assert _words(reason) <= _words(file.reason or " ".join(file.verified))
    assert tuple(entry["digest"] for entry in receipt["unread"]) == unread
    assert all(f"cannot be used: 1, such as {digest} of {provider.url}" in mirror.stderr for digest in unread)


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])
def test_a_gateway_tells_on_every_digest_and_hides_no_contradiction(tmp_path):
    with serving() as one, serving(host="127.0.0.2") as another:  # 127.0.0.1 in a METS counts as a placeholder
        _stating(one, tuple(statement for statement in STATED if statement != "mets"))
        _stating(another, ("mets",))
        kinds = {"didl": (one.base_url, ("oai_didl",)), "mets": (another.base_url, ("mets",))}
        folder = instance(tmp_path / "a", kinds)
        ran = called("harvester", folder, "run", "--all", **SETTINGS)  # type: ignore[arg-type]
        assert ran.returncode == 0, ran.stderr
        with served(folder) as server:
            mirror = Mirror(tmp_path / "mirror", cast("Provider", SimpleNamespace(base_url=server.url)))
            mirror.run("--allow", "127.0.0.1", "--allow", "127.0.0.2", status=3)
            domain = next(iter(mirror.held())).partition("/")[0].rpartition(":")[0]
            for name, (_, fate, reason, _) in STATED.items():
                source = "mets" if name == "mets" else "didl"
                (file,) = mirror.holding(f"{domain}:{source}/oai:p:{name}").files
                assert (name, file.fate) == (name, fate)
                assert _words(reason) <= _words(file.reason or " ".join(file.verified))


def _words(text: str) -> set[str]:
    return set(text.rstrip(".").split())
