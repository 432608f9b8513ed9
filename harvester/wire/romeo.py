"""Answers of the old API of SHERPA/RoMEO, version 2.9 (XML): still served by copies of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from gateway.errors import AnswerError, NotXml, RemoteRefuses, TryLater
from harvester.wire.http import Fetched
from harvester.wire.parsing import strict
from harvester.wire.policies import VERSIONS, Colour, Permission, Policy

_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\])?[^>]*+>")
_MARKUP = re.compile(r"<[^<>]++>")
_PERIOD = re.compile(r"<num>(\d{1,4})</num>\s*<period units=\"(month|year|week|day)\">")
_MONTHS = {"day": 1 / 30, "week": 7 / 30, "month": 1.0, "year": 12.0}
_ILL = 500

# Where a publisher's answer tells of each version: the part, what may be done, the restrictions on it.
_PARTS = (
    ("preprints/prearchiving", "preprints/prerestrictions/prerestriction"),
    ("postprints/postarchiving", "postprints/postrestrictions/postrestriction"),
    ("pdfversion/pdfarchiving", "pdfversion/pdfrestrictions/pdfrestriction"),
)
# Better first: where several publishers are told, the worst of them is what can be relied on.
_ORDER = tuple(Colour)


def read(fetched: Fetched) -> Policy | None:
    """Return the policy of an answer, None when nothing was found.

    Raise TryLater when the server is ill, RemoteRefuses when the key is not valid or the question is, NotXml when the
    answer is none.
    """
    if fetched.status >= _ILL:
        raise TryLater(f"SHERPA/RoMEO answers {fetched.status}.")
    try:
        root = strict(_without_doctype(fetched.body))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"SHERPA/RoMEO answers something that is no XML: {error}") from error
    outcome = _text(root, "header/outcome")
    if outcome in ("failed", "invalidapikey"):
        raise RemoteRefuses(f"SHERPA/RoMEO answers {outcome}: {_text(root, 'header/message') or 'without a reason'}.")
    if not outcome:
        raise AnswerError("SHERPA/RoMEO answers without an outcome.")
    publishers = root.findall("publishers/publisher")
    return _policy(root, publishers) if publishers else None


def _without_doctype(body: bytes) -> bytes:
    start = body.find(b"<!DOCTYPE")
    declared = _DOCTYPE.match(body, start) if start >= 0 else None
    return body[:start] + body[declared.end() :] if declared else body


def _policy(root: etree._Element, publishers: list[etree._Element]) -> Policy:
    colours = [_colour(each) for each in publishers]
    worst = max(range(len(publishers)), key=lambda place: _ORDER.index(colours[place]))
    stated = publishers[worst]
    journal = root.find("journals/journal") if len(root.findall("journals/journal")) == 1 else None
    return Policy(
        colour=colours[worst],
        title=_text(journal, "jtitle") if journal is not None else "",
        publishers=tuple(_text(each, "name") for each in publishers),
        issns=tuple(filter(None, (_text(journal, "issn"),))) if journal is not None else (),
        permissions=tuple(_permissions(stated)),
        conditions=tuple(_plain(each.text or "") for each in stated.findall("conditions/condition")),
        address=_text(stated, "copyrightlinks/copyrightlink/copyrightlinkurl"),
    )


def _colour(publisher: etree._Element) -> Colour:
    stated = _text(publisher, "romeocolour")
    return Colour(stated) if stated in _ORDER else Colour.GRAY


def _permissions(publisher: etree._Element) -> Iterator[Permission]:
    conditions = tuple(_plain(each.text or "") for each in publisher.findall("conditions/condition"))
    for version, (may, restrictions) in zip(VERSIONS, _PARTS, strict=True):
        told = [each.text or "" for each in publisher.findall(restrictions)]
        if _text(publisher, may) in ("can", "restricted"):
            restricted = _text(publisher, may) == "restricted"
            wait = _embargo(told) if restricted or told else 0
            yield Permission((version,), (), wait, conditions=(*map(_plain, told), *conditions))


def _embargo(restrictions: list[str]) -> int | None:
    """Return the longest embargo told, in months, rounded up; None when the restriction is another one."""
    found = [int(number) * _MONTHS[unit] for text in restrictions for number, unit in _PERIOD.findall(text)]
    return int(-(-max(found) // 1)) if found else None


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


def _text(element: etree._Element, path: str) -> str:
    return " ".join((element.findtext(path) or "").split())
