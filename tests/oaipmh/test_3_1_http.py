"""OAI-PMH 2.0 §3.1: the protocol over HTTP, and what HTTP itself asks for."""

import gzip
import logging
import zlib
from contextlib import contextmanager
from functools import cache
from threading import Thread

import pytest
import zstandard
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from gateway.core.errors import StoreBusy
from gateway.oaipmh import routes
from gateway.oaipmh.arguments import RULES
from tests.conftest import ROOT
from tests.rows import each_row

RECORD = "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/1"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def client(store, repository):
    return client_of(store, repository)


def client_of(store, repository):
    app = Flask(__name__)
    blueprint = routes.Endpoint(store, repository, 10_000)
    app.register_blueprint(blueprint.blueprint())
    app.wsgi_app = blueprint.direct(app.wsgi_app, ())  # type: ignore[method-assign, assignment]
    return app.test_client()


@each_row("query", ["verb=Identify", "verb=nope", "", "verb=ListRecords&metadataPrefix=oai_dc"])
def test_3_1_1_post_answers_as_get_does(client, query):
    got = client.get(f"/oai?{query}")
    posted = client.post("/oai", data=query, content_type=FORM + "; charset=UTF-8")
    assert (got.status_code, got.data) == (posted.status_code, posted.data)
    assert (got.status_code, got.headers["Content-Type"]) == (200, "text/xml; charset=UTF-8")


def test_arguments_of_the_address_and_of_the_body_are_one_request(client):
    answer = client.post("/oai?verb=GetRecord", data="metadataPrefix=oai_dc&identifier=oai:x", content_type=FORM)
    assert b'<error code="idDoesNotExist">' in answer.data
    twice = client.post("/oai?verb=Identify", data="verb=Identify", content_type=FORM)
    assert b'<error code="badVerb">The verb is repeated.</error>' in twice.data


def test_a_body_of_another_type_is_a_bad_argument(client):
    answer = client.post("/oai", data={"verb": "Identify"}, content_type="multipart/form-data")
    assert answer.status_code == 200
    assert b'<error code="badArgument">The Content-Type of a POST must be' in answer.data


def test_head_is_get_without_a_body(client):
    got, head = client.get(RECORD), client.head(RECORD)
    assert head.data == b""
    assert head.status_code == 200
    assert head.headers == got.headers
    assert head.content_length == len(got.data)


@each_row("size", [10_001, 1_000_000])
def test_arguments_beyond_our_limit_are_a_bad_argument(client, size):
    for answer in (
        client.get("/oai", query_string="verb=Identify&x=" + "a" * size),
        client.post("/oai", data="verb=Identify&x=" + "a" * size, content_type=FORM),
    ):
        assert answer.status_code == 200
        assert b'<error code="badArgument">The arguments are longer than 10000 bytes.</error>' in answer.data


def test_the_host_header_is_never_believed(client):
    answer = client.get("/oai?verb=Identify", headers={"Host": "evil.example.org"})
    assert b"evil" not in answer.data


# --- §3.1.3 compression -------------------------------------------------------------------------------------------


@each_row(
    "accepted, coding",
    [
        (None, None),
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("deflate;q=1.0, gzip;q=0.5", "deflate"),
        ("gzip;q=0, deflate;q=0.1", "deflate"),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0.5, identity;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("br, zstd", "zstd"),
        ("gzip, deflate, br, zstd", "gzip"),
        ("br;q=1, *;q=0.1", "gzip"),
        ("gzip;q=oops", None),
    ],
)
def test_3_1_3_the_coding_is_what_the_client_likes_best(client, accepted, coding):
    headers = {} if accepted is None else {"Accept-Encoding": accepted}
    answer = client.get("/oai?verb=ListSets", headers=headers)
    assert answer.headers.get("Content-Encoding") == coding
    assert answer.headers["Vary"] == "Accept-Encoding"
    unpack = zstandard.ZstdDecompressor().decompress
    decode = {None: bytes, "gzip": gzip.decompress, "deflate": zlib.decompress, "zstd": unpack}[coding]
    assert decode(answer.data) == client.get("/oai?verb=ListSets").data  # type: ignore[operator]
    assert answer.content_length == len(answer.data)


def test_3_1_3_identify_announces_the_codings_that_are_there(client):
    announced = etree.fromstring(client.get("/oai?verb=Identify").data).findall(".//{*}compression")
    for element in announced:
        answer = client.get("/oai?verb=Identify", headers={"Accept-Encoding": element.text})
        assert answer.headers["Content-Encoding"] == element.text


