"""A page as a tree: its elements by name and by selector, and what is written in them."""

from __future__ import annotations

from harvester.fulltext.pages.page_tree import PageTree, attributes, held_by, texts, words
from tests.rows import each_row


def tree(body: str) -> PageTree:
    return PageTree(body.encode(), "utf-8")


def meant(selector: str, body: str) -> list[str]:
    """Return the texts of the elements that a selector means."""
    return [words(element) for element in tree(body).selected(selector)]


@each_row("body", ["", " \n", "<!-- nothing -->", "<!DOCTYPE html>"])
def test_a_page_without_anything_has_no_elements(body: str) -> None:
    page = tree(body)
    assert (page.elements("a"), page.selected("a"), page.texts()) == ([], [], [])


def test_what_stands_behind_the_end_of_a_page_belongs_to_it() -> None:
    page = tree("<p>one</p></body></html><p>two</p></html><p>three<a id=x>four</a></p>")
    assert [words(element) for element in page.elements("p")] == ["one", "two", "three four"]
    assert [words(element) for element in page.selected("a#x")] == ["four"]
    assert page.texts() == ["one", "two", "three", "four"]


@each_row(
    "declared, written, title",
    [("koi8-r", "koi8-r", "Жизнь"), ("no-such-name", "utf-8", "Жизнь"), ("windows-1252", "windows-1252", "Größe")],
)
def test_a_page_is_read_in_the_encoding_that_it_declares_if_there_is_such_a_one(
    declared: str, written: str, title: str
) -> None:
    body = f"<meta charset={declared}><title>{title}</title>".encode(written)
    assert words(PageTree(body, None).elements("title")[0]) == title


def test_scripts_styles_templates_and_pronunciations_are_no_text_of_a_page() -> None:
    body = "<div>a<script>b</script><!-- c --> d <style>e</style><template><p>f</p></template><ruby>g<rt>h</rt></ruby>"
    page = tree(body)
    (div,) = page.elements("div")
    assert words(div) == "a d g"
    assert [node if isinstance(node, str) else node.tag for node in held_by(div)] == [
        *("a", "script", " d ", "style", "template", "p", "ruby", "g", "rt"),
    ]
    assert texts(page.elements("script")[0]) == ["b"]
    assert texts(page.elements("p")[0]) == []


PAGE = """
<div class="open-access  free"><a class='one two' href='/A/x.PDF' id=first>1</a><p><a href='/b.pdf'>2</a></p></div>
<a class=three href='/a/c' type='Application/PDF' data-popup>3</a><ds-file href='/a/y'>4</ds-file>
"""


@each_row("selector, expected", [
    (".two", ["1"]), ("a.one.two", ["1"]), ("a.tw", []), ("#first", ["1"]), ("a[data-popup]", ["3"]),
    ("a[href*='.pdf']", ["2"]), ("a[href*='.pdf' i]", ["1", "2"]), ("[href^='/a/']", ["3", "4"]),
    ("div p a", ["2"]), ("ds-file, .free p a, .one", ["1", "2", "4"]),
])  # fmt: skip
def test_a_selector_means_what_it_means_in_css(selector: str, expected: list[str]) -> None:
    assert meant(selector, PAGE) == expected


def test_attributes_whose_names_have_control_characters_are_read_with_the_others() -> None:
    (element,) = tree('<link rel="item" a\x1cb="c" href="/1">').elements("link")
    assert attributes(element).items() >= {"rel": "item", "href": "/1"}.items()
