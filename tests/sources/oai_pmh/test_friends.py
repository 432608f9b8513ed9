"""Whom a source or a registry names, and whether they are repositories: `harvester source friends`."""

from __future__ import annotations

import json
import tomllib
from contextlib import closing

import pytest

from gateway.errors import NotXml
from gateway.model import Source
from gateway.store.opening import open_store
from harvester.sources.oai_pmh import friends
from harvester.sources.oai_pmh.friends import Friend, parse
from tests.conftest import SHARED
from tests.sources.static_repository.static import document

FRIENDS = '<friends xmlns="http://www.openarchives.org/OAI/2.0/friends/">{}</friends>'


@pytest.fixture
def names(repository):
    """Let the repository name these addresses as its friends."""

    def names(*urls):
        listed = "".join(f"<baseURL>{url}</baseURL>" for url in urls)
        body = repository.answer({"verb": "Identify"})
        described = f"<description>{FRIENDS.format(listed)}</description></Identify>"
        repository.statuses["Identify"] = (200, body.replace("</Identify>", described).encode(), {})

    return names


def _rows(out):
    return [json.loads(line) for line in out.splitlines()]


def test_the_friends_of_a_source_are_listed_and_those_that_are_sources_are_marked(command, repository, names):
    command("source", "add", "fake", repository.url)
    names("http://oai.east.example.org/foo/", repository.url, "no address", "http:///no-host")
    status, out, _ = command("source", "friends", "fake", "--json")
    assert status == 0
    assert _rows(out) == [
        {"name": "oai-east-example-org", "url": "http://oai.east.example.org/foo/", "is_a_source": False},
        {"name": "fake", "url": repository.url, "is_a_source": True},
    ]


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_an_address_that_says_nothing_without_arguments_is_asked_who_it_is(command, repository, names, body):
    names("http://oai.east.example.org/foo/")
    repository.before = lambda asked: None if asked else (200, body, {})
    assert command("source", "friends", repository.url, "--json")[1].count("oai.east") == 1
    repository.statuses["Identify"] = (200, body, {})
    status, _, err = command("source", "friends", repository.url)
    assert (status, "no XML" in err) == (1, True)


def test_a_static_repository_on_this_machine_names_its_friends(command, tmp_path):
    described = f"<oai:description>{FRIENDS.format('<baseURL>http://a.example.org/oai</baseURL>')}</oai:description>"
    (tmp_path / "small.xml").write_bytes(document().replace(b"</Identify>", f"{described}</Identify>".encode()))
    command("source", "add", "small", str(tmp_path / "small.xml"), "--kind", "static_repository")
    for asked in ("small", str(tmp_path / "small.xml")):
        status, out, _ = command("source", "friends", asked, "--json")
        assert (status, [row["url"] for row in _rows(out)]) == (0, ["http://a.example.org/oai"])


def test_friends_that_answer_can_be_added(command, repository, names, instance):
    names(f"{repository.url}?own=1", f"{repository.url}?own=2", "http://127.0.0.2:1/oai")
    status, out, _ = command("source", "friends", repository.url, "--add", "--json")
    first, second, third = _rows(out)
    assert status == 0
    assert (first["answers"], second["answers"], third["answers"]) == (True, True, False)
    assert "An OAI-PMH repository (version 2.0): Fake." in first["says"]
    assert "127.0.0.2" in third["says"]
    entries = tomllib.loads((instance / "sources.toml").read_text())
    assert [entry["url"] for entry in entries.values()] == [f"{repository.url}?own=1", f"{repository.url}?own=2"]
    assert command("source", "friends", repository.url, "--check", "--json")[1].count('"is_a_source": true') == 2


def test_a_friend_that_is_no_repository_is_reported(command, repository, names):
    names(f"{repository.url}?own=1")
    named = repository.statuses["Identify"]
    repository.before = lambda asked: repository.statuses.update(
        {"Identify": (200, b"<html/>", {}) if "own" in asked else named}
    )
    (only,) = _rows(command("source", "friends", repository.url, "--check", "--json")[1])
    assert (only["answers"], only["says"]) == (False, "No answer of OAI-PMH.")


def test_a_registry_names_repositories_by_their_own_names():
    body = b'<BaseURLs number="2"><baseURL id="A.b">http://a.org/oai</baseURL><baseURL>http://b.org/oai</baseURL></BaseURLs>'
    assert parse(body) == (Friend("http://a.org/oai", "A.b"), Friend("http://b.org/oai"))


def test_what_is_said_twice_or_is_no_address_counts_once_or_not():
    body = FRIENDS.format("<baseURL> http://a.org/ </baseURL><baseURL>http://a.org/</baseURL><baseURL>x</baseURL>")
    assert parse(f'<?xml version="1.0" encoding="x"?>{body}'.encode()) == (Friend("http://a.org/"),)
    assert parse(b"<OAI-PMH><baseURL>http://itself.org/</baseURL></OAI-PMH>") == ()
    with pytest.raises(NotXml):
        parse(b"")


def test_names_are_free_and_short(command, repository, names):
    long = "http://" + "very-" * 9 + "long.example.org"
    names(f"{long}/1", f"{long}/2")
    rows = _rows(command("source", "friends", repository.url, "--json")[1])
    assert [row["name"] for row in rows] == ["very-very-very-very-very-v", "very-very-very-very-very-v-2"]


def test_a_friend_with_a_secret_in_its_address_is_left_out_and_reported(command, repository, names):
    names("http://a.example.org/oai?apikey=HUSH", "http://b.example.org/oai")
    _, out, err = command("source", "friends", repository.url, "--json")
    assert [row["url"] for row in _rows(out)] == ["http://b.example.org/oai"]
    assert "The friend http://a.example.org/oai?apikey=... is left out. The argument apikey" in err
    assert "HUSH" not in out + err


def test_a_friend_gets_the_name_that_its_address_had_and_no_other_that_was_used(command, instance, repository, names):
    with closing(open_store(instance)) as store:
        store.add_source(Source("old", "http://a.example.org/oai", is_removed=True))
        store.add_source(Source("b-example-org", "http://elsewhere.example.org/oai", is_removed=True))
    names("http://a.example.org/oai", "http://b.example.org/oai")
    rows = _rows(command("source", "friends", repository.url, "--json")[1])
    assert [row["name"] for row in rows] == ["old", "b-example-org-2"]


@pytest.mark.slow
@pytest.mark.needs("../shared/data/oai/registry")
def test_the_official_registry_is_read_whole():
    (file,) = (SHARED / "data" / "oai" / "registry").rglob("ListFriends*.xml")
    assert len(parse(file.read_bytes())) > 7000


def test_friend_whose_address_has_half_a_character_is_read():
    assert (
        friends.parse(b"<BaseURLs><baseURL>http://x.org/&#xD800;</baseURL></BaseURLs>")[0][0] == "http://x.org/\ufffd"
    )


def test_friends_in_a_root_with_a_name_that_is_none_are_read():
    """libxml2's recovery lets such a name through; lxml's QName raises ValueError for it."""
    assert friends.parse(b"<z:a:b><baseURL>http://x.org/</baseURL></z:a:b>") == ()
