"""What a document of a Solr index says, with LARO's fields (Autoload, Listing 4) and with others."""

from gateway.core import xmlio
from gateway.core.xmltext import SOLR
from gateway.formats import reader_of
from gateway.formats.solr import read_by
from tests.rows import each_row

# Listing 4 leaves the addresses out; ours stand where they were.
LISTING_4 = """<doc xmlns="http://lucene.apache.org/solr/">
<str name="recID">info:lanl-repo/lareport/LA-UR-14-29153</str>
<str name="dataset">RASSTI</str>
<str name="displayName">
  Guzik, Joyce Ann ; Bradley, Paul Andrew ; Jackiewicz, Jason ;
  Molenda-Zakowicz, Joanna ; Uytterhoeven, Katrien ; et al.</str>
<str name="displayTitle">The Occurrence of Non-Pulsating Stars in the gamma Dor and delta
  Sct Pulsation Instability Regions: Results from Kepler Quarter 14-17 Data</str>
<arr name="publication"><str>Astronomical Review</str></arr>
<str name="doi">10.1080/21672857.2015.1023120</str>
<str name="displaySource">Astronomical Review ; Vol.9, iss.1, p.41-65, Jan. 2014</str>
<str name="openaccess">true</str>
<str name="embargodate">2015-04-21</str>
<arr name="url"><str>URL Accepted Manuscript | http://permalink.example.org/LA-UR-14-29153</str></arr>
<long name="_version_">1522819486080565248</long>
<date name="timestamp">2016-01-08T17:23:52.373Z</date>
</doc>"""


def _read(text, fields=None):
    content = text.encode()
    root = xmlio.parse(content)
    return read_by(root, content, fields) if fields else reader_of(xmlio.name_of(root)[0]).read(root, content)


def _doc(**fields):
    return f'<doc xmlns="{SOLR}">{"".join(f"<str name={name!r}>{text}</str>" for name, text in fields.items())}</doc>'


def _texts(work, element):
    return [statement.text for statement in work.statements if statement.element == element]


def test_the_document_of_the_article_is_read_whole():
    work = _read(LISTING_4)
    assert _texts(work, "creator") == [
        "Guzik, Joyce Ann",
        "Bradley, Paul Andrew",
        "Jackiewicz, Jason",
        "Molenda-Zakowicz, Joanna",
        "Uytterhoeven, Katrien",
    ]
    assert _texts(work, "title")[0].endswith("Results from Kepler Quarter 14-17 Data")
    assert _texts(work, "source") == ["Astronomical Review ; Vol.9, iss.1, p.41-65, Jan. 2014"]
    assert _texts(work, "rights") == ["info:eu-repo/semantics/openAccess"]
    assert _texts(work, "date") == ["2014", "info:eu-repo/date/embargoEnd/2015-04-21"]
    assert work.identifiers == ("https://doi.org/10.1080/21672857.2015.1023120",)
    (file,) = work.files
    assert (file.url, file.version) == ("http://permalink.example.org/LA-UR-14-29153", "Accepted Manuscript")


@each_row(
    "url, files, page",
    [
        ("http://x.example.org/1.pdf", ["http://x.example.org/1.pdf"], ""),
        ("http://x.example.org/1", [], "http://x.example.org/1"),
        ("URL Full Text | http://x.example.org/1", ["http://x.example.org/1"], ""),
        ("http://x.example.org/1 | Full Text", ["http://x.example.org/1"], ""),
        ("URL Catalog record | http://x.example.org/1", [], "http://x.example.org/1"),
        ("URL DOI | https://doi.org/10.1234/5", [], "https://doi.org/10.1234/5"),
        ("URL Accepted Manuscript |", [], ""),
    ],
)
def test_a_url_is_a_file_when_its_label_or_itself_says_so(url, files, page):
    work = _read(_doc(url=url))
    assert ([file.url for file in work.files], work.landing_page) == (files, page)


def test_a_source_calls_its_fields_as_it_likes():
    document = _doc(title_t="A title", name_s="Doe, J.", recID="1", doi="https://doi.org/10.1234/5")
    work = _read(document, {"title": "title_display title_t", "creator": "name_s", "identifier": "id"})
    assert (_texts(work, "title"), _texts(work, "creator")) == (["A title"], ["Doe, J."])
    assert _texts(work, "identifier") == ["https://doi.org/10.1234/5"]
