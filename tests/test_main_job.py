"""The main job, by both programs as an administrator runs them: from a source to served DIDL."""

from urllib.request import urlopen

from lxml import etree

from tests import live

DIDL = "{urn:mpeg:mpeg21:2002:02-DIDL-NS}"


def test_a_source_is_harvested_and_its_files_are_served_by_reference(tmp_path, sample_source):
    for program, *words in (
        ("gateway", "init", "--domain", "gw.example.org"),
        ("harvester", "source", "add", "laro", sample_source),
        ("harvester", "run", "laro"),
    ):
        done = live.called(program, tmp_path, *words)
        assert done.returncode == 0, done.stderr
    with live.served(tmp_path) as server:
        answer = etree.fromstring(urlopen(f"{server.url}?verb=ListRecords&metadataPrefix=oai_didl").read())
    live_ones = [record for record in answer.iter("{*}record") if record.find(f".//{DIDL}DIDL") is not None]
    assert len(live_ones) > 20
    files = [part for part in answer.iter(f"{DIDL}Resource") if part.get("mimeType") == "application/pdf"]
    assert files
    assert all(part.get("ref", "").startswith("http") for part in files)
