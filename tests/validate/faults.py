"""Faults in what the verbs answer, from Identify to tokens, and faults that show in any answer."""

import re

from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from tests.validate.provider import NOW
from tests.validate.strikes import (
    Fault,
    always,
    asks,
    broken,
    changed,
    encoded_as,
    instead,
    is_forged,
    items,
    junk,
    point,
    refused,
    rewritten,
    sent,
    sets,
    token_of,
    whole,
    within,
)

EXAMPLE = "oai:repo.example.org:item/0"
FIRST = "2023-01-01T06:30:00Z"
EVERYTHING = [("metadataPrefix", "oai_dc")]
# Where the validator looks before the earliest datestamp.
A_YEAR_BEFORE = ("2021-12-01", "2022-01-02")
LISTED = (
    "<ListMetadataFormats>",
    (
        "<ListMetadataFormats><metadataFormat><metadataPrefix>{}</metadataPrefix>"
        "<schema>http://repo.example.org/x.xsd</schema><metadataNamespace>urn:x</metadataNamespace></metadataFormat>"
    ),
)
REPOSITORY_FORMATS = asks("ListMetadataFormats", absent=("identifier",))
ITEM_FORMATS = asks("ListMetadataFormats", "identifier", absent=("metadataPrefix",))
NO_LIST = [("verb", "ListIdentifiers"), ("junk", "1")]
LIST = [("verb", "ListIdentifiers"), *EVERYTHING]
RECORD_LIST = [("verb", "ListRecords"), *EVERYTHING]
LEGAL = {
    "ListMetadataFormats": [("verb", "ListMetadataFormats")],
    "ListSets": [("verb", "ListSets")],
    "GetRecord": [("verb", "GetRecord"), ("identifier", EXAMPLE), *EVERYTHING],
    "ListIdentifiers": LIST,
    "ListRecords": RECORD_LIST,
}
NOTHING = [*LIST, ("until", "1990-01-01")]
LONE = {"lone:child": "A child without a parent"}


def _is_window(asked):
    from_, until = asked.arguments.get("from", ""), asked.arguments.get("until", "")
    return asked.verb == "ListIdentifiers" and "T" in from_ and "T" in until and from_ < until


def _unbounded(asked):
    return [*LIST, ("from", asked.arguments["from"])] if _is_window(asked) else None


def _exclusive(asked):
    if not _is_window(asked):
        return None
    later = utc_datetime(parse_utc_datetime(asked.arguments["from"])[0] + 1)
    return [*LIST, ("from", later), ("until", asked.arguments["until"])]


def _midnight(asked):
    if not point("ListIdentifiers", days=True)(asked):
        return None
    return [*LIST, *((key, f"{asked.arguments[key]}T00:00:00Z") for key in ("from", "until"))]


def _never_ends(asked, text):
    token = asked.arguments.get("resumptionToken")
    if asked.verb != "ListRecords" or token is None or "<ListRecords>" not in text:
        return text
    return re.sub(r">[^<]+</resumptionToken>", f">{token}</resumptionToken>", text)


def _otherwise_again(asked, text):
    strikes = asked.verb == "ListRecords" and asked.times and 'cursor="8"' in text
    return text.replace("item/9<", "item/x9<") if strikes else text


def _refused_again(asked, text):
    strikes = asked.verb == "ListRecords" and asked.times and 'cursor="4"' in text
    return refused("badResumptionToken", always)(asked, text) if strikes else text


def _empty_token(asked, text):
    return (
        text
        if "<resumptionToken" in text
        else text.replace("</ListIdentifiers>", "<resumptionToken/></ListIdentifiers>")
    )


def _hides_descendants(asked, text):
    strikes = point("ListIdentifiers", set="physics")(asked) and "physics:optics" in text
    return refused("noRecordsMatch", always)(asked, text) if strikes else text


