"""A patch makes exactly the bytes of the next version, or is refused."""

from __future__ import annotations

from difflib import diff_bytes, unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import UnusableRecord
from harvester.wire.patches import KNOWN, unified

OLD = b"<a>\n<b>one</b>\n<c/>\n<d/>\n<e/>\n<f/>\n<g/>\n<h/>\n<i/></a>"
NEW = b"<a>\n<b>two</b>\n<c/>\n<d/>\n<e/>\n<f/>\n<g/>\n<h/>\n<h2/>\n<i/></a>\n"
# As `diff -u` writes it.
PATCH = b"""--- old.xml\t2026-01-01
+++ new.xml\t2026-01-02
@@ -1,5 +1,5 @@
 <a>
-<b>one</b>
+<b>two</b>
 <c/>
 <d/>
 <e/>
@@ -6,4 +6,5 @@
 <f/>
 <g/>
 <h/>
-<i/></a>
\\ No newline at end of file
+<h2/>
+<i/></a>
"""


def test_a_patch_of_two_hunks_is_applied():
    assert unified(OLD, PATCH) == NEW
    assert KNOWN["text/x-diff"] is unified


def test_what_is_added_at_the_beginning_or_to_nothing_is_added():
    assert unified(b"b\n", b"@@ -0,0 +1 @@\n+a\n") == b"a\nb\n"
    assert unified(b"", b"@@ -0,0 +1 @@\n+a\n") == b"a\n"


@pytest.mark.parametrize(
    "patch",
    [
        b"",
        b"no patch",
        b"--- a\n+++ b\n",
        b"\\ No newline\n",
        b"@@ -1 +1 @@\n-other\n+new\n",
        b"@@ -1,2 +1 @@\n-<a>\n+new\n",
        b"@@ -99 +1 @@\n-<a>\n+new\n",
        b"@@ -0 +1 @@\n-<a>\n+new\n",
        b"@@ -1 +1 @@\n-<a>\n+new\n@@ -1 +1 @@\n-<a>\n+new\n",
        b"@@ -1 +1 @@\n-<a>\n*new\n",
    ],
)
def test_what_is_no_patch_of_this_is_refused(patch):
    with pytest.raises(UnusableRecord):
        unified(OLD, patch)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n"]), max_size=12)


@given(LINES, LINES, st.integers(0, 3))
def test_what_difflib_writes_makes_the_other_of_the_one(old, new, context):
    patch = b"".join(diff_bytes(unified_diff, old, new, b"old", b"new", n=context))
    if patch:
        assert unified(b"".join(old), patch) == b"".join(new)
