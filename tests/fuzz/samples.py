# ruff: noqa: E501 - samples have long lines
"""Well-formed answers of every kind, for the parsers of `targets.py` and their mutants to begin from."""

import io
import json
import tarfile
import zipfile
import zlib

_OAI = "http://www.openarchives.org/OAI/2.0/"

_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>A title &amp; more</dc:title><dc:identifier>https://doi.org/10.1234/abc.5</dc:identifier>"
    '<dc:rights xml:lang="en">CC BY 4.0</dc:rights><dc:relation>http://x.org/bitstream/1/2/a.pdf</dc:relation>'
    "<dc:date>2020-01-02</dc:date></oai_dc:dc>"
)
DIDL = (
    '<didl:DIDL xmlns:didl="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:dii="urn:mpeg:mpeg21:2002:01-DII-NS">'
    '<didl:Item><didl:Descriptor><didl:Statement mimeType="application/xml"><dii:Identifier>urn:x:1</dii:Identifier>'
    f'</didl:Statement></didl:Descriptor><didl:Item><didl:Descriptor><didl:Statement mimeType="application/xml">{_DC}'
    '</didl:Statement></didl:Descriptor><didl:Component><didl:Resource mimeType="application/pdf" '
    'ref="http://x.org/1.pdf"/><didl:Resource mimeType="text/plain" encoding="base64">dGV4dA==</didl:Resource>'
    "</didl:Component></didl:Item></didl:Item></didl:DIDL>"
)
METS = (
    '<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><mets:dmdSec ID="d">'
    f'<mets:mdWrap MDTYPE="DC"><mets:xmlData>{_DC}</mets:xmlData></mets:mdWrap></mets:dmdSec><mets:fileSec><mets:fileGrp '
    'USE="ORIGINAL"><mets:file MIMETYPE="application/pdf" SIZE="12" CHECKSUM="d41d8cd98f00b204e9800998ecf8427e" '
    'CHECKSUMTYPE="MD5"><mets:FLocat xlink:href="http://x.org/1.pdf"/></mets:file></mets:fileGrp></mets:fileSec>'
    "</mets:mets>"
)
_MODS = (
    '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>A title</title></titleInfo><name><namePart>N</namePart>'
    '</name><identifier type="doi">10.1234/a</identifier><location><url>http://x.org/1.pdf</url></location></mods>'
)
_MARC = (
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>     nam a22</leader><controlfield tag="001">1</controlfield>'
    '<datafield tag="245" ind1=" " ind2=" "><subfield code="a">A title</subfield></datafield>'
    '<datafield tag="856" ind1="4" ind2="0"><subfield code="u">http://x.org/1.pdf</subfield></datafield></record>'
)
_DATACITE = (
    '<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.1234/a</identifier>'
    "<titles><title>A</title></titles><sizes><size>12 bytes</size></sizes><rightsList><rights rightsURI="
    '"https://creativecommons.org/licenses/by/4.0/">CC BY</rights></rightsList></resource>'
)
PAYLOADS = tuple(document.encode() for document in (_DC, DIDL, METS, _MODS, _MARC, _DATACITE))
PROVENANCE = (
    f'<provenance xmlns="{_OAI}provenance"><originDescription harvestDate="2020-01-01T00:00:00Z" altered="true"><baseURL>'
    "http://x.org/oai</baseURL><identifier>oai:x:1</identifier><datestamp>2020-01-01</datestamp><metadataNamespace>urn:x"
    "</metadataNamespace></originDescription></provenance>"
)


def _record(number: int, payload: str, about: str = "") -> str:
    return (
        f"<record><header><identifier>oai:x:{number}</identifier><datestamp>2020-01-0{number}</datestamp><setSpec>a:b"
        f"</setSpec></header><metadata>{payload}</metadata>{about}</record>"
    )


def _envelope(verb: str, inside: str) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="{_OAI}"><responseDate>2020-01-01T00:00:00Z</responseDate>'
    return f'{head}<request verb="{verb}">http://x.org/oai</request><{verb}>{inside}</{verb}></OAI-PMH>'.encode()


