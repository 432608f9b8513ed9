"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

from harvester.sources.files import records as files


def test_dump_whose_list_has_a_prefix_that_is_no_utf_8_is_read():
    part = b'<list metadataPrefix="\xc1">\n<record xmlns="http://www.openarchives.org/OAI/2.0/"><header></header></record>\n'
    assert files.cut_dump(part, "", is_last=True)[0].prefix == "\ufffd"
