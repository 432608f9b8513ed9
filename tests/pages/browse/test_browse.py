"""The pages about the repository: every number on them is one of the store, every verb can be asked."""

import json
from itertools import pairwise
from urllib.parse import urljoin

import pytest

from gateway.core.model import Format, Identity, KnownIdentity, RawPage, RunOutcome, SetDescription, Source
from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from tests.page_house import FOUND, parsed, seen, statement
from tests.rows import each_row

PAGES = (
    "/", "/browse", "/sets", "/formats", "/formats/oai_dc", "/formats/oai_didl", "/sources", "/sources/laro", "/help",
)  # fmt: skip


@pytest.fixture
def furnished(house):
    """Return a house with three items in two sets, one of them deleted, one with a file, and two harvests."""
    house.harness.store.add_sets(
        [SetDescription("source:laro:physics", "Physics & <more>"), SetDescription("source:laro:physics:plasma", "")]
    )
    house.add("1", statement("creator", "Okafor, Ada"), title="A <i>first</i> title", sets=("physics:plasma",))
    house.add("2", title="A second title", sets=("physics",))
    house.add("3")
    house.harness.now += 5
    house.delete("3")
    house.file("1", FOUND)
    for at, outcome, is_complete, counts in (
        (1_700_000_000, RunOutcome.SUCCEEDED, True, {"received": 3, "published": 3}),
        (1_700_100_000, RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"received": 1, "published": 1, "quarantined": 2}),
    ):
        number = house.harness.inbox.start_run("laro", at)
        house.harness.inbox.end_run(number, at + 60, outcome, is_complete, counts, ())
    return house


@each_row("name", ["a/b/../c", "./a", "a//b/", "a/..", "50%2F?x=1&y=2#z", "\u202ea/b"])
def test_links_of_browsed_records_lead_to_the_item_whatever_its_identifier(house, name):
    """A browser resolves dot segments, and a proxy merges slashes, so the link has both in its query."""
    house.add(name)
    listed = parsed(house.page("/browse?verb=ListRecords&metadataPrefix=oai_dc"))
    one = [link for link in listed.xpath("//td//a/@href") if "verb=GetRecord" in link][-1]  # the newest
    shown = {link for link in parsed(house.page(one)).xpath("//main//a/@href") if link.startswith("/items/")}
    items = {link for link in listed.xpath("//main//a/@href") if link.startswith("/items/")}
    assert len(shown) == 1
    assert shown <= items
    for link in items:
        as_browsers_ask = urljoin("http://g.example/", link).removeprefix("http://g.example")
        assert house.get(as_browsers_ask, follow_redirects=True).status_code == 200, link
        assert "//" not in link.partition("?")[0]


def test_the_start_page_says_what_is_here(furnished):
    text = seen(furnished.page("/"))
    assert "2 records from 1 source" in text
    assert "50 % with full text (1)" in text
    assert "Some records refused, others may be missing 16 November 2023, 02:00 UTC" in text
    assert "last harvest; 0 of 1 sources complete" in text
    assert "metha-sync -format oai_didl https://gateway.example.org/oai" in text


def test_the_start_page_shows_works_by_year(furnished):
    assert "by year of publication" not in furnished.page("/")  # there is no search index yet
    for name, year in (("4", "2019"), ("5", "2019"), ("6", "2021"), ("7", "9876")):
        furnished.add(name, statement("date", year))
    furnished.file("5", FOUND)
    keeper = IndexKeeper(furnished.harness.folder, describe)
    while not keeper.advance(furnished.harness.store):
        pass
    html = furnished.page("/")
    assert "Most works are of 2019: 2." in seen(html)
    assert "Not shown are 3 records without a year or before 2019." in seen(html)
    assert [[cell.text_content() for cell in row] for row in parsed(html).iterfind(".//details//tbody/tr")] == [
        ["2021", "1", "0"],
        ["2020", "0", "0"],
        ["2019", "2", "1"],
    ]
    assert json.loads(furnished.page("/index.json"))["years"][0] == {"year": 2019, "items": 2, "with_file": 1}


