"""Faults of file servers, and answers that only look odd, each with SHA-256, size or nothing stated."""

import pytest

from tests.mirror import samples
from tests.mirror.provider import Item
from tests.mirror.server_faults import FAULTS, HTML, ODD, UNSEEN, document

STATED = ("SHA-256", "size", "nothing")


def filled(provider, faults, says):
    """Let the provider have an object for each fault, of which it states one thing; return the good files."""
    good = {}
    for number, fault in enumerate(faults, 501):
        good[f"{number}"] = content = fault.make(number)
        url = provider.file_url(f"{number}/{number}.x")
        about = document(url, fault.mime_type, content, says)
        provider.items[f"{number}"] = Item({f"{number}.x": content}, document=about)
        provider.faults[f"{number}/{number}.x"] = lambda handler, fault=fault, content=content: (
            fault.send(handler, content) or True
        )
    for path in ("/", "/login"):
        provider.faults[path] = lambda handler: handler.send(200, samples.article(3), {"Content-Type": HTML}) or True
    return good


def held_wrongly(mirror, good):
    """Return the names of the faults whose bad bytes are held as the file."""
    held = mirror.held()
    return [
        fault.name
        for (name, content), fault in zip(good.items(), FAULTS, strict=True)
        if [held_content for held_content in held.get(name, {}).values() if held_content != content]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_no_fault_of_a_server_is_held_as_good(mirror, provider, says):
    """But another file of the same type, where nothing is stated."""
    good = filled(provider, FAULTS, says)
    receipt = mirror.run(status=3, fetch_retries=1, mirror_host_connections=8)
    assert held_wrongly(mirror, good) == ([UNSEEN] if says == "nothing" else [])
    assert all(missing["reason"] for missing in receipt["missing"])


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_an_answer_that_only_looks_odd_is_held(mirror, provider, says):
    good = filled(provider, ODD, says)
    receipt = mirror.run(mirror_host_connections=8)
    assert receipt["missing"] == []
    assert mirror.held() == {name: {f"{name}.x": content} for name, content in good.items()}
