"""Sixty faults of file servers, and answers that only look odd, each with SHA-256, MD5, size or nothing stated."""

from __future__ import annotations

from hashlib import md5, sha256

import pytest

from tests.mirror import samples
from tests.mirror.latest_faults import BLIND, LATEST
from tests.mirror.provider import Item
from tests.mirror.server_faults import FAULTS, HTML, LATER, ODD, UNSEEN, document

STATED = {
    "SHA-256": lambda content: sha256(content).hexdigest(),
    "MD5": lambda content: md5(content).hexdigest(),
    "size": None,
    "nothing": None,
}


def filled(provider, faults, says, numbers):
    """Let the provider have an object for each fault, of which it states one thing; return the good files."""
    good = {}
    for number, fault in zip(numbers, faults, strict=False):
        name = f"{number}"
        good[name] = content = fault.make(number)
        url = provider.file_url(f"{name}/{number}.x")
        about = document(url, fault.mime_type, content, says, STATED[says])
        provider.items[name] = Item({f"{number}.x": content}, document=about)
        provider.faults[f"{name}/{number}.x"] = lambda handler, fault=fault, content=content: (
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


def test_the_table_has_sixty_faults_and_fifteen_answers_that_look_odd():
    assert len(FAULTS) >= 60
    assert len(ODD) >= 15
    assert len({fault.name for fault in (*FAULTS, *ODD)}) == len(FAULTS) + len(ODD)


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_no_fault_of_a_server_is_held_as_good(mirror, provider, says):
    faults = (*FAULTS, *LATER)
    good = filled(provider, faults, says, range(1, 1 + len(faults)))
    receipt = mirror.run(status=3, fetch_retries=1, mirror_host_connections=8)
    assert held_wrongly(mirror, good, faults) == ([UNSEEN] if says == "nothing" else [])
    assert all(missing["reason"] for missing in receipt["missing"])


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_no_fault_that_was_thought_of_later_is_held_as_good(mirror, provider, says):
    """But one, where nothing is stated: a JPEG says nothing of its middle."""
    good = filled(provider, LATEST, says, range(301, 301 + len(LATEST)))
    mirror.run(status=3, fetch_retries=1, mirror_host_connections=8)
    assert held_wrongly(mirror, good, LATEST) == ([BLIND] if says == "nothing" else [])


@pytest.mark.slow
@pytest.mark.parametrize("says", STATED)
def test_an_answer_that_only_looks_odd_is_held(mirror, provider, says):
    good = filled(provider, ODD, says, range(101, 101 + len(ODD)))
    receipt = mirror.run(mirror_host_connections=8)
    assert receipt["missing"] == []
    assert mirror.held() == {name: {f"{name}.x": content} for name, content in good.items()}
