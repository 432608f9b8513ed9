"""People who have signed in to the pages of the review, as browsers: what their pages are tested with."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from argon2 import PasswordHasher
from flask import Flask
from werkzeug.test import Client, TestResponse

from gateway.core.model import Candidate, Decision, Deed, FoundCopy, LogLine, Outcome, Role, User
from gateway.core.settings import place_of_copy
from gateway.fulltext.found_copies import copies_of_result
from gateway.fulltext.policies import Colour, Policy
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.store.base import Discovery
from tests.opening import open_users
from tests.page_house import House
from tests.publish.harness import Sent, dc

PASSWORD = "a password of this test"
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # a quick one
ADDRESS = "192.0.2.7"


def add_user(folder: Path, name: str = "B. Ito", role: Role = Role.REVIEWER, *sources: str) -> User:
    """Add a user with the password of the tests to an instance, and return it."""
    user, users = User(name, role, sources), open_users(folder)
    try:
        assert users.add(user, HASH, LogLine(int(time.time()), "", Deed.ADDED, name))
    finally:
        users.close()
    return user


@dataclass
class Browser:
    """A browser with cookies. Forms are sent with the token of the last page that had a form."""

    app: Flask
    client: Client
    address: str = ADDRESS
    token: str = ""

    def get(self, path: str, **more: Any) -> TestResponse:
        return self._seen(self.client.get(path, environ_base={"REMOTE_ADDR": self.address}, **more))

    def post(self, path: str, *, csrf: str | None = None, **fields: Any) -> TestResponse:
        fields["csrf_token"] = self.token if csrf is None else csrf
        return self._seen(self.client.post(path, data=fields, environ_base={"REMOTE_ADDR": self.address}))

    def sign_in(self, name: str = "B. Ito", password: str = PASSWORD, following: str = "/review") -> TestResponse:
        self.get("/review/login")
        return self.post("/review/login", name=name, password=password, next=following)

    def _seen(self, answer: TestResponse) -> TestResponse:
        if match := re.search(r'name="csrf_token" value="([^"]+)"', answer.text):
            self.token = unescape(match[1])
        return answer


def browser(app: Flask, address: str = ADDRESS) -> Browser:
    """Return a browser in which nobody has signed in."""
    return Browser(app, app.test_client(), address)


def signed_in(app: Flask, folder: Path, name: str = "B. Ito", role: Role = Role.REVIEWER, *sources: str) -> Browser:
    """Add a user, sign in, and return the browser on the first page of the review."""
    add_user(folder, name, role, *sources)
    page = browser(app)
    assert page.sign_in(name).status_code == 303
    assert page.get("/review").status_code == 200
    return page


DOMAIN = "oai:gateway.example.org"
AT = 1_764_150_000


class Found(NamedTuple):
    """A file that was found: its item, its address and its SHA-256."""

    identifier: str
    url: str
    sha256: str


class Files:
    """The files of an instance."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.discovery: Discovery = house.app.extensions["discovery"].open()
        house.harness.now = time.time()  # pages publish by the clock of the machine
        house.app.extensions["store"].believe()

    def add(
        self, name: str, title: str = "A title", *, source: str = "laro", verdict: str = "review", **more: Any
    ) -> Found:
        """Publish an item, and store a search that found one file of it, with the decision of a rule."""
        self.publish(name, title=title, source=source)
        return self.find(name, title, source=source, verdict=verdict, **more)

    def publish(self, *names: str, title: str = "A title", source: str = "laro") -> None:
        """Publish items."""
        harness = self.house.harness
        if source != "laro":
            harness.add(source)
        harness.send(*(Sent(name, dc(escape(title))) for name in names), source=source)
        harness.publish(source)

    def find(
        self,
        name: str,
        title: str = "A title",
        *,
        source: str = "laro",
        verdict: str = "review",
        by: str = "rule",
        reason: str = "The score 0.4 is too low to decide.",
        body: bytes = b"",
        authors: str = "Okafor, Ada; Lindqvist, M\u00e4rta",
        colour: str = "green",
        has_copy: bool = True,
        at: int = AT,
        **candidate: Any,
    ) -> Found:
        """Store a search that found one file of an item."""
        identifier = f"{DOMAIN}:{source}/{name}"
        body = body or b"%PDF-1.7 " + name.encode()
        digest = sha256(body).hexdigest()
        url = candidate.pop("url", f"https://repository.example.net/{name}.pdf")
        score = candidate.pop("score", 0.4)
        facts = {
            "evidence": "best_oa_location", "license": "cc-by", "version": "accepted", "kind": "article",
            "judge": int(score is not None), "likeness": score or 0.0,
        }  # fmt: skip
        checked = Candidate(
            url, candidate.pop("found_by", "unpaywall"), outcome=candidate.pop("outcome", Outcome.LOW_SCORE),
            size=len(body), sha256=digest, mime_type="application/pdf", **{**facts, **candidate},
        )  # fmt: skip
        policy = Policy(Colour(colour), "A journal") if colour else None
        result = SearchResult(Outcome.LOW_SCORE, candidates=(checked,), policy=policy, title=title, authors=authors)
        self.discovery.enlist(source, [(identifier, name)], 1, at)
        lease = self.discovery.lease(at, 60, (), identifier)
        assert lease is not None
        decisions = (Decision(identifier, url, digest, verdict, reason, by, at),)
        copies = copies_of_result(identifier, source, result, lambda _: "repository.example.net")
        assert self.discovery.done(lease, "success", search_as_json(result), at, lambda _: decisions, copies=copies)
        if has_copy:
            place = place_of_copy(self.house.harness.folder, digest)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(body)
        return Found(identifier, url, digest)

    def find_many(self, name: str, count: int) -> None:
        """Store a search that found so many files of one item of `laro`."""
        identifier = f"{DOMAIN}:laro/{name}"
        urls = [f"https://repository.example.net/{number:05}.pdf" for number in range(count)]
        checked = tuple(
            Candidate(url, "unpaywall", outcome=Outcome.LOW_SCORE, sha256=f"{number:064x}", judge=1, likeness=0.4)
            for number, url in enumerate(urls)
        )
        result = SearchResult(Outcome.LOW_SCORE, candidates=checked, title="Large")
        self.discovery.enlist("laro", [(identifier, name)], 1, AT)
        lease = self.discovery.lease(AT, 60, (), identifier)
        assert lease is not None
        decisions = [Decision(identifier, one.url, one.sha256, "review", "It waits.", "rule", AT) for one in checked]
        copies = copies_of_result(identifier, "laro", result, lambda _: "repository.example.net")
        assert self.discovery.done(lease, "success", search_as_json(result), AT, lambda _: decisions, copies=copies)

    def change(self, file: Found) -> None:
        """Store that a later search got other bytes, on which nobody has decided."""
        self.discovery.list_copies([FoundCopy(file.identifier, file.url, "laro", "A title", sha256="f" * 64)], None)

    def decide_all(self, name: str, verdict: str = "reject") -> None:
        """Store the decision of a person on each file of an item of `laro`."""
        last = {decision.url: decision for decision in self.discovery.decisions(f"{DOMAIN}:laro/{name}")}
        self.discovery.decide(*(one._replace(verdict=verdict, decided_by="A. Reader") for one in last.values()))

    def last(self, file: Found) -> Decision:
        """Return the decision in force on a file."""
        return [decision for decision in self.discovery.decisions(file.identifier) if decision.url == file.url][-1]

    def history(self, file: Found) -> Sequence[tuple[str, str]]:
        """Return who decided what on a file, the oldest first."""
        every = self.discovery.decisions(file.identifier)
        return [(decision.decided_by, decision.verdict) for decision in every if decision.url == file.url]
