"""Whatever is done to a mirror behind its back, an audit finds it without asking anybody."""

import json
import os
import shutil
import signal
import subprocess
import sys
from random import Random

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror import catalogue
from harvester.mirror.open_folder import opened
from tests.conftest import ROOT
from tests.mirror.conftest import NO_PAUSES, Mirror, each_mirror
from tests.mirror.manipulations import CHANGED, GONE, MANIPULATIONS, OTHER, Scene, forge
from tests.mirror.provider import Item, serving
from tests.mirror.test_ocfl import KILLED, judged
from tests.rows import each_row
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # each audits a mirror


def audited(folder, *arguments):
    """Audit a mirror offline; return the exit status, and what was found as (finding, identifier)."""
    line = ["mirror", "audit", str(folder), "--offline", "--json", *arguments]
    done = CliRunner().invoke(main, line, env=NO_PAUSES, catch_exceptions=False)
    findings = [(entry["finding"], entry["identifier"]) for entry in map(json.loads, done.stdout.splitlines())]
    return done.exit_code, findings, done.stderr


def made(folder, provider):
    """Mirror three objects: one changes, one stays, one is deleted."""
    mirror = Mirror(folder, provider)
    for name in (CHANGED, OTHER, GONE):
        files = {"a.txt": f"a of {name}".encode(), "b.txt": f"b of {name}".encode(), "é.txt": b"e", "same.txt": b"same"}
        provider.items[name] = Item(files)
    digests = [mirror.run()["catalogue"]["sha256"]]
    shutil.copytree(folder, folder.with_name("earlier"))
    provider.items[CHANGED].files["b.txt"] = b"new"
    provider.items[CHANGED].datestamp = "2030-01-01T00:00:00Z"
    provider.items[GONE].deleted, provider.items[GONE].datestamp = True, "2030-01-02T00:00:00Z"
    digests.append(mirror.run()["catalogue"]["sha256"])
    return digests


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original") / "mirror"
    with serving() as provider:
        digests = made(folder, provider)
    with serving() as provider:
        provider.items["oai:other:1"] = Item({"a.txt": b"of another provider"})
        Mirror(folder.with_name("other"), provider).run()
    return folder, digests


def scene_of(original, folder):
    """Copy the mirror into a folder, where it may be manipulated."""
    shutil.copytree(original[0], folder / "mirror")
    (folder / "outside").mkdir()
    earlier, other = original[0].with_name("earlier"), original[0].with_name("other")
    return Scene(folder / "mirror", folder / "outside", earlier, other)


@pytest.fixture
def scene(original, tmp_path):
    return scene_of(original, tmp_path)


@each_row("name", MANIPULATIONS)
def test_every_manipulation_is_found(original, tmp_path, name):
    manipulate, finding, what = MANIPULATIONS[name]
    scene = scene_of(original, tmp_path)
    manipulate(scene)
    status, findings, words = audited(scene.folder)
    assert status == 3, words
    assert any(kind == finding and what in identifier for kind, identifier in findings), findings


def test_a_digest_that_was_kept_elsewhere_is_one_of_the_catalogue_for_ever(scene, original):
    for digest in original[1]:
        assert audited(scene.folder, "--expect", digest)[:2] == (0, [])
    assert audited(scene.folder, "--expect", "0" * 64)[:2] == (3, [("altered", catalogue.NAME)])


def test_what_a_run_built_on_an_altered_object_is_found_still(mirror, provider, fill):
    fill(1)
    mirror.run()
    forge(opened(mirror.folder).root.place("oai:p:0"), version=1, everywhere=True)
    provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", "2030-01-01T00:00:00Z"
    assert "has been altered" in mirror.run(status=3)["missing"][0]["reason"]
    assert ("altered", "oai:p:0") in audited(mirror.folder)[1]


def test_what_is_accepted_is_as_it_should_be_from_then_on(scene):
    shutil.rmtree(scene.object(OTHER).parent.parent.parent)
    scene.catalogue.unlink()
    assert audited(scene.folder)[0] == 3
    status, findings, words = audited(scene.folder, "--accept")
    assert (status, findings) == (3, [("altered", catalogue.NAME)])
    assert "made at" in words
    assert "cannot prove" in words
    assert audited(scene.folder)[:2] == (0, [])
    (receipt,) = (scene.folder / "receipts").glob("*accept*")
    assert "Accepted: altered catalogue.jsonl" in receipt.read_text("utf-8")


# -- mirrors of before, and runs that were killed --


