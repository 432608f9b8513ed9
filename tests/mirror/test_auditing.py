"""An audit reads every byte again, and knows what the provider has now."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.open_folder import opened
from tests import live
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
        mirror.stderr = done.stderr
        return [(entry["finding"], entry["identifier"]) for entry in map(json.loads, done.stdout.splitlines())]

    return audit


@pytest.fixture
def folder(mirror, fill):
    """Mirror three objects; return the folder of the first."""
    fill(3)
    mirror.run()
    return opened(mirror.folder).root.place("oai:p:0")


def test_what_is_as_it_should_be_is_told_so(audited, mirror, folder):
    assert audited(status=0) == []
    assert mirror.stderr.splitlines()[-1] == "3 objects: everything is as it should be."


def test_every_difference_from_the_provider_is_reported(audited, provider, folder, fill):
    provider.items["oai:p:0"].datestamp = LATER
    provider.items["oai:p:1"].deleted = True
    provider.items["oai:p:new"] = provider.items.pop("oai:p:2")
    assert audited() == [("extra", "oai:p:1"), ("missing", "oai:p:new"), ("stale", "oai:p:0"), ("extra", "oai:p:2")]
    assert audited("--offline", status=0) == []


def test_what_returned_is_missing_and_what_is_gone_on_both_sides_is_not_reported(audited, mirror, provider, folder):
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
    assert "In doubt: ListIdentifiers announced 9" in mirror.stderr


def test_what_was_hashed_is_told_also_when_the_provider_does_not_answer(audited, mirror, provider, folder):
    (folder / "v1/content/files/a.txt").write_bytes(b"harm")
    provider.answer = lambda _: "<html>We have moved.</html>"
    assert audited(status=1) == [("corrupt", "oai:p:0")]
    assert "3 objects: 1 corrupt. In doubt: " in mirror.stderr
    assert "The answer is not OAI-PMH but an HTML page." in mirror.stderr


@pytest.mark.parametrize(("harm", "status"), [(None, 0), (b"harm", 3)])
def test_a_mirror_that_cannot_be_written_is_audited(mirror, folder, tmp_path, harm, status):
    if harm:
        (folder / "v1/content/files/a.txt").write_bytes(harm)
    folders = [mirror.folder, *(path for path in mirror.folder.rglob("*") if path.is_dir())]
    for directory in folders:
        directory.chmod(0o555)
    line = live.command("harvester", tmp_path, "mirror", "audit", str(mirror.folder), "--offline")
    done = subprocess.run(line, preexec_fn=live.like_others, capture_output=True, text=True, check=False)
    for directory in folders:
        directory.chmod(0o755)
    assert (done.returncode, "corrupt  oai:p:0" in done.stdout) == (status, bool(harm)), done.stderr
    assert mirror.run()["is_whole"]  # what was found could not be remembered


@pytest.mark.parametrize(
    ("harm", "finding"),
    [
        (lambda folder: (folder / "v1/content/files/a.txt").write_bytes(b"aX"), "corrupt"),
        (lambda folder: (folder / "v1/content/files/a.txt").unlink(), "lost"),
        (lambda folder: (folder / "v1/content/files/new.txt").touch(), "strange"),
        (lambda folder: (folder / "stray").touch(), "strange"),
        (lambda folder: (folder / "v1/link").symlink_to("nowhere"), "strange"),
        (lambda folder: (folder / "v1/inventory.json").write_bytes(b"x"), "damaged"),
        (lambda folder: (folder / "v1/inventory.json.sha512").unlink(), "damaged"),
        (lambda folder: (folder / "0=ocfl_object_1.1").unlink(), "damaged"),
        (lambda folder: (folder.parent / "stray").touch(), "damaged"),
        (lambda folder: (folder / "inventory.json.sha512").write_bytes(b"x"), "damaged"),
        (lambda folder: (folder / "inventory.json").unlink(), "damaged"),
        (lambda folder: shutil.rmtree(folder / "v1"), "lost"),
    ],
)
def test_every_harm_to_an_object_is_found(audited, folder, harm, finding):
    harm(folder)
    assert finding in [kind for kind, _ in audited("--offline")]


@pytest.mark.parametrize(
    ("harm", "finding"),
    [
        (lambda root, _: (root / "stray").touch(), ("strange", "stray")),
        (lambda root, _: (root / "bad").write_text("x"), ("strange", "bad")),
        (lambda root, _: (root / "ocfl_layout.json").unlink(), ("damaged", "ocfl_layout.json")),
        (lambda _, folder: shutil.rmtree(folder), ("damaged", "GONE")),
        (lambda root, _: (root / "bad").mkdir(), ("damaged", "bad")),
    ],
)
def test_harm_around_the_objects_is_found(audited, mirror, folder, harm, finding):
    root = mirror.folder / "ocfl"
    harm(root, folder)
    assert (finding[0], finding[1].replace("GONE", str(folder.parent.relative_to(root)))) in audited("--offline")


def test_what_could_not_be_had_is_reported(audited, mirror, provider, fill):
    fill(1)
    provider.items["oai:p:1"] = provider.items["oai:p:0"].__class__(document=b"<x/>")
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    mirror.run(status=3)
    assert sorted(audited()) == [("incomplete", "oai:p:0"), ("incomplete", "oai:p:1")]


def test_only_a_mirror_is_audited(audited, mirror):
    mirror.folder.mkdir()
    audited(status=2)
    assert "is no mirror" in mirror.stderr
    assert list(mirror.folder.iterdir()) == []
    (mirror.folder / "mirror.json").write_text("{}")
    audited(status=2)
    assert "cannot be read" in mirror.stderr


@pytest.mark.parametrize(
    "harm", [lambda file: file.write_bytes(b"aX"), lambda file: file.unlink(), lambda file: shutil.rmtree(file.parent)]
)
def test_what_is_corrupt_or_lost_is_missing_until_it_is_fetched_again(audited, mirror, provider, folder, harm):
    harm(folder / "v1/content/files/a.txt")
    audited("--offline")
    assert {(missing["identifier"], missing["fate"]) for missing in mirror.run(status=3)["missing"]} == {
        ("oai:p:0", "harmed")
    }
    assert mirror.run("--retry-failed")["objects"] == {"mended": 1}
    assert audited(status=0) == []
    assert mirror.version("oai:p:0") == 1
    assert mirror.held() == provider.expected()
    assert mirror.run()["missing"] == []


@pytest.mark.parametrize("is_changed", [False, True])
def test_what_is_harmed_is_fetched_again_with_its_record_too(audited, mirror, provider, folder, is_changed):
    (folder / "v1/content/files/a.txt").unlink()
    audited("--offline")
    provider.asked.clear()
    if is_changed:
        provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", LATER
    assert mirror.run(*([] if is_changed else ["--full"]))["objects"]["updated" if is_changed else "mended"] == 1
    assert provider.asked == ["oai:p:0/a.txt"]
    assert audited(status=0) == []


@pytest.mark.parametrize(("is_changed", "versions"), [(False, 1), (True, 2)])
def test_a_harmed_document_comes_with_its_record(audited, mirror, provider, folder, is_changed, versions):
    (folder / "v1/content/document.xml").write_bytes(b"?")
    audited("--offline")
    assert "mirror --full` brings it" in mirror.run("--retry-failed", status=3)["missing"][0]["reason"]
    if is_changed:
        provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", LATER
    provider.asked.clear()
    assert mirror.run("--full")["objects"]["updated" if is_changed else "mended"] == 1
    assert provider.asked == []
    assert mirror.version("oai:p:0") == versions
    assert audited("--offline", status=3 if is_changed else 0) == [("corrupt", "oai:p:0")] * is_changed


def test_what_is_known_of_an_object_must_come_from_a_copy(audited, mirror, provider, folder):
    file = folder / "v1/content/received.json"
    file.write_bytes(file.read_bytes() + b" ")
    audited("--offline")
    assert "must come from a copy" in mirror.run("--full", status=3)["missing"][0]["reason"]


def test_what_is_harmed_and_cannot_be_had_stays_missing(audited, mirror, provider, folder):
    (folder / "v1/content/files/a.txt").write_bytes(b"aX")
    audited("--offline")
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    receipt = mirror.run("--retry-failed", status=3)
    assert (receipt["objects"], [missing["fate"] for missing in receipt["missing"]]) == (
        {"unchanged": 1},
        ["not_found"],
    )
    assert mirror.version("oai:p:0") == 1
    assert [missing["fate"] for missing in mirror.run(status=3)["missing"]] == ["harmed"]


def test_what_is_harmed_and_was_replaced_at_the_provider_becomes_a_new_version(audited, mirror, provider, fill):
    fill(1, says=())
    mirror.run()
    (opened(mirror.folder).root.place("oai:p:0") / "v1/content/files/a.txt").unlink()
    audited("--offline")
    provider.items["oai:p:0"].files["a.txt"] = b"another"
    assert mirror.run("--retry-failed")["objects"] == {"updated": 1}
    assert mirror.held() == provider.expected()
    assert audited() == [("lost", "oai:p:0")]  # the earlier version has lost it for ever


@pytest.mark.parametrize("name", ["document.xml", "received.json"])
def test_what_does_not_come_from_files_is_told_and_ends_no_run(audited, mirror, folder, name):
    (folder / "v1/content" / name).unlink()
    audited("--offline")
    for arguments in ((), ("--retry-failed",), ("--full",) if name == "received.json" else ()):
        assert [missing["identifier"] for missing in mirror.run(*arguments, status=3)["missing"]] == ["oai:p:0"]


def test_what_is_harmed_of_a_deleted_object_is_told_and_not_missing(audited, mirror, provider, folder):
    provider.items["oai:p:0"].deleted, provider.items["oai:p:0"].datestamp = True, LATER
    mirror.run()
    (folder / "v1/content/files/a.txt").unlink()
    for _ in range(2):
        assert audited("--offline") == [("lost", "oai:p:0")]
        assert mirror.run("--retry-failed")["missing"] == []
