"""An item may have very many files: its page stays small, its link sets are whole.

Its DIDL needs more memory than one record may, although what was harvested did not.
"""

import json

import pytest

from gateway.core import xmlio
from gateway.core.typed_links import MOST_BYTES, links_of_header, links_of_text
from tests.page_house import parsed, seen, statement

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

NAME = "oai:gateway.example.org:laro/1"
TOO_LARGE = "This record is too large"


COUNT = 2_200


def test_every_form_of_an_item_of_many_files_is_answered_and_its_link_sets_name_all_of_them(house, monkeypatch):
    monkeypatch.setattr(xmlio, "MAX_MEMORY", 8 << 20)  # 50,000 files would need more than what a record may
    wanted = {f"https://laro.example.org/{n}.pdf" for n in range(COUNT)}
    path = house.add("1", *(statement("identifier", f"https://laro.example.org/{n}.pdf") for n in range(COUNT)))
    with house.harness.store.view() as view:
        needed = {form: xmlio.memory_of(view.record(NAME, form).content) for form in ("oai_dc", "oai_didl")}
    assert needed["oai_dc"] <= xmlio.MAX_MEMORY < needed["oai_didl"]
    html = house.page(path)
    parsed(html)
    assert len(html.encode()) < 100_000
    assert TOO_LARGE not in seen(html)
    data = house.get(f"{path}.json").json
    assert data["complete"]
    assert len(data["files"]) == COUNT
    for form in (".jsonld", ".bib", ".ris", ".csl.json", ".files", ".authors"):
        answer = house.get(path + form)
        assert answer.status_code == 200, form
        assert len(answer.headers.get("Link", "")) <= MOST_BYTES, form
    page = f"https://gateway.example.org{path}"
    (header,) = {house.app.test_client().open(path, method=way).headers["Link"] for way in ("GET", "HEAD")}
    assert len(header) <= MOST_BYTES
    assert {link.href for link in links_of_header([header], page) if link.rel == "item"} < wanted
    links = links_of_text(house.page(f"{path}.linkset"), page)
    assert {link.href for link in links if (link.rel, link.anchor) == ("item", page)} == wanted
    (contexts,) = json.loads(house.page(f"{path}.linkset.json")).values()
    of_files = {context["anchor"]: context["collection"] for context in contexts if "collection" in context}
    assert of_files.keys() == wanted
