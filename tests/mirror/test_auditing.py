"""An audit reads every byte again, and knows what the provider has now."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.place import opened
from tests.mirror.conftest import NO_PAUSES

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


LATER = "2030-01-01T00:00:00Z"


@pytest.fixture
def audited(mirror):
    """Return a function that audits the mirror: what it found, as (finding, identifier)."""

    def audit(*arguments, status=3):
        line = ["mirror", "audit", str(mirror.folder), "--json", *arguments]
        done = CliRunner().invoke(main, line, env=NO_PAUSES, catch_exceptions=False)
        assert done.exit_code == status, done.output
        mirror.said = done.stderr
        return [(each["finding"], each["identifier"]) for each in map(json.loads, done.stdout.splitlines())]

    return audit


@pytest.fixture
def folder(mirror, fill):
    """Mirror three objects; return the folder of the first."""
    fill(3)
    mirror.run()
    return opened(mirror.folder).root.place("oai:p:0")


def test_what_is_as_it_should_be_is_told_so(audited, mirror, folder):
    assert audited(status=0) == []
    assert mirror.said.splitlines()[-1] == "3 objects: everything is as it should be."


def test_every_difference_from_the_provider_is_told(audited, provider, folder, fill):
    provider.items["oai:p:0"].datestamp = LATER
    provider.items["oai:p:1"].deleted = True
    provider.items["oai:p:new"] = provider.items.pop("oai:p:2")
    assert audited() == [("extra", "oai:p:1"), ("missing", "oai:p:new"), ("stale", "oai:p:0"), ("extra", "oai:p:2")]
    assert audited("--offline", status=0) == []


def test_what_returned_is_missing_and_what_is_gone_on_both_sides_is_not_told(audited, mirror, provider, folder):
    for name in ("oai:p:0", "oai:p:1"):
        provider.items[name].deleted, provider.items[name].datestamp = True, LATER
    mirror.run()
    provider.items["oai:p:0"].deleted = False
    provider.items["oai:p:never"] = provider.items["oai:p:1"]
    assert audited() == [("missing", "oai:p:0")]


def test_a_list_that_is_not_whole_tells_of_nothing_that_is_gone(audited, mirror, provider, folder, fill):
    fill(4)
    provider.page_size = 2
    mirror.run("--full")
    provider.items["oai:p:8"] = provider.items.pop("oai:p:3")
    whole = provider.answer
    provider.answer = lambda arguments: whole(arguments).replace('completeListSize="4"', 'completeListSize="9"')
    assert audited() == [("missing", "oai:p:8")]
    assert "In doubt: ListIdentifiers announced 9" in mirror.said


@pytest.mark.parametrize(
    ("harm", "finding"),
    [
        (lambda folder: (folder / "v1/content/files/a.txt").write_bytes(b"aX"), "corrupt"),
        (lambda folder: (folder / "v1/content/files/a.txt").unlink(), "lost"),
        (lambda folder: (folder / "v1/content/files/new.txt").touch(), "strange"),
        (lambda folder: (folder / "inventory.json.sha512").write_bytes(b"x"), "damaged"),
        (lambda folder: (folder / "inventory.json").unlink(), "damaged"),
        (lambda folder: shutil.rmtree(folder / "v1"), "lost"),
    ],
)
def test_every_harm_to_an_object_is_found(audited, folder, harm, finding):
    harm(folder)
    assert finding in [each for each, _ in audited("--offline")]


def test_what_could_not_be_had_is_told(audited, mirror, provider, fill):
    fill(1)
    provider.items["oai:p:1"] = provider.items["oai:p:0"].__class__(document=b"<x/>")
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    mirror.run(status=3)
    assert sorted(audited()) == [("incomplete", "oai:p:0"), ("incomplete", "oai:p:1")]


def test_only_a_mirror_is_audited(audited, mirror):
    mirror.folder.mkdir()
    audited(status=2)
    assert "is no mirror" in mirror.said
    assert list(mirror.folder.iterdir()) == []
    (mirror.folder / "mirror.json").write_text("{}")
    audited(status=2)
    assert "cannot be read" in mirror.said
