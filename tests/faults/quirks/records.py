"""Quirks of records and of what lists say of themselves: headers, identifiers, sizes, deletions and repetitions."""

import re

from gateway.core.model import RunOutcome
from tests.faults.editing import cursor_of, edited, token_of
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import Source
from tests.faults.table import Promise, quirk

_SIZE = rb'(?<=completeListSize=")[^"]*'
_QUARANTINED = RunOutcome.SUCCEEDED_WITH_ERRORS
_DEEP = 10_000
_SPOILED = "oai:faults:00025"  # a record that is not deleted, in the middle of the list


def _of_spoiled(answer: Said, pattern: bytes, replacement: bytes) -> Said:
    """Return the answer with something replaced in one record."""
    return edited(
        answer,
        rb"(?s)<record>(?:(?!</record>).)*" + _SPOILED.encode() + rb".*?</record>",
        lambda match: re.sub(pattern, replacement, match[0]),
    )


# --- headers and metadata -----------------------------------------------------------------------------------------


@quirk(Promise.HONEST, 62, outcome=_QUARANTINED, lost=1, says="quarantine")
def metadata_is_empty_and_nothing_is_deleted(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """oai:publications.rwth-aachen.de:52515 (openalex a67e23e), b2share#812 (read 2026-11)."""
    return _of_spoiled(serve(asked), rb"(?s)<metadata>.*</metadata>", b"<metadata/>")


@quirk(Promise.HONEST, 62, outcome=_QUARANTINED, lost=1, says="quarantine")
def metadata_is_nested_ten_thousand_deep(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """No endpoint as yet: libxml2 refuses 256 levels, and who reads more of them breaks (measured 2026-11)."""
    deep = b"<dc:title>" * _DEEP + b"</dc:title>" * _DEEP
    return _of_spoiled(serve(asked), rb"(?s)<dc:title>.*</dc:title>", deep)


@quirk(Promise.HONEST, 63, outcome=_QUARANTINED, lost=1, says="quarantine")
def header_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """RecordManager and VuFind (2024-10) pass over such a record."""
    return _of_spoiled(serve(asked), rb"(?s)<header>.*</header>", b"")


@quirk(Promise.HONEST, 64, outcome=_QUARANTINED, lost=1, says="quarantine")
def identifier_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """sickle 0.6.2 (read 2026-11)."""
    return _of_spoiled(serve(asked), rb"<identifier>.*?</identifier>", b"")


@quirk(Promise.WHOLE, 64, hides="datestamps")
def datestamp_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """sickle 0.6.2 (read 2026-11)."""
    return edited(serve(asked), rb"<datestamp>[^<]*</datestamp>", b"")


@quirk(Promise.WHOLE, 65)
def deleted_is_written_with_a_capital(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """VuFindHarvest (2024-10) knows it; sickle breaks at the missing metadata."""
    return edited(serve(asked), b'status="deleted"', b'status="Deleted"')


# --- repetitions --------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 70)
def record_stands_on_two_pages(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAJ#712 (read 2026-11): the last of a page is the first of the next."""
    answer = serve(asked)
    if not asked.is_list:
        return answer
    before, records = stage.kept.get(asked.token, b""), re.findall(rb"(?s)<record>.*?</record>\n", answer.body)
    if records:
        stage.kept[token_of(answer)] = records[-1]
    return edited(answer, rb"(?=<record>)", lambda _: before, count=1) if before else answer


# --- what a list says of itself -----------------------------------------------------------------------------------


@quirk(Promise.STORED, 71, hides="completeListSize")
def complete_list_size_is_far_too_large(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """combine#240 (read 2026-11): sets report 225,176 of 7. A list that is cut looks the same."""
    return edited(serve(asked), _SIZE, b"225176")


@quirk(Promise.WHOLE, 71, hides="completeListSize")
def complete_list_size_shrinks(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAJ#235 (read 2026-11): 44,264, then 44,253."""
    answer = serve(asked)
    return edited(answer, _SIZE, lambda match: b"%d" % (int(match[0]) + 11 * (not asked.token)))


@quirk(Promise.WHOLE, 71, hides="completeListSize")
def complete_list_size_is_no_number(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """combine#240 (read 2026-11); -1, a text, a fraction."""
    wrong = (b"-1", b"unknown", b"60.0", b"9" * 400)
    stage.seen["pages"] += 1
    return edited(serve(asked), _SIZE, wrong[stage.seen["pages"] % len(wrong)])


@quirk(Promise.WHOLE, 71)
def cursor_is_the_number_of_the_page(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """fairchive#2888 (read 2026-11)."""
    answer = serve(asked)
    page = b"%d" % (cursor_of(answer) // stage.source.page_size)
    return edited(answer, rb'(?<=cursor=")[^"]*', page)


# --- names --------------------------------------------------------------------------------------------------------


def _renamed(source: Source, pattern: str) -> None:
    renamed = [record._replace(identifier=pattern.format(number)) for number, record in enumerate(source.held.values())]
    source.held = {record.identifier: record for record in renamed}


@quirk(Promise.WHOLE, 72, prepare=lambda source: _renamed(source, "oai:x/1:a+b c%20&<{}>é"))
def identifiers_of_every_kind_of_character(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """ufal/clarin-dspace#977 (read 2026-11): `+` and spaces are mangled by GetRecord."""
    return serve(asked)


def _in_strange_sets(source: Source) -> None:
    source.sets = {"a&b c": "Strange", "100%": "Stranger"}
    for record in list(source.held.values()):
        source.held[record.identifier] = record._replace(sets=("a&b c", "100%"))


@quirk(Promise.WHOLE, 72, prepare=_in_strange_sets, entry={"sets": ("a&b c",)})
def sets_of_every_kind_of_character(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """pkp-lib#10006 (read 2026-11): reserved characters in a setSpec."""
    return serve(asked)


@quirk(Promise.WHOLE, 73, prepare=lambda source: _renamed(source, "oai:generic.eprints.org:{}"))
def identifiers_of_no_repository(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """`oai:generic.eprints.org:`, `oai:n/a:`, `oai:ojs.pkp.sfu.ca` (sandcrawler, 2021): the same in many sources."""
    return serve(asked)


@quirk(Promise.WHOLE, 74, prepare=lambda source: _renamed(source, f"https://x.org/{'y' * 3400}/{{}}"))
def identifiers_of_3400_characters(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """sandcrawler (2022-09): too long for an index of a database."""
    return serve(asked)


# --- sizes of pages -----------------------------------------------------------------------------------------------


def _by_three(source: Source) -> None:
    source.page_size = 3


@quirk(Promise.WHOLE, 77, prepare=_by_three)
def sizes_of_pages_change(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """CLARIN#4 (read 2026-11): no two pages are of one size."""
    stage.source.page_size = stage.source.page_size % 13 + 3
    return serve(asked)
