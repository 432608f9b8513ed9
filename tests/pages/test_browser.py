"""A real browser visits every kind of page: on a phone and on a desk, light and dark, with a judge of accessibility.

WCAG 2.2 AA by axe-core; reflow at 320 pixels (1.4.10), also with the text spacing of 1.4.12; no message on the console,
where a browser reports what our policy forbids.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from gateway.core.model import RunOutcome, SetDescription
from gateway.publish.publish_files import file_all
from tests import live
from tests.chromium import browser, complaints, faults, too_wide
from tests.page_house import FOUND, statement
from tests.payloads import FIELDS, PAYLOADS
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.rows import each_row
from tests.seeds import drawn

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured, pytest.mark.needs("chromium", "chromedriver", "axe-core")]

ITEM = "/items/oai:gateway.example.org:laro/"
PAGES = {
    "home": "/",
    "item": f"{ITEM}full",
    "item without a file": f"{ITEM}bare",
    "hostile item": f"{ITEM}payload-0",
    "large item": f"{ITEM}large",
    "right to left": f"{ITEM}arabic",
    "authors": f"{ITEM}large.authors",
    "files": f"{ITEM}large.files",
    "deleted item": f"{ITEM}gone",
    "no such page": f"{ITEM}nothing",
    "search": "/search?q=title",
    "search with filters": "/search?q=&type=article&source=laro&from=2000&order=date",
    "nothing found": "/search?q=nowhere",
    "browse": "/browse",
    "Identify": "/browse?verb=Identify",
    "ListSets": "/browse?verb=ListSets",
    "ListRecords": "/browse?verb=ListRecords&metadataPrefix=oai_dc",
    "ListIdentifiers": "/browse?verb=ListIdentifiers&metadataPrefix=oai_dc",
    "ListMetadataFormats": "/browse?verb=ListMetadataFormats",
    "GetRecord": "/browse?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/full",
    "an error": "/browse?verb=ListRecords",
    "sets": "/sets",
    "set": "/sets?set=source:laro:physics",
    "formats": "/formats",
    "format": "/formats/oai_didl",
    "sources": "/sources",
    "source": "/sources/laro",
    "help": "/help",
}


def payloaded(text: str) -> bytes:
    """Return Dublin Core with a text in every field."""
    statements = (statement(field, text, "en") for field in FIELDS)
    return dc(escape(text), statement("creator", "Payload, Ada"), statement("date", "2025"), *statements)


def furnished(folder: Path) -> None:
    """Publish items of every kind."""
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        harness.store.add_sets([SetDescription("source:laro:physics", "Physics")])
        full = (
            statement("creator", "Okafor, Ada (https://orcid.org/0000-0002-1825-0097)"),
            statement("creator", "Lindqvist, M\u00e4rta"),
            statement("date", "2025-05-03"),
            statement("type", "Article"),
            statement("source", "Journal of Reef Science, 12(3), 45-67"),
            statement("description", "Marine heatwaves strike reefs every second summer. " * 8, "en"),
            statement("identifier", "doi:10.5555/reef.1"),
            statement("identifier", "https://laro.example.org/record/1"),
            statement("subject", "coral reefs"),
            statement("subject", "Reefs -- Heat waves -- " * 5),
            statement("language", "en"),
            statement("rights", "https://creativecommons.org/licenses/by/4.0/"),
        )
        names = [statement("identifier", f"http://laro.example.org/{number}.pdf") for number in range(120)]
        creators = [statement("creator", f"Author, {number}") for number in range(700)]
        arabic = "\u0627\u0644\u0634\u0639\u0627\u0628 \u0627\u0644\u0645\u0631\u062c\u0627\u0646\u064a\u0629"
        harness.send(
            Sent(
                "full",
                dc("Thermal tolerance of <i>reef-building</i> corals".replace("<", "&lt;"), *full),
                sets=("physics",),
            ),
            Sent("bare", dc("A title")),
            Sent("large", dc("A very long title of many words " * 12, *names, *creators)),
            Sent(
                "arabic",
                dc(
                    arabic,
                    statement("description", arabic * 5, "ar"),
                    statement("title", "Korallen", "deu"),
                    statement("title", "Corals", "English"),
                ),
            ),
            Sent("gone", dc("Gone")),
            *(Sent(f"payload-{number}", payloaded(text)) for number, text in enumerate(PAYLOADS)),
        )
        harness.publish()
        harness.now += 5
        harness.send(Sent("gone", None))
        harness.publish()
        file_all(
            harness.store,
            harness.inbox,
            "laro",
            ("full",),
            lambda _state: (FOUND, FOUND._replace(url=FOUND.url + "2", license="")),
        )
        for at, outcome in ((1_700_000_000, RunOutcome.SUCCEEDED), (1_700_100_000, RunOutcome.FAILED)):
            number = harness.inbox.start_run("laro", at)
            harness.inbox.end_run(number, at + 60, outcome, True, {"received": 5, "published": 5}, ())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    make_databases(folder)
    furnished(folder)
    (folder / "config.toml").write_text("")
    assert live.called("gateway", folder, "index", secret="x" * 40).returncode == 0
    with live.served(folder, secret="x" * 40) as server:
        yield server.url.removesuffix("/oai")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@each_row("page", drawn(PAGES, 2))
def test_the_judge_of_accessibility_finds_nothing(site, page, dark):
    window = browser(360 if dark else 1280, dark=dark)
    window.get(site + PAGES[page])
    assert faults(window) == []


@each_row("page", PAGES)
def test_a_page_fits_the_smallest_phone_and_neither_runs_nor_asks_for_what_is_forbidden(site, page):
    """No page has a script to run, so each is the same in browsers without JavaScript."""
    window = browser(320)
    complaints(window)
    window.get(site + PAGES[page])
    assert window.execute_script("return window.ran") is None
    assert window.find_elements(By.CSS_SELECTOR, "script:not([type='application/ld+json'])") == []
    assert complaints(window, ("404", "410") if page in ("no such page", "deleted item") else ()) == []
    assert too_wide(window) == []
    assert too_wide(browser(720)) == []  # wide screens have rules of their own


def test_no_payload_in_any_field_runs_or_is_loaded(site):
    """Each is in all fields of an item of its own. What our policy forbids, the browser reports on the console."""
    window = browser(1280)
    complaints(window)
    pages = [f"{ITEM}payload-{number}{form}" for number in drawn(range(len(PAYLOADS)), 3) for form in ("", ".authors")]
    pages += [f"/search?q=payload&order={order}" for order in ("relevance", "date")]
    following = "/browse?verb=ListRecords&metadataPrefix=oai_dc"
    for page in pages:
        window.get(site + page)
        assert window.execute_script("return window.ran") is None, page
        assert complaints(window) == [], page
        assert window.find_elements(By.CSS_SELECTOR, "main img, main iframe, main style") == [], page
    while following:
        window.get(site + following)
        assert complaints(window) == [], following
        links = window.find_elements(By.CSS_SELECTOR, "a[rel=next]")
        following = links[0].get_attribute("href").removeprefix(site) if links else ""


@each_row("page", drawn(["home", "item", "ListRecords", "sources"], 2))
def test_by_keyboard_alone_every_link_is_reached_in_order_and_seen(site, page):
    window = browser(1280)
    window.get(site + PAGES[page])
    stops = window.find_elements(
        By.CSS_SELECTOR, "a[href], button, input:not([type=hidden]), select, summary, pre[tabindex], main"
    )
    wanted = [stop for stop in stops if stop.is_displayed() and stop.tag_name != "main"]
    reached = []
    body = window.find_element(By.TAG_NAME, "body")
    for _ in range(len(wanted) + 5):
        body.send_keys(Keys.TAB) if not reached else window.switch_to.active_element.send_keys(Keys.TAB)
        stop = window.switch_to.active_element
        if stop.tag_name == "body":
            break
        reached.append(stop)
        box = window.execute_script("const b = arguments[0].getBoundingClientRect(); return [b.top, b.bottom]", stop)
        assert box[1] > 0, "the focus is above what is seen"
        assert box[0] < 900, "the focus is below what is seen"
        if len(reached) > 1 and stop == reached[0]:
            break
    assert reached[0].text == "Skip to the content"
    assert len({stop.id for stop in reached}) >= len(wanted)
