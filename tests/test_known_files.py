"""What is known of files, held against what an upstream says of them: its own word comes first."""

from __future__ import annotations

import pytest

from gateway.known_files import completed
from gateway.model import FileLink, FileOrigin, Work

URL = "https://x.example.org/1"
OURS = FileLink(URL, "application/pdf", size=9, sha256="aa", modified="2026", found_at="now")


@pytest.mark.parametrize(
    ("said", "is_completed"),
    [
        (FileLink(URL), True),
        (FileLink(URL, "text/plain", modified="2020", sha256="AA"), True),
        (FileLink(URL, size=9, modified="2025"), True),
        (FileLink(URL, size=8), False),
        (FileLink(URL, modified="since"), False),
        (FileLink(URL, sha256="bb", size=8), False),
    ],
)
def test_the_upstream_s_own_word_comes_first(said: FileLink, is_completed: bool) -> None:
    (found,) = completed(Work(files=(said,)), (OURS,)).files
    if not is_completed:
        assert found == said
        return
    assert (found.size, found.sha256.lower(), found.found_at) == (9, "aa", "now")
    assert found.mime_type == ("text/plain" if said.mime_type == "text/plain" else "application/pdf")
    assert found.modified == (said.modified or "2026")


def test_what_the_upstream_names_by_now_is_the_upstream_s() -> None:
    found = OURS._replace(origin=FileOrigin.DISCOVERED)
    (link,) = completed(Work(files=(FileLink(URL),)), (found,)).files
    assert (link.origin, link.sha256) == (FileOrigin.UPSTREAM, "aa")
