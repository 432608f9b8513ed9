"""Whatever arrives: an answer of ours or an error of ours, and of a real page no record is lost without a word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import AnswerError
from harvester.sources.oai_pmh.answers import parse_list
from tests.oai_pages import page, payload, record
from tests.sources.oai_pmh.repository import Answer, Arguments, Fault, Repository, walked

PAGE = page(
    record(1, sets=["a"]),
    record(2, "<d:d xmlns:d='urn:d' xsi:x='1'>é &amp; <![CDATA[<metadata>]]><!-- c --></d:d>"),
    record(3, status="deleted", metadata=""),
    record(4, "<record xmlns='urn:m'><leader/></record>", about="<about><p xmlns='urn:p'/></about>"),
    record(5),
    token="next",
    attributes=' completeListSize="9" cursor="0"',
).encode()

MARKUP = st.sampled_from(
    [
        *("<", ">", "&", "/", "'", '"', "]]>", "<![CDATA[", "<!--", "-->", "<?x", "?>", "<?xml ?>", "&#1;", "&nbsp;"),
        *("<record>", "</record>", "<metadata>", "</metadata>", "<header>", "</header>", "<identifier>", "<a>", "</a>"),
        *("</OAI-PMH>", "<OAI-PMH>", "</ListRecords>", "<ListRecords>", "<resumptionToken>", "</resumptionToken>"),
        *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", " xmlns='urn:y'", " xmlns:z='a b'", "<z:a/>", "\x00", "\x0b", "é"),
    ]
)
CONTENT_TYPES = st.sampled_from(
    ["", "text/xml", "text/xml; charset=utf-16", "text/html; charset=iso-8859-1", "charset=\0"]
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Draw a real-shaped page with a few places cut out, overwritten or filled with markup."""
    body = PAGE
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(body)))
        gone = draw(st.sampled_from([0, 0, 1, 1, 2, 7, 40]))
        new = draw(st.one_of(MARKUP.map(str.encode), st.binary(max_size=3)))
        body = body[:at] + new + body[at + gone :]
    return body


def _consistent(body: bytes, content_type: str = "") -> None:
    try:
        answer = parse_list(body, content_type)
    except AnswerError:
        return
    text = answer.repaired or body
    for slice_ in answer.slices:
        assert slice_.problem or slice_.is_deleted or slice_.stop > slice_.start or answer.verb == "ListIdentifiers"
        if slice_.stop > slice_.start:
            payload(text, slice_)
        for start, stop in slice_.abouts:
            assert text[start : start + 1] == b"<"
            assert text[stop - 1 : stop] == b">"


@given(mutated())
def test_spoiled_page_gives_payloads_that_stand_alone(body: bytes):
    """No error but AnswerError may be raised, and each payload begins and ends with its element."""
    _consistent(body)


@given(mutated())
def test_no_record_of_a_spoiled_page_is_lost_without_a_word(body: bytes):
    """Every identifier still standing between its tags is a slice, or in a payload, or told; or there is an error."""
    try:
        answer = parse_list(body)
    except AnswerError:
        return
    text = (answer.repaired or body).decode()
    standing = set(
        re.findall(
            r"<record><header(?: status=\"deleted\")?><identifier>(oai:x:\d)</identifier>",
            body.decode("utf-8", "replace"),
        )
    )
    parsed_identifiers = {slice_.identifier for slice_ in answer.slices}
    if any(slice_.problem and not slice_.identifier for slice_ in answer.slices):
        return
    if any("looks like records" in repair for repair in answer.repairs):
        return
    hidden = " ".join(text[slice_.start : slice_.stop] for slice_ in answer.slices)
    for identifier in standing - parsed_identifiers:
        assert identifier in hidden or identifier in " ".join(answer.repairs) or _is_commented(identifier, text)


def _is_commented(identifier: str, text: str) -> bool:
    """Tell whether what stands in the bytes is no record for XML: in a comment, in CDATA, in an instruction."""
    return identifier in " ".join(re.findall(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", text, re.DOTALL))


@given(st.integers(1, len(PAGE) - 1))
def test_truncated_page_is_refused_wherever_it_breaks_off(length: int):
    with pytest.raises(AnswerError):
        parse_list(PAGE[:length])


# An attribute without quotes costs libxml2 more than the attribute.
DAMAGED = {"ListIdentifiers": "<datestamp>", "ListRecords": "<dc:title>", "GetRecord": "<dc:title>"}


def _damaged(verb: str) -> Fault:
    """Damage the last record of every answer."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != verb:
            return None
        before, tag, after = repository.answer(arguments).rpartition(DAMAGED[verb])
        return f"{before}{tag[:-1]} a=1>{after}"

    return fault


def test_what_mending_a_page_costs_goes_with_its_step():
    repository = Repository(faults=[_damaged("ListRecords")]).fill(4)
    steps = walked(repository)
    assert [len(step.losses) for step in steps] == [1, 1]
    assert steps[-1].is_complete


def test_headers_of_which_mending_has_lost_something_decide_nothing():
    repository = Repository(size=lambda count: count + 2, faults=[_damaged("ListIdentifiers")]).fill(4)
    steps = walked(repository)
    assert not steps[-1].is_complete
    assert "ListIdentifiers: The answer is not well-formed" in " ".join(steps[-1].doubts)
