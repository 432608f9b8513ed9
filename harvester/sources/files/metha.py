"""Files of metha: one answer each, in the form of its Go structure, with an empty element for each missing one.

    <Response><responseDate/><request/><error code=""/><GetRecord><record/></GetRecord> … <ListRecords> … </Response>

The records themselves are unchanged. Pure.
"""

from __future__ import annotations

import re

from lxml import etree

from harvester.sources.oai_pmh.answers import ListAnswer, ResumptionToken
from harvester.xml.slices import named, text_of

_TAG = re.compile(rb"<[^<>]*>")
_BEGINNING = re.compile(rb"\s*(?:<\?xml[^<>]*>\s*)?<Response>\s*<responseDate>")


def is_metha(body: bytes) -> bool:
    """Return whether a document is an answer written by metha."""
    return _BEGINNING.match(body) is not None


def is_blank(record: bytes) -> bool:
    """Return whether a record is empty: metha writes one for GetRecord into answers to ListRecords."""
    return not _TAG.sub(b"", record).strip()


def prefix_of(root: etree._Element) -> str:
    """Return the requested metadataPrefix; empty when there is none."""
    return next((element.get("metadataPrefix") or "" for element in named(root, "request")), "")


def answer_of(root: etree._Element) -> ListAnswer:
    """Return the errors, the date and the resumptionToken of such an answer, without its records.

    The verb is empty: the request is not known.
    """
    errors = (
        (code, text_of(element)) for element in named(root, "error") if (code := (element.get("code") or "").strip())
    )
    tokens = [token for element in named(root, "ListRecords") for token in named(element, "resumptionToken")]
    date = next(map(text_of, named(root, "responseDate")), "")
    # metha ends a list whose last cursor is its completeListSize, in spite of a token (DOAJ).
    is_last = bool(tokens) and tokens[-1].get("cursor", "") == tokens[-1].get("completeListSize", "") != ""
    token = ResumptionToken(text_of(tokens[-1])) if tokens and not is_last else None
    return ListAnswer("", date, tuple(errors), (), token)
