"""Quirks of XML: bytes that are none, documents with something before, behind or inside them, and foreign envelopes."""

import re

from gateway.core.model import RunOutcome
from tests.faults.editing import edited, is_middle
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import Record, Source
from tests.faults.table import Promise, quirk

_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = b' xmlns="http://www.openarchives.org/OAI/2.0/"'
_TITLE = rb"(?<=<dc:title>)[^<]*(?=</dc:title>)"
_LONG = 11_000_000  # characters of one text; the limit of libxml2 is ten million


def _in_titles(answer: Said, old: str, new: bytes) -> Said:
    return edited(answer, _TITLE, lambda match: match[0].replace(old.encode(), new))


def _cut(answer: Said) -> Said:
    """Return an answer that ends in the middle of a record, and whose length is told as if that were right."""
    return answer._replace(body=answer.body[: answer.body.rindex(b"</dc:title>") - 5])


# --- characters ---------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 52)
def control_characters(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """eprints.vu.edu.au (metha's ControlCharReplacer, 2026-03), TreeBASE#193 (0x1a)."""
    return _in_titles(serve(asked), "caf", b"c\x01a\x1af")


@quirk(Promise.STORED, 53)
def bytes_that_are_no_utf_8(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """metha#1, pyoai's hack (2022)."""
    return edited(serve(asked), b"<dc:creator>", b"<dc:creator>\xfe\xc3\x28 ")


@quirk(Promise.WHOLE, 54)
def latin_1_declared_as_utf_8(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """digi.ub.uni-heidelberg.de (metha ac532c02, read 2026-11)."""
    answer = serve(asked)
    return answer._replace(body=answer.body.decode().encode("latin-1", "ignore"))


@quirk(Promise.WHOLE, 55)
def references_to_what_is_no_character(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """hbz/lobid-gnd#336 (a lone surrogate), DSpace#10721 (U+FFFE; read 2026-11)."""
    return _in_titles(serve(asked), "caf", b"c&#1;a&#xFFFE;&#55349;f")


@quirk(Promise.WHOLE, 56)
def entities_of_html(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """OpenAIRE's XmlCleaner (read 2026-11): whoever lets libxml2 recover loses the text behind them."""
    return _in_titles(_in_titles(serve(asked), "é", b"&eacute;"), "\xa0", b"&nbsp;")


@quirk(Promise.STORED, 56)
def less_than_stands_bare(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """OpenAIRE's XmlCleaner (read 2026-11): `<<`."""
    return edited(serve(asked), b"<dc:creator>", b"<dc:creator>a << b ")


# --- before, behind and inside ------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 57)
def warnings_of_php_before_the_document(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """findsorguk#843 (read 2026-11), the other way round."""
    answer = serve(asked)
    return answer._replace(body=b"<br />\n<b>Warning</b>: mysql_connect(): & x<br />\n" + answer.body)


@quirk(Promise.WHOLE, 57)
def byte_order_mark_twice(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Templates of PHP that were saved with one each (findsorguk#843, read 2026-11)."""
    answer = serve(asked)
    return answer._replace(body=b"\xef\xbb\xbf\xef\xbb\xbf" + answer.body)


@quirk(Promise.WHOLE, 58)
def declaration_inside_the_metadata(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#7431 (read 2026-11)."""
    return edited(serve(asked), b"<metadata>", b'<metadata><?xml version="1.0" encoding="UTF-8"?>')


@quirk(Promise.WHOLE, 59)
def xml_declaration_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#10329 (read 2026-11)."""
    return edited(serve(asked), re.escape(_DECLARATION), b"")


# --- envelopes ----------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 60)
def envelope_has_a_prefix(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """vphill/pyoaiharvester#2, dataverse#6242 (read 2026-11): <oai:record>."""
    answer = edited(serve(asked), rb"<(/?)([A-Za-z-]+)(?=[\s/>])", rb"<\1oai:\2")
    return edited(answer, b" xmlns=", b" xmlns:oai=")


@quirk(Promise.WHOLE, 61)
def namespace_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAJ PR#2200 (read 2026-11); sickle and scythe see an empty list."""
    return edited(serve(asked), re.escape(_NAMESPACE), b"", count=1)


@quirk(Promise.WHOLE, 61)
def namespaces_of_metadata_stand_on_the_record(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """vufindharvest#17 (read 2026-11): a record that is cut out must take them along."""
    spaces = b' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return edited(edited(serve(asked), re.escape(spaces), b""), b"<record>", b"<record%s>" % spaces)


# --- what is cut off ----------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 67)
def document_is_cut_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#8306; scythe 0.15 (2026-08) calls it the end of the list."""
    answer = serve(asked)
    return _cut(answer) if is_middle(asked, answer) and stage.is_first("page") else answer


@quirk(Promise.STORED, 67)
def document_is_always_cut_at_one_record(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#8306 (read 2026-11)."""
    answer = serve(asked)
    at = answer.body.find(b"<identifier>oai:faults:00025") if asked.is_list else -1
    return answer._replace(body=answer.body[:at]) if at > 0 else answer


@quirk(Promise.HONEST, 67, outcome=RunOutcome.FAILED, says="2 documents")
def two_documents_are_glued(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """libxml2 drops the second without a word when it recovers (measured 2026-11)."""
    answer = serve(asked)
    return answer._replace(body=answer.body + answer.body)


def _with_a_long_text(source: Source) -> None:
    first = min(source.held.values())
    source.held[first.identifier] = Record(first.identifier, "x" * _LONG, first.datestamp, first.sets)


@quirk(Promise.WHOLE, 66, prepare=_with_a_long_text)
def text_of_eleven_megabytes(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """sickle PR#55 (read 2026-11): the rest of the page and the token are lost."""
    return serve(asked)
