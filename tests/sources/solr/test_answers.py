"""Answers of Solr, in XML and JSON, and how it is asked."""

import json

import pytest

from gateway.core.errors import NotSolr, NotXml, RemoteError
from harvester.sources.solr import select as solr
from harvester.sources.solr.select import parse, select_url
from tests.conftest import SHARED
from tests.rows import each_row

XML = """<?xml version="1.0" encoding="UTF-8"?>
<response><lst name="responseHeader"><int name="status">0</int></lst>
<result name="response" numFound="{found}" start="0">{documents}</result>{rest}</response>
"""
DOCUMENT = (
    '<doc><str name="id">{0}</str><arr name="title"><str>One &amp; all</str><str> </str></arr>'
    '<date name="timestamp">2016-07-26T16:25:44.221Z</date></doc>'
)
MARK = '<str name="nextCursorMark">AoE+</str>'


def _answer(*documents, num_found=9, rest=MARK):
    return XML.format(found=num_found, documents="\n".join(documents), rest=rest).encode()


def _cut(answer, body):
    return [(answer.repaired or body)[document.start : document.stop] for document in answer.documents]


def test_documents_are_cut_where_they_stand():
    body = _answer(DOCUMENT.format(1), DOCUMENT.format(2))
    answer = parse(body, names=("id", "timestamp"))
    assert (answer.num_found, answer.next_cursor_mark, answer.repaired, answer.repairs) == (9, "AoE+", b"", ())
    assert _cut(answer, body) == [DOCUMENT.format(1).encode(), DOCUMENT.format(2).encode()]
    assert [document.values for document in answer.documents] == [
        {"id": (number,), "timestamp": ("2016-07-26T16:25:44.221Z",)} for number in ("1", "2")
    ]


def test_what_is_nearly_xml_is_mended_and_reported():
    answer = parse(_answer(DOCUMENT.format("A\x08& B")), names=("id",))
    assert [document.first("id") for document in answer.documents] == ["A& B"]
    assert len(answer.repairs) == 2
    assert _cut(answer, b"")[0].startswith(b'<doc><str name="id">A&amp; B<')


def test_what_solr_refuses_is_told_in_its_words():
    words = '<str name="msg">undefined field x</str><int name="code">400</int>'
    in_json = b'{"error": {"msg": "undefined field x", "code": 400}}'
    for body in (_answer(rest=f'<lst name="error">{words}</lst>'), in_json):
        with pytest.raises(RemoteError, match="400: undefined field x") as caught:
            parse(body)
        assert caught.value.codes == {"400"}
    with pytest.raises(RemoteError, match="error"):
        parse(_answer(rest='<lst name="error"/>'))


@each_row(
    "body, error, sentence",
    [
        (b"<html/>", NotSolr, "its root is 'html'"),
        (b"<response/>", NotSolr, "no result"),
        (_answer(num_found="many"), NotSolr, "numFound 'many'"),
        (b"Welcome", NotXml, "begins with 'Welcome'"),
        (b"<!DOCTYPE response>" + _answer().partition(b"?>")[2], NotXml, "document type declaration"),
        (b"{", NotXml, "not JSON"),
        (b"{" * 100_000, NotXml, "not JSON"),
        (b'{"a": 1}', NotSolr, "not an answer of Solr"),
        (b'{"response": {"docs": [1], "numFound": 1}}', NotSolr, "without fields"),
        (b'{"response": {"docs": [], "numFound": null}}', NotSolr, "numFound 'None'"),
    ],
)
def test_anything_else_is_refused(body, error, sentence):
    with pytest.raises(error, match=sentence):
        parse(body)


