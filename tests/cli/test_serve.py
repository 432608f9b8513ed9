"""`gateway serve` refuses what could not serve, in one sentence; the application answers what it is asked."""

import socket
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from gateway.ops import schemas
from gateway.ops.upkeep import make
from gateway.server.serve import address, listen
from tests.applications import application
from tests.rows import each_row


def test_a_port_that_is_taken_is_one_sentence(gateway):
    gateway("init")
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        result = gateway("serve", "--port", str(port))
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: Cannot serve on 127.0.0.1 port {port}: another program uses this port. "
        "Choose another one with --port.\n"
    )


def test_an_access_log_that_cannot_be_written_is_one_sentence(gateway, tmp_path):
    gateway("init")
    log = tmp_path / "nowhere" / "access.log"
    result = gateway("serve", "--port", "0", "--access-log", str(log))
    assert (result.exit_code, result.stderr) == (
        2,
        f"Error: The access log {log} cannot be written: No such file or directory.\n",
    )


@each_row("host", ["0.0.0.0", "0"])
def test_whoever_listens_everywhere_is_found_by_the_name_of_the_host(host):
    with listen(host, 0) as listener:
        port = listener.getsockname()[1]
        assert address(listener, host, lambda: "gw.example.org") == f"http://gw.example.org:{port}/oai"


@pytest.mark.skipif(not socket.has_ipv6, reason="because IPv6 is missing")
def test_an_address_of_ipv6_has_brackets():
    with listen("::1", 0) as listener:
        assert address(listener, "::1") == f"http://[::1]:{listener.getsockname()[1]}/oai"


# --- the application ----------------------------------------------------------------------------------------------


@pytest.fixture
def app(gateway, folder, publish):
    gateway("init", "--name", "Here & <there>")
    publish()
    with application(folder, base_url="http://here.example.org/oai") as app:
        yield app


def test_identify_names_what_the_settings_say(app):
    text = app.test_client().get("/oai?verb=Identify").get_data(as_text=True)
    assert "<repositoryName>Here &amp; &lt;there&gt;</repositoryName>" in text
    assert "<baseURL>http://here.example.org/oai</baseURL>" in text
    assert "<sampleIdentifier>oai:gateway.example.org:laro/1</sampleIdentifier>" in text


def test_the_first_page_leads_people_on(app):
    answer = app.test_client().get("/")
    assert answer.content_type.startswith("text/html")
    text = answer.get_data(as_text=True)
    assert "<h1>Here &amp; &lt;there&gt;</h1>" in text
    assert '<a href="/browse">' in text
    assert '<a href="/oai?verb=Identify">' in text


def test_every_schema_is_served_and_nothing_else(app):
    client = app.test_client()
    for file in schemas.folder().glob("*.xsd"):
        answer = client.get(f"/schemas/{file.name}")
        assert answer.content_type.startswith("application/xml")
        assert answer.data == file.read_bytes()
        answer.close()
    for name in ("README.md", "", "../pyproject.toml", "%2e%2e/pyproject.toml", "..%2fx.xsd", "no.xsd"):
        assert client.get(f"/schemas/{name}").status_code == 404


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:  # type: ignore[misc]
    make(tmp_path, {})
    with application(tmp_path) as made:
        yield made.test_client()


def test_sound_instance_is_alive_and_ready(client: FlaskClient) -> None:
    assert [client.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    assert client.get("/readyz").headers["Cache-Control"] == "no-store"


def test_instance_whose_store_is_damaged_is_alive_and_not_ready(
    client: FlaskClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"no database at all" * 1000)
    for beside in tmp_path.glob("store.sqlite-*"):
        beside.unlink()
    answer = client.get("/readyz")
    assert (answer.status_code, client.get("/healthz").status_code) == (503, 200)
    assert str(tmp_path) not in answer.text
    assert "gateway check" in caplog.text
