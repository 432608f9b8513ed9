"""Faults of file servers, and answers that only look odd, each with SHA-256, MD5, size or nothing stated.

The rules were mended with some of the rows of `fresh_faults` and `fresh_good`, and then tried with the others.
"""

from __future__ import annotations

from hashlib import md5, sha256

import pytest

from tests.mirror import samples
from tests.mirror.fresh_faults import FRESH
from tests.mirror.fresh_good import GOOD
from tests.mirror.provider import Item
from tests.mirror.server_faults import FAULTS, HTML, LATER, ODD, UNSEEN, document

STATED = {
    "SHA-256": lambda content: sha256(content).hexdigest(),
    "MD5": lambda content: md5(content).hexdigest(),
    "size": None,
    "nothing": None,
}


def filled(provider, faults, says):
    """Let the provider have an object for each fault, of which it states one thing; return the good files."""
    good = {}
    for number, fault in enumerate(faults, 501):
        good[f"{number}"] = content = fault.make(number)
        url = provider.file_url(f"{number}/{number}.x")
        about = document(url, fault.mime_type, content, says, STATED[says])
        provider.items[f"{number}"] = Item({f"{number}.x": content}, document=about)
        provider.faults[f"{number}/{number}.x"] = lambda handler, fault=fault, content=content: (
            fault.send(handler, content) or True
        )
    for path in ("/", "/login"):
        provider.faults[path] = lambda handler: handler.send(200, samples.page(3), {"Content-Type": HTML}) or True
    return good


def held_wrongly(mirror, good, faults):
    """Return the names of the faults whose bad bytes are held as the file."""
    held = mirror.held()
    return [
        fault.name
        for (name, content), fault in zip(good.items(), faults, strict=True)
        if [held_content for held_content in held.get(name, {}).values() if held_content != content]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_no_fault_of_a_server_is_held_as_good(mirror, provider, says):
    """But another file of the same type, where nothing is stated."""
    faults = (*FAULTS, *LATER, *(FRESH if says in ("size", "nothing") else ()))
    good = filled(provider, faults, says)
    receipt = mirror.run(status=3, fetch_retries=1, mirror_host_connections=8)
    assert held_wrongly(mirror, good, faults) == ([UNSEEN] if says == "nothing" else [])
    assert all(missing["reason"] for missing in receipt["missing"])


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_an_answer_that_only_looks_odd_is_held(mirror, provider, says):
    good = filled(provider, (*ODD, *(GOOD if says in ("size", "nothing") else ())), says)
    receipt = mirror.run(mirror_host_connections=8)
    assert receipt["missing"] == []
    assert mirror.held() == {name: {f"{name}.x": content} for name, content in good.items()}
