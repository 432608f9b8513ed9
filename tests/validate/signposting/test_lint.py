"""The check of typed links on what the field really sends, on other kinds of pages, and within its limits."""

import json
from contextlib import nullcontext

import pytest
from click.testing import CliRunner

from gateway.core.errors import AddressRefused, ConfigurationError, ConnectionFailed
from harvester.cli import main
from harvester.http.messages import Fetched
from harvester.validate.check import Verdict
from harvester.validate.signposting.declared import is_same
from harvester.validate.signposting.run import Limits, lint
from tests.fulltext.web import DATA, exchange
from tests.rows import each_row
from tests.validate.signposting.site import (
    AS_JSON,
    AS_TEXT,
    BIBTEX,
    CATALOG,
    CC_BY,
    CSV,
    DC,
    OAI_DC,
    ORCID,
    PAGE,
    PDF,
    PID,
    Site,
)

BASE = "https://repository.example.org"


def _site():
    return Site(BASE).fill()


def _run(site, path=PAGE, **limits):
    return lint(BASE + path, site.fetch, limits=Limits(**limits))


def _findings(report):
    return [result.check for result in report.results if result.verdict in (Verdict.FAIL, Verdict.WARNING)]


def _skipped(report):
    return {result.check: result.reason for result in report.results if result.verdict is Verdict.SKIPPED}


def _page(link, body=b"<!DOCTYPE html><title>x</title>", content_type="text/html; charset=utf-8"):
    """Return a site whose page has another header and body; the rest is right."""
    site = _site()
    site.change(PAGE, link=link.replace("{base}", BASE), body=body, content_type=content_type)
    return site


# --- what the field sends ------------------------------------------------------------------------------------------


@pytest.mark.needs("../shared")
@each_row(
    "name, expected",
    [
        (
            "commonmeta__zenodo.org_records_1196821.200",
            ["page.not-acceptable", "cite-as.resolves", "describedby.profile", "describedby.address", "license.spdx"],
        ),
        (
            "fuji__doi.pangaea.de_10.1594_PANGAEA.902845.200",
            ["page.not-acceptable", "cite-as.resolves", "describedby.profile", "type.class", "type.about-page"],
        ),
    ],
)
def test_recorded_pages_are_checked(name, expected):
    answer = exchange(DATA / f"signposting/http/{name}.meta.json")

    def fetch(request):
        if request.url != answer.url:
            raise ConnectionFailed("It was not recorded.")
        return answer

    findings = _findings(lint(answer.url, fetch))
    assert [check for check in findings if check.partition(".")[0] not in ("item", "metadata", "linkset")] == expected


# The pages of the benchmark for clients of Signposting, each with what its links lack.
BENCHMARK = {
    "02-html-full": ("html", {"describedby.profile", "license.spdx"}),
    "18-html-citeas-only": ("html", {"describedby.one", "type.class"}),
    "19-html-citeas-multiple-rels": ("html", {"describedby.one", "type.class"}),
    "27-http-linkset-json-only": ("json", LEVEL_2_ONLY := {"cite-as.one", "describedby.one", "type.class"}),
    "28-http-linkset-txt-only": ("txt", LEVEL_2_ONLY),
}


@pytest.mark.needs("../shared")
@each_row("name", BENCHMARK)
def test_pages_of_the_benchmark_are_checked(name):
    ending, expected = BENCHMARK[name]
    url = f"https://s11.no/2022/a2a-fair-metrics/{name}/"
    body = (DATA / f"signposting/signposting__{name}.{ending}").read_bytes()
    media_type = {"json": "application/linkset+json", "txt": "application/linkset"}.get(ending, "text/html")

    def fetch(request):
        headers = [("Content-Type", "text/html; charset=utf-8")]
        if request.url == url and ending != "html":
            headers.append(("Link", f'<links>; rel="linkset"; type="{media_type}"'))
        elif request.url == f"{url}links":
            return Fetched(request.url, 200, (("Content-Type", media_type),), body, 0)
        elif request.url != url and "w3id.org" not in request.url:
            raise AddressRefused("It was not recorded.")
        status = 406 if "impossible" in dict(request.headers)["Accept"] else 200
        return Fetched(url, status, tuple(headers), body if ending == "html" else b"", 0)

    more = {"type.about-page", "linkset.collection", "linkset.describes"} if ending != "html" else set()
    assert set(_findings(lint(url, fetch))) == expected | more


