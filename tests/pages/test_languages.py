"""Languages stand in pages as BCP 47 has them; a code that is none is an unknown language, and never English."""

from __future__ import annotations

from gateway.pages.languages import language_tag
from tests.rows import each_row


@each_row("code, tag",
    [
        ("en", "en"), ("EN", "en"), ("en_US", "en-us"), ("de-DE-1996", "de-de-1996"), ("zh-Hans", "zh-hans"),
        ("ger", "de"), ("deu", "de"), ("fre-CA", "fr-ca"), ("iw", "he"), ("es-419", "es-419"), ("grc", "grc"),
        ("pt-br?", "pt"), ("en-a-b", "en"), ("English", ""), ("x", ""), ("xx", ""), ("zxx", ""), ("mul", ""), ("", ""),
        ("en\u0661", ""), ('en" onclick="x', ""),
    ],
)  # fmt: skip
def test_a_code_of_a_record_becomes_a_tag(code, tag):
    assert language_tag(code) == tag
