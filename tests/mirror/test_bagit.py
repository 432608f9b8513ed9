"""Bags are good and bad for us as they are for the library of the Library of Congress."""

import json
import subprocess
from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError
from harvester.mirror.unpack_package import checked_bag, is_bag
from tests.conftest import JUDGES
from tests.mirror.bags import BAD, GOOD, STRICTER, bagged
from tests.rows import each_row

_JUDGE = """
import bagit, json, logging, sys
logging.disable()
def told(folder):
    try:
        bagit.Bag(folder).validate()
    except (bagit.BagError, OSError) as error:
        return f"{error!r}"
    return ""
print(json.dumps({name: told(folder) for name, folder in json.loads(sys.argv[1]).items()}))
"""


def _made(folder: Path) -> Path:
    (folder / "letters").mkdir(parents=True)
    (folder / "records.xml").write_text("<a/>")
    (folder / "letters" / "one.txt").write_text("one")
    return bagged(folder)


@each_row("name", GOOD)
def test_a_good_bag_is_good(tmp_path, name):
    folder = _made(tmp_path / "bag")
    GOOD[name](folder)
    assert is_bag(folder)
    assert checked_bag(folder).payload == folder / "data"


@each_row("name", BAD)
def test_a_bag_that_is_not_good_is_refused(tmp_path, name):
    folder = _made(tmp_path / "bag")
    assert checked_bag(folder).info["note"] == "long line"
    BAD[name](folder)
    with pytest.raises(ConfigurationError, match="is not a valid bag"):
        checked_bag(folder)


def test_a_manifest_with_a_path_that_no_system_can_have_is_refused(tmp_path):
    folder = _made(tmp_path / "bag")
    (folder / "data" / "loop").symlink_to("loop")
    for path in (b"data/a\0b", b"data/loop/x"):
        (folder / "manifest-sha256.txt").write_bytes(b"00 " + path + b"\n")
        with pytest.raises(ConfigurationError, match="is not a valid bag"):
            checked_bag(folder)


def test_a_folder_with_data_in_it_is_no_bag(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "manifest-of-our-ship.txt").touch()
    assert not is_bag(tmp_path)


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_the_library_of_the_library_of_congress_judges_bags_as_we_do(tmp_path):
    folders = {}
    for number, (name, change) in enumerate((GOOD | BAD).items()):
        folders[name] = _made(tmp_path / str(number))
        change(folders[name])
    line = [JUDGES / "python", "-c", _JUDGE, json.dumps({name: str(folder) for name, folder in folders.items()})]
    done = subprocess.run(line, capture_output=True, text=True, check=True)  # type: ignore[arg-type]
    verdicts = json.loads(done.stdout)
    assert {name: why for name, why in verdicts.items() if why and name in GOOD} == {}
    assert {name for name in BAD if not verdicts[name]} == STRICTER