# --- pages of other kinds ------------------------------------------------------------------------------------------

ELEMENTS = f"""<!DOCTYPE html><html><head><meta charset=utf-8><base href="/items/"><base href="/ignored/">
<link rel="cite-as" href="{BASE}{PID}"><link rel=type href="https://schema.org/ScholarlyArticle">
<link REL="type" HREF="https://schema.org/AboutPage"><link rel="shortcut icon" href="/x.ico">
<link rel="license" href="{CC_BY}"><link rel="author" href="{ORCID}">
<link rel="describedby" type="application/x-bibtex" href="{BIBTEX}">
<link rel="describedby" type="application/xml" profile="{OAI_DC}" href="{DC}">
<link rel="item" type="application/pdf" href="../files/1.pdf"><link rel="item" type="text/csv" href=" {CSV} ">
<link rel="linkset" type="application/linkset+json" href="1/links.json">
<link rel="linkset" type="application/linkset" href="1/links.txt"><link>
""".encode()


@each_row("ending", [b"", b"<![OCTYPE html>"])
def test_links_of_elements_are_as_good_as_those_of_a_header(ending):
    report = _run(_page("", ELEMENTS + ending, "text/html"))
    assert _findings(report) == []
    assert {name: reason for name, reason in _skipped(report).items() if name != "catalog.works"} == {}


@each_row(
    "content_type, body, expected",
    [
        ("text/html", b"<meta http-equiv=Content-Type content='text/html; charset=latin1'>", []),
        ("text/html; charset=unknown", b"<p>x", []),
        ("text/html", b"<meta name=x content='charset=x'>", ["page.charset"]),
        ("application/pdf", b"%PDF", []),
    ],
)
def test_a_charset_is_stated_in_one_of_two_places(content_type, body, expected):
    site = _site()
    site.change(PAGE, content_type=content_type, body=body)
    assert _findings(_run(site)) == expected


def test_a_page_without_link_set_passes_level_1():
    site = _site()
    value = site[PAGE].link
    for path in (PAGE, PDF, CSV, BIBTEX, DC):
        site.in_header('rel="linkset"', 'rel="alternate"', path)
    assert value != site[PAGE].link
    report = _run(site)
    assert _findings(report) == []
    assert {_skipped(report)[name] for name in _skipped(report)} == {"The page names no link set."}


def test_a_restricted_file_is_no_fault_and_a_file_elsewhere_need_not_link_back():
    site = _site()
    site.change(CSV, status=403)
    site.everywhere(lambda link: link._replace(href="https://other.example.org/x") if link.href == BASE + PDF else link)
    report = _run(site)
    assert [check for check in _findings(report) if check != "linkset.collection"] == ["item.works"]  # no answer at all


def test_a_target_that_our_guard_refuses_is_no_fault():
    site = _site()

    def fetch(request):
        if request.url.endswith((PDF, PID, AS_JSON, CATALOG)):
            raise AddressRefused("private")
        return site.fetch(request)

    report = lint(BASE + PAGE, fetch)
    assert _findings(report) == []
    assert _skipped(report)["cite-as.resolves"] == f"{BASE}{PID} was not requested: private"


def test_a_host_without_a_catalogue_has_no_finding():
    site = _site()
    site.in_header('rel="api-catalog"', 'rel="alternate"')
    site.change(CATALOG, status=404)
    report = _run(site)
    assert _findings(report) == []
    assert _skipped(report)["catalog.works"] == "The page has no api-catalog link."
    assert _skipped(report)["catalog.types"] == f"The host has no FAIRiCat: {BASE}{CATALOG} brings HTTP 404."


