"""Lists and records are answered beside Flask, and nobody can notice: not by a header, not by a byte."""

import pytest
from flask import Flask

from gateway.core.errors import StoreDamaged
from gateway.core.pieces import compressed
from gateway.oaipmh import routes
from gateway.store.base import PageOfParts
from tests.rows import each_row

HEADERS = (("X-Content-Type-Options", "nosniff"),)
TOPIC = "verb=ListRecords&metadataPrefix=oai_dc"
RECORD = "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/1"
LIST = f"{TOPIC}&until=2023-11-14T22:13:20Z"


class Clients:
    """The same repository with Flask alone, and with lists beside it; `asked` are the requests that Flask got."""

    def __init__(self, store, repository):
        self.asked: list[str] = []
        self.observed: list[tuple[str, str, int]] = []
        app = Flask(__name__)
        blueprint = routes.Endpoint(store, repository, 300, lambda *seen: self.observed.append((*seen[:2], seen[3])))
        app.register_blueprint(blueprint.blueprint())

        @app.after_request
        def add(response):
            response.headers.extend(HEADERS)
            return response

        self.flask = app.test_client()
        whole = app.wsgi_app

        def noted(environ, start_response):
            self.asked.append(environ["QUERY_STRING"])
            return whole(environ, start_response)

        beside = Flask(__name__)
        beside.wsgi_app = blueprint.direct(noted, HEADERS)  # type: ignore[method-assign, assignment]
        self.direct = beside.test_client()

    def both(self, query, path="/oai", **headers):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.asked.clear()
        return [client.get(f"{path}?{query}", headers=given) for client in (self.direct, self.flask)]


@pytest.fixture
def clients(store, repository):
    return Clients(store, repository)


@each_row("coding", ["", "gzip", "deflate", "zstd", "br, zstd", "gzip;q=0, *", "nonsense;;q=x", "é"])
@each_row(
    "query",
    [
        LIST,
        "verb=Identify",
        "verb=ListMetadataFormats",
        "verb=ListIdentifiers&metadataPrefix=oai_dc",
        f"{TOPIC}&from=2023-11-14T00:00:00Z",
        f"{LIST}&from=2023-11-14",
        f"{LIST}&set=nothing",
        f"{LIST}&set=%ff",
        "verb=ListIdentifiers",
        "verb=ListRecords&resumptionToken=nonsense",
        RECORD,
        "verb=GetRecord&metadataPrefix=oai_dc&identifier=verb=ListRecords",
        "verb=GetRecord",
        "metadataPrefix=oai_dc&verb=ListIdentifiers&x=%C3%A9+1",
    ],
)
def test_an_answer_is_that_of_flask(clients, query, coding):
    direct, flask = clients.both(query, Accept_Encoding=coding)
    assert clients.asked == []
    assert (direct.status, list(direct.headers), direct.data) == (flask.status, list(flask.headers), flask.data)
    assert clients.observed[-1] == clients.observed[-2]


@each_row(
    "query, headers",
    [
        ("verb=ListSets", {}),
        ("verb=ListSets&identifier=verb=ListRecords", {}),
        ("verb=ListRecords&verb=ListRecords", {}),
        (LIST + "&x=" + "y" * 300, {}),
        (TOPIC, {}),
        (f"{TOPIC}&set=nothing", {}),
        (LIST, {"If_None_Match": "*"}),
        (LIST, {"Range": "bytes=0-9"}),
        (RECORD, {"If_None_Match": "*"}),
        (RECORD, {"If_Modified_Since": "Fri, 31 Dec 2099 23:59:59 GMT"}),
    ],
)
def test_everything_else_is_left_to_flask(clients, query, headers):
    direct, flask = clients.both(query, **headers)
    assert clients.asked == [query]
    assert (direct.status, list(direct.headers), direct.data) == (flask.status, list(flask.headers), flask.data)


@each_row(
    "query, is_brief",
    [
        (LIST, True),
        ("verb=ListIdentifiers", True),
        (RECORD, True),
        ("verb=ListSets", False),
        ("verb=ListMetadataFormats", True),
        ("verb=Identify", True),
        (f"{LIST}&x={'y' * 3_000}", True),
        (f"{LIST}&x={'y' * 4_000}", False),
        ("verb=ListRecords&" + "a&" * 499_000, False),
    ],
)
def test_the_event_loop_is_asked_for_what_takes_a_millisecond_only(query, is_brief):
    """To read a megabyte of arguments takes seconds, in which nobody else would be answered."""
    environ = {"PATH_INFO": "/oai", "REQUEST_METHOD": "GET", "QUERY_STRING": query}
    assert routes.is_brief(environ) == is_brief


def test_the_second_address_is_answered_too_and_no_other(clients):
    assert clients.both(LIST, "/oai/")[0].status_code == 200
    assert clients.asked == []
    assert clients.both(LIST, "/oai/x")[0].status_code == 404
    assert clients.asked == [LIST]


def test_a_form_and_a_head_are_left_to_flask(clients):
    assert clients.direct.post("/oai", data=LIST, content_type="application/x-www-form-urlencoded").data
    assert clients.direct.head(f"/oai?{LIST}").data == b""
    assert len(clients.asked) == 2


@each_row("coding", ["zstd", ""])
def test_a_damaged_block_is_answered_with_503(clients, view, monkeypatch, caplog, coding):
    piece = compressed(b"<record/>\n")._replace(length=99)
    monkeypatch.setattr(type(view), "parts", lambda *_, **__: PageOfParts((piece,), 1, None))
    caplog.clear()
    for answer in clients.both(LIST, Accept_Encoding=coding):
        assert answer.status_code == 503
    assert caplog.text.count(StoreDamaged.__name__) >= 2  # by each of both ways
    assert "`gateway check --whole` checks the store" in caplog.text
