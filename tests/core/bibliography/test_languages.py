"""Languages are read as BCP 47 has them; a code that is none is an unknown language, and never English."""

from gateway.core.bibliography.languages import language_tag, languages_in
from tests.rows import each_row


@each_row("code, tag",
    [
        ("en", "en"), ("EN", "en"), ("en_US", "en-US"), ("de-DE-1996", "de-DE-1996"), ("zh-Hans", "zh-Hans"),
        ("ger", "de"), ("deu", "de"), ("fre-CA", "fr-CA"), ("iw", "he"), ("es-419", "es-419"), ("grc", "grc"),
        ("pt-br?", "pt"), ("en-a-b", "en"), ("English", "en"), ("Español", "es"),
        ("x", ""), ("xx", ""), ("zxx", ""), ("mul", ""), ("", ""),
        ("en\u0661", ""), ('en" onclick="x', ""),
    ],
)  # fmt: skip
def test_a_code_of_a_record_becomes_a_tag(code, tag):
    assert language_tag(code) == tag


@each_row("text, tags",
    [
        ("eng fre", ("en", "fr")), ("gereng", ("de", "en")), ("English; German", ("en", "de")), ("mul", ()),
        ("in the text", ()), ("http://id.loc.gov/vocabulary/iso639-2/fre", ("fr",)), ("x" * 10_000, ()),
    ],
)  # fmt: skip
def test_several_languages_in_one_text_are_several(text, tags):
    assert languages_in(text) == tags
