"""A package on a disk becomes the baseline; a bag that is not good is refused, as others refuse it."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.errors import ConfigurationError
from harvester.cli import main
from harvester.mirror import bag
from harvester.mirror.place import opened
from tests.conftest import JUDGES
from tests.mirror.conftest import NO_PAUSES
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


@pytest.fixture
def imported(mirror, provider):
    """Return a function that imports a package into the mirror and returns the receipt."""

    def run(source, *arguments, status=0, **settings):
        line = ["mirror", "import", str(mirror.folder), str(source), "--json", *arguments]
        line += ["--provider", provider.base_url]
        done = CliRunner().invoke(main, line, env={**NO_PAUSES, **settings}, catch_exceptions=False)
        mirror.said = done.stderr
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if done.stdout else {}

    return run


@pytest.fixture
def package(provider, fill, tmp_path):
    """Make a package of everything the provider has: an answer of OAI-PMH and the files, by their addresses."""
    fill(3)
    folder = tmp_path / "package"
    folder.mkdir()
    answer = provider.answer({"verb": "ListRecords", "metadataPrefix": "oai_didl"})
    (folder / "records.xml").write_text(answer)
    for name, item in provider.items.items():
        for file, content in item.files.items():
            (folder / name).mkdir(exist_ok=True)
            (folder / name / file).write_bytes(content)
    return folder


def bagged(folder: Path, algorithm="sha256") -> Path:
    """Make a bag of a folder, in place."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    for each in files:
        target = folder / "data" / each.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        each.rename(target)
    payload = sorted(each for each in (folder / "data").rglob("*") if each.is_file())
    oxum = f"{sum(each.stat().st_size for each in payload)}.{len(payload)}"
    (folder / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    (folder / "bag-info.txt").write_text(f"Bagging-Date: 2024-01-05\nPayload-Oxum: {oxum}\nNote: long\n  line\n")
    for name, listed in (("manifest", payload), ("tagmanifest", [folder / "bagit.txt", folder / "bag-info.txt"])):
        lines = (
            f"{hashlib.new(algorithm, each.read_bytes()).hexdigest()}  {each.relative_to(folder)}\n" for each in listed
        )
        (folder / f"{name}-{algorithm}.txt").write_text("".join(lines))
    for each in folder.iterdir():
        if each.is_dir() and each.name != "data":
            shutil.rmtree(each)
    return folder


def _tar(folder: Path) -> Path:
    file = folder.with_suffix(".tar.gz")
    with tarfile.open(file, "w:gz") as archive:
        archive.add(folder, "delivery")
    return file


def _zip(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder))


@pytest.mark.parametrize(
    "pack", [lambda folder: folder, bagged, _tar, _zip, lambda folder: _tar(bagged(folder)), lambda x: _zip(bagged(x))]
)
def test_a_package_is_the_baseline_whatever_it_is_packed_in(imported, mirror, provider, package, pack):
    receipt = imported(pack(package))
    assert (receipt["objects"], receipt["files"]) == ({"created": 3}, {"delivered": 6})
    assert mirror.held() == provider.expected()
    assert provider.asked == []
    assert not (mirror.folder / "aside" / "package").exists()


def test_the_mirror_goes_on_from_the_date_of_the_bag(imported, mirror, provider, package):
    imported(bagged(package))
    provider.items["oai:p:3"] = Item({"new.txt": b"new"}, datestamp="2024-02-01T00:00:00Z")
    assert mirror.run()["objects"] == {"created": 1}
    assert provider.lists[-1]["from"] == "2024-01-04T00:00:00Z"  # a day of overlap
    assert mirror.held() == provider.expected()


def test_a_full_harvest_after_a_package_fetches_nothing_again(imported, mirror, provider, package):
    imported(package, "--date", "2024-01-03")
    assert mirror.run("--full")["objects"] == {"unchanged": 3}
    assert provider.asked == []


def test_a_dump_is_a_baseline_too(imported, mirror, provider, package):
    (package / "records.xml").unlink()
    line = ["dump", provider.base_url, str(package / "dump.xml"), "--format", "oai_didl"]
    assert CliRunner().invoke(main, line, env=NO_PAUSES).exit_code == 0
    imported(package)
    assert mirror.held() == provider.expected()
    assert mirror.run("--full")["objects"] == {"unchanged": 3}


def test_what_a_package_lacks_is_told_and_fetched_when_tried_again(imported, mirror, provider, package):
    (package / "oai:p:1" / "a.txt").unlink()
    (package / "oai:p:2" / "a.txt").write_bytes(b"??")
    (package / "letter.xml").write_text("<letter/>")
    (package / "note.xml").write_text("no XML")
    receipt = imported(package, status=3)
    assert sorted(each["fate"] for each in receipt["missing"]) == ["corrupt", "not_found"]
    assert receipt["doubts"] == ["letter.xml holds no records.", "note.xml holds no records."]
    mirror.run("--retry-failed")
    assert mirror.held() == provider.expected()
    assert sorted(provider.asked) == ["oai:p:1/a.txt", "oai:p:2/a.txt"]


