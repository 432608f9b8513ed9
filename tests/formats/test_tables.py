"""The readers whose rules are data: one small record for each rule that is easily got wrong."""

from __future__ import annotations

import pytest

from gateway.core import xmlio
from gateway.core.bibliography.dates import date_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.errors import NotAWork
from gateway.core.model import Work
from gateway.formats import reader_of
from tests.rows import each_row

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
ARTICLE = '<article article-type="{}"><front><article-meta>{}</article-meta></front><back><ref-list><ref><article-title>No</article-title><year>1951</year></ref></ref-list></back></article>'
JOURNAL = "<crossref><journal><journal_metadata><full_title>J</full_title></journal_metadata>{}</journal></crossref>"
STUDY = "<codeBook><docDscr><citation><titlStmt><titl>No</titl></titlStmt></citation></docDscr><stdyDscr><citation>{}</citation></stdyDscr></codeBook>"
RAW = '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>1810.09584</id>{}</arXivRaw>'
EVENT = "<event><eventType><term>{}</term></eventType><eventActor><actorInRole><actor><nameActorSet><appellationValue>{}</appellationValue></nameActorSet></actor></actorInRole></eventActor><eventDate><displayDate>{}</displayDate></eventDate></event>"
DISS = "<xMetaDiss>{}</xMetaDiss>"
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>{}</fileDesc></teiHeader><text><back><listBibl><bibl><author>No</author></bibl></listBibl></back></text></TEI>'
RIOXX = "<rioxx>{}</rioxx>"
OUR_PDF = "https://x.example.org/1.pdf"


def read(text: str) -> Work:
    root = xmlio.parse(text.encode())
    work = reader_of(xmlio.name_of(root)[0]).read(root, text.encode())
    assert work is not None
    return work


def seen(work: Work, what: str) -> str:
    """Return one thing that a record states, as text."""
    known = work.bibliography
    assert known is not None
    return {
        "title": lambda: title_of(known.titles).text,
        "titles": lambda: "|".join(title.text for title in known.titles),
        "authors": lambda: "|".join(agent.name for agent in authors_of(known.agents)),
        "others": lambda: "|".join(f"{agent.name} {agent.role}" for agent in known.agents if not agent.is_author),
        "groups": lambda: "|".join(agent.name for agent in known.agents if agent.is_organization),
        "year": lambda: str(date_of(known.dates)[1]),
        "type": lambda: known.type,
        "own": lambda: "|".join(entry.text for entry in of_relation(known.identifiers)),
        "host": lambda: "|".join(known.host[:6]),
        "abstract": lambda: known.descriptions[0].text,
        "files": lambda: "|".join(file.url for file in work.files),
        "page": lambda: work.landing_page,
        "licence": lambda: work.license,
        "languages": lambda: "|".join(known.languages),
    }[what]()


