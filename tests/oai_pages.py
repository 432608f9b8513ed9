"""Answers of repositories, made to measure: everyday ones, to be spoiled by the tests."""

from collections.abc import Iterable

from lxml import etree

from gateway.core.model import Slice
from gateway.core.xmltext import escape_attribute
from harvester.xml.parsing import strict

OAI = "http://www.openarchives.org/OAI/2.0/"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
# The elements of the protocol in a list of records.
ENVELOPE = (
    "OAI-PMH", "responseDate", "request", "ListRecords", "record", "header", "identifier", "datestamp", "metadata",
    "resumptionToken",
)  # fmt: skip
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></oai_dc:dc>'
)


def record(
    number: int | str = 1, metadata: str | None = None, *, status: str = "", about: str = "", sets: Iterable[str] = ()
) -> str:
    """Return one record with the identifier `oai:x:<number>`; `metadata` None: a little oai_dc."""
    specs = "".join(f"<setSpec>{set_}</setSpec>" for set_ in sets)
    payload = DC.format(f"Work {number}") if metadata is None else metadata
    given = f' status="{status}"' if status else ""
    return (
        f"<record><header{given}><identifier>oai:x:{number}</identifier><datestamp>2024-01-0{1}</datestamp>{specs}"
        f"</header>{f'<metadata>{payload}</metadata>' if payload else ''}{about}</record>"
    )


def page(
    *records: str,
    token: str | None = None,
    verb: str = "ListRecords",
    declaration: str = '<?xml version="1.0" encoding="UTF-8"?>',
    root: str = f'xmlns="{OAI}" {XSI}',
    date: str = "2024-02-03T04:05:06Z",
    attributes: str = "",
) -> str:
    """Return a whole answer as text. `token` None: no resumptionToken; `attributes` are the token's."""
    ended = "" if token is None else f"<resumptionToken{attributes}>{token}</resumptionToken>"
    return (
        f"{declaration}<OAI-PMH {root}><responseDate>{date}</responseDate>"
        f'<request verb="{verb}">http://x.org/oai</request><{verb}>{"".join(records)}{ended}</{verb}></OAI-PMH>'
    )


def error(code: str, sentence: str = "") -> str:
    """Return an answer that is an error of the protocol."""
    return (
        f'<OAI-PMH xmlns="{OAI}"><responseDate>2024-02-03T04:05:06Z</responseDate>'
        f'<request>http://x.org/oai</request><error code="{code}">{sentence}</error></OAI-PMH>'
    )


def payload(text: bytes, cut: Slice) -> etree._Element:
    """Return the payload of a slice, parsed as it stands alone with its declarations."""
    spelt = "".join(
        f' xmlns{":" if prefix else ""}{prefix}="{escape_attribute(uri)}"' for prefix, uri in cut.declarations
    )
    return strict(f"<alone{spelt}>".encode() + text[cut.start : cut.stop] + b"</alone>")[0]


def identifiers(slices: Iterable[Slice]) -> list[str]:
    """Return the identifiers of slices without their `oai:x:`."""
    return [slice_.identifier.removeprefix("oai:x:") for slice_ in slices]
