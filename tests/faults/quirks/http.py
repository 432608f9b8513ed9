"""Quirks of HTTP: statuses, waits, walls, redirects, addresses, encodings and time."""

import gzip
from email.utils import formatdate

from gateway.core.model import RunOutcome
from tests.faults.editing import HTML, cursor_of, edited, is_middle, refused, size_of, token_of
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import LISTS
from tests.faults.table import Promise, quirk

_AS_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_POISON = b"oai:faults:00025"


def _late(answer: Said, seconds: str, status: int = 503) -> Said:
    return answer._replace(status=status, body=b"", headers=(("Retry-After", seconds),))


def _in_passing(asked: Asked, serve: Serve, stage: Stage, spoiled: Said) -> Said:
    """Spoil one page in the middle of the list, once."""
    answer = serve(asked)
    return spoiled if is_middle(asked, answer) and stage.is_first("page") else answer


# --- statuses -----------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 30, entry={"sets": ("a", "nothing")})
def errors_of_the_protocol_come_with_404(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Europe PMC (oadoi's EuropePMCSickle, 2026-01): noRecordsMatch."""
    answer = serve(asked)
    return answer._replace(status=404) if b"<error" in answer.body else answer


@quirk(Promise.WHOLE, 31)
def wait_is_asked_with_422(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Eight of the ten Retry-After in metha's 6,776 pings (2023-08 to 2025-09) came with 422."""
    return _in_passing(asked, serve, stage, _late(Said(b""), "9", 422))


@quirk(Promise.WHOLE, 32)
def status_500_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """47 of metha's 6,776 pings (2023-08 to 2025-09)."""
    return _in_passing(asked, serve, stage, Said(b"<html>Internal Server Error</html>", 500, _AS_HTML))


@quirk(
    Promise.HONEST,
    32,
    outcome=RunOutcome.SUCCEEDED_WITH_ERRORS,
    lost=1,
    says=_POISON.decode(),
)
def one_record_cannot_be_had_at_all(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """datacite#941, DSpace#10721 (U+FFFE), dataverse#8306 (read 2026-11)."""
    answer = serve(asked)
    is_hit = asked.verb in ("ListRecords", "GetRecord") and b"<metadata>" in answer.body and _POISON in answer.body
    return Said(b"<html>Internal Server Error</html>", 500, _AS_HTML) if is_hit else answer


@quirk(Promise.STORED, 32, hides="ListRecords")
def list_records_is_always_answered_with_500(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Endpoints tried 2026-11: every record can be had, none in a list."""
    return Said(b"<html>Internal Server Error</html>", 500, _AS_HTML) if asked.is_list else serve(asked)


@quirk(Promise.HONEST, 34, outcome=RunOutcome.FAILED, says="204")
def every_list_is_answered_with_204(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Endpoints tried 2026-11: neither records nor identifiers."""
    return Said(b"", 204) if asked.verb in LISTS else serve(asked)


@quirk(Promise.WHOLE, 32)
def sets_and_formats_are_always_answered_with_500(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Endpoints tried 2026-11: each `add` and each run lost 30 seconds and more with them."""
    is_hit = asked.verb in ("ListSets", "ListMetadataFormats")
    return Said(b"<html>Internal Server Error</html>", 500, _AS_HTML) if is_hit else serve(asked)


@quirk(Promise.WHOLE, 34)
def early_hints_come_before_every_answer(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """RFC 8297 (read 2026-11): servers behind Cloudflare and Fastly send them; they were taken for the answer."""
    return serve(asked)._replace(before=(100, 103, 103))


@quirk(Promise.WHOLE, 33)
def deep_pages_time_out(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DSpace#12980 (89 ms at first, 12,988 ms at record 151,200), zenodo-rdm#1149, zenodo#2555 (read 2026-11): 504."""
    answer = serve(asked)
    is_deep = asked.verb in LISTS and cursor_of(answer) >= 2 * stage.source.page_size
    return Said(b"<html>Gateway Time-out</html>", 504, _AS_HTML) if is_deep else answer


@quirk(Promise.HONEST, 37, outcome=RunOutcome.REFUSED, says="403")
def status_403_in_the_middle(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """186 of metha's 6,776 pings (2023-08 to 2025-09); the guidelines for harvesters (§2) say: stop."""
    answer = serve(asked)
    return Said(b"Forbidden", 403, _AS_HTML) if is_middle(asked, answer) else answer


@quirk(Promise.HONEST, 34, outcome=RunOutcome.REFUSED, says="403")
def challenge_of_cloudflare(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAB (Gluejar/regluit#1154); 83 of the 186 status 403 in metha's pings (2023-08 to 2025-09)."""
    return Said(HTML, 403, (*_AS_HTML, ("cf-mitigated", "challenge")))


# --- waits --------------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 35)
def retry_after_is_a_date(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HTTP::OAI 4.12 (2022) refuses it, sickle and scythe break."""
    return _in_passing(asked, serve, stage, _late(Said(b""), formatdate(stage.clock() + 20, usegmt=True)))


@quirk(Promise.HONEST, 35, outcome=RunOutcome.TRY_LATER, says="The next try would be in")
def retry_after_is_a_week(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HTTP::OAI (2022) has a limit of a day for it."""
    answer = serve(asked)
    return _late(answer, "604800") if is_middle(asked, answer) else answer


@quirk(Promise.WHOLE, 36, 48)
def too_many_requests_until_the_time_has_passed(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HTTP::OAI 4.10, metha cc2f96c4 (read 2026-11): 429, and whoever comes back before the time is sent away again."""
    answer = serve(asked)
    if is_middle(asked, answer):
        until = stage.kept.setdefault("until", str(stage.clock() + 30).encode())
        if stage.clock() < float(until):
            return _late(answer, "30", 429)
    return answer


# --- walls and empty bodies ---------------------------------------------------------------------------------------


@quirk(Promise.HONEST, 34, outcome=RunOutcome.FAILED, says="blocks robots")
def html_with_200_from_some_page_on(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Walls against robots, maintenance, a login (DOAB, Gluejar/regluit#1154, read 2026-11)."""
    answer = serve(asked)
    stage.seen["wall"] += is_middle(asked, answer) or bool(stage.seen["wall"])
    return Said(HTML, headers=_AS_HTML) if stage.seen["wall"] else answer


@quirk(Promise.WHOLE, 34)
def html_with_200_for_one_page(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Pages of errors with status 200 (metha's pings, 2023-08 to 2025-09), for one token alone."""
    answer = serve(asked)
    return Said(HTML, headers=_AS_HTML) if asked.token and cursor_of(answer) == 2 * stage.source.page_size else answer


@quirk(Promise.HONEST, 34, outcome=RunOutcome.FAILED, says="empty")
def empty_body_for_every_robot(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """AWS WAF (dspace-angular#5478, read 2026-11): 200, and nothing in it."""
    return Said(b"", headers=_AS_HTML)


# --- addresses and requests ---------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 38, 76)
def source_has_moved(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#4831, kitodo#46; arXiv to oaipmh.arxiv.org (2025-03)."""
    there = f"{stage.url}/new?{asked.query}"
    return serve(asked) if asked.path.endswith("/new") else Said(b"Moved", 301, (("Location", there),))


@quirk(Promise.WHOLE, 39)
def base_url_of_identify_is_somebody_elses(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HydraNorth#1007, osulp#2548 (read 2026-11): localhost."""
    return edited(serve(asked), rb"(?<=<baseURL>)[^<]*", b"http://localhost:1/oai")


@quirk(Promise.WHOLE, 40, query="?mode=oaipmh")
def base_url_has_a_query_of_its_own(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """csw?mode=oaipmh (dataverse#6242, read 2026-11)."""
    if asked.arguments.get("mode") != "oaipmh":
        return Said(HTML, headers=_AS_HTML)
    return serve(asked.with_arguments(mode=None))


@quirk(Promise.WHOLE, 41, is_trap=True)
def empty_set_is_refused(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """geoportal-server-harvester#77 (read 2026-11)."""
    answer = serve(asked)
    return refused(answer, "badArgument", "There is no such set.") if asked.arguments.get("set") == "" else answer


@quirk(Promise.WHOLE, 42, query="?mode=oaipmh")
def verb_must_come_before_the_arguments_of_the_address(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """cshc.ubc.ca (HTTP::OAI 4.12, 2022), where the address has arguments of its own (dataverse#6242)."""
    if not asked.query.startswith("verb="):
        return Said(HTML, headers=_AS_HTML)
    return serve(asked.with_arguments(mode=None))


@quirk(Promise.WHOLE, 44, is_trap=True)
def names_of_libraries_are_refused(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """calhoun.nps.edu (metha, 2026-03): python-requests, Go-http-client, and who does not say who they are."""
    agent = asked.headers.get("user-agent", "")
    is_named = "mailto:" in agent and "requests" not in agent
    return serve(asked) if is_named else Said(b"Who are you?", 403, _AS_HTML)


# --- encodings ----------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 43)
def gzip_that_was_not_announced(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """metha's maybeCompressed (2026-03)."""
    answer = serve(asked)
    return answer._replace(body=gzip.compress(answer.body))


@quirk(Promise.WHOLE, 43)
def gzip_that_is_damaged(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """metha a97de427 (read 2026-11): it helps to ask for no compression."""
    answer = serve(asked)
    if "gzip" not in asked.headers.get("accept-encoding", ""):
        return answer
    squeezed = gzip.compress(answer.body)
    return answer._replace(body=squeezed[:-9], headers=(*answer.headers, ("Content-Encoding", "gzip")))


# --- time and size ------------------------------------------------------------------------------------------------


@quirk(Promise.WHOLE, 46)
def connection_breaks_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """774 of metha's 6,776 pings (2023-08 to 2025-09) found no connection at all."""
    answer = serve(asked)
    return answer._replace(cut=500) if is_middle(asked, answer) and stage.is_first("page") else answer


@quirk(
    Promise.HONEST,
    46,
    outcome=RunOutcome.TRY_LATER,
    says="silent",
    settings={"fetch_read_timeout_seconds": 1.0, "fetch_retries": 2},
)
def server_is_silent_for_ever(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """IRDB (openalex 1b32c72: ten minutes); the slowest of metha's pings took 882 s (2023-08 to 2025-09)."""
    answer = serve(asked)
    return answer._replace(silence=60.0) if asked.verb in LISTS and asked.token else answer


@quirk(Promise.HONEST, 47, outcome=RunOutcome.FAILED, says="decompressed", settings={"fetch_max_bytes": 100_000})
def answer_is_a_bomb(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """metha#35 (read 2026-11), and small on the way: a few hundred bytes are a megabyte once they are decompressed."""
    answer = serve(asked)
    is_hit = asked.verb in LISTS and asked.token and size_of(answer) and token_of(answer)
    bomb = gzip.compress(answer.body + b" " * 1_000_000)
    return answer._replace(body=bomb, headers=(*answer.headers, ("Content-Encoding", "gzip"))) if is_hit else answer