def as_before(folder):
    """Make a mirror what an earlier version of this program had made of it: without a catalogue and a README."""
    (folder / catalogue.NAME).unlink()
    (folder / "ocfl/README.txt").unlink()
    document = json.loads((folder / "mirror.json").read_bytes())
    del document["catalogue"]
    (folder / "mirror.json").write_text(json.dumps({**document, "version": 1}))
    for path in (folder / "receipts").iterdir():
        receipt = json.loads(path.read_bytes())
        del receipt["catalogue"]
        path.write_text(json.dumps(receipt))


@pytest.mark.needs("ocfl-root.py")
def test_an_audit_makes_the_catalogue_of_a_mirror_of_before_and_says_what_it_cannot_prove(scene):
    as_before(scene.folder)
    for _ in range(2):
        status, findings, words = audited(scene.folder)
        assert (status, findings) == (0, [])
        assert "from the 3 objects that were here. It cannot prove that they are what was received before" in words
    assert judged(scene.root) == ""
    shutil.rmtree(scene.object().parent.parent.parent)
    assert audited(scene.folder)[:2] == (3, [("lost", CHANGED)])


_NOT_WRITTEN, _NOT_LAST = "that no run wrote", "bring it back from a copy"


@each_row(
    "name, reason",
    [
        ("the catalogue is removed", _NOT_LAST),
        ("the catalogue is cut within a line", _NOT_LAST),
        ("an object is added with its line", _NOT_WRITTEN),
        ("another mirror is merged into this one", _NOT_WRITTEN),
    ],
)
def test_a_run_does_not_go_on_with_a_catalogue_that_is_not_the_one_that_was_written(original, tmp_path, name, reason):
    scene = scene_of(original, tmp_path)
    MANIPULATIONS[name][0](scene)
    line = ["mirror", opened(scene.folder).order.base_url, str(scene.folder)]
    done = CliRunner().invoke(main, line, env=NO_PAUSES)
    assert done.exit_code == 1
    assert reason in done.stderr.lower()


def test_a_run_that_was_broken_off_is_named_until_another_one_confirms_what_it_wrote(mirror, provider, fill):
    fill(1)
    mirror.run()
    provider.items["oai:p:1"] = Item({"c.txt": b"c"}, datestamp="2030-01-01T00:00:00Z")
    place = opened(mirror.folder)
    place.ready("mirror")
    status, findings, _ = audited(mirror.folder)
    assert (status, findings) == (3, [("unconfirmed", catalogue.NAME)])
    line = ["mirror", "audit", str(mirror.folder), "--offline"]
    output = CliRunner().invoke(main, line, env=NO_PAUSES).stdout
    assert f"`harvester mirror {provider.base_url} {mirror.folder}` completes it" in output
    receipt = mirror.run()
    assert (receipt["broken_off"]["command"], receipt["broken_off"]["versions"]) == ("mirror", 0)
    assert audited(mirror.folder)[:2] == (0, [])
    assert mirror.run()["broken_off"] == {}


@each_row("name", ["mirror.json", catalogue.NAME])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(original, tmp_path, name):
    scene = scene_of(original, tmp_path)
    base_url = opened(scene.folder).order.base_url
    (scene.folder / name).unlink()
    os.mkfifo(scene.folder / name)
    for line in (["audit", str(scene.folder), "--offline"], [base_url, str(scene.folder)]):
        done = CliRunner().invoke(main, ["mirror", *line], env=NO_PAUSES)
        assert done.exit_code
        assert f"{name} is no file." in done.output


@each_mirror("damage", ["a pipe", "no JSON"])
def test_a_waiting_deletion_that_cannot_be_read_is_reported_by_audits_and_runs(mirror, provider, fill, damage):
    fill(3)
    mirror.run()
    (mirror.folder / "waiting").mkdir(exist_ok=True)
    file = mirror.folder / "waiting" / f"{'0' * 64}.json"
    if damage == "a pipe":
        os.mkfifo(file)
    else:
        file.write_text("{")
    assert ("damaged", f"waiting/{file.name}") in audited(mirror.folder)[1]
    mirror.run("--yes", status=1)
    assert f"{file} cannot be read" in mirror.stderr
    assert "remove it" in mirror.stderr
    file.unlink()
    mirror.run("--yes")


_MIRRORS = f"""{KILLED}
from harvester.cli import main
sys.addaudithook(audit)
main(sys.argv[3:])
"""


def killed(folder, provider, count):
    """Run a mirror that is killed before its n-th change of the file system; tell whether it came to its end."""
    line = [sys.executable, "-c", _MIRRORS, str(folder), str(count), "mirror", provider.base_url, str(folder)]
    done = subprocess.run(line, check=False, capture_output=True, cwd=ROOT)
    assert done.returncode in (0, 3, -signal.SIGKILL), done.stderr
    return done.returncode != -signal.SIGKILL


def kill_points(most):
    """Return after how many changes of the file system runs are killed: others in each run."""
    return sorted(Random(SEED).sample(range(most), 3))
