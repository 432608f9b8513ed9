"""The page of an item: what its record says, for readers, crawlers and screen readers."""

import json

import pytest

from gateway.core.bibliography.identifiers import identifier_of
from gateway.core.model import FileLink
from gateway.core.model.works import SCHEMES
from gateway.core.takedowns import Kind, Takedown
from gateway.pages.templating import texts
from tests.page_house import FOUND, ITEM, parsed, seen, statement
from tests.rows import each_row

WORK = (
    statement("creator", "Okafor, Ada (https://orcid.org/0000-0002-1825-0097)"),
    statement("creator", "Lindqvist, Märta"),
    statement("date", "2025-05"),
    statement("type", "info:eu-repo/semantics/article"),
    statement("source", "Journal of Reef Science, 12(3), 45-67"),
    statement("description", "Heatwaves strike reefs. We measured <i>Acropora</i>.", "en"),
    statement("identifier", "doi:10.5555/reef.1"),
    statement("identifier", "https://laro.example.org/record/1"),
    statement("identifier", "http://laro.example.org/1.pdf"),
    statement("subject", "coral reefs"),
    statement("language", "en"),
    statement("rights", "https://creativecommons.org/licenses/by/4.0/"),
)


def meta(html: str, name: str) -> list[str]:
    return [element.get("content") for element in parsed(html).iterfind(f".//meta[@name='{name}']")]


def canonical(html: str) -> str:
    return parsed(html).find(".//link[@rel='canonical']").get("href")


def test_a_page_shows_what_the_record_says(house):
    html = house.page(house.add("1", *WORK, title="Thermal tolerance of reef-building corals"))
    text = seen(html)
    for words in (
        "Thermal tolerance of reef-building corals",
        "Okafor, Ada ORCID Okafor, Ada; Lindqvist, Märta",
        "May 2025",
        "Heatwaves strike reefs. We measured Acropora.",
        "Named by the source in dc:identifier, at laro.example.org",
        "CC BY 4.0",
        "DOI 10.5555/reef.1",
        "coral reefs",
        "English",
    ):
        assert words in text, words
    assert [heading.text_content() for heading in parsed(html).iter("h1")] == [
        "Thermal tolerance of reef-building corals"
    ]


def test_the_chain_leads_from_the_origin_to_us(house):
    nested = (
        b'<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"><originDescription '
        b'harvestDate="2020-01-01T00:00:00Z" altered="true"><baseURL>http://origin.example.com/oai</baseURL>'
        b"<identifier>oai:origin:4711</identifier><datestamp>2019-02-03</datestamp>"
        b"<metadataNamespace>urn:m</metadataNamespace></originDescription></provenance>"
    )
    html = house.page(house.add("1", about=nested))
    steps = [" ".join(step.text_content().split()) for step in parsed(html).iterfind(".//ol[@class='chain']/li")]
    assert len(steps) == 3
    assert steps[0].startswith("origin.example.com oai:origin:4711 changed 3 February 2019")
    assert steps[1].startswith("laro.example.org 1 changed 1 January 2020")
    assert steps[2].startswith("A gateway oai:gateway.example.org:laro/1 published")


def test_a_found_file_is_shown_with_the_way_it_was_found(house):
    path = house.add("1")
    assert "Not searched" in seen(house.page(path))
    house.file("1", FOUND)
    html = house.page(path)
    text = seen(html)
    assert "Found by Unpaywall, 21 November 2026, at repository.example.net" in text
    assert "2.4 MB" in text
    assert "accepted" in text
    assert FOUND.sha256 in text
    assert parsed(html).find(".//a[@class='button primary']").get("href") == FOUND.url


def test_a_retraction_is_the_first_thing_that_is_read(house):
    path = house.add("1")
    house.file("1", FOUND._replace(retracted="Crossref: retracted by https://doi.org/10.5555/notice"))
    text = seen(house.page(path))
    assert "This work was retracted. Crossref: retracted by https://doi.org/10.5555/notice" in text
    assert text.index("This work was retracted") < text.index("Files")


# --- crawlers -----------------------------------------------------------------------------------------------------


def test_only_pages_with_a_file_of_ours_are_indexed(house):
    path = house.add("1", *WORK)
    html = house.page(path)
    assert meta(html, "robots") == ["noindex"]
    assert canonical(html) == f"https://gateway.example.org{path}"
    house.file("1", FOUND)
    html = house.page(path)
    assert meta(html, "robots") == []
    assert canonical(html) == f"https://gateway.example.org{path}"