@each_row("body", [b"[" * 100_000, b"[]", b""])
def test_a_link_set_that_is_none_is_reported_once(body):
    site = _site()
    site.change(AS_JSON, body=body)
    assert len(_findings(_run(site))) == 1


@each_row("path, check", [(AS_JSON, "linkset.json"), (AS_TEXT, "linkset.text")])
def test_a_link_set_that_would_fill_the_memory_is_not_read(path, check):
    site = _site()
    site.change(path, body=b"<[" * 600_000)
    report = _run(site)
    assert _findings(report) == []
    assert "more than" in _skipped(report)[check]


# --- limits and errors ---------------------------------------------------------------------------------------------


def test_requests_links_seconds_and_bytes_are_bounded():
    report = _run(_site(), requests=5)
    assert report.requests == 5
    assert "The limit of 5 requests was reached." in _skipped(report).values()
    report = _run(_site(), bytes=10)
    assert "The limit of 10 bytes was reached." in _skipped(report).values()
    seconds = iter(range(1_000))
    report = lint(BASE + PAGE, _site().fetch, limits=Limits(seconds=10), clock=lambda: float(next(seconds)))
    assert "The limit of 10 seconds was reached." in _skipped(report).values()
    asked = []
    site = _site()
    lint(BASE + PAGE, lambda request: asked.append(request.url) or site.fetch(request), limits=Limits(links=1))
    assert not {url for url in asked if url.endswith((CSV, DC))}
    assert {url for url in asked if url.endswith((PDF, BIBTEX))}


@each_row("url", ["ftp://a.example.org/", "/items/1", "http://[", "https://"])
def test_what_is_no_address_of_a_page_is_refused(url):
    with pytest.raises(ConfigurationError, match="is not the address of a page"):
        lint(url, _site().fetch)


def test_a_page_without_an_answer_raises_why():
    with pytest.raises(ConnectionFailed):
        lint("https://other.example.org/", _site().fetch)


def test_the_command_reports_in_words_and_json(tmp_path, monkeypatch):
    site = _site()
    monkeypatch.setattr("harvester.commands.checking.fetcher", lambda *_: nullcontext(site.fetch))
    words = ["--instance", str(tmp_path), "lint-signposting", BASE + PAGE]
    done = CliRunner().invoke(main, words)
    assert done.stdout.splitlines()[-1] == "level 1: pass; level 2: pass; FAIRiCat: pass.", done.output
    assert (done.exit_code, "conforms: " in done.stdout) == (0, True)
    site.change(PAGE, refuses=False)
    assert CliRunner().invoke(main, words).exit_code == 3
    site.in_header(f"<{ORCID}>", "<0000-0002-1825-0097>")
    done = CliRunner().invoke(main, [*words, "--json"])
    facts = json.loads(done.stdout)
    assert (done.exit_code, facts["url"], facts["counts"]["fail"]) == (1, BASE + PAGE, 1)
    assert facts["levels"] == {"level 1": "fail", "level 2": "pass", "FAIRiCat": "pass"}


# --- the address of a part ----------------------------------------------------------------------------------------


def test_equivalent_spellings_of_an_address_are_one_address():
    site = _site()
    other = BASE.replace("https://", "HTTPS://").upper() + ":443"
    site.change(PAGE, link=f"{site[PAGE].link}, {site[PAGE].link.replace(BASE, other)}")
    assert other in site[PAGE].link
    assert not {"cite-as.one", "linkset.complete"} & set(_findings(_run(site)))


@each_row(
    "one, other, is_equal",
    [
        ("?id=doi:10.5555/1", "?id=doi%3A10.5555%2F1", True), ("?a=x%20y", "?a=x+y", True),
        ("?a=1%262", "?a=1&2", False), ("?a=1&b=2", "?b=2&a=1", False), ("?a=1", "", False),
    ],
)  # fmt: skip
def test_addresses_are_compared_by_what_their_queries_mean(one, other, is_equal):
    assert is_same(f"{BASE}/item{one}", f"{BASE}/item{other}") == is_equal
