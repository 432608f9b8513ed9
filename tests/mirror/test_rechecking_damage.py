"""A recheck of objects that are damaged on this disk: they are named, mended where that can be, and stop no other."""

import json
import resource
import shutil
import signal
import subprocess

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.open_folder import opened
from tests.live import command, environment
from tests.mirror.conftest import NO_PAUSES, each_mirror

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it asks servers

DAMAGED = "oai:p:0"


@pytest.fixture
def lies(mirror):
    """Return a function that tells where a file of the damaged object lies."""

    def place(name):
        root = opened(mirror.folder).root
        return root.place(DAMAGED) / root.inventory(DAMAGED).place(name)

    return place


def _audited(mirror):
    done = CliRunner().invoke(main, ["mirror", "audit", str(mirror.folder), "--offline"], catch_exceptions=False)
    assert done.exit_code == 3, done.output


def _without_document(folder):
    file = folder / "inventory.json"
    inventory = json.loads(file.read_bytes())
    rows = inventory["versions"]["v1"]["state"]
    del rows[next(digest for digest, names in rows.items() if names[0].endswith("document.xml"))]
    file.write_text(json.dumps(inventory))


def _document_cut(folder):
    file = folder / "v1" / "content" / "document.xml"
    file.write_bytes(file.read_bytes()[:100])


@each_mirror("damage", [_without_document, _document_cut, shutil.rmtree])
def test_a_damaged_object_is_named_and_the_others_are_rechecked(provider, mirror, recheck, fill, damage):
    fill(3, says=())
    mirror.run()
    damage(opened(mirror.folder).root.place(DAMAGED))
    provider.items["oai:p:1"].files["a.txt"] = b"aX"
    receipt = recheck(status=3)
    assert [(missing["identifier"], missing["fate"]) for missing in receipt["missing"]] == [(DAMAGED, "unreadable")]
    assert receipt["objects"] == {"unusable": 1, "unchanged": 1, "updated": 1}
    assert recheck(status=3)["objects"] == {"unusable": 1, "unchanged": 2}


def test_a_document_that_was_altered_does_not_become_a_version(provider, mirror, recheck, fill, lies):
    fill(1, says=())
    item = provider.items[DAMAGED]
    item.document = provider._didl(DAMAGED)
    del item.files["a.txt"]
    mirror.run(status=3)
    good = lies("document.xml").read_bytes()
    lies("document.xml").write_bytes(good.replace(b"A title", b"B title"))
    item.files["a.txt"] = b"a0"
    for tried in (lambda: mirror.run("--retry-failed", status=3), lambda: recheck(status=3)):
        assert "document.xml is not what arrived" in tried()["missing"][0]["reason"]
        assert mirror.version(DAMAGED) == 1
    assert mirror.run("--full")["is_whole"]
    assert lies("document.xml").read_bytes() == good


@each_mirror("has_validators", [True, False])
def test_what_an_audit_found_harmed_is_mended_and_not_forgotten(provider, mirror, recheck, fill, lies, has_validators):
    provider.has_validators = has_validators
    fill(1, says=())
    mirror.run()
    lies("files/a.txt").write_bytes(b"XX")
    _audited(mirror)
    provider.items[DAMAGED].files["b.txt"] = b"bX"
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    assert "a.txt" in recheck(status=3)["missing"][0]["url"]
    provider.faults.clear()
    assert recheck()["is_whole"]
    assert mirror.held() == provider.expected()


def _called(mirror, before_it):
    line = command("harvester", mirror.folder.parent / "nowhere", "mirror", "recheck", str(mirror.folder))
    surroundings = {**environment({"fetch_delay_seconds": 0}), **NO_PAUSES}
    return subprocess.run(line, env=surroundings, capture_output=True, text=True, preexec_fn=before_it, check=False)


def _files_may_have(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.unmeasured  # what measures coverage could not write either
@each_mirror("size", [3000, 30_000])
def test_a_disk_that_takes_no_more_is_told_and_nothing_is_lost(provider, mirror, recheck, fill, size):
    fill(25, says=())
    mirror.run()
    provider.items[DAMAGED].files["a.txt"] = b"aX" * 5000
    done = _called(mirror, _files_may_have(size))
    assert done.returncode == 1
    assert "cannot be" in done.stderr
    assert "Traceback" not in done.stderr
    assert recheck()["is_whole"]
    assert mirror.held() == provider.expected()
