"""Whom a source or a registry names, and whether they are repositories: `harvester source friends`."""

import json
import tomllib

import pytest

from gateway.core.errors import NotXml
from harvester.sources.oai_pmh.description import Friend, parse
from tests.conftest import SHARED

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


def test_a_registry_names_repositories_by_their_own_names():
    body = b'<BaseURLs number="2"><baseURL id="A.b">http://a.org/oai</baseURL><baseURL>http://b.org/oai</baseURL></BaseURLs>'
    assert parse(body) == (Friend("http://a.org/oai", "A.b"), Friend("http://b.org/oai"))


def test_what_is_said_twice_or_is_no_address_counts_once_or_not():
    body = FRIENDS.format("<baseURL> http://a.org/ </baseURL><baseURL>http://a.org/</baseURL><baseURL>x</baseURL>")
    assert parse(f'<?xml version="1.0" encoding="x"?>{body}'.encode()) == (Friend("http://a.org/"),)
    assert parse(b"<OAI-PMH><baseURL>http://itself.org/</baseURL></OAI-PMH>") == ()
    with pytest.raises(NotXml):
        parse(b"")


def test_a_friend_with_a_secret_in_its_address_is_left_out_and_reported(command, repository, names):
    names("http://a.example.org/oai?apikey=HUSH", "http://b.example.org/oai")
    _, out, err = command("source", "friends", repository.url, "--json")
    assert [row["url"] for row in _rows(out)] == ["http://b.example.org/oai"]
    assert "The friend http://a.example.org/oai?apikey=... is left out. The argument apikey" in err
    assert "HUSH" not in out + err


@pytest.mark.slow
@pytest.mark.needs("../shared/data/oai/registry")
def test_the_official_registry_is_read_whole():
    (file,) = (SHARED / "data" / "oai" / "registry").rglob("ListFriends*.xml")
    assert len(parse(file.read_bytes())) > 7000
