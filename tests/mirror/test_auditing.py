"""An audit reads every byte again, and knows what the provider has now."""

import json
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.open_folder import opened
from tests import live
from tests.mirror.conftest import NO_PAUSES, each_mirror

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


def mirrored(mirror, fill):
    """Mirror three objects; return the folder of the first."""
    fill(3)
    mirror.run()
    return opened(mirror.folder).root.place("oai:p:0")


@pytest.fixture
def folder(mirror, fill):
    return mirrored(mirror, fill)


def test_every_difference_from_the_provider_is_reported(audited, provider, folder, fill):
    provider.items["oai:p:0"].datestamp = LATER
    provider.items["oai:p:1"].deleted = True
    provider.items["oai:p:new"] = provider.items.pop("oai:p:2")
    assert audited() == [("extra", "oai:p:1"), ("missing", "oai:p:new"), ("stale", "oai:p:0"), ("extra", "oai:p:2")]
    assert audited("--offline", status=0) == []


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


def test_a_mirror_that_cannot_be_written_is_audited(mirror, folder, tmp_path):
    for harm, status in ((b"", 0), (b"harm", 3)):
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


def test_only_a_mirror_is_audited(audited, mirror):
    mirror.folder.mkdir()
    audited(status=2)
    assert "is no mirror" in mirror.stderr
    assert list(mirror.folder.iterdir()) == []
    (mirror.folder / "mirror.json").write_text("{}")
    audited(status=2)
    assert "cannot be read" in mirror.stderr


@each_mirror("harm", [lambda file: file.write_bytes(b"aX"), lambda file: shutil.rmtree(file.parent)])
def test_what_is_corrupt_or_lost_is_missing_until_it_is_fetched_again(audited, mirror, provider, fill, harm):
    harm(mirrored(mirror, fill) / "v1/content/files/a.txt")
    audited("--offline")
    assert {(missing["identifier"], missing["fate"]) for missing in mirror.run(status=3)["missing"]} == {
        ("oai:p:0", "harmed")
    }
    assert mirror.run("--retry-failed")["objects"] == {"mended": 1}
    assert audited(status=0) == []
    assert mirror.version("oai:p:0") == 1
    assert mirror.held() == provider.expected()
    assert mirror.run()["missing"] == []


@each_mirror("is_changed, versions", [(False, 1), (True, 2)])
def test_a_harmed_document_comes_with_its_record(audited, mirror, provider, fill, is_changed, versions):
    (mirrored(mirror, fill) / "v1/content/document.xml").write_bytes(b"?")
    audited("--offline")
    assert "mirror --full` brings it" in mirror.run("--retry-failed", status=3)["missing"][0]["reason"]
    if is_changed:
        provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", LATER
    provider.asked.clear()
    assert mirror.run("--full")["objects"]["updated" if is_changed else "mended"] == 1
    assert provider.asked == []
    assert mirror.version("oai:p:0") == versions
    assert audited("--offline", status=3 if is_changed else 0) == [("corrupt", "oai:p:0")] * is_changed


def test_what_is_harmed_and_was_replaced_at_the_provider_becomes_a_new_version(audited, mirror, provider, fill):
    fill(1, says=())
    mirror.run()
    (opened(mirror.folder).root.place("oai:p:0") / "v1/content/files/a.txt").unlink()
    audited("--offline")
    provider.items["oai:p:0"].files["a.txt"] = b"another"
    assert mirror.run("--retry-failed")["objects"] == {"updated": 1}
    assert mirror.held() == provider.expected()
    assert audited() == [("lost", "oai:p:0")]  # the earlier version has lost it for ever


@each_mirror(
    "name, harm, reason",
    [
        ("document.xml", lambda file: file.unlink(), "is not on this disk any more as it arrived"),
        ("received.json", lambda file: file.write_bytes(file.read_bytes() + b" "), "must come from a copy"),
    ],
)
def test_what_does_not_come_from_files_is_told_and_ends_no_run(audited, mirror, fill, name, harm, reason):
    harm(mirrored(mirror, fill) / "v1/content" / name)
    audited("--offline")
    for arguments in ((), ("--retry-failed",), ("--full",) if name == "received.json" else ()):
        (missing,) = mirror.run(*arguments, status=3)["missing"]
        assert missing["identifier"] == "oai:p:0"
    assert reason in missing["reason"]
