"""`harvester audit`, as people run it: an instance or a mirror, compared with a Crossref on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import main as gateway
from gateway.core.xmltext import DC, OAI_DC
from harvester.cli import main
from tests.audit.crossref import ISSN, JOURNAL, Crossref, deposited, serving
from tests.mirror.provider import Item, Provider
from tests.mirror.provider import serving as providing

pytestmark = pytest.mark.slow

TITLES = [f"The {word} of a collection of journals" for word in ("extent", "defect", "order", "price", "purpose")]

WITHOUT_DOI = "metadata only: 10.5555/2 oai:here.example.org:p/title"
WRONG = "metadata only: 10.5555/1 oai:here.example.org:p/metadata"


@pytest.fixture
def crossref() -> Iterator[Crossref]:
    """Return a Crossref on loopback with five works."""
    works = [deposited(f"10.5555/{n}", title, 2019 + n % 2) for n, title in enumerate(TITLES)]
    with serving(Crossref(works, {"10.5555/b": "DataCite"})) as crossref:
        yield crossref


def _settings(crossref: Crossref) -> dict[str, str]:
    settings = {"audit_crossref_url": crossref.url, "audit_doi_url": crossref.url, "discover_email": "a@b.test"}
    return {f"GATEWAY_{name.upper()}": value for name, value in {**settings, "publish_processes": "0"}.items()}


def _dublin_core(*statements: tuple[str, str]) -> str:
    elements = "".join(f"<dc:{name}>{escape(text)}</dc:{name}>" for name, text in statements)
    return f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}">{elements}</oai_dc:dc>'


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """Return an instance that holds some of the works, and something else."""
    records = {
        "file": (
            ("title", TITLES[0]),
            ("identifier", "https://doi.org/10.5555/0"),
            ("identifier", "http://x.org/a.pdf"),
        ),
        "metadata": (("title", "Wrong"), ("identifier", "doi:10.5555/1"), ("date", "1999")),
        "title": (("title", TITLES[2]), ("identifier", "doi:10.55"), ("source", f"ISSN {ISSN}")),
        "stray": (("title", "A stray"), ("identifier", "doi:10.5555/a"), ("source", f"ISSN {ISSN}"), ("date", "2020")),
        "other": (("title", "B stray"), ("identifier", "doi:10.5555/b"), ("source", f"ISSN {ISSN}")),
        "elsewhere": (("title", "Another journal's"), ("identifier", "doi:10.1234/a")),
    }
    lines = [
        json.dumps({"identifier": name, "datestamp": "2024-01-01", "metadata": _dublin_core(*statements)})
        for name, statements in records.items()
    ]
    (tmp_path / "records.jsonl").write_text("\n".join(lines))
    folder = tmp_path / "instance"
    runner = CliRunner()
    for tool, *line in (
        (gateway, "init", "--domain", "here.example.org"),
        (main, "source", "add", "p", str(tmp_path / "records.jsonl"), "--kind", "files"),
        (main, "run", "p"),
    ):
        done = runner.invoke(tool, ["--instance", str(folder), *line], env={"GATEWAY_PUBLISH_PROCESSES": "0"})
        assert done.exit_code == 0, done.output
    return folder


def _audited(folder: Path, crossref: Crossref, *line: str) -> Result:
    arguments = ["--instance", str(folder), "audit", "--crossref", "--allow", "127.0.0.1", *line]
    return CliRunner().invoke(main, arguments, env=_settings(crossref), catch_exceptions=False)


def test_what_is_held_is_told_beside_what_was_published(instance, crossref):
    done = _audited(instance, crossref, "--issn", ISSN)
    assert done.exit_code == 3, done.output
    assert [" ".join(line.split()) for line in done.stdout.splitlines()] == [
        "journal year published with file metadata only missing unknown disagrees",
        f"{JOURNAL} {ISSN} 0 0 0 0 1 1",
        f"{JOURNAL} {ISSN} 2019 3 1 1 1 0 1",
        f"{JOURNAL} {ISSN} 2020 2 0 1 1 1 2",
        f"{WITHOUT_DOI} {TITLES[2]} [doi: doi:10.55 / malformed; doi: none / 10.5555/2]",
        f"missing: 10.5555/4 {TITLES[4]}",
        f"{WRONG} {TITLES[1]} [title: Wrong / {TITLES[1]}; date: 1999 / 2020-03]",
        f"missing: 10.5555/3 {TITLES[3]}",
        "unknown: oai:here.example.org:p/other B stray [doi: 10.5555/b / registered with DataCite, not listed]",
        "unknown: oai:here.example.org:p/stray A stray [doi: 10.5555/a / not registered]",
    ]
    assert "5 published, 1 with file, 2 metadata only, 2 missing, 2 unknown, 4 disagrees." in done.stderr
    assert not list((instance / "audits").iterdir())
    assert all("mailto=a%40b.test" in url for url in crossref.asked if "/ra/" not in url)


def test_all_is_well_when_everything_that_was_published_is_held_with_its_file(instance, crossref):
    crossref.works = crossref.works[:1]
    done = _audited(instance, crossref, "--member", "78", "--from", "2024-01-01")
    assert done.exit_code == 0, done.output
    assert "Only what was indexed since 2024-01-01 was asked for." in done.stderr
    crossref.lost = 1
    done = _audited(instance, crossref, "--member", "78", "--from", "2024-01-01")
    assert done.exit_code == 3
    assert "In doubt: Crossref announced 2 and sent 1." in done.stderr


def test_a_mirror_is_audited_by_the_files_that_it_holds(instance, crossref, tmp_path):
    with providing(Provider()) as provider:
        for number, content in enumerate((b"a", b"b")):
            item = Item({"a.txt": content}, title=TITLES[number])
            provider.items[f"oai:p:{number}"] = item
        provider.items["oai:p:2"] = Item(document=b"<x/>")
        provider.items["oai:p:3"] = Item({"a.txt": b"c"}, title="Gone")
        provider.faults["oai:p:1/a.txt"] = lambda handler: handler.send(404, b"", {}) or True  # type: ignore[attr-defined]
        line = ["mirror", provider.base_url, str(tmp_path / "m")]
        CliRunner().invoke(main, line, env={"GATEWAY_FETCH_RETRIES": "0"}, catch_exceptions=False)
        provider.items["oai:p:3"].deleted, provider.items["oai:p:3"].datestamp = True, "2030-01-01T00:00:00Z"
        CliRunner().invoke(main, line, env={"GATEWAY_FETCH_RETRIES": "0"}, catch_exceptions=False)
    done = _audited(tmp_path / "nowhere", crossref, "--issn", ISSN, "--mirror", str(tmp_path / "m"))
    assert "5 published, 1 with file, 1 metadata only, 3 missing, 0 unknown, 2 disagrees." in done.stderr


def test_a_mirror_that_is_at_work_is_left_alone_and_one_that_is_damaged_is_reported(crossref, tmp_path):
    folder = tmp_path / "m"
    with providing(Provider()) as provider:
        provider.items["oai:p:0"] = Item({"a.txt": b"a"}, title=TITLES[0])
        CliRunner().invoke(main, ["mirror", provider.base_url, str(folder)], catch_exceptions=False)
    at_work = folder / "aside" / ("a" * 64)
    (at_work / "next" / "v1").mkdir(parents=True)
    (at_work / "identifier").write_text("oai:p:0")
    line = ("--issn", ISSN, "--mirror", str(folder))
    assert "1 with file" in _audited(tmp_path / "nowhere", crossref, *line).stderr
    assert (at_work / "next" / "v1").is_dir()
    next(folder.rglob("document.xml")).unlink()
    done = _audited(tmp_path / "nowhere", crossref, *line)
    assert (done.exit_code, "run `harvester mirror audit`" in done.stderr) == (1, True)
