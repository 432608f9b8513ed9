"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

from harvester.sources.oai_pmh import friends


def test_friend_whose_address_has_half_a_character_is_read():
    assert (
        friends.parse(b"<BaseURLs><baseURL>http://x.org/&#xD800;</baseURL></BaseURLs>")[0][0] == "http://x.org/\ufffd"
    )


def test_friends_in_a_root_with_a_name_that_is_none_are_read():
    """libxml2's recovery lets such a name through; lxml's QName raises ValueError for it."""
    assert friends.parse(b"<z:a:b><baseURL>http://x.org/</baseURL></z:a:b>") == ()
