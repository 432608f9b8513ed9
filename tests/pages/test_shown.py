"""Values are shown as people read them, and no text of a record can become markup."""

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markupsafe import escape

from gateway.pages import shown
from gateway.pages.list_pages import xml_lines
from tests.rows import each_row
from tests.seeds import SEED


@each_row(
    "text, html",
    [
        ("plain", "plain"),
        ("a <b>bold</b> word", "a <b>bold</b> word"),
        ("H<sub>2</sub>O and E=mc<sup>2</sup>", "H<sub>2</sub>O and E=mc<sup>2</sup>"),
        ("<i>Acropora</i> &amp; others", "<i>Acropora</i> &amp; others"),
        ("&lt;i&gt;Acropora&lt;/i&gt;", "<i>Acropora</i>"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("<i onclick=x>no</i>", "&lt;i onclick=x&gt;no"),
        ("never <i>closed", "never <i>closed</i>"),
        ("closed </i>too early", "closed too early"),
        ("<i><b>crossed</i></b>", "<i><b>crossed</b></i>"),
        ("x < y && y > z", "x &lt; y &amp;&amp; y &gt; z"),
        ('"quoted"', "&#34;quoted&#34;"),
        ("line\nend\ttab", "line end tab"),
        ("\u202eevil\u2066", "evil"),
        (r"Erd\H{o}s, M\"uller, caf\'{e}", r"Erd\H{o}s, Müller, café"),
        (r"$\beta$ and $\delta_2$, \Lambda", "β and δ<sub>2</sub>, Λ"),
        (r"$CO_2$ at 10$^{3}$ m", "CO<sub>2</sub> at 10<sup>3</sup> m"),
        (r"$H_2O$, $x^2+y^2$, $n_{ij}$", "H<sub>2</sub>O, x<sup>2</sup>+y<sup>2</sup>, n<sub>ij</sub>"),
        (r"$E=mc^2$ and $10^{-5}$", "E=mc<sup>2</sup> and 10<sup>-5</sup>"),
        (r"$\alpha_s^2$ costs $5 or $6_7", "\N{GREEK SMALL LETTER ALPHA}<sub>s</sub><sup>2</sup> costs $5 or $6_7"),
        (r"$\mathrm{CO}_2$ and $a_{b_c}$ stay", r"$\mathrm{CO}_2$ and $a_{b_c}$ stay"),
        (r"$\frac{a}{b}$ stays", r"$\frac{a}{b}$ stays"),
    ],
)
def test_a_text_is_shown_with_the_little_markup_that_it_may_have(text, html):
    assert str(shown.marked(text)) == html


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_becomes_well_formed_html_of_six_elements(text):
    root = etree.fromstring(f"<p>{shown.marked(text)!s}</p>".replace("\ufffe", "").replace("\uffff", ""))
    assert {element.tag for element in root.iter()} <= {"p", "i", "b", "em", "strong", "sub", "sup"}
    assert all(not element.attrib for element in root.iter())


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_identifier_is_the_same_without_the_places_to_break_it(text):
    html = str(shown.breakable(text))
    assert "<wbr><wbr>" not in html
    assert html.replace("<wbr>", "") == str(escape(shown._UNSEEN.sub("", text)))


@each_row("length, words",
    [
        (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1705, "1.7 kB"), (9_949, "9.9 kB"), (18_400, "18 kB"),
        (999_499, "999 kB"), (999_600, "1.0 MB"), (2_400_000, "2.4 MB"), (3 * 10**12, "3.0 TB"), (10**16, "10,000 TB"),
    ],
)  # fmt: skip
def test_sizes_have_the_unit_that_people_use(length, words):
    assert shown.size(length) == words


@each_row("text, words",
    [
        ("2025-05-03", "3 May 2025"), ("2025-05", "May 2025"), ("2025", "2025"), ("2025-13-01", "2025-13-01"),
        ("2025-05-03T12:30:59Z", "3 May 2025"), ("spring 2025", "spring 2025"), ("", ""),
    ],
)  # fmt: skip
def test_dates_are_shown_in_words(text, words):
    assert shown.date(text) == words


def test_hosts_are_read_of_addresses_only():
    assert shown.host("https://example.org:80/a") == "example.org"
    assert shown.host("http://[::1") == "http://[::1"
    assert shown.host("no address") == "no address"
    assert shown.is_web("HTTPS://x")
    assert not shown.is_web("javascript:alert(1)")


def test_an_element_with_only_text_is_one_line():
    text = '<record><header status="x"><identifier>oai:a</identifier><setSpec/></header><metadata/></record>'
    shown, is_cut = xml_lines(text, 1000)
    assert shown.splitlines() == [
        "<record>", '  <header status="x">', "    <identifier>oai:a</identifier>", "    <setSpec/>", "  </header>",
        "  <metadata/>", "</record>",
    ]  # fmt: skip
    assert not is_cut


def test_what_is_too_long_is_cut_between_lines():
    shown, is_cut = xml_lines("<a>" + "<b>text</b>" * 100 + "</a>", 60)
    assert is_cut
    assert len(shown) <= 60
    assert shown.endswith("</b>")


def test_nothing_is_added_or_lost_but_white_space():
    random = Random(SEED)
    for _ in range(500):
        text = "".join(
            random.choices(["<a>", "</a>", "<b/>", "x", " ", "\n", "é", "<", ">", "&lt;", "<c d='e'>"], k=20)
        )
        shown, _ = xml_lines(text, 10_000)
        assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text), f"seed {SEED}"