@each_row("partial_results", ["true", "omitted"])
def test_an_answer_that_says_that_it_is_partial_is_refused(partial_results):
    """Its numFound is that of the shards that answered: a list looked whole, and a sweep deleted the rest."""
    element = f'<bool name="partialResults">{partial_results}</bool>'
    mark = b'<int name="status">0</int>'
    with pytest.raises(NotSolr, match="is partial"):
        parse(_answer(DOCUMENT.format(1)).replace(mark, mark + element.encode()))
    held = {
        "responseHeader": {"partialResults": partial_results == "true" or partial_results},
        "response": {"numFound": 0, "docs": []},
    }
    with pytest.raises(NotSolr, match="is partial"):
        parse(json.dumps(held).encode())
    held["responseHeader"]["partialResults"] = False
    assert parse(json.dumps(held).encode()).num_found == 0


def test_a_document_in_json_is_written_as_in_xml():
    document = {
        "id": "1\u0000",
        "none": None,
        "many": ["<a>", None, "b"],
        "is": True,
        "size": 5,
        "share": 0.5,
        "_child": {"id": "2"},
    }
    body = json.dumps({"response": {"numFound": 1, "docs": [document]}, "nextCursorMark": "AoE"}).encode()
    answer = parse(body)
    (written,) = _cut(answer, body)
    assert written.decode() == (
        '<doc><str name="id">1</str><arr name="many"><str>&lt;a&gt;</str><str>b</str></arr><bool name="is">true</bool>'
        '<long name="size">5</long><double name="share">0.5</double>'
        '<doc name="_child"><str name="id">2</str></doc></doc>'
    )
    values = answer.documents[0].values
    assert (values["id"], values["many"], values["is"], values["none"]) == (("1",), ("<a>", "b"), ("true",), ())
    assert (answer.next_cursor_mark, answer.repairs) == ("AoE", ())
    assert parse(body, names=("id",)).documents[0].values.keys() == {"id"}


@each_row(
    "address, select",
    [
        ("http://x.org/solr/laro", "http://x.org/solr/laro/select"),
        ("http://x.org/solr/laro/", "http://x.org/solr/laro/select"),
        ("http://x.org/solr/laro/select", "http://x.org/solr/laro/select"),
        ("http://x.org/advancedsearch.php?q=a&rows=5&start=5", "http://x.org/advancedsearch.php"),
        ("http://x.org/solr/select/?q=*:*&fq=a:b%20c&key=1&wt=json#top", "http://x.org/solr/select?fq=a%3Ab+c&key=1"),
    ],
)
def test_the_handler_is_found_in_what_people_copied(address, select):
    assert select_url(address) == select


REAL = SHARED / "data" / "solr" / "ucldc+harvester"
UCSD = "ucsd-new-feed-missions-bb3038949s"


@pytest.mark.slow
@pytest.mark.needs("../shared/data/solr")
@each_row(
    "name, expected, shown, mark",
    [
        *((f"ucb-cursor-results-{page}.json", 4, 1, True) for page in range(4)),
        *((f"{UCSD}-{page}.json", 10, count, False) for page, count in enumerate((3, 3, 3, 1))),
        *((f"{UCSD}-{page}.xml", 10, count, False) for page, count in enumerate((3, 3, 3, 1, 0))),
        ("ia-results-3.json", 1285, 285, False),
    ],
)  # fmt: skip
def test_real_answers_are_read(name, expected, shown, mark):
    body = (REAL / name).read_bytes()
    answer = parse(body)
    assert (answer.num_found, len(answer.documents), bool(answer.next_cursor_mark)) == (expected, shown, mark)
    assert all(record.startswith(b"<doc>") and record.endswith(b"</doc>") for record in _cut(answer, body))
    assert answer.repairs == ()


@each_row("number", ["9" * 5000, "9" * 16, "²", "-1"])
def test_number_of_documents_that_nobody_can_mean_is_refused(number: str):
    with pytest.raises(NotSolr, match="numFound"):
        solr.parse(f'<response><result numFound="{number}"/></response>'.encode())


def test_solr_document_that_is_nested_too_deep_is_refused():
    deep = '{"a":' * 900 + "1" + "}" * 900
    body = '{"response": {"numFound": 1, "docs": [' + deep + "]}}"
    with pytest.raises((NotSolr, NotXml), match=r"deep|recursion"):
        solr.parse(body.encode())