ASKED: tuple[Fault, ...] = (
    # Identify
    Fault("identify.works", answers=instead(NO_LIST, lambda asked: asked.pairs == [("verb", "Identify")])),
    Fault("identify.repository-name", edit=changed("<repositoryName>A repository<", "<repositoryName> <")),
    Fault("identify.base-url", edit=changed("<baseURL>http://repo", "<baseURL>http://other")),
    Fault("identify.protocol-version", edit=changed("<protocolVersion>2.0", "<protocolVersion>1.1")),
    Fault("identify.admin-email", edit=changed("admin@repo.example.org", "admin@localhost")),
    Fault("identify.admin-email-plain", edit=changed("admin@repo.example.org", "mailto:admin@repo.example.org")),
    Fault("identify.earliest-datestamp", edit=changed("<earliestDatestamp>" + FIRST, "<earliestDatestamp>2023-01-01")),
    Fault("identify.deleted-record", edit=changed(">persistent<", ">maybe<")),
    Fault(
        "identify.deletions-announced",
        edit=changed(">persistent<", ">no<"),
        prepare=items(lambda all_items: [item._replace(is_deleted=False) for item in all_items]),
    ),
    Fault("identify.granularity", edit=changed("<granularity>YYYY-MM-DDThh:mm:ssZ", "<granularity>YYYY")),
    Fault("identify.order", edit=rewritten("(<deletedRecord>.*?)(<granularity>.*?</granularity>)", r"\2\1")),
    Fault(
        "identify.compression",
        edit=changed("<compression>gzip<", "<compression>identity</compression><compression>gzip<"),
    ),
    Fault("identify.description", edit=changed("</Identify>", "<description/></Identify>")),
    Fault("identify.oai-identifier", edit=changed("<sampleIdentifier>oai:repo", "<sampleIdentifier>oai:other")),
    Fault(
        "identify.oai-identifier-used",
        edit=rewritten("<(repositoryIdentifier>|sampleIdentifier>oai:)repo", r"<\1other"),
    ),
    # ListMetadataFormats
    Fault("formats.works", edit=refused("badArgument", REPOSITORY_FORMATS)),
    Fault(
        "formats.structure",
        edit=rewritten("(<schema>.*?</schema>)(<metadataNamespace>.*?</metadataNamespace>)", r"\2\1"),
    ),
    Fault(
        "formats.prefix",
        edit=changed(LISTED[0], LISTED[1].format("mods"), REPOSITORY_FORMATS),
        prepare=items(lambda all_items: [item._replace(prefixes=("oai_dc", "oai_didl")) for item in all_items]),
    ),
    Fault("formats.oai-dc", edit=changed("2.0/oai_dc.xsd", "2.0/other.xsd")),
    Fault("formats.all-reserved", edit=changed(LISTED[0], LISTED[1].format("all"), REPOSITORY_FORMATS)),
    Fault("formats.item", edit=changed(">oai_dc<", ">oai_didl<", ITEM_FORMATS)),
    Fault("formats.item", edit=changed(LISTED[0], LISTED[1].format("x"), ITEM_FORMATS)),
    Fault("formats.item-truth", edit=changed(LISTED[0], LISTED[1].format("mods"), ITEM_FORMATS)),
    # the verbs against each other
    Fault("list-records.works", edit=refused("noRecordsMatch", whole("ListRecords"), holding="<ListRecords>")),
    Fault(
        "list-identifiers.works", edit=refused("noRecordsMatch", whole("ListIdentifiers"), holding="<ListIdentifiers>")
    ),
    Fault("list-identifiers.same", edit=changed(">history<", ">void<", whole("ListIdentifiers"))),
    Fault("list-identifiers.same", edit=changed("item/5<", "item/15<", whole("ListRecords"))),
    Fault("list-records.live", prepare=items(lambda all_items: [item._replace(is_deleted=True) for item in all_items])),
    Fault(
        "get-record.works",
        edit=refused(
            "idDoesNotExist", lambda asked: asked.arguments.get("metadataPrefix") == "oai_dc", holding="<GetRecord>"
        ),
        prepare=items(
            lambda all_items: [item._replace(is_deleted=False, prefixes=("oai_dc", "oai_didl")) for item in all_items]
        ),
    ),
    Fault("get-record.same", edit=changed("Title of", "Another title of", asks("GetRecord"))),
    Fault(
        "get-record.deleted",
        edit=refused("idDoesNotExist", lambda asked: "item/3" in asked.arguments.get("identifier", "")),
    ),
    Fault("records.unique", prepare=items(lambda all_items: [*all_items, all_items[0]])),
    # sets
    Fault("sets.works", edit=refused("badArgument", asks("ListSets", absent=("resumptionToken",)))),
    Fault("sets.structure", edit=changed("<setName>Optics</setName>", "<setName/>")),
    Fault("sets.spec", prepare=sets(lambda all_sets: {**all_sets, "a b": "A blank"})),
    Fault("sets.unique", edit=changed("<setSpec>void<", "<setSpec>history<", asks("ListSets"))),
    Fault("sets.parents", prepare=sets(lambda all_sets: all_sets | LONE)),
    Fault("sets.description", edit=changed("<setName>Optics</setName>", "<setName>Optics</setName><setDescription/>")),
    Fault(
        "sets.listed", prepare=sets(lambda all_sets: {spec: all_sets[spec] for spec in all_sets if spec != "history"})
    ),
    Fault(
        "sets.minimal",
        edit=changed(
            "<setSpec>physics:optics<",
            "<setSpec>physics</setSpec><setSpec>physics:optics<",
            lambda asked: asked.verb != "ListSets",
        ),
    ),
    Fault(
        "sets.members",
        edit=changed("<setSpec>history<", "<setSpec>void<", asks("ListIdentifiers", "set", absent=("from",))),
    ),
    Fault("sets.belongs", edit=refused("noRecordsMatch", point("ListIdentifiers", set="history"))),
    Fault("sets.hierarchy", edit=_hides_descendants),
    # dates
    Fault("dates.exact", answers=instead(NOTHING, point("ListRecords"))),
    Fault("dates.exact", edit=changed("item/0<", "item/x0<", point("ListRecords"))),
    Fault("dates.day", answers=_midnight),
    Fault("dates.within", answers=_unbounded),
    Fault("dates.complete", answers=_exclusive),
    Fault("dates.mixed", answers=instead(LIST, lambda asked: asked.arguments.get("from") == "2002-02-05")),
    Fault(
        "dates.reversed",
        answers=instead(LIST, within(from_=("2023-01-03T", "2023-01-04"), until=("2023-01-02T", "2023-01-03"))),
    ),
    Fault("dates.before-earliest", answers=instead(LIST, within(until=A_YEAR_BEFORE))),
    Fault("dates.future", answers=instead(LIST, within(from_=("2025", "3")))),
    Fault("dates.from-before-earliest", answers=instead(NO_LIST, within(from_=A_YEAR_BEFORE))),
    Fault(
        "dates.seconds-refused",
        {"is_day": True},
        answers=instead(LIST, within(from_=("2023-01-01T", "2023-01-01T1"))),
    ),
    Fault("dates.existing", answers=instead(LIST, lambda asked: asked.arguments.get("from") == "2003-02-30")),
    Fault("dates.form", answers=instead(LIST, lambda asked: asked.arguments.get("until") == "2020-1-1")),
    # tokens
    Fault(
        "tokens.works",
        edit=refused("badResumptionToken", asks("ListRecords", "resumptionToken"), holding="<ListRecords>"),
    ),
    Fault("tokens.progress", edit=_never_ends),
    Fault("tokens.form", edit=changed("<resumptionToken ", '<resumptionToken size="1" ')),
    Fault("tokens.cursor", edit=changed('cursor="4"', 'cursor="1"')),
    Fault("tokens.size", edit=changed('completeListSize="11"', 'completeListSize="12"')),
    Fault("tokens.counts", edit=rewritten(' cursor="[0-9]+"', "")),
    Fault("tokens.empty-last", edit=rewritten("<resumptionToken [^>]*></resumptionToken>", "")),
    Fault("tokens.none-in-complete", edit=_empty_token),
    Fault("tokens.idempotent", edit=_otherwise_again),
    Fault(
        "tokens.idempotent",
        edit=lambda asked, text: text.replace(">void<", ">gone<") if asked.verb == "ListSets" and asked.times else text,
    ),
    Fault("tokens.earlier", edit=_refused_again),
    Fault(
        "tokens.tampered", answers=instead(RECORD_LIST, lambda asked: asked.verb == "ListRecords" and is_forged(asked))
    ),
    Fault(
        "tokens.other-verb",
        answers=instead(LIST, lambda asked: asked.verb == "ListIdentifiers" and token_of("ListRecords")(asked)),
    ),
    Fault(
        "tokens.exclusive",
        answers=instead(
            RECORD_LIST,
            lambda asked: (
                asked.verb == "ListRecords" and "metadataPrefix" in asked.arguments and token_of("ListRecords")(asked)
            ),
        ),
    ),
    Fault(
        "tokens.repeated",
        answers=instead(
            RECORD_LIST,
            lambda asked: asked.verb == "ListRecords" and [key for key, _ in asked.pairs].count("resumptionToken") == 2,
        ),
    ),
    Fault("tokens.expiration-form", edit=rewritten('expirationDate="[^"]*"', 'expirationDate="2024-06-03"')),
    Fault("tokens.expiration-life", {"life": 3600}),
    Fault("tokens.page-size", {"page_size": 3}),
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
