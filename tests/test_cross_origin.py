"""Scripts of other sites may read every answer, and its typed links (Fetch Standard, CORS protocol)."""

from itertools import product
from typing import Any

import pytest

from gateway.core.settings import place_of_copy
from tests.page_house import FOUND, ITEM, house  # noqa: F401 - a fixture

PATHS = (
    "/", f"{ITEM}1", f"{ITEM}1.json", f"{ITEM}1.linkset", "/metadata/oai_dc/oai:gateway.example.org:laro/1",
    f"/files/{FOUND.sha256}", "/files/1", "/schemas/oai_dc.xsd", "/oai?verb=Identify", "/nothing", f"{ITEM}2",
    "/oai:gateway.example.org:laro/1", "/openapi.json", "/.well-known/api-catalog", "/robots.txt", "/resolve",
)  # fmt: skip


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"files_serve": True}


def test_every_answer_can_be_read_with_its_links(house):  # noqa: F811 - the fixture
    house.add("1")
    place = place_of_copy(house.harness.folder, FOUND.sha256)
    place.parent.mkdir(parents=True)
    place.write_bytes(b"%PDF-1.7")
    house.file("1", FOUND._replace(copy_url=f"https://gateway.example.org/files/{FOUND.sha256}"))
    for path, method in product(PATHS, ("GET", "HEAD", "POST")):
        with house.app.test_client().open(path, method=method) as answer:
            assert answer.headers.getlist("Access-Control-Allow-Origin") == ["*"], (method, path)
            assert "Link" in answer.headers["Access-Control-Expose-Headers"], (method, path)
            assert "Access-Control-Allow-Methods" not in answer.headers, (method, path)


def test_a_browser_may_ask_for_what_has_changed(house):  # noqa: F811 - the fixture
    path = house.add("1")
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
    answer = house.app.test_client().options(path, headers=asked | {"Access-Control-Request-Headers": "if-none-match"})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert answer.headers["Access-Control-Allow-Headers"] == "*"