@each_row(
    "text, what, expected",
    [
        # JATS: only the front counts; the year of the issue goes with its volume, else the first one online.
        (ARTICLE.format("research-article", "<title-group><article-title>A <xref>1</xref></article-title><subtitle>B</subtitle></title-group>"), "title", "A: B"),
        (ARTICLE.format("", '<pub-date pub-type="epub"><year>2019</year></pub-date><pub-date pub-type="ppub"><year>2020</year></pub-date><volume>1</volume>'), "year", "2020"),
        (ARTICLE.format("", '<pub-date pub-type="collection"><year>2020</year></pub-date><pub-date pub-type="epub"><year>2019</year></pub-date>'), "year", "2019"),
        (ARTICLE.format("", '<history><date date-type="received"><year>1999</year></date></history><permissions><copyright-year>2001</copyright-year></permissions>'), "year", "2001"),
        (ARTICLE.format("", '<contrib-group><contrib contrib-type="editor"><name><surname>E</surname><given-names>F</given-names></name></contrib><contrib><collab>The G<contrib-group><contrib><name><surname>M</surname></name></contrib></contrib-group></collab></contrib></contrib-group>'), "authors", "The G"),
        (ARTICLE.format("", '<contrib-group><contrib><name-alternatives><name name-style="eastern"><surname>王</surname><given-names>小</given-names></name><name name-style="western"><surname>Wang</surname><given-names>Xiao</given-names></name></name-alternatives></contrib></contrib-group>'), "authors", "Wang, Xiao"),
        (ARTICLE.format("", '<abstract abstract-type="graphical"><p>No</p></abstract><abstract><title>Abstract</title><sec><title>Aim</title><p>To see.</p></sec></abstract>'), "abstract", "Aim\n\nTo see."),
        (ARTICLE.format("", f'<self-uri xmlns:l="http://www.w3.org/1999/xlink" content-type="pdf" l:href="a.pdf"/><self-uri xmlns:l="http://www.w3.org/1999/xlink" l:href="{OUR_PDF}"/>'), "files", OUR_PDF),
        (ARTICLE.format("correction", "<volume>1</volume>"), "type", "corrigendum"),
        # Crossref: the smallest item, and never a reference.
        (JOURNAL.format("<journal_article><titles><title>A</title></titles><doi_data><doi>10.1234/A</doi></doi_data><citation_list><citation><doi>10.1234/b</doi><author>No</author></citation></citation_list></journal_article>"), "own", "10.1234/A"),
        (JOURNAL.format("<journal_issue><journal_volume><volume>3</volume></journal_volume><issue>4</issue></journal_issue><journal_article><pages><first_page>5</first_page><last_page>9</last_page></pages></journal_article>"), "host", "J|3|4|5|9|"),
        (JOURNAL.format('<journal_article><publication_date media_type="online"><year>2019</year></publication_date><publication_date media_type="print"><year>2020</year></publication_date></journal_article>'), "year", "2020"),
        ("<crossref><book><book_metadata><contributors><person_name contributor_role='editor'><given_name>A</given_name><surname>B</surname></person_name></contributors><titles><title>Whole</title></titles></book_metadata><content_item><titles><title>Part</title></titles></content_item></book></crossref>", "titles", "Part"),
        ("<crossref><dissertation><titles><title>D</title></titles><degree>PhD</degree></dissertation></crossref>", "type", "doctoral thesis"),
        # DDI: the study, and not its codebook, in its own language.
        (STUDY.format('<titlStmt><titl>S</titl></titlStmt><rspStmt><AuthEnty>Hood, C., University of York</AuthEnty><AuthEnty>Department for Children, Schools and Families</AuthEnty></rspStmt>'), "authors", "Hood, C.|Department for Children, Schools and Families"),
        (STUDY.format('<titlStmt><titl xml:lang="fi">S</titl></titlStmt><rspStmt><AuthEnty xml:lang="fi">Virasto</AuthEnty><AuthEnty xml:lang="en">Office</AuthEnty></rspStmt>'), "authors", "Virasto"),
        (STUDY.format('<titlStmt><titl>S</titl></titlStmt><verStmt><version date="2010"/></verStmt><distStmt><depDate date="2008"/><distDate date="2011-02-04"/></distStmt>'), "year", "2011"),
        # LIDO: who made it, not who found it.
        (f"<lido><descriptiveMetadata><objectIdentificationWrap><titleWrap><titleSet><appellationValue>T</appellationValue></titleSet></titleWrap></objectIdentificationWrap><eventWrap><eventSet>{EVENT.format('Finding', 'No, One', '1700')}</eventSet><eventSet>{EVENT.format('Production', 'Maker, Ann', 'um 1850')}</eventSet></eventWrap></descriptiveMetadata></lido>", "authors", "Maker, Ann"),
        # arXivRaw: one string with places and TeX; groups; the first version.
        (RAW.format(r"<authors>\'Edgar Rold\'an (MPI (Dresden), Germany), J. van der Waals and the CMS Collaboration</authors>"), "authors", "Roldán, Édgar|van der Waals, J.|the CMS Collaboration"),
        (RAW.format("<version version='v1'><date>Mon, 22 Oct 2018 22:02:02 GMT</date></version><version version='v2'><date>Tue, 1 Jan 2019 1:02:02 GMT</date></version>"), "year", "2018"),
        (RAW.format("<doi>10.1103/PhysRev.1</doi>"), "own", "10.1103/physrev.1|10.48550/arXiv.1810.09584|1810.09584"),
        # Rioxx 2 has the file as identifier, Rioxx 3 as a relation.
        (RIOXX.format(f"<identifier>{OUR_PDF}</identifier><format>application/pdf</format><type>Journal Article/Review</type>"), "files", OUR_PDF),
        (RIOXX.format("<type>Journal Article/Review</type>"), "type", "journal article"),
        (RIOXX.format(f'<creator><name>B, A</name><id>https://orcid.org/0000-0002-1825-0097</id></creator><identifier>https://x.example.org/1</identifier><relation rel="item" type="application/pdf">{OUR_PDF}</relation>'), "page", "https://x.example.org/1"),
        # Theses.
        ('<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.1/"><title>T</title><creator>B, A</creator><contributor role="advisor">C, D</contributor><degree><level>masters</level></degree></thesis>', "others", "C, D ths"),
        ("<uketddc><title>T</title><advisor>A, B ; C, D</advisor><qualificationlevel>doctoral</qualificationlevel></uketddc>", "others", "A, B ths|C, D ths"),
        (DISS.format("<title>T</title><creator><person><name><foreName>Udo J.</foreName><surName>Becker</surName></name><academicTitle>Prof.</academicTitle></person></creator>"), "authors", "Becker, Udo J."),
        (DISS.format("<source>J of X, 2011, Vol. 1, No. 2, pp. 3-4</source><created>2010</created><issued>2012</issued>"), "host", "J of X|1|2|3|4|"),
        # TEI: the header; an editor of the text is no author. EAD: the unit, not its finding aid.
        (TEI.format("<titleStmt><title>T</title><author>Goethe, J. W.</author><editor role='translator'>X, Y</editor></titleStmt>"), "authors", "Goethe, J. W."),
        ("<ead><eadheader><filedesc><titlestmt><titleproper>Guide</titleproper><author>Staff</author></titlestmt></filedesc></eadheader><archdesc><did><unittitle>Papers</unittitle><origination><persname>B, A</persname></origination></did></archdesc></ead>", "titles", "Papers|Guide"),
        # RDF: a resource is the label of its node, else no name.
        (f'<rdf:RDF {RDF}><rdf:Description rdf:about="#a"><dc:title>T / by B</dc:title><dc:creator rdf:resource="#b"/><dc:creator rdf:resource="http://x.example.org/c"/></rdf:Description><rdf:Description rdf:about="#b"><dc:label>B, A</dc:label></rdf:Description></rdf:RDF>', "authors", "B, A"),
        ('<Publication xmlns="https://www.openaire.eu/cerif-profile/1.2/"><Title>T</Title><PublishedIn><Publication><Title>J</Title></Publication></PublishedIn></Publication>', "host", "J|||||"),
    ],
)  # fmt: skip
def test_a_rule_of_a_format(text: str, what: str, expected: str) -> None:
    assert seen(read(text), what) == expected


def test_a_grant_is_not_a_work() -> None:
    with pytest.raises(NotAWork, match="a grant"):
        read("<crossref><grant><project/></grant></crossref>")
