"""An instance with files that were found and accepted, and a source with an inbox on loopback."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.core.model import Decision, FileLink, FileOrigin, ItemState
from gateway.fulltext.stored_files import Copies
from gateway.publish.publish_files import file_all
from harvester.cli import main
from tests.fulltext.conftest import NAME, folder  # noqa: F401 - the instance into which the sample was harvested
from tests.http.server import Server, ok, serving
from tests.opening import open_discovery, open_inbox, open_store

PREFIX = "oai:g.example.org:laro/"
CONFIG = """
base_url = "https://g.example.org/oai"
fetch_delay_seconds = 0
fetch_retries = 1
fetch_backoff_seconds = 0.001
discover_delay_seconds = 0
"""


def upstream(item: str) -> str:
    return f"oai:laro.example.org:{item}"


def pdf(item: str) -> bytes:
    return f"%PDF-1.4 the file of {item}".encode()


def created(request: Any) -> None:
    """Answer as an inbox that has taken a notification in."""
    request.send_response_only(201)
    request.send_header("Content-Length", "0")
    request.end_headers()


@dataclass
class Place:
    """One instance, its inbox at the source, and what the commands say."""

    folder: Path
    server: Server

    @property
    def inbox(self) -> str:
        return self.server.url("/inbox")

    def configure(self, inbox: str = "", *, allow: str = "") -> None:
        """Write the inbox into the entry of the source; the guard lets requests to it pass."""
        file = self.folder / "sources.toml"
        lines = [line for line in file.read_text().splitlines() if not line.startswith(("notify_inbox", "allow"))]
        allowed = allow or self.server.address
        file.write_text("\n".join([*lines, f'notify_inbox = "{inbox or self.inbox}"', f'allow = ["{allowed}"]\n']))

    def accept(self, item: str, *, body: bytes = b"", url: str = "", has_copy: bool = True, **facts: Any) -> str:
        """Publish an accepted file of an item; return its SHA-256."""
        body = body or pdf(item)
        digest, url = sha256(body).hexdigest(), url or f"https://a.example.org/{item}.pdf"
        given = {"license": "https://creativecommons.org/licenses/by/4.0/", "version": "accepted", **facts}
        link = FileLink(
            url,
            "application/pdf",
            FileOrigin.DISCOVERED,
            "unpaywall",
            len(body),
            digest,
            found_at="2026-01-01T00:00:00Z",
        )._replace(**given)
        self.decide(item, link, "accept")
        if has_copy:
            Copies(self.folder).keep(body)
        return digest

    def decide(self, item: str, link: FileLink, verdict: str) -> None:
        """Decide on a file, and publish that."""
        with self.databases() as (store, inbox, discovery):
            discovery.enlist(NAME, [(PREFIX + upstream(item), upstream(item))], 1, 1)
            discovery.decide(
                Decision(PREFIX + upstream(item), link.url, link.sha256, verdict, "By hand.", "a person", 1)
            )
            files = (link,) if verdict == "accept" else ()

            def known(state: ItemState) -> tuple[FileLink, ...]:
                return (*(file for file in state.files if file.url != link.url), *files)

            file_all(store, inbox, NAME, (upstream(item),), known)

    def withdraw(self, item: str, digest: str) -> None:
        self.decide(item, FileLink(f"https://a.example.org/{item}.pdf", sha256=digest), "reject")

    @contextmanager
    def databases(self) -> Iterator[tuple[Any, Any, Any]]:
        with (
            closing(open_store(self.folder)) as store,
            closing(open_inbox(self.folder)) as inbox,
            closing(open_discovery(self.folder)) as discovery,
        ):
            yield store, inbox, discovery

    def call(self, *arguments: str, status: int = 0) -> str:
        done = CliRunner().invoke(main, ["--instance", str(self.folder), *arguments])
        assert done.exit_code == status, done.output
        return done.output

    def data(self, *arguments: str, status: int = 0) -> list[dict[str, Any]]:
        done = CliRunner().invoke(main, ["--instance", str(self.folder), *arguments, "--json"])
        assert done.exit_code == status, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    def offer(self, *arguments: str, status: int = 0) -> list[tuple[str, str]]:
        """Offer the files of the source; return (item, outcome) of each offer that was made."""
        offers = self.data("offer", NAME, *arguments, status=status)
        return [(one["identifier"].rpartition(":")[2], one["outcome"]) for one in offers]

    def explained(self, item: str) -> list[dict[str, Any]]:
        (search,) = self.data("explain", PREFIX + upstream(item))
        return search["offers"]

    def later(self) -> None:
        """Let the pause of every repeated offer end."""
        with self.databases() as (_, _, discovery):
            for offer in discovery.offers(NAME, ("", "", ""), 99):
                discovery.store_offer(offer._replace(next_at=min(offer.next_at, 1)))

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """The notifications that the inbox got."""
        return [json.loads(asked.body) for asked in self.server.asked if asked.path == "/inbox"]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as begun:
        begun.say("/inbox", ok(b"", 201, Location="/inbox/1"))
        yield begun


@pytest.fixture
def place(folder: Path, server: Server) -> Place:  # noqa: F811 - the fixture
    with (folder / "config.toml").open("a") as config:
        config.write(CONFIG)
    made = Place(folder, server)
    made.configure()
    return made


@pytest.fixture
def accepted(place: Place) -> Callable[..., str]:
    return place.accept
