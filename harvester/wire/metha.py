"""Files that metha wrote: each one answer, as its structure of Go has it, with an empty element for what is not there.

    <Response><responseDate/><request/><error code=""/><GetRecord><record/></GetRecord> … <ListRecords> … </Response>

The records themselves are as they came. Pure.
"""

from __future__ import annotations

import re

from lxml import etree

from harvester.wire.oai_pmh import ListAnswer, ResumptionToken
from harvester.wire.slices import named, text_of

_TAG = re.compile(rb"<[^<>]*>")
_BEGINNING = re.compile(rb"\s*(?:<\?xml[^<>]*>\s*)?<Response>\s*<responseDate>")


def is_metha(body: bytes) -> bool:
    """Tell whether a document is an answer that metha wrote."""
    return _BEGINNING.match(body) is not None


def is_blank(record: bytes) -> bool:
    """Tell whether a record says nothing: it stands for the one that an answer to ListRecords does not have."""
    return not _TAG.sub(b"", record).strip()


def prefix_of(root: etree._Element) -> str:
    """Return the metadataPrefix that was asked for."""
    return next((each.get("metadataPrefix") or "" for each in named(root, "request")), "")


def said_by(root: etree._Element) -> ListAnswer:
    """Return what such an answer says beside its records: its errors and its resumptionToken.

    It names no verb: what it was asked with is not known.
    """
    errors = ((code, text_of(each)) for each in named(root, "error") if (code := (each.get("code") or "").strip()))
    tokens = [token for each in named(root, "ListRecords") for token in named(each, "resumptionToken")]
    date = next(map(text_of, named(root, "responseDate")), "")
    # metha ends a list whose last cursor is its completeListSize, whatever token stands there (DOAJ).
    is_last = bool(tokens) and tokens[-1].get("cursor", "") == tokens[-1].get("completeListSize", "") != ""
    token = ResumptionToken(text_of(tokens[-1])) if tokens and not is_last else None
    return ListAnswer("", date, tuple(errors), (), token)
