"""Folders that metha made, read as they lie: its answers, the names of its folders, and files that are missing."""

import gzip
import json
from base64 import urlsafe_b64encode

import pytest
import zstandard

pytestmark = pytest.mark.slow  # it opens instances

OAI = "http://www.openarchives.org/OAI/2.0/"
_EMPTY = '<header status=""></header><metadata></metadata><about></about>'
_NO_TOKEN = '<resumptionToken completeListSize="" cursor="" expirationDate=""></resumptionToken>'
_BEFORE = (
    f'<error code=""></error><GetRecord><record>{_EMPTY}</record></GetRecord><Identify></Identify>'
    f"<ListIdentifiers>{_NO_TOKEN}</ListIdentifiers><ListMetadataFormats></ListMetadataFormats>"
)
JANUARY, FEBRUARY, MARCH, APRIL = (f"2020-{day}-00000000.xml.gz" for day in ("01-31", "02-29", "03-31", "04-30"))


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
        f"<ListRecords>{''.join(records)}{_NO_TOKEN.replace('><', f'>{token}<')}</ListRecords>"
        f"<ListSets>{_NO_TOKEN}</ListSets></Response>"
    ).encode()


def named(set_spec="", prefix="oai_dc", url="http://m.example.org/oai"):
    """Return the name that metha gives the folder of a harvest."""
    return urlsafe_b64encode(f"{set_spec}#{prefix}#{url}".encode()).decode().rstrip("=")


def _put(folder, name, *records, **options):
    """Put a file of metha into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pack = zstandard.compress if name.endswith(".zst") else gzip.compress
    (folder / name).write_bytes(pack(answer(*records, **options)))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "metha" / named()


@pytest.fixture
def add(command):
    """Return a function that adds a folder as the source m, and returns the report."""

    def add(folder, *options):
        status, out, words = command("source", "add", "m", str(folder), "--kind", "files", *options, "--json")
        assert status == 0, words
        return json.loads(out)

    return add


def _run(command):
    status, out, words = command("run", "m", "--json")
    return status, json.loads(out), words


def _held(command):
    return [json.loads(line) for line in command("records", "m")[1].splitlines()]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_an_empty_getrecord_before_the_list_is_passed_over(folder, command, add, suffix):
    """Metha's files of 23,300 records were refused as no XML."""
    names = [f"2020-0{month}-29-0000000{page}.xml{suffix}" for month in (1, 2) for page in (0, 1)]
    for place, name in enumerate(names):
        _put(folder, name, *(_record(place * 5 + number) for number in range(5)))
    entry = add(folder)
    assert (entry["formats"], entry["base_url"]) == (["oai_dc"], "http://m.example.org/oai")
    status, ran, words = _run(command)
    assert (status, ran["counts"]["received"], ran["counts"]["published"]) == (0, 20, 20), words
    assert ran["is_complete"]
    assert len(_held(command)) == 20
    status, out, words = command("source", "check", str(folder), "--json")
    report = json.loads(out)
    assert (status, report["entry"]["base_url"]) == (0, "http://m.example.org/oai"), words
    assert "metha" in report["recognised"][0]["is"]


def test_format_and_set_are_read_from_the_name_of_the_folder_unless_options_say_otherwise(tmp_path, command, add):
    """The headers of some servers do not say that a record is in the set that was asked for."""
    folder = tmp_path / named("col_1", "mods")
    _put(folder, JANUARY, _record(1), _record(2), prefix="mods")
    entry = add(folder)
    assert (entry["formats"], entry["sets"]) == (["mods"], ["col_1"])
    status, ran, words = _run(command)
    assert (status, ran["counts"]["received"]) == (0, 2), words
    command("source", "remove", "m", "--yes")
    assert add(folder, "--format", "oai_dc")["formats"] == ["oai_dc"]


def test_a_cache_of_several_harvests_is_explained(tmp_path, command):
    """Records of two repositories under one name could not be told apart."""
    urls = ("http://a.example.org/oai", "http://b.example.org/oai")
    for url in urls:
        _put(tmp_path / "metha" / named(url=url), JANUARY, _record(1))
    status, _, words = command("source", "add", "m", str(tmp_path / "metha"), "--kind", "files")
    assert status == 2
    assert "2 folders of metha" in words
    assert str(tmp_path / "metha" / named(url=urls[0])) in words


def test_a_list_that_goes_on_in_no_file_is_reported(folder, command, add):
    """Metha's `-max-requests` ends a list where it is."""
    _put(folder, JANUARY, _record(1), token="more")
    _put(folder, "2020-01-31-00000001.xml.gz", _record(2), token="and more")
    add(folder)
    status, ran, _ = _run(command)
    assert (status, ran["is_complete"]) == (3, False)
    why = "oai_dc: 2020-01-31-00000001.xml.gz ends with a resumptionToken, and no file has the next answer."
    assert ran["reasons"] == [why]


def test_an_answer_without_records_is_none(folder, command, add):
    """A window in which nothing was changed; and an error that metha takes for the end of a list."""
    _put(folder, JANUARY, *map(_record, range(5)))
    _put(folder, FEBRUARY, before=_BEFORE.replace('<error code="">', '<error code="noRecordsMatch">Nothing.'))
    add(folder)
    assert _run(command)[0] == 0
    assert len(_held(command)) == 5
    broken = _BEFORE.replace('<error code="">', '<error code="badResumptionToken">Too late.')
    _put(folder, "2020-02-29-00000001.xml.gz", before=broken)
    status, ran, _ = _run(command)
    assert (status, ran["is_complete"]) == (3, False)
    assert "badResumptionToken: Too late." in ran["reasons"][0]


def test_a_record_that_changed_stays_as_it_is_when_a_window_is_added(folder, command, add):
    """It stands in the windows of its former versions as well, and those are read again."""
    _put(folder, JANUARY, *(_record(number) for number in range(1, 9)))
    _put(folder, FEBRUARY, *(_record(number, False, "2020-02-02", "Changed") for number in range(1, 5)))
    _put(folder, MARCH, *(_record(number, True, "2020-03-03") for number in range(3, 5)))
    add(folder)
    assert _run(command)[0] == 0
    before = _held(command)
    assert [row["upstream"][6:] for row in before if not row["is_deleted"]] == ["1", "2", "5", "6", "7", "8"]
    _put(folder, APRIL, _record(9, False, "2020-04-04"))
    status, ran, words = _run(command)
    counts = ran["counts"]
    assert (status, counts["published"], counts["older_versions"], "restored" in words) == (0, 1, 6, False), words
    for _ in range(2):
        assert [record for record in _held(command) if record["upstream"] != "oai:m:9"] == before
        assert command("source", "sweep", "m")[0] == 0
