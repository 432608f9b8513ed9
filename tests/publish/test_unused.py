"""Elements that no reader uses: found by reading a sample of records again without them."""

import pytest

from gateway.publish.unused import UnusedElement, unused_elements
from tests.publish.harness import Harness, Sent, dc, mods

MORE = b"<originInfo><dateIssued>2001</dateIssued><place>P</place></originInfo>", b"<x:y xmlns:x='urn:x'>1</x:y>"


def test_elements_that_no_reader_uses_are_named_by_format_with_an_example(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those inside an unused one are not named, a valid oai_dc is published as it came, and nothing is stored."""
    noted = b"<recordInfo><recordContentSource>X</recordContentSource></recordInfo>"
    payloads = [mods().replace(b"</mods>", noted + more + b"</mods>") for more in MORE]
    harness.send(Sent("a", payloads[0]), Sent("b", payloads[1]), Sent("c", b"<broken"), prefix="mods")
    announced = {"mods": ("http://www.loc.gov/standards/mods/", "http://www.loc.gov/mods/v3")}
    harness.sent(Sent("d", dc()), facts=harness.facts(formats=announced))
    example = "oai:gateway.example.org:laro/"
    monkeypatch.delattr(type(harness.store), "add_format")
    assert list(unused_elements(harness.store, harness.inbox, "laro")) == [
        UnusedElement("mods", "recordInfo", 2, 2, f"{example}a"),
        UnusedElement("mods", "originInfo/place", 1, 2, f"{example}a"),
        UnusedElement("mods", "x:y", 1, 2, f"{example}b"),
    ]
