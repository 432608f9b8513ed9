"""A file or an archive at an address is fetched when it has changed, and read like one on this machine."""

import gzip
import io
import json
import os
import tarfile
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler

import pytest

from tests.http.server import listening
from tests.rows import each_row

pytestmark = pytest.mark.slow

LONG_AGO = 1_600_000_000


@pytest.fixture
def site(tmp_path):
    """Serve a folder, which gives Last-Modified and answers If-Modified-Since; its value is (address, folder, seen)."""
    folder, seen = tmp_path / "site", []
    folder.mkdir()

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, code="-", _size="-"):
            seen.append(int(code))

    with listening(partial(Handler, directory=folder)) as address:  # type: ignore[arg-type]
        yield f"http://{address}", folder, seen


def line(number, title="Work"):
    dc = f'<dc xmlns="http://purl.org/dc/elements/1.1/"><title>{title} {number}</title></dc>'
    return json.dumps({"identifier": f"x:{number}", "datestamp": "2020-01-01", "metadata": dc}).encode() + b"\n"


def put(file, second, *lines):
    """Put an archive of JSON lines there, changed at a second."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("all.jsonl", b"".join(lines))
    else:
        with tarfile.open(file, "w:gz") as archive:
            info = tarfile.TarInfo("all.jsonl")
            info.size = len(b"".join(lines))
            archive.addfile(info, io.BytesIO(b"".join(lines)))
    os.utime(file, (second, second))


@pytest.mark.parametrize("name", ["dump.zip", "dump.tar.gz"])
def test_an_archive_is_read_once_and_again_when_it_has_changed(command, site, instance, name):
    url, folder, seen = site
    put(folder / name, LONG_AGO, line(1), line(2))
    assert command("source", "add", "there", f"{url}/{name}", "--kind", "files")[0] == 0
    assert seen == [200]
    assert "2 published" in command("run", "there")[2]
    assert seen == [200, 304]
    assert "with 0 records" in command("run", "there")[2]
    before = command("records", "there")[1]
    assert f"{url}/{name}" in (instance / "downloads" / "there" / "received.json").read_text()
    put(folder / name, LONG_AGO + 100, line(1), line(2), line(3))
    assert "1 published" in command("run", "there")[2]
    assert seen[-1] == 200
    assert len(command("records", "there")[1].splitlines()) == len(before.splitlines()) + 1
    assert command("source", "remove", "there", "--yes")[0] == 0
    assert not (instance / "downloads" / "there").exists()


RECORD = (
    '<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>x:1</identifier>'
    "<datestamp>2020-01-01</datestamp></header><metadata><a/></metadata></record>"
)
DIDL = (
    '<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item><Descriptor><Statement>'
    '<Identifier xmlns="urn:mpeg:mpeg21:2002:01-DII-NS">urn:x:1</Identifier></Statement></Descriptor></Item></DIDL>'
)


@each_row(
    "name, body, sentence",
    [
        ("all.jsonl", line(1) + b"no JSON", "A file of JSON lines."),
        ("all.jsonl.gz", gzip.compress(line(1)), "A file of JSON lines."),
        ("no.jsonl.gz", line(1), ""),
        ("dump.xml", b'<harvest baseURL="http://x/"></harvest>', "A dump of a repository."),
        ("one.xml", RECORD.encode(), "A file of answers or records: 1."),
        ("a.didl", DIDL.encode(), "records: 1."),
        ("no.jsonl", b"no JSON", ""),
        ("no.xml", b"<a/>", ""),
        ("all.txt", line(1), ""),
    ],
)
def test_a_single_file_is_recognised_by_its_name_and_its_records(command, site, name, body, sentence):
    url, folder, _ = site
    (folder / name).write_bytes(body)
    status, out, err = command("source", "check", f"{url}/{name}")
    assert (status, sentence in err, 'kind = "files"' in out) == (0 if sentence else 1, True, bool(sentence))


def test_what_is_not_there_or_another_one_is_reported(command, site, instance):
    url, folder, seen = site
    assert command("source", "add", "there", f"{url}/none.zip", "--kind", "files")[0] == 4
    put(folder / "dump.zip", LONG_AGO, line(1))
    command("source", "add", "there", f"{url}/dump.zip", "--kind", "files")
    text = (instance / "sources.toml").read_text()
    put(folder / "other.zip", LONG_AGO, line(2))
    (instance / "sources.toml").write_text(text.replace("dump.zip", "other.zip"))
    assert "1 published" in command("run", "there")[2]
    assert seen[-1] == 200  # what was said of the one is not asked of the other
    (instance / "downloads" / "there" / "received.json").write_text("{")  # a note that nobody wrote
    assert command("run", "there")[0] == 0
    assert seen[-1] == 200
