"""The identifiers that real repositories use are resolved with every suffix, and reach their pages and metadata.

Of them, `RECORDED_IDENTIFIERS` are drawn (100; 0: all).
"""

import os
import re
from html import unescape
from pathlib import Path
from random import Random

import pytest

from gateway.core.names import local_identifier
from gateway.pages.item_places import in_path, in_query
from tests.conftest import SHARED
from tests.page_house import House, parsed
from tests.publish.harness import Sent, dc
from tests.seeds import SEED

SUFFIXES = ("", ".html", ".json", ".bib", ".oai_dc", ".oai_didl", ".resource", ".ListMetadataFormats", ".ListERRoLs")
_IDENTIFIER = re.compile(rb"<(?:\w+:)?header[^>]*>\s*<(?:\w+:)?identifier>([^<]+)</")
_OF_ONE_FILE = 3
_DRAWN = int(os.environ.get("RECORDED_IDENTIFIERS", "30"))


def recorded_identifiers(folder: Path) -> list[str]:
    """Return the first identifiers of every recorded answer, each once."""
    names: dict[str, None] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            for match in _IDENTIFIER.findall(file.read_bytes())[:_OF_ONE_FILE]:
                names[unescape(match.decode("utf-8", "replace")).strip()] = None
    return [*names]


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.needs("../shared/data/oai")
def test_identifiers_of_recorded_repositories_are_resolved_with_every_suffix(house: House) -> None:
    names = recorded_identifiers(SHARED / "data")
    assert len(names) > 250
    if _DRAWN:
        names = Random(SEED).sample(names, _DRAWN)
    house.harness.send(*(Sent(name, dc(f"Number {number}")) for number, name in enumerate(names)))
    house.harness.publish()
    for number, name in enumerate(names):
        identifier = local_identifier("gateway.example.org", "laro", name)
        for suffix in SUFFIXES:
            answer = house.get(f"/{in_path(identifier)}{suffix}")
            assert answer.status_code == 303, (name, suffix)
            place = answer.headers["Location"].partition("#")[0]
            assert place.startswith(("/items/", "/metadata/", "/browse?")), place
            assert house.get(place).status_code == 200, place
            if suffix in ("", ".resource"):
                assert parsed(house.page(place)).findtext(".//h1") == f"Number {number}"
        page = house.get(f"/resolve?id={in_query(name)}").headers["Location"]
        assert parsed(house.page(page)).findtext(".//h1") == f"Number {number}"