def test_a_package_never_takes_an_object_back(imported, mirror, provider, package):
    provider.items["oai:p:0"].files["a.txt"] = b"newer"
    provider.items["oai:p:0"].datestamp = "2024-03-01T00:00:00Z"
    mirror.run()
    assert imported(package)["objects"] == {"unchanged": 3}
    assert mirror.held() == provider.expected()


def test_a_single_record_with_files_beside_it_is_read(imported, mirror, provider, tmp_path):
    folder = tmp_path / "sip"
    folder.mkdir()
    (folder / "document.pdf").write_bytes(b"%PDF-")
    (folder / "mets.xml").write_text(
        "<?xml version='1.0'?>"
        '<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>x</identifier>'
        '<datestamp>2024-01-01</datestamp></header><metadata><mets xmlns="http://www.loc.gov/METS/"><fileSec><fileGrp>'
        '<file ID="f" MIMETYPE="application/pdf"><FLocat LOCTYPE="URL" xmlns:l="http://www.w3.org/1999/xlink"'
        ' l:href="document.pdf"/></file></fileGrp></fileSec></mets></metadata></record>'
    )
    imported(folder)
    assert mirror.held() == {"x": {"document.pdf": b"%PDF-"}}


def test_what_leads_out_of_an_archive_is_refused(imported, mirror, tmp_path):
    file = tmp_path / "evil.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../../evil.txt", b"x")
    imported(file, status=2)
    assert "leads out of it" in mirror.said
    assert not list(tmp_path.rglob("evil.txt"))


def test_what_is_no_archive_is_told(imported, mirror, tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Sir")
    imported(tmp_path / "letter.txt", status=2)
    assert "cannot be unpacked" in mirror.said


def test_a_package_needs_a_mirror_or_a_provider(package, tmp_path):
    done = CliRunner().invoke(main, ["mirror", "import", str(tmp_path / "new"), str(package)])
    assert done.exit_code == 2
    assert not (tmp_path / "new").exists()


def _rewrite(name, change):
    return lambda folder: (folder / name).write_text(change((folder / name).read_text()))


HARMS = {
    "a digest that does not fit": lambda folder: (folder / "data/records.xml").write_text("x"),
    "a file that is not there": lambda folder: (folder / "data/records.xml").unlink(),
    "a file in no manifest": lambda folder: (folder / "data/new.txt").touch(),
    "no manifest": lambda folder: (folder / "manifest-sha256.txt").unlink(),
    "no payload": lambda folder: shutil.rmtree(folder / "data"),
    "a declaration that is none": _rewrite("bagit.txt", lambda _: "BagIt"),
    "a changed tag file": _rewrite("bag-info.txt", lambda text: text + "More: x\n"),
    "a path out of the bag": _rewrite("manifest-sha256.txt", lambda text: text + "00  data/../../x\n"),
    "a line that is none": _rewrite("manifest-sha256.txt", lambda text: text + "?\n"),
    "another Payload-Oxum": lambda folder: [
        (folder / "tagmanifest-sha256.txt").unlink(),
        _rewrite("bag-info.txt", lambda text: text.replace("Payload-Oxum: ", "Payload-Oxum: 1"))(folder),
    ],
    "an unknown algorithm": lambda folder: (folder / "manifest-sha256.txt").rename(folder / "manifest-crc32.txt"),
}


# The library warns of such lines; and what it does not know it does not look at.
TOLERATED = ("a line that is none", "an unknown algorithm")


@pytest.mark.parametrize("harm", HARMS)
def test_a_bag_that_is_not_good_is_refused(package, harm):
    folder = bagged(package)
    assert bag.checked(folder).info["note"] == "long line"
    HARMS[harm](folder)
    with pytest.raises(ConfigurationError, match="is no valid bag"):
        bag.checked(folder)


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
@pytest.mark.parametrize("harm", ["none", *(name for name in HARMS if name not in TOLERATED)])
def test_the_library_of_the_library_of_congress_judges_bags_as_we_do(package, harm):
    folder = bagged(package)
    HARMS.get(harm, lambda _: None)(folder)
    code = "import bagit, sys; bagit.Bag(sys.argv[1]).validate()"
    done = subprocess.run([JUDGES / "python", "-c", code, folder], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (harm == "none"), done.stderr


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_a_bag_that_the_library_made_is_good(package, imported):
    code = "import bagit, sys; bagit.make_bag(sys.argv[1], {'Contact-Name': 'Zoe'}, checksums=['md5', 'sha512'])"
    subprocess.run([JUDGES / "python", "-c", code, package], capture_output=True, check=True)
    assert bag.checked(package).info["contact-name"] == "Zoe"
    assert imported(package)["is_whole"]


def test_a_package_has_a_limit(imported, mirror, package):
    imported(_zip(package), status=2, GATEWAY_FETCH_FILE_MAX_BYTES="100")
    assert "has more than 100 bytes, unpacked" in mirror.said
    assert opened(mirror.folder).root.folder.exists()


def test_a_record_without_a_name_is_told_and_the_others_are_taken(imported, mirror, provider, package):
    text = (package / "records.xml").read_text()
    (package / "records.xml").write_text(text.replace("<identifier>oai:p:1</identifier>", "<identifier/>"))
    receipt = imported(package, status=3)
    assert receipt["objects"] == {"created": 2, "unusable": 1}
    assert sorted(mirror.held()) == ["oai:p:0", "oai:p:2"]
