"""Folders that metha made, read as they lie: its answers, the names of its folders, and files that are missing."""

from __future__ import annotations

import gzip
import json
from base64 import urlsafe_b64encode

import pytest
import zstandard

pytestmark = pytest.mark.slow  # it opens instances

OAI = "http://www.openarchives.org/OAI/2.0/"
_EMPTY = '<header status=""></header><metadata></metadata><about></about>'
_BEFORE = (
    f'<error code=""></error><GetRecord><record>{_EMPTY}</record></GetRecord><Identify></Identify>'
    '<ListIdentifiers><resumptionToken completeListSize="" cursor="" expirationDate=""></resumptionToken>'
    "</ListIdentifiers><ListMetadataFormats></ListMetadataFormats>"
)


def _record(number, deleted=False, datestamp="", title="Work"):
    status = "deleted" if deleted else ""
    content = (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ '
        f'http://www.openarchives.org/OAI/2.0/oai_dc.xsd"><dc:title>{title} {number}</dc:title></oai_dc:dc>'
    )
    return (
        f'<record xmlns="{OAI}"><header status="{status}"><identifier>oai:m:{number}</identifier>'
        f"<datestamp>{datestamp or f'2020-01-0{number % 9 + 1}'}</datestamp></header>"
        f"<metadata>{'' if deleted else content}</metadata><about></about></record>"
    )


def answer(*records, token="", before=_BEFORE, prefix="oai_dc"):
    """Return what metha writes: its structure of Go, with every kind of answer in it."""
    return (
        "<Response><responseDate>2021-02-03T04:05:06Z</responseDate>"
        f'<request verb="ListRecords" set="" metadataPrefix="{prefix}"></request>{before}'
        f"<ListRecords>{''.join(records)}"
        f'<resumptionToken completeListSize="" cursor="" expirationDate="">{token}</resumptionToken></ListRecords>'
        '<ListSets><resumptionToken completeListSize="" cursor="" expirationDate=""></resumptionToken></ListSets>'
        "</Response>"
    ).encode()


def named(set_spec="", prefix="oai_dc", url="http://m.example.org/oai"):
    """Return the name that metha gives the folder of a harvest."""
    return urlsafe_b64encode(f"{set_spec}#{prefix}#{url}".encode()).decode().rstrip("=")


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "metha"
    folder.mkdir()
    return folder


def _fill(folder, *names, count=5):
    folder.mkdir()
    for place, name in enumerate(names):
        body = answer(*(_record(place * count + number) for number in range(count)))
        packed = zstandard.compress(body) if name.endswith(".zst") else gzip.compress(body)
        (folder / name).write_bytes(packed)


def _held(command, name):
    _, out, _ = command("records", name)
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_an_empty_getrecord_before_the_list_is_passed_over(cache, command, suffix):
    """Metha's files of 23,300 records were refused as no XML."""
    folder = cache / named()
    names = [f"2020-0{month}-29-0000000{page}.xml{suffix}" for month in (1, 2) for page in (0, 1)]
    _fill(folder, *names)
    status, out, words = command("source", "add", "m", str(folder), "--kind", "files", "--json")
    assert status == 0, words
    entry = json.loads(out)
    assert (entry["formats"], entry["base_url"]) == (["oai_dc"], "http://m.example.org/oai")
    status, out, words = command("run", "m", "--json")
    ran = json.loads(out)
    assert (status, ran["counts"]["received"], ran["counts"]["published"]) == (0, 20, 20), words
    assert ran["is_complete"]
    assert len(_held(command, "m")) == 20


