"""The loop of Autoload is closed: a file is found, offered, taken in, and named by the source; the search ends."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from harvester.cli import main as harvester
from tests import live
from tests.http.server import ok
from tests.offer.library import World, full_texts, world

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it serves, harvests, and reads PDFs

CONFIG = """
base_url = "http://127.0.0.1:{port}/oai"
files_serve = true
fetch_delay_seconds = 0
fetch_retries = 1
fetch_backoff_seconds = 0.001
discover_delay_seconds = 0
discover_email = "librarian@library.test"
discover_instead = "https://laro.example.org/={library}/ https://={web}/ {library}/={library}/"
"""


@dataclass
class Site:
    """Our gateway between the library and the web."""

    folder: Path
    port: int
    world: World

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(self, *words: str, status: int = 0) -> str:
        program = gateway if words[0] == "init" else harvester
        done = CliRunner().invoke(program, ["--instance", str(self.folder), *words])
        assert done.exit_code == status, done.output
        return done.stdout

    def data(self, *words: str, status: int = 0) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.call(*words, "--json", status=status).splitlines()]

    def item(self, name: str) -> str:
        """Return our identifier of a work."""
        (record,) = [one for one in self.data("records", "laro") if name in one["identifier"]]
        return str(record["identifier"])

    def search(self, name: str) -> dict[str, Any]:
        return self.data("explain", self.item(name))[0]


BY_LIST, BY_INDEX = "", "/solr/laro"
harvested_by = lambda way: pytest.mark.parametrize("site", [way], indirect=True)  # noqa: E731


@pytest.fixture
def site(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    """Return our gateway, which harvests the library by its ResourceSync list, or by its Solr index."""
    with world() as around:
        made = Site(tmp_path / "instance", live.free_port(), around)
        made.call("init", "--domain", "g.example.org")
        values = {"port": made.port, "web": around.web, "library": around.library.place}
        with (made.folder / "config.toml").open("a") as config:
            config.write(CONFIG.format(**values))
        made.call("source", "check", around.library.place + request.param, "--add", "laro")
        with (made.folder / "sources.toml").open("a") as sources:
            sources.write(f'notify_inbox = "{around.inbox.url("/inbox")}"\nallow = ["{around.inbox.address}"]\n')
        yield made


@harvested_by(BY_LIST)
def test_the_loop_is_closed_by_announcements(site: Site) -> None:
    library, inbox = site.world.library, site.world.inbox
    name = library.lacking[0]
    site.call("run", "laro")
    outcomes = {one["identifier"]: one["outcome"] for one in site.data("discover", "laro")}
    assert outcomes[site.item(name)] == "success"
    with live.served(site.folder, "--port", str(site.port)):
        has_text = full_texts(site.url)
        assert [len(files) for url, files in has_text.items() if name in url] == [1]
        assert [len(files) for url, files in has_text.items() if library.lacking[1] in url] == [0]
        inbox.say("/inbox", ok(b"", 500), ok(b"", 202))
        assert [one["outcome"] for one in site.data("offer", "laro", status=5)] == ["retrying"]
        assert [one["outcome"] for one in site.data("offer", "laro", "--again")] == ["accepted"]
        assert site.world.take_in_announced() == [name]
    assert name not in library.lacking
    site.call("run", "laro")
    site.call("discover", "laro")
    after = site.search(name)
    assert after["outcome"] == "already-held", "the search for this work has ended"
    assert [offer["outcome"] for offer in after["offers"]] == ["taken"]
    sent = len(site.world.notifications)
    assert site.data("offer", "laro") == []
    assert [line for line in site.data("tend") if line["stage"] == "offer"] == []
    assert len(site.world.notifications) == sent == 2
    assert len({one["id"] for one in site.world.notifications}) == 1


@harvested_by(BY_INDEX)
def test_the_loop_is_closed_by_a_folder(site: Site, tmp_path: Path) -> None:
    name = site.world.library.lacking[0]
    site.call("run", "laro")
    site.call("discover", "laro")
    folder = tmp_path / "deposit"
    site.call("offer", "laro", "--folder", str(folder))
    assert site.world.take_in_packages(folder) == [name]
    site.call("run", "laro")
    site.call("discover", "laro")
    assert site.search(name)["outcome"] == "already-held"
    assert site.data("offer", "laro", "--folder", str(folder)) == []
    assert site.data("offer", "laro") == []
