"""A record may say anything in every field: no page, header, JSON, BibTeX or RIS of it says more than text."""

import json
import re

import pytest

from gateway.core.model import FileLink
from tests.page_house import FOUND, parsed, statement
from tests.payloads import FIELDS, PAYLOADS
from tests.rows import each_row


@pytest.fixture
def hostile(house) -> str:
    """Publish an item that has every payload in every field; return the path of its page."""
    everything = [statement(field, payload, "en") for field in FIELDS for payload in PAYLOADS]
    sets = ("a:b",)
    path = house.add("1", *everything, title=PAYLOADS[0], sets=sets)
    links = (
        FOUND._replace(url="javascript:alert(1)"),
        FOUND._replace(url='https://evil.example/"><script>alert(1)</script>'),
        FOUND._replace(url="https://evil.example/%0d%0aX:1", license="javascript:alert(1)"),
        FOUND._replace(found_in=PAYLOADS[0], retracted=PAYLOADS[1]),
        FileLink("https://evil.example/x\r\nX: 1", "text/html\r\nX: 1"),
    )
    house.file("1", *links)
    return path


@each_row("form", ["", ".authors", ".files"])
def test_pages_have_no_element_and_no_attribute_of_a_record(house, hostile, form):
    tree = parsed(house.page(hostile + form))
    for element in tree.iter("script"):
        assert dict(element.attrib) == {"type": "application/ld+json"}
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        assert element.tag not in ("iframe", "img", "style", "base", "object", "embed")
        assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
        for name in ("href", "src", "action"):
            address = element.get(name, "")
            assert re.match(r"(https?://|/|#|mailto:admin@)", address) or not address, address
    assert [field.get("name") for field in tree.iter("input")] == ["q"]
    assert [form.get("action") for form in tree.iter("form")] == ["/search"]
    assert not tree.findall(".//meta[@http-equiv]")


def test_the_json_ld_cannot_leave_its_element(house, hostile):
    html = house.page(hostile)
    (text,) = re.findall(r'(?s)<script type="application/ld\+json">(.*?)</script>', html)
    assert not set(text) & set("<>&\u2028\u2029")
    data = json.loads(text)
    assert data["name"] == "alert(1)" or "alert(1)" in data["name"]


def test_headers_have_no_line_of_a_record(house, hostile):
    for form in ("", ".json", ".bib", ".ris", ".csl.json", ".linkset", ".linkset.json"):
        answer = house.get(hostile + form)
        assert answer.status_code == 200
        assert "evil" not in "".join(answer.headers.keys()).lower()
        for name, value in answer.headers:
            assert not set(name + value) & set("\r\n\0"), name
            assert value.isascii(), name
        assert len(answer.headers.get("Link", "").encode()) <= 4096


def test_bibtex_has_one_entry_whose_braces_fit(house, hostile):
    text = house.page(f"{hostile}.bib")
    assert re.findall(r"(?m)^@", text) == ["@"]
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0


def test_ris_has_one_record(house, hostile):
    text = house.page(f"{hostile}.ris")
    assert len(re.findall(r"(?m)^TY  - ", text)) == 1
    assert len(re.findall(r"(?m)^ER  - ", text)) == 1
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in text.split("\r\n")[:-1])


def test_json_and_csl_are_json(house, hostile):
    assert isinstance(json.loads(house.page(f"{hostile}.json")), dict)
    assert isinstance(json.loads(house.page(f"{hostile}.csl.json")), list)
