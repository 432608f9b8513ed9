"""What an address is: `harvester source check URL`, as people and scripts see it."""

import io
import tomllib
import zipfile
from functools import partial

import pytest

from gateway.core.errors import AnswerTooLarge
from harvester.harvest.detect import recognised
from harvester.http.messages import Fetched
from harvester.sources.files import SOURCE as FILES


@pytest.fixture
def check(command):
    """Return a function that runs `harvester source check`."""
    return partial(command, "source", "check")


def test_an_oai_pmh_repository_is_recognised_and_its_entry_shown(check, repository, instance):
    status, out, err = check(f"{repository.url}?verb=ListSets")
    assert status == 0
    name = f"127-0-0-1-{repository.url.split(':')[2].split('/')[0]}"
    assert tomllib.loads(out) == {name: {"url": repository.url, "formats": ["oai_dc"], "address": "loopback"}}
    assert "An OAI-PMH repository (version 2.0): Fake." in err
    assert not (instance / "sources.toml").exists()


def test_what_is_recognised_is_added_under_a_name(check, repository, instance):
    assert check(repository.url, "--add", "fake")[0] == 0
    assert tomllib.loads((instance / "sources.toml").read_text())["fake"]["url"] == repository.url
    assert check("fake")[0] == 0
    status, _, err = check(repository.url, "--add", "fake")
    assert (status, "already" in err) == (2, True)


def test_any_other_page_is_nothing_to_harvest(check, repository):
    repository.statuses = {"Identify": (200, b"<html>Welcome</html>", {})}
    status, out, err = check(repository.url)
    assert (status, out) == (1, "")
    assert "nothing that can be harvested" in err


def test_what_is_too_long_and_nothing_that_is_known_is_reported(check, repository, instance):
    with (instance / "config.toml").open("a") as config:
        config.write("fetch_max_bytes = 1000\n")
    repository.statuses = {"Identify": (200, b"<html>" + b"x" * 3_000_000, {})}
    status, out, err = check(repository.url)
    assert (status, out, "more than 1000 bytes" in err) == (1, "", True)


def test_a_long_archive_is_recognised_by_its_beginning():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.xml", b"<one/>")
        archive.writestr("2.xml", bytes(3_000_000))
    body, poured = stream.getvalue(), []

    def fetch(request):
        if request.sink is None:
            raise AnswerTooLarge("It is too long.")
        request.sink.begin(Fetched(request.url, 200, (), b"", 0))
        for at in range(0, len(body), 500_000):
            poured.append(at)
            request.sink.write(body[at : at + 500_000])

    detection = recognised("http://x.example.org/all.zip", [FILES], fetch)
    assert [recognition.sentence for _, recognition in detection.recognised] == ["An archive of files such as 1.xml."]
    assert (detection.problems, len(poured)) == ((), 3)


def test_an_overloaded_server_is_not_said_to_be_nothing_to_harvest(check, repository):
    repository.statuses = {"Identify": (503, b"", {"Retry-After": "86400"})}
    status, _, err = check(repository.url)
    assert status == 5
    assert "nothing that can be harvested" not in err
    assert "Try again after" in err