LIST = _envelope(
    "ListRecords",
    _record(1, _DC, f"<about>{PROVENANCE}</about>")
    + _record(2, "<a xmlns='urn:a'><![CDATA[<metadata>]]><!-- c --></a>")
    + '<record><header status="deleted"><identifier>oai:x:3</identifier><datestamp>2020-01-03</datestamp></header></record>'
    + '<resumptionToken cursor="0" completeListSize="9" expirationDate="2030-01-01T00:00:00Z">next</resumptionToken>',
)
IDENTIFY = _envelope(
    "Identify",
    "<repositoryName>R</repositoryName><baseURL>http://x.org/oai</baseURL><protocolVersion>2.0</protocolVersion>"
    "<adminEmail>a@x.org</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>"
    "<granularity>YYYY-MM-DD</granularity><description><a xmlns='urn:a'/></description>",
)
FORMATS = _envelope(
    "ListMetadataFormats",
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>s</schema><metadataNamespace>n</metadataNamespace>"
    "</metadataFormat>",
)
SETS = _envelope(
    "ListSets", "<set><setSpec>a:b</setSpec><setName>A</setName></set><resumptionToken>x</resumptionToken>"
)
FIRST = (
    b'<ListRecords xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"><responseDate>2001-01-01T00:00:00+01:00'
    b"</responseDate><requestURL>http://x.org/</requestURL>" + _record(1, _DC).encode() + b"</ListRecords>"
)
ENTITIES = b'<!DOCTYPE a [<!ENTITY b "c&d;"><!ENTITY d \'&#xe9;\'><!ENTITY e SYSTEM "f">]><a g="&b;">&b;&e;&amp;&h;</a>'
METHA = (
    f'<Response><responseDate>2020-01-01T00:00:00Z</responseDate><request verb="" metadataPrefix="oai_dc"/><error code=""/>'
    f"<GetRecord><record><header/><metadata/></record></GetRecord><ListRecords>{_record(1, _DC)}"
    '<resumptionToken completeListSize="9" cursor="0">a</resumptionToken></ListRecords></Response>'
).encode()
OAI_IDENTIFIER = (
    b'<oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"><scheme>oai</scheme><repositoryIdentifier>'
    b"x.org</repositoryIdentifier></oai-identifier>"
)
STATIC = (
    '<Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository" xmlns:oai="http://www.openarchives.org/OAI/2.0/">'
    "<Identify><oai:repositoryName>R</oai:repositoryName><oai:baseURL>http://g.org/x.org/1</oai:baseURL>"
    "<oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@x.org</oai:adminEmail><oai:earliestDatestamp>2000-01-01"
    "</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord><oai:granularity>YYYY-MM-DD</oai:granularity></Identify>"
    "<ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix><oai:schema>s</oai:schema>"
    "<oai:metadataNamespace>n</oai:metadataNamespace></oai:metadataFormat></ListMetadataFormats>"
    '<ListRecords metadataPrefix="oai_dc"><oai:record><oai:header><oai:identifier>oai:x:1</oai:identifier><oai:datestamp>'
    f"2020-01-01</oai:datestamp></oai:header><oai:metadata>{_DC}</oai:metadata></oai:record></ListRecords></Repository>"
).encode()
LISTED = (
    '<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"><loc>'
    'http://x.org/1.pdf</loc><lastmod>2020-01-01T00:00:00Z</lastmod><rs:md change="created" length="12" type="application/pdf"'
    ' hash="md5:d41d8cd98f00b204e9800998ecf8427e sha-256:ab"/><rs:ln rel="describedby" href="http://x.org/1.xml" pri="1"/>'
    '<rs:ln rel="via" href="http://y.org/oai?verb=GetRecord&amp;identifier=a"/></url>'
)
LISTS = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
    f'<rs:md capability="resourcelist" at="2020-01-01T00:00:00Z"/><rs:ln rel="up" href="c.xml"/>{LISTED * 2}</urlset>'
).encode()
SOLR = (
    b'<response><lst name="responseHeader"><int name="status">0</int></lst><result name="response" numFound="2" start="0">'
    b'<doc><str name="id">1</str><arr name="title"><str>A</str></arr><date name="t">2020-01-01T00:00:00Z</date></doc>'
    b'<doc><str name="id">2</str></doc></result><str name="nextCursorMark">AoE</str></response>'
)
SOLR_JSON = json.dumps(
    {
        "responseHeader": {"status": 0},
        "response": {"numFound": 1, "docs": [{"id": "1", "t": ["a", 1, 2.5, True, None]}]},
    }
).encode()
PAGE = (
    b'<!DOCTYPE html><html><head><title>A</title><meta name="citation_pdf_url" content="http://x.org/1.pdf"><meta name='
    b'"DC.rights" content="CC BY 4.0"><meta http-equiv="refresh" content="5; url=/2"><link rel="item" href="/1.pdf" '
    b'type="application/pdf"><link rel="resourcesync" href="/.well-known/resourcesync"></head><body><div class="x">'
    b'<a href="/download/1.pdf">Download PDF</a><a href="/2">Full text</a><script>{"pdfUrl": "http:\\/\\/x.org\\/1.pdf"}'
    b'</script><script>{"pdfDownload":{"urlMetadata":{"path":"a","pii":"S1","pdfExtension":"/pdf","queryParams":{"md5":"f",'
    b'"pid":"1-main.pdf"}}}}</script><iframe src="/viewer.html?file=%2F1.pdf"></iframe></div></body></html>'
)
JATS = (
    b'<?xml version="1.0" encoding="utf-8"?><!-- made --><!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.2//EN" "jats.dtd" ['
    b'<!ENTITY a "b">]><article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta/></front><body><sec>'
    b"<title>Introduction</title><p>a</p></sec></body></article>"
)
LINK = b'<http://x.org/1.pdf>; rel="item"; type="application/pdf", </>; rel=describedby; profile="a\\"b"; anchor="/x"'
EMBARGO = (
    b"RETRACTED ARTICLE: A. info:eu-repo/semantics/embargoedAccess info:eu-repo/date/embargoEnd/2027-01-31 "
    b"This item is under embargo until 31 January 2027. Embargo: 3/4/2027"
)
ROBOTS = b"User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2.5\nSitemap: http://x.org/sitemap.xml\n"
CITATION = "Smith, J. (2020). doi:10.1234/abc.5; arXiv:2001.01234v2, PMC1234567, ISSN 2041-1723, CC BY-NC 4.0. http://x.org/a.pdf"
WORK_JSON = json.dumps(
    {
        "DOI": "10.1/a",
        "doi": "10.1/a",
        "title": ["A"],
        "URL": "http://x.org",
        "is_oa": True,
        "is_retracted": True,
        "oa_locations_embargoed": [{"url_for_pdf": "http://x.org/2.pdf", "oa_date": "2027-01-31"}],
        "year": 2020,
        "message": {
            "title": ["A"],
            "updated-by": [{"DOI": "10.1/b", "type": "retraction", "updated": {"date-time": "2024-05-01"}}],
            "update-to": [{"DOI": "10.1/c", "type": "correction"}],
            "license": [{"URL": "http://creativecommons.org/licenses/by/4.0/", "content-version": "vor"}],
            "link": [{"URL": "http://x.org/3.pdf", "content-version": "vor"}],
            "items": [{"DOI": "10.1/a", "issued": {"date-parts": [[2020, 1, 1]]}}],
            "total-results": 1,
        },
        "data": {
            "attributes": {
                "titles": [{"title": "A"}],
                "publicationYear": 2020,
                "url": "http://x.org",
                "rightsList": [{"rightsUri": "info:eu-repo/semantics/embargoedAccess"}],
                "dates": [{"dateType": "Available", "date": "2027-01"}],
            }
        },
        "oa_locations": [{"url_for_pdf": "http://x.org/1.pdf", "license": "cc-by", "version": "publishedVersion"}],
        "locations": [{"pdf_url": "http://x.org/1.pdf", "license": "cc-by", "is_oa": True}],
        "openAccessPdf": {"url": "http://x.org/1.pdf", "license": "CCBY"},
        "items": [
            {
                "title": [{"title": "J"}],
                "publisher_policy": [{"permitted_oa": [{"embargo": {"amount": 6, "units": "months"}}]}],
            }
        ],
        "linkset": [{"anchor": "/", "item": [{"href": "/1.pdf", "type": "application/pdf"}]}],
    }
).encode()
DUMP = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<harvest baseURL="http://x.org/oai">\n<list metadataPrefix="oai_dc">\n'
    b'<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>1</identifier><datestamp>2020-01-01</datestamp>'
    b"</header><metadata><a/></metadata></record>\n</list>\n</harvest>\n"
)
LINES = b'{"identifier": "1", "datestamp": "2020-01-01", "metadata": "<a/>", "setSpec": ["a"]}\n{"identifier": "2"}\n'
FRIENDS = b'<BaseURLs><baseURL id="a">http://x.org/oai</baseURL><baseURL>http://y.org/oai</baseURL></BaseURLs>'
FRIENDS_2 = f'<friends xmlns="{_OAI}friends/"><baseURL>http://x.org/oai</baseURL></friends>'.encode()


def a_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.xml", LISTS)
        archive.writestr("a/1.pdf", b"%PDF-1.4 text")
    return out.getvalue()


def a_tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo("a/1.xml")
        entry.size = len(FRIENDS)
        archive.addfile(entry, io.BytesIO(FRIENDS))
    return out.getvalue()


def gzipped(body: bytes) -> bytes:
    engine = zlib.compressobj(wbits=31)
    return engine.compress(body) + engine.flush()


ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><entry>
<id>http://arxiv.org/abs/hep-th/0601001v2</id><title>A title
 of a work</title><published>2006-01-02T14:57:58Z</published><summary>Words &amp; more.</summary>
<author><name>Anna B. Rossi</name></author><arxiv:doi>10.1234/a.1</arxiv:doi></entry></feed>"""