def test_deleted_records_are_deleted(cache, command):
    folder = cache / named()
    folder.mkdir()
    (folder / "2020-01-31-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(1), _record(2))))
    command("source", "add", "m", str(folder), "--kind", "files")
    assert command("run", "m")[0] == 0
    (folder / "2020-02-29-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(2, deleted=True))))
    assert command("run", "m")[0] == 0
    assert [row["is_deleted"] for row in _held(command, "m")] == [False, True]


def test_format_and_set_are_read_from_the_name_of_the_folder(cache, command):
    """The headers of some servers do not say that a record is in the set that was asked for."""
    folder = cache / named("col_1", "mods")
    folder.mkdir()
    (folder / "2020-01-31-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(1), _record(2), prefix="mods")))
    _, out, words = command("source", "add", "m", str(folder), "--kind", "files", "--json")
    entry = json.loads(out)
    assert (entry["formats"], entry["sets"]) == (["mods"], ["col_1"]), words
    status, out, words = command("run", "m", "--json")
    assert (status, json.loads(out)["counts"]["received"]) == (0, 2), words


def test_what_the_options_say_goes_before_the_name(cache, command):
    folder = cache / named(prefix="mods")
    _fill(folder, "2020-01-31-00000000.xml.gz")
    _, out, _ = command("source", "add", "m", str(folder), "--kind", "files", "--format", "oai_dc", "--json")
    assert json.loads(out)["formats"] == ["oai_dc"]


def test_check_shows_the_entry_of_such_a_folder(cache, command):
    folder = cache / named()
    _fill(folder, "2020-01-31-00000000.xml.gz")
    status, out, words = command("source", "check", str(folder), "--json")
    report = json.loads(out)
    assert (status, report["entry"]["base_url"]) == (0, "http://m.example.org/oai"), words
    assert "metha" in report["recognised"][0]["is"]


def test_a_cache_of_several_harvests_is_explained(cache, command):
    """Records of two repositories under one name could not be told apart."""
    for url in ("http://a.example.org/oai", "http://b.example.org/oai"):
        _fill(cache / named(url=url), "2020-01-31-00000000.xml.gz")
    status, _, words = command("source", "add", "m", str(cache), "--kind", "files")
    assert status == 2
    assert "2 folders of metha" in words
    assert str(cache / named(url="http://a.example.org/oai")) in words


def test_a_missing_file_is_reported(cache, command):
    folder = cache / named()
    _fill(folder, "2020-01-31-00000000.xml.gz", "2020-01-31-00000002.xml.gz")
    command("source", "add", "m", str(folder), "--kind", "files")
    status, out, _ = command("run", "m", "--json")
    ran = json.loads(out)
    assert (status, ran["is_complete"]) == (3, False)
    assert any("2020-01-31-00000001" in reason for reason in ran["reasons"])


def test_a_list_that_goes_on_in_no_file_is_reported(cache, command):
    """Metha's `-max-requests` ends a list where it is."""
    folder = cache / named()
    folder.mkdir()
    (folder / "2020-01-31-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(1), token="more")))
    (folder / "2020-01-31-00000001.xml.gz").write_bytes(gzip.compress(answer(_record(2), token="and more")))
    command("source", "add", "m", str(folder), "--kind", "files")
    status, out, _ = command("run", "m", "--json")
    assert (status, json.loads(out)["is_complete"]) == (3, False)
    assert json.loads(out)["reasons"] == [
        "oai_dc: 2020-01-31-00000001.xml.gz ends with a resumptionToken, and no file has the next answer."
    ]


def test_an_answer_without_records_is_none(cache, command):
    """A window in which nothing was changed; and an error that metha takes for the end of a list."""
    folder = cache / named()
    _fill(folder, "2020-01-31-00000000.xml.gz")
    empty = _BEFORE.replace('<error code="">', '<error code="noRecordsMatch">Nothing.')
    (folder / "2020-02-29-00000000.xml.gz").write_bytes(gzip.compress(answer(before=empty)))
    command("source", "add", "m", str(folder), "--kind", "files")
    assert command("run", "m")[0] == 0
    assert len(_held(command, "m")) == 5
    broken = _BEFORE.replace('<error code="">', '<error code="badResumptionToken">Too late.')
    (folder / "2020-02-29-00000001.xml.gz").write_bytes(gzip.compress(answer(before=broken)))
    status, out, _ = command("run", "m", "--json")
    assert (status, json.loads(out)["is_complete"]) == (3, False)
    assert "badResumptionToken: Too late." in json.loads(out)["reasons"][0]


def test_records_of_two_lists_in_one_document_are_all_read(cache, command):
    folder = cache / named()
    folder.mkdir()
    before = f"<GetRecord>{_record(7)}</GetRecord>"
    (folder / "2020-01-31-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(1), before=before)))
    command("source", "add", "m", str(folder), "--kind", "files")
    assert command("run", "m")[0] == 0
    assert len(_held(command, "m")) == 2


def _records(command):
    return [json.loads(line) for line in command("records", "m")[1].splitlines()]


def test_a_record_that_changed_stays_as_it_is_when_a_window_is_added(cache, command):
    """It stands in the windows of its former versions as well, and those are read again."""
    folder = cache / named()
    folder.mkdir()
    windows = {
        "2020-01-31-00000000.xml.gz": answer(*(_record(number) for number in range(1, 9))),
        "2020-02-29-00000000.xml.gz": answer(
            *(_record(number, False, "2020-02-02", "Changed") for number in range(1, 5))
        ),
        "2020-03-31-00000000.xml.gz": answer(*(_record(number, True, "2020-03-03") for number in range(3, 5))),
        "2020-04-30-00000000.xml.gz": answer(_record(9, False, "2020-04-04")),
    }
    *earlier, last = windows
    for name in earlier:
        (folder / name).write_bytes(gzip.compress(windows[name]))
    command("source", "add", "m", str(folder), "--kind", "files")
    assert command("run", "m")[0] == 0
    before = _records(command)
    assert [row["upstream"][6:] for row in before if not row["is_deleted"]] == ["1", "2", "5", "6", "7", "8"]
    (folder / last).write_bytes(gzip.compress(windows[last]))
    status, out, words = command("run", "m", "--json")
    counts = json.loads(out)["counts"]
    assert (status, counts["published"], counts["older_versions"], "restored" in words) == (0, 1, 6, False), words
    assert [record for record in _records(command) if record["upstream"] != "oai:m:9"] == before
    assert command("source", "sweep", "m")[0] == 0
    assert [record for record in _records(command) if record["upstream"] != "oai:m:9"] == before


def test_a_window_that_is_added_while_the_folder_is_read_is_read_next(cache, command):
    folder = cache / named()
    folder.mkdir()
    for month in (1, 2, 3):
        (folder / f"2020-0{month}-28-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(month))))
    command("source", "add", "m", str(folder), "--kind", "files")
    command("run", "m", "--max-records", "1")
    (folder / "2020-04-28-00000000.xml.gz").write_bytes(gzip.compress(answer(_record(4))))
    command("run", "m")
    command("run", "m")
    assert sorted(record["upstream"] for record in _records(command)) == [f"oai:m:{month}" for month in range(1, 5)]
