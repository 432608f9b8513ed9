"""One repository on SQLite and one on PostgreSQL, by the same commands: their answers are the same bytes."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from click.testing import CliRunner
from flask.testing import FlaskClient
from lxml import etree

from gateway.cli.main import main as gateway
from harvester.cli import main as harvester
from tests.applications import application
from tests.review_house import PASSWORD, browser

_GONE = "oai:gw.example.org:laro/oai:laro.example.org:LR-18-00002"
_TIMES = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|(?<=>)[^<>]+(?=</resumptionToken>)|(?<=Token=\")[^\"]+")


def _do(folder: Path, program: str, *words: str, typed: str = "") -> str:
    main = {"gateway": gateway, "harvester": harvester}[program]
    done = CliRunner().invoke(main, ["--instance", str(folder), *words], input=typed)
    assert done.exit_code == 0, done.output
    return done.stdout


def _answers(client: FlaskClient, prefix: str) -> Iterator[bytes]:
    """Yield the answers of one list, page by page."""
    query = f"verb=ListRecords&metadataPrefix={prefix}"
    while query:
        body = client.get(f"/oai?{query}").data
        yield _TIMES.sub(b"", body)
        token = etree.fromstring(body).findtext(".//{*}resumptionToken")
        query = f"verb=ListRecords&resumptionToken={token}" if token else ""


def _served(folder: Path) -> list[bytes]:
    with application(folder) as app:
        client = app.test_client()
        lists = [page for prefix in ("oai_dc", "oai_didl") for page in _answers(client, prefix)]
        others = ("verb=Identify", "verb=ListSets", f"verb=GetRecord&metadataPrefix=oai_didl&identifier={_GONE}")
        reviewer = browser(app)
        assert reviewer.sign_in().status_code == 303
        assert reviewer.get("/review").status_code == 200
        return [*lists, *(_TIMES.sub(b"", client.get(f"/oai?{query}").data) for query in others)]


def _repository(folder: Path, source: str, *more: str) -> dict[str, list[bytes]]:
    """Make a repository and change it as a user does; return its answers after each change."""
    _do(folder, "gateway", "init", "--domain", "gw.example.org", *more)
    config = folder / "config.toml"
    settings = 'oai_page_size = 7\noai_page_exact = true\npublish_processes = 0\nbase_url = "http://gw/oai"\n'
    config.write_text(f"{config.read_text()}\n{settings}")
    _do(folder, "gateway", "user", "add", "B. Ito", "--password-stdin", typed=f"{PASSWORD}\n")
    _do(folder, "harvester", "source", "add", "laro", source)
    _do(folder, "harvester", "run", "laro")
    states = {"harvested": _served(folder)}
    _do(folder, "harvester", "takedown", "add", _GONE, "--reason", "a request")
    states["taken down"] = _served(folder)
    _do(folder, "gateway", "rebuild")
    _do(folder, "gateway", "compact")
    _do(folder, "harvester", "source", "remove", "laro", "--yes")
    states["removed"] = _served(folder)
    return states


def test_a_repository_on_postgresql_answers_as_one_on_sqlite(
    tmp_path: Path, postgres: Callable[..., str], sample_source: str
) -> None:
    on_files = _repository(tmp_path / "files", sample_source)
    on_server = _repository(tmp_path / "server", sample_source, "--store", postgres(lambda _url: None))
    assert on_server == on_files
    assert len(on_files["harvested"]) > 8
    assert b'status="deleted"' not in b"".join(on_files["harvested"])
    assert b'status="deleted"' in on_files["taken down"][-1]
    assert not list((tmp_path / "server").glob("[!s]*.sqlite"))
