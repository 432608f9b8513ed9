"""An archive that is read as a source may not have two different files of one name: one of them would be lost."""

import warnings
import zipfile

import pytest

from gateway.core.errors import RemoteRefuses
from harvester.http.local_files import Local
from harvester.http.messages import Request


def _zip(file, entries):
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # the library warns of what is tested here
        for name, content in entries:
            archive.writestr(name, content)
    return file


def test_two_files_of_one_name_are_refused_unless_they_are_equal(tmp_path):
    same = _zip(tmp_path / "same", [("a.xml", b"<a/>"), ("a.xml", b"<a/>")])
    with Local(same.as_uri(), 1000, lambda: 0) as fetch:
        assert fetch(Request(same.as_uri())).body.count(b"a.xml") == 1
        assert fetch(Request(f"{same.as_uri()}#a.xml")).body == b"<a/>"
    two = _zip(tmp_path / "two", [("a.xml", b"<a/>"), ("a.xml", b"<b/>")])
    with (
        Local(two.as_uri(), 1000, lambda: 0) as fetch,
        pytest.raises(RemoteRefuses, match="two different files of one"),
    ):
        fetch(Request(two.as_uri()))