@pytest.mark.parametrize("settings", [{"landing_index": True}])
def test_if_all_pages_are_indexed_the_original_is_canonical(house, settings):
    html = house.page(house.add("1", *WORK))
    assert meta(html, "robots") == []
    assert canonical(html) == "https://laro.example.org/record/1"


def test_the_tags_of_google_scholar_are_there(house):
    html = house.page(house.add("1", *WORK, title="Thermal <i>tolerance</i>"))
    assert meta(html, "citation_title") == ["Thermal tolerance"]
    assert meta(html, "citation_author") == ["Okafor, Ada", "Lindqvist, Märta"]
    assert meta(html, "citation_publication_date") == ["2025/05"]
    assert meta(html, "citation_journal_title") == ["Journal of Reef Science"]
    assert meta(html, "citation_firstpage") == ["45"]
    assert meta(html, "citation_doi") == ["10.5555/reef.1"]
    assert meta(html, "citation_pdf_url") == []  # it is at another host


def test_no_page_has_more_than_400_authors_in_its_tags(house):
    creators = [statement("creator", f"Author, {number}") for number in range(3000)]
    path = house.add("1", *creators, statement("date", "2025"))
    html = house.page(path)
    assert len(meta(html, "citation_author")) == 400
    assert len(html.encode()) <= 50_000 + 400 * 60
    assert "and 2,990 more" in seen(html)
    assert len(parsed(house.page(f"{path}.authors")).findall(".//main//li")) == 500
    assert len(parsed(house.page(f"{path}.authors?after=2500")).findall(".//main//li")) == 500


def test_the_json_ld_is_that_of_schema_org(house):
    path = house.add("1", *WORK, title="Thermal tolerance")
    house.file("1", FOUND)
    data = json.loads(parsed(house.page(path)).find(".//script[@type='application/ld+json']").text)
    assert data["@type"] == "ScholarlyArticle"
    assert data["@id"] == data["url"] == f"https://gateway.example.org{path}"
    assert data["author"][0] == {
        "@type": "Person", "@id": "https://orcid.org/0000-0002-1825-0097", "name": "Okafor, Ada",
        "familyName": "Okafor", "givenName": "Ada",
    }  # fmt: skip
    assert [file["contentUrl"] for file in data["encoding"]] == ["http://laro.example.org/1.pdf", FOUND.url]
    assert json.loads(house.page(f"{path}.jsonld")) == data


# --- other forms --------------------------------------------------------------------------------------------------


def test_the_json_of_an_item_has_what_its_page_shows(house):
    path = house.add("1", *WORK, title="Thermal tolerance")
    house.file("1", FOUND)
    data = json.loads(house.page(f"{path}.json"))
    assert data["title"] == "Thermal tolerance"
    assert data["authors"][0] == {"name": "Okafor, Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"}
    assert [file["origin"] for file in data["files"]] == ["upstream", "discovered"]
    assert data["files"][1]["sha256"] == FOUND.sha256
    assert data["source"]["identifier"] == "1"
    assert data["provenance"][0]["baseURL"] == "http://laro.example.org/oai"


def test_metadata_are_exactly_the_bytes_of_the_record(house):
    path = house.add("1", *WORK, title="a < b & c")
    for prefix in ("oai_dc", "oai_didl"):
        answer = house.get(path.replace("/items/", f"/metadata/{prefix}/"))
        record = house.get(
            f"/oai?verb=GetRecord&metadataPrefix={prefix}&identifier=oai:gateway.example.org:laro/1"
        ).data
        assert b"<metadata>" + answer.data + b"</metadata>" in record
        assert answer.content_type == "application/xml; charset=UTF-8"
        assert answer.headers["ETag"].startswith('"')
        assert answer.headers["Last-Modified"]
        assert 'rel="describes"' in answer.headers["Link"]


def test_a_client_that_has_the_page_gets_no_second_one(house):
    path = house.add("1", *WORK)
    for address in (path, f"{path}.json", path.replace("/items/", "/metadata/oai_dc/")):
        tag = house.get(address).headers["ETag"]
        assert house.get(address, headers={"If-None-Match": tag}).status_code == 304
        assert house.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.slow
def test_many_files_are_shown_in_parts(house):
    names = [statement("identifier", f"http://laro.example.org/{number:03}.pdf") for number in range(700)]
    path = house.add("1", *names)
    html = house.page(path)
    assert len(parsed(html).findall(".//tbody/tr")) == 50
    assert "Show 650 more files" in seen(html)
    names_shown = []
    following = f"{path}.files"
    while following:
        tree = parsed(house.page(following))
        names_shown += [link.text_content() for link in tree.iterfind(".//tbody/tr/td[1]//a")]
        link = tree.find(".//a[@rel='next']")
        following = "" if link is None else link.get("href")
    assert names_shown == [f"{number:03}.pdf" for number in range(700)]


