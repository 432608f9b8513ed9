"""A plain payload is read without a tree, and says what the tree says; what is not plain is left to the tree."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.core.model import Work
from gateway.core.xmlio import parse
from gateway.core.xmltext import DC, OAI_DC, XSI
from gateway.formats.oai_dc import ELEMENTS, SCHEMA, glance, read, skim  # type: ignore[attr-defined]
from tests.rows import each_row

OPENING = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_DC} {SCHEMA}">'
)
CLOSING = "</oai_dc:dc>"


def payload(*elements: str, opening: str = OPENING, closing: str = CLOSING) -> bytes:
    return f"{opening}{''.join(elements)}{closing}".encode("utf-8", "surrogatepass")


def looked(content: bytes) -> Work:
    """Return what a tree says, without the statements, which a glance leaves in the payload."""
    return read(parse(content), content)._replace(statements=())


def test_a_plain_payload_is_read_at_a_glance() -> None:
    content = payload(
        "<dc:title>A  title</dc:title>", '\n <dc:date xml:lang="en-GB">2020</dc:date>', "<dc:type></dc:type>", "\n"
    )
    assert glance(content) == looked(content)
    assert glance(content).oai_dc == content


@each_row(
    "content",
    [
        b"\xff",
        b"",
        payload("<dc:title>a &#38; b</dc:title>"),
        payload("<dc:title>a &nbsp; b</dc:title>"),
        payload("<dc:title>a<!-- b --></dc:title>"),
        payload("<dc:title>a ]]> b</dc:title>"),
        payload("<dc:title>\x01</dc:title>"),
        payload("<dc:title xml:lang=''>a</dc:title>"),
        payload("<dc:title>a</dc:date>"),
        payload("\u00a0<dc:title>a</dc:title>"),
        payload("<dc:title>a</dc:title>", closing=""),
        payload("<dc:title>a</dc:title>", closing=CLOSING + "<more/>"),
        payload("<dc:title>a</dc:title>", opening=OPENING.replace("xsi:schemaLocation", "other")),
        payload("<dc:title>a</dc:title>", opening=OPENING.replace(DC, "http://purl.org/other")),
        payload("<dc:title>a</dc:title>", opening=OPENING.replace('xmlns:dc="', 'xmlns:dc="&')),
        payload(
            "<dc:title>a</dc:title>", opening=OPENING.replace("oai_dc:dc", "oai_dc:other"), closing="</oai_dc:other>"
        ),
        payload("<title>a</title>", opening=f'<dc xmlns="{DC}">', closing="</dc>"),
    ],
)
def test_what_is_not_plain_is_left_to_the_tree(content: bytes) -> None:
    assert glance(content) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*ELEMENTS, "titles"]),
            st.text(st.characters(codec="utf-8"), max_size=20)
            | st.sampled_from(
                ["http://a.org/b.pdf", "10.5555/1", "]]>", "&amp;lt; &lt;&quot;&apos;&gt;", "&#65;", "\x85 \r\n"]
            ),
            st.sampled_from(["", "", ' xml:lang="de"', ' xml:lang=""', ' id="1"', " "]),
            st.sampled_from(["", "\n", "x", "\u00a0", "<!-- c -->"]),
        ),
        max_size=4,
    )
)
def test_a_glance_never_differs_from_a_full_reading(elements: list[tuple[str, str, str, str]]) -> None:
    content = payload(*(f"<dc:{name}{attribute}>{text}</dc:{name}>{tail}" for name, text, attribute, tail in elements))
    seen = glance(content)
    assert seen is None or seen == looked(content)


def test_whole_skim_has_every_element_and_a_brief_one_those_that_identify_the_work() -> None:
    """The graph reads publisher, language and source, which the search index does not have."""
    content = payload(*(f"<dc:{element}>{element}</dc:{element}>" for element in ELEMENTS))
    whole, brief = skim(content), skim(content, is_brief=True)
    assert whole == read(parse(content), content).statements
    assert {"publisher", "language", "source"}.isdisjoint(statement.element for statement in brief)
    assert set(brief) < set(whole)