@each_row("path", PAGES)
def test_a_page_is_valid_html_with_one_heading_and_no_skipped_level(furnished, path):
    tree = parsed(furnished.page(path))
    levels = [int(element.tag[1]) for element in tree.iter("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@each_row("path", PAGES)
def test_every_link_of_a_page_leads_somewhere(furnished, path):
    for element in parsed(furnished.page(path)).iter("a"):
        address = element.get("href")
        if address.startswith("/"):
            assert furnished.get(address).status_code == 200, address


def test_a_source_is_shown_with_its_harvests(furnished):
    text = seen(furnished.page("/sources/laro"))
    assert "http://laro.example.org/oai" in text
    assert "15 November 2023" not in text
    assert "Complete 3 3 0 0" in text
    assert "Some records refused, others may be missing 1 1 0 2" in text
    assert furnished.get("/sources/nobody").status_code == 404


def test_a_source_says_what_its_records_lack_and_what_no_reader_uses(house):
    store = house.harness.store
    house.add("1", title="")
    store.remember("unused laro", json.dumps({"formats": [("mods", 1, 25, [("classification", 1, "oai:x")])]}))
    lacking = "Items without a title, harvested as oai_dc: 1"
    unused = (
        "Items with elements that no reader uses, harvested as mods: 1 of 25 looked at, such as oai:x: classification"
    )
    assert all(sentence in seen(house.page("/sources/laro")) for sentence in (lacking, unused))
    found = json.loads(house.page("/sources/laro.json"))
    assert found["lacking"][0]["sentence"].startswith(lacking)
    assert found["unused"][0]["elements"] == [{"path": "classification", "records": 1, "example": "oai:x"}]


def test_the_address_of_a_source_with_a_secret_is_not_shown(house):
    house.harness.store.add_source(Source("closed", "https://x.example.org/oai?api_key=s3cret"))
    for path in ("/sources/closed", "/sources", "/sources.json", "/sources/closed.json", "/index.json"):
        assert "s3cret" not in house.page(path)


IDENTIFY = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-24T00:00:00Z</responseDate>
<request verb="Identify">http://laro.example.org/oai</request><Identify><repositoryName>LARO</repositoryName>
<baseURL>{base_url}</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>ada@laro.example.org</adminEmail>
<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify></OAI-PMH>"""


def identified(house, body):
    page = RawPage("laro", "Identify", "http://laro.example.org/oai", 1_700_000_000, 200, (), body)
    house.harness.inbox.receive(page, (), None)


def test_a_source_says_what_it_is(house):
    identified(house, IDENTIFY.format(base_url="http://laro.example.org/oai").encode())
    text = seen(house.page("/sources/laro"))
    assert "deletedRecord persistent granularity YYYY-MM-DD" in text
    assert "ada@" not in text


@each_row("body", [b"", b"no XML", b"<a>", b"<OAI-PMH/>", b"<a>" + b" " * 300_000 + b"</a>", b"\xff\xfe<a/>"])
def test_an_answer_to_identify_that_cannot_be_read_is_not_shown(house, body):
    identified(house, body)
    assert "about itself" not in house.page("/sources/laro")


def test_the_address_of_a_source_with_a_secret_is_not_in_its_items(house):
    path = house.add("1")
    house.harness.store.add_source(Source("laro", "https://x.example.org/oai?api_key=s3cret"))
    for form in ("", ".json", ".jsonld", ".linkset.json"):
        assert "s3cret" not in house.page(f"{path}{form}")


def test_sets_are_a_tree_with_their_names(furnished):
    text = seen(furnished.page("/sets"))
    assert "Physics & <more> source:laro:physics 2" in text
    assert "physics:plasma source:laro:physics:plasma 1" in text
    inner = seen(furnished.page("/sets?set=source:laro:physics"))
    assert "Physics & <more>" in inner
    assert "source:laro:physics:plasma 1" in inner
    assert furnished.get("/sets?set=nothing").status_code == 404


def test_of_many_sets_each_page_has_one_level(house):
    sets = [SetDescription(f"source:laro:{number:04}", "") for number in range(600)]
    sets += [SetDescription(f"source:laro:0007:{number}", "") for number in range(600)]
    house.harness.store.add_sets(sets)
    for spec in ("source:laro", "source:laro:0007"):
        specs = [text for html in pages_of(house, f"/sets?set={spec}") for text in column(html, 2)]
        assert specs == [
            entry.spec for entry in sorted(sets, key=lambda entry: entry.spec) if entry.spec.rpartition(":")[0] == spec
        ]
    first = json.loads(house.page("/sets.json?set=source:laro"))
    following = json.loads(house.page(first["next"].removeprefix("https://gateway.example.org")))
    assert len(first["sets"] + following["sets"]) == 600
    assert following["next"] is None


def pages_of(house, path):
    """Yield the pages of a list, each at most 50 kB and 50 rows; follow the links to the next one, and back."""
    before = ""
    while path:
        html = house.page(path)
        assert len(html.encode()) <= 50_000
        assert len(column(html, 1)) <= 50
        yield html
        links = {link.get("rel"): link.get("href") for link in parsed(html).iterfind(".//nav[@class='pages']/a")}
        assert links.get("prev", before) == before
        before, path = path, links.get("next", "")


def column(html, number):
    return [cell.text_content() for cell in parsed(html).iterfind(f".//tbody/tr/td[{number}]")]


def test_many_sources_and_formats_are_shown_in_pages(house):
    house.add("1")
    for number in range(120):
        house.harness.store.add_source(Source(f"s{number:03}", f"https://s{number}.example.org/oai"))
        house.harness.store.add_format(Format(f"f{number:03}", "", f"urn:f{number}"))
    sources = [name for html in pages_of(house, "/sources") for name in column(html, 1)]
    assert sources == ["laro", *(f"s{number:03}" for number in range(120))]
    prefixes = [prefix for html in pages_of(house, "/formats") for prefix in column(html, 2)]
    assert prefixes == [*(f"f{number:03}" for number in range(120)), "oai_dc", "oai_didl"]
    assert column(house.page("/sources?after=s100zzz"), 1)[0] == "s101"
    assert house.page("/sources?after=zzz")
    assert len(json.loads(house.page("/sources.json"))["sources"]) == 121


def test_lists_of_sources_as_json_lead_to_the_next_page(house, monkeypatch):
    for number in range(7):
        source = Source(f"s{number}", f"https://s{number}.example.org/oai", is_removed=number == 0)
        house.harness.store.add_source(source)
    monkeypatch.setattr("gateway.pages.list_pages.MOST_SOURCES", 3)
    first, names, states = json.loads(house.page("/index.json")), [], {}
    path = "/sources.json"
    while path:
        page = json.loads(house.page(path))
        names.append([row["name"] for row in page["sources"]])
        states |= {row["name"]: row["state"]["headline"] for row in page["sources"]}
        path = page["next"] and page["next"].partition("example.org")[2]
    assert names == [["laro", "s0", "s1"], ["s2", "s3", "s4"], ["s5", "s6"]]
    assert (states["s0"], states["s1"]) == ("Removed", "Never harvested")
    assert [states[name] in seen(house.page(f"/sources/{name}")) for name in ("s0", "s1")] == [True, True]
    assert [row["name"] for row in first["sources"]] == ["laro", "s1"]
    assert first["next"].endswith("/sources.json?after=s1")
    assert house.get("/sources.json?after=-").status_code == 400


def test_the_table_of_sources_has_the_names_that_they_give_themselves(furnished):
    title = "LARO <i> & friends"
    known = Identity(repository_name=title)
    furnished.harness.inbox.keep_identity("laro", KnownIdentity(known, known))
    (laro,) = [row for row in json.loads(furnished.page("/sources.json"))["sources"] if row["name"] == "laro"]
    assert laro["title"] == title
    assert title in seen(furnished.page("/sources"))
    assert title in seen(furnished.page("/"))


def test_a_format_shows_its_schema_and_an_example(furnished):
    text = seen(furnished.page("/formats/oai_dc"))
    assert "http://www.openarchives.org/OAI/2.0/oai_dc/" in text
    assert "<record>" in text
    assert "Records, deleted ones included 3" in text
    assert furnished.get("/formats/nothing").status_code == 404


# --- the verbs ----------------------------------------------------------------------------------------------------


@each_row(
    "query, words",
    [
        ("verb=Identify", "repositoryName A gateway"),
        ("verb=ListMetadataFormats", "oai_didl urn:mpeg:mpeg21:2002:02-DIDL-NS"),
        ("verb=ListSets", "Physics & <more> source:laro:physics"),
        ("verb=ListRecords&metadataPrefix=oai_dc", "A first title oai:gateway.example.org:laro/1"),
        ("verb=ListIdentifiers&metadataPrefix=oai_didl", "oai:gateway.example.org:laro/3 Deleted"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/1", "creator Okafor, Ada"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:gateway.example.org:laro/3", "Deleted"),
        (
            "verb=GetRecord&metadataPrefix=oai_didl&identifier=oai:gateway.example.org:laro/1",
            "Files https://repository.example.net/found.pdf application/pdf",
        ),
        ("verb=ListRecords&metadataPrefix=oai_dc&set=&from=&until=", "A first title"),
    ],
)
def test_every_verb_is_a_page(furnished, query, words):
    html = furnished.page(f"/browse?{query}")
    assert words in seen(html)
    links = [a.get("href") for a in parsed(html).iterfind(".//a[@class='button'][@rel='nofollow']")]
    assert links
    xml = links[-1]
    assert furnished.get(xml).content_type.startswith("text/xml")
    assert "noindex" in html


@each_row(
    "query, code",
    [
        ("verb=Nothing", "badVerb"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=yesterday", "badArgument"),
        ("verb=ListRecords&metadataPrefix=nothing", "cannotDisseminateFormat"),
        ("verb=ListRecords&metadataPrefix=oai_dc&from=2099-01-01", "noRecordsMatch"),
        ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:x:y/z", "idDoesNotExist"),
        ("verb=<script>alert(1)</script>", "badVerb"),
    ],
)
def test_an_error_is_said_in_words(furnished, query, code):
    html = furnished.page(f"/browse?{query}")
    assert f"{code}:" in seen(html)
    assert "<script>" not in html


# --- data ---------------------------------------------------------------------------------------------------------


@each_row("path",
    [
        "/index.json", "/sets.json", "/formats.json", "/formats/oai_dc.json", "/sources.json", "/sources/laro.json",
        "/browse.json", "/browse.json?verb=ListRecords&metadataPrefix=oai_dc", "/browse.json?verb=Nothing",
    ],
)  # fmt: skip
def test_every_page_has_its_data_as_json(furnished, path):
    answer = furnished.get(path)
    assert answer.content_type == "application/json"
    assert json.loads(answer.text)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@each_row("path", ["/sources", "/formats", "/sets", "/sets.json"])
@each_row("after", ["-1", "%00", "a%20b", "%FF", "a/b"])
def test_a_page_that_no_list_can_have_is_a_clear_error(furnished, path, after):
    assert furnished.get(f"{path}?after={after}").status_code == 400


@each_row("path", ["/nothing", "/" + "a" * 100_000, "/sitemaps/x.xml", "/.json", "/%FF", "/<script>"])
def test_an_address_without_a_page_has_a_page_that_says_so(house, path):
    answer = house.get(path)
    assert answer.status_code == 404
    assert "There is no page at this address" in seen(answer.text)
    assert len(answer.data) < 10_000
    assert b"<script>" not in answer.data


@each_row("method", ["POST", "PUT", "DELETE", "A" * 5_000])
def test_an_address_says_which_methods_it_answers(house, method):
    answer = house.app.test_client().open("/sources", method=method)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert "It answers GET, HEAD, OPTIONS." in seen(answer.text)
    assert len(answer.data) < 10_000