# --- what is gone -------------------------------------------------------------------------------------------------


def test_a_deleted_item_is_a_tombstone(house):
    path = house.add("1", *WORK, title="The secret title")
    house.harness.now += 5
    house.delete("1")
    for address in (path, f"{path}.json", path.replace("/items/", "/metadata/oai_dc/")):
        answer = house.get(address)
        assert answer.status_code == 410, address
        assert "The secret title" not in answer.text
        assert "14 November 2023" in seen(answer.text)


def test_an_item_that_was_taken_down_is_not_available_for_legal_reasons(house):
    path = house.add("1", *WORK, title="The secret title")
    house.take_down(Takedown(Kind.UPSTREAM, "1", "laro"))
    for address in (path, f"{path}.json", path.replace("/items/", "/metadata/oai_dc/")):
        answer = house.get(address)
        assert answer.status_code == 451, address
        assert "The secret title" not in answer.text
        assert 'rel="blocked-by"' in answer.headers["Link"]


def test_an_item_that_never_was_is_not_found(house):
    house.add("1")
    for path in (f"{ITEM}2", "/items/", "/items/x", "/items/?identifier=x", f"{ITEM}1.xyz", "/metadata/oai_dc/x"):
        answer = house.get(path)
        assert answer.status_code == 404, path
        parsed(answer.text)
    assert house.get("/metadata/mods/oai:gateway.example.org:laro/1").status_code == 404


def test_pages_are_safe_to_show_and_free_to_read(house):
    answer = house.get(house.add("1"))
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=300"


def test_an_item_whose_record_cannot_be_read_whole_is_not_said_to_have_no_file(house, monkeypatch):
    path = house.add("1")
    embedded = FOUND._replace(content=b"%PDF-1.7")
    house.file("1", *(embedded._replace(url=f"https://repository.example.net/{n}.pdf") for n in range(2_000)))
    monkeypatch.setattr("gateway.core.xmlio.MAX_MEMORY", 1_000_000)
    text = seen(house.page(path))
    assert "too large to be read whole" in text
    assert "No file" not in text
    assert house.get(f"{path}.json").json["complete"] is False


def test_texts_of_a_record_have_its_language_or_an_unknown_one(house):
    path = house.add(
        "1", statement("title", "Ein zweiter Titel", "ger"), statement("title", "Third", "English"),
        statement("description", "Un texte.", "fra"), statement("subject", "reefs"),
        statement("creator", "Okafor, Ada"),
    )  # fmt: skip
    content = parsed(house.page(path)).get_element_by_id("content")
    texts = {element.text_content().strip(): element.get("lang") for element in content.xpath(".//*[@lang]")}
    assert texts == {"A title": "", "Ein zweiter Titel": "de", "Third": "en", "Un texte.": "fr", "reefs": ""}


NAMED = "http://laro.example.org/1.pdf"


@each_row(
    "missing, sentence",
    [
        ("since 2026-11-20 (gone)", "first on 20 November 2026. It was deleted."),
        ("since 2026-11-20 (an-outcome-of-later)", "first on 20 November 2026."),
        ("<b>for a long time</b>", "Not there <b>for a long time</b>"),
    ],
)
def test_a_file_that_its_record_names_in_vain_is_flagged(house, missing, sentence):
    path = house.add("1", *WORK)
    house.file("1", FileLink(NAMED, "application/pdf", sha256="cd" * 32, missing=missing))
    html = house.page(path)
    text = seen(html)
    assert sentence in text
    assert "File not there" in text
    assert "Full text" not in text
    assert "Open PDF" not in text
    (file,) = json.loads(house.page(f"{path}.json"))["files"]
    assert file["missing"] == missing


@each_row(
    "text, scheme",
    [
        ("doi:10.1234/x", "doi"), ("hdl:2027/x", "handle"), ("arXiv:2101.00001", "arxiv"), ("pmid:123456", "pmid"),
        ("978-3-16-148410-0", "isbn"), ("ISSN 0028-0836", "issn"), ("urn:nbn:se:uu:diva-2254", "urn"),
        ("ark:/12148/btv1b8449691v", "ark"), ("https://example.org/", "url"), ("RePEc:x", "other"),
    ],
)  # fmt: skip
def test_every_scheme_of_identifiers_has_a_word_on_pages(text, scheme):
    assert identifier_of(text).scheme == scheme
    assert set(SCHEMES) == set(vars(texts().schemes))
