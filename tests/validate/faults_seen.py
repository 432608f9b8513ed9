"""Faults that show in any answer: of HTTP, payloads, headers, records, the envelope and the errors."""

from tests.validate.faults_asked import A_YEAR_BEFORE, FIRST, LEGAL
from tests.validate.provider import NOW
from tests.validate.strikes import (
    Fault,
    asks,
    broken,
    changed,
    encoded_as,
    instead,
    items,
    junk,
    rewritten,
    sent,
    within,
)

SEEN: tuple[Fault, ...] = (
    # HTTP
    Fault("http.redirect", send=sent(asks("Identify", method="GET"), url="https://repo.example.org/oai?verb=Identify")),
    Fault("http.post-identify", edit=changed("A repository", "Another", asks("Identify", method="POST"))),
    Fault("http.post-get-record", edit=changed("Title of", "Another title of", asks("GetRecord", method="POST"))),
    Fault(
        "http.post-list",
        edit=changed("item/1<", "item/x1<", asks("ListIdentifiers", absent=("resumptionToken",), method="POST")),
    ),
    Fault(
        "http.post-token",
        edit=changed("item/4<", "item/x4<", asks("ListIdentifiers", "resumptionToken", method="POST")),
    ),
    Fault("http.post-error", answers=instead([("verb", "Identify")], asks("junk", method="POST"))),
    Fault("http.head", send=sent(asks("Identify", method="HEAD"), content_type="text/html")),
    Fault("http.compression", send=encoded_as("gzip", "")),
    Fault("http.compression-listed", edit=changed("<compression>deflate</compression>", "")),
    Fault("http.identity", send=encoded_as("identity", "gzip")),
    # payloads
    Fault(
        "payload.namespace",
        edit=changed('<mods xmlns="http://www.loc.gov/mods/v3"', '<mods xmlns="http://www.loc.gov/mods/v2"'),
    ),
    Fault(
        "payload.own-namespace", edit=changed("<titleInfo>", '<titleInfo xmlns="http://www.openarchives.org/OAI/2.0/">')
    ),
    Fault("payload.schema-location", edit=changed("2.0/oai_dc/ http", "2.0/oai_dc/ ftp")),
    Fault("payload.other-schema-location", edit=changed("mods/v3 http", "mods/v3 ftp")),
    Fault("payload.oai-dc", edit=rewritten("dc:type>", "dc:kind>")),
    Fault("payload.oai-dc", edit=changed("<dc:type>", '<dc:type scheme="x">')),
    Fault("payload.oai-didl", edit=changed(' mimeType="application/pdf"', "")),
    Fault("payload.about", edit=rewritten("<about>.*?</about>", "<about/>")),
    Fault("payload.provenance", edit=changed(' altered="false"', "")),
    # every header and record
    Fault(
        "records.header",
        edit=rewritten("(<header[^>]*>)(<identifier>.*?</identifier>)(<datestamp>.*?</datestamp>)", r"\1\3\2"),
    ),
    Fault(
        "records.identifier",
        edit=rewritten("(?s)<description>.*</description>", ""),
        prepare=items(lambda all_items: [*all_items[:-1], all_items[-1]._replace(identifier="item-10")]),
    ),
    Fault("records.datestamp", edit=changed("<datestamp>2023-01-04T17:50:10Z<", "<datestamp>2023-01-04<")),
    Fault(
        "records.earliest-datestamp",
        edit=changed("<earliestDatestamp>" + FIRST, "<earliestDatestamp>2023-01-01T06:30:01Z"),
    ),
    Fault(
        "records.not-in-future",
        prepare=items(lambda all_items: [*all_items[:-1], all_items[-1]._replace(second=NOW + 99)]),
    ),
    Fault("records.structure", edit=rewritten("(<metadata>.*?</metadata>)(<about>.*?</about>)", r"\2\1")),
    Fault(
        "records.deleted-empty",
        edit=rewritten(
            '(<header status="deleted">[^/]*/[^/]*/[^/]*/[^/]*/[^/]*</header>)</record>',
            r'\1<about><a xmlns="urn:a"/></about></record>',
        ),
    ),
    Fault("records.deleted-declared", edit=changed(">persistent<", ">no<")),
    # every answer
    Fault("answer.arrives", send=broken(asks("Identify", method="HEAD"))),
    Fault("answer.status", send=sent(junk, status=422)),
    Fault("answer.retry-after", send=sent(junk, status=503, body=b"", content_type="text/html")),
    Fault("answer.media-type", send=sent(junk, content_type="application/xml; charset=UTF-8")),
    Fault("answer.charset", send=sent(junk, content_type="text/xml")),
    Fault("answer.well-formed", edit=changed("</OAI-PMH>", "", junk)),
    Fault("answer.stand-alone", edit=changed("<OAI-PMH ", "<!DOCTYPE OAI-PMH><OAI-PMH ", junk)),
    Fault("answer.utf-8", edit=changed('encoding="UTF-8"', 'encoding="ISO-8859-1"', junk)),
    Fault("answer.root", edit=rewritten("(</?)OAI-PMH([ >])", r"\1OAI\2", junk)),
    Fault("answer.schema-location", edit=changed("2.0/OAI-PMH.xsd", "2.0/other.xsd", junk)),
    Fault("answer.structure", edit=changed("</OAI-PMH>", "<extra/></OAI-PMH>", junk)),
    Fault("answer.verb", answers=instead([("verb", "Identify")], within(from_=A_YEAR_BEFORE))),
    Fault("answer.date-form", edit=changed(":00Z</responseDate>", ":00.5Z</responseDate>", junk)),
    Fault("answer.date-now", edit=changed("T12:00:00Z</responseDate>", "T13:00:00Z</responseDate>", junk)),
    Fault("answer.request-url", edit=changed("/oai</request>", "/other</request>", junk)),
    Fault("answer.request-attributes", edit=changed('<request verb="Identify">', "<request>")),
    Fault(
        "answer.request-attributes",
        edit=changed(
            '<request verb="ListSets" resumptionToken="junk">', '<request verb="ListSets" resumptionToken="other">'
        ),
    ),
    Fault("answer.request-silent", edit=changed("<request>", '<request verb="junk">', junk)),
    Fault("answer.error-code", edit=changed("<error ", '<error code="teapot">No.</error><error ', junk)),
    Fault(
        "answer.error-applicable",
        edit=changed("<error ", '<error code="noRecordsMatch">No.</error><error ', asks("ListSets")),
    ),
    Fault("answer.error-text", edit=rewritten(">[^<]*</error>", "></error>", junk)),
    # several errors, and long arguments
    Fault(
        "errors.all",
        edit=rewritten(
            "(<error .*?</error>)(<error .*</error>)", r"\1", lambda asked: "rubbish" in asked.arguments.values()
        ),
    ),
    Fault(
        "errors.long-argument",
        answers=instead(
            LEGAL["GetRecord"],
            lambda asked: asked.method == "POST" and len(asked.arguments.get("identifier", "")) > 1000,
        ),
    ),
)