# --- conditional requests -----------------------------------------------------------------------------------------

CACHEABLE = [RECORD, "/oai?verb=Identify", "/oai?verb=ListMetadataFormats", "/oai?verb=ListSets"]


@each_row("address", CACHEABLE)
def test_an_answer_that_did_not_change_is_not_sent_again(client, view, address):
    first = client.get(address)
    dated = client.get(address, headers={"If-Modified-Since": first.headers["Last-Modified"]})
    assert dated.status_code == 304
    view.horizon += 1000
    for method in (client.get, client.head):
        again = method(address, headers={"If-None-Match": first.headers["ETag"], "Accept-Encoding": "gzip"})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        assert "Content-Encoding" not in again.headers
    assert first.headers["ETag"].startswith('W/"')
    assert first.headers["Cache-Control"] == "no-cache"
    if address == RECORD:
        assert first.headers["Last-Modified"] == "Tue, 14 Nov 2023 21:56:50 GMT", "it is its datestamp"


def test_a_record_of_the_current_second_may_change_once_more(client, view):
    """The same second could bring it again; then an If-Modified-Since would hide the change for ever."""
    view.entries[0] = view.entries[0]._replace(stamp=view.horizon)
    answer = client.get(RECORD)
    assert "Last-Modified" not in answer.headers
    assert "ETag" in answer.headers


def test_a_changed_record_has_another_tag(client, view):
    first = client.get(RECORD)
    view.entries[0] = view.entries[0]._replace(stamp=view.entries[0].stamp + 1)
    again = client.get(RECORD, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200


@each_row("address", ["/oai?verb=ListRecords&metadataPrefix=oai_dc", "/oai?verb=nope", "/oai?verb=Identify&x=1"])
def test_lists_and_errors_have_no_tag(client, address):
    answer = client.get(address, headers={"If-None-Match": "*"})
    assert answer.status_code == 200
    assert "ETag" not in answer.headers
    assert "Last-Modified" not in answer.headers


def test_a_post_is_not_conditional(client):
    tag = client.get("/oai?verb=Identify").headers["ETag"]
    answer = client.post("/oai", data="verb=Identify", content_type=FORM, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert b"<Identify>" in answer.data


# --- §3.1.2.2 when the store fails --------------------------------------------------------------------------------


def test_a_store_that_fails_is_503_with_retry_after(client, view, caplog):
    view.failure = StoreBusy("Another process writes.")
    with caplog.at_level(logging.ERROR):
        answer = client.get("/oai?verb=ListRecords&metadataPrefix=oai_dc")
    assert answer.status_code == 503
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert answer.headers["Content-Type"] == "text/plain; charset=UTF-8"
    assert b"<" not in answer.data
    assert "Another process writes. (StoreBusy)" in caplog.text
    assert "`gateway check`" in caplog.text


# --- whatever arrives ---------------------------------------------------------------------------------------------

SANE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@cache
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(file=ROOT / "schemas" / "OAI-PMH.xsd")


def assert_is_oai(answer):
    assert answer.status_code == 200
    schema().assertValid(etree.fromstring(answer.data))


@SANE
@given(
    verb=st.sampled_from(sorted(RULES)),
    pairs=st.dictionaries(
        st.sampled_from(["identifier", "metadataPrefix", "set", "from", "until", "resumptionToken"]),
        st.text(max_size=30)
        | st.text("%aF:/?#[]@!~'()*-._09+&", max_size=12)
        | st.sampled_from(["oai_dc", "2023-11-14", "fulltext", "1.AAAA"]),
        max_size=3,
    ),
)
def test_any_arguments_get_a_valid_answer(client, verb, pairs):
    assert_is_oai(client.get("/oai", query_string={"verb": verb} | pairs))


# --- threads ------------------------------------------------------------------------------------------------------


def test_an_answer_that_takes_long_keeps_no_other_waiting(view, repository):
    """One thread at a time makes an answer, but not for ever."""
    answers = []

    class SlowStore:
        @contextmanager
        def view(self):
            if not answers:
                answers.append("the slow one")
                other = Thread(target=lambda: answers.append(client.get("/oai?verb=Identify").status_code))  # type: ignore[attr-defined]
                other.start()
                other.join()
            yield view

    client = client_of(SlowStore(), repository)
    assert client.get("/oai?verb=ListSets").status_code == 200
    assert answers == ["the slow one", 200]
