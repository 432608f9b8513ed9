"""The class of address that a source had when it was added, and what it takes to let it lead elsewhere."""

import json
import socket
import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest

from harvester.harvest.access import with_address, with_address_of
from harvester.harvest.sources_toml import SourceEntry, SourcesFile


@pytest.fixture
def sources(instance):
    """Return a function that returns what stands in sources.toml."""
    return lambda: tomllib.loads((instance / "sources.toml").read_text("utf-8"))


@pytest.fixture
def names(monkeypatch):
    """Let the system's resolver know the names that are put in; every other address is looked up as always."""
    known: dict[str, str] = {}
    resolve = socket.getaddrinfo

    def looked_up(host, port, *arguments, **options):
        if isinstance(host, str) and host.endswith(".test") and host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(known.get(host, host), port, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    return known


def _edit(instance, before, after):
    file = instance / "sources.toml"
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after), "utf-8")


def test_adding_a_local_source_allows_its_class_of_address_and_says_so(command, repository, sources):
    repository.fill(1)
    status, out, err = command("source", "add", "fake", repository.url, "--json")
    assert (status, json.loads(out)["address"], sources()["fake"]["address"]) == (0, "loopback", "loopback")
    assert "The host of fake has a loopback address." in err
    assert 'recorded as address = "loopback"' in err
    assert command("run", "fake")[0] == 0


def test_a_source_that_was_public_and_is_private_now_is_refused_until_its_entry_says_so(
    command, repository, sources, instance, names
):
    repository.fill(1)
    url = repository.url.replace("127.0.0.1", "repo.test")
    names["repo.test"] = "8.8.8.8"
    assert command("source", "add", "fake", url, "--no-check")[0] == 0
    assert sources()["fake"]["address"] == "public"
    names["repo.test"] = "127.0.0.1"
    status, _, err = command("run", "fake")
    assert (status, repository.asked) == (4, [])
    assert 'write address = "loopback" into the entry of fake in sources.toml' in err.replace("\n", " ")
    _edit(instance, 'address = "public"', 'address = "loopback"')
    assert command("run", "fake")[0] == 0


def test_a_redirect_to_another_port_of_the_host_needs_an_allow(command, repository, instance):
    repository.fill(1)
    assert command("source", "add", "fake", repository.url)[0] == 0
    repository.before = lambda _: (302, b"", {"Location": "http://127.0.0.1:1/secret"})
    status, _, err = command("run", "fake")
    assert status == 4
    assert 'allow it: allow = ["127.0.0.1:1"] in the entry of the source' in err.replace("\n", " ")
    _edit(instance, 'address = "loopback"', 'address = "loopback"\nallow = ["127.0.0.1:1"]')
    status, _, err = command("run", "fake")
    assert (status, "Connection refused" in err) == (5, True)


def test_an_entry_of_an_earlier_version_gets_its_class_from_the_first_command_that_asks(
    command, repository, sources, instance, caplog
):
    """What people wrote stays: comments, order, and other sources."""
    repository.fill(1)
    text = f'# ours\n[fake]\nurl = "{repository.url}"  # the archive\n\n[other]\nurl = "http://o.test/"\n'
    (instance / "sources.toml").write_text(text, "utf-8")
    assert command("run", "fake")[0] == 0
    assert caplog.text.count('recorded as address = "loopback"') == 1
    after = (instance / "sources.toml").read_text("utf-8")
    assert after.startswith(f'# ours\n[fake]\nurl = "{repository.url}"  # the archive\n')
    assert (sources()["fake"]["address"], sources()["other"]) == ("loopback", {"url": "http://o.test/"})
    assert command("run", "fake")[0] == 0
    assert caplog.text.count("recorded as address") == 1


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://192.0.0.192/", "http://0.0.0.0/", "http://gone.test/"]
)
def test_nobody_names_a_cloud_s_own_address_by_accident(command, sources, names, url):
    assert with_address(SourceEntry("fake", url)).address == ""
    assert command("source", "add", "fake", url, "--no-check")[0] == 0
    assert "address" not in sources()["fake"]
    assert command("run", "fake")[0] in (4, 5)


def test_a_proxy_is_asked_instead_of_the_resolver(monkeypatch, names):
    names["repo.test"] = "10.0.0.1"
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    assert with_address(SourceEntry("fake", "https://repo.test/")).address == ""
    assert with_address(SourceEntry("fake", "http://repo.test/")).address == "private"


def test_what_another_source_names_is_public_unless_it_has_its_origin():
    asked = SourceEntry("a", "http://127.0.0.1:8080/oai", address="loopback")
    assert with_address_of(SourceEntry("b", "http://127.0.0.1:8080/x"), asked).address == "loopback"
    assert with_address_of(SourceEntry("b", "http://127.0.0.1:8081/x"), asked).address == "public"
    assert with_address_of(SourceEntry("b", "http://evil.example.org/oai"), asked).address == "public"


def test_two_processes_that_change_the_file_wait_for_each_other(tmp_path):
    """Each adds its source; none is lost."""
    sources = SourcesFile(tmp_path / "sources.toml")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: sources.add(SourceEntry(f"s{number}", "http://h/oai")), range(16)))
    assert len(sources.entries()) == 16
