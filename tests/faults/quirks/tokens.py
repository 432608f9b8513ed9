"""Quirks of resumptionTokens: how they are written, how long they live, and where they lead."""

from contextlib import suppress
from urllib.parse import quote

from gateway.core.model import RunOutcome
from tests.faults.editing import cursor_of, edited, emptied, is_last, is_middle, refused, size_of, token_of, with_token
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import LISTS, Refused, Token
from tests.faults.table import Promise, quirk

_STRANGE = "a+b c!/=&?#%41;_.~<e>'f\"\u00e9|"
_DOUBTS = RunOutcome.SUCCEEDED_WITH_ERRORS


def _disguised(asked: Asked, serve: Serve, prefix: str) -> Said:
    """Give tokens that begin with a prefix, and take no others."""
    token = asked.token
    inner = asked.with_arguments(resumptionToken=token.removeprefix(prefix)) if token.startswith(prefix) else asked
    answer = serve(inner)
    if token and inner is asked:
        return refused(answer, "badResumptionToken", "This token is not ours.")
    return with_token(answer, prefix + token_of(answer)) if token_of(answer) else answer


@quirk(Promise.WHOLE, 1, 14)
def token_must_be_percent_encoded(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Rosetta, opencontext (metha#23), dwd.de (geonetwork#6435)."""
    return _disguised(asked, serve, _STRANGE)


@quirk(Promise.WHOLE, 2)
def token_must_be_sent_as_it_is_written(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dash.harvard.edu (metha, 2026-03), bium.univ-paris5 (oadoi, 2026-01): an encoded token is refused."""
    answer = serve(asked)
    if asked.token and "%3A" in asked.query:
        return refused(answer, "badResumptionToken", "This token is not ours.")
    return answer


@quirk(Promise.WHOLE, 3)
def token_is_percent_encoded_already(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """openlibhums/janeway#5006, IQSS/dataverse#7009 (read 2026-11): what is encoded once more is refused."""
    answer = serve(asked)
    return with_token(answer, quote(token_of(answer))) if token_of(answer) else answer


@quirk(Promise.WHOLE, 4)
def last_token_is_white_space(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAJ (metha 3a84586f), ssoar (sickle#25, read 2026-11)."""
    answer = serve(asked)
    return with_token(answer, " \n ") if asked.token and not token_of(answer) else answer


@quirk(Promise.WHOLE, 5)
def token_is_pretty_printed(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """SobekCM#6, DOAJ#235 (read 2026-11)."""
    return edited(serve(asked), rb"(<resumptionToken[^>]*>)([^<]+)<", rb"\1\n      \2\n    <")


@quirk(Promise.HONEST, 6, outcome=_DOUBTS, says="never end")
def token_never_changes(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """gssrjournal (metha bae13194: it would fill the disk), coneda/kor#55, DOAJ#1396 (read 2026-11)."""
    answer = serve(asked)
    return with_token(answer, asked.token) if is_middle(asked, answer) else answer


@quirk(Promise.STORED, 7)
def tokens_go_on_past_the_end(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """OpenSKOS#8 (172,515 announced, 274,000 read), geoportal-server-harvester#79 (read 2026-11)."""
    token = asked.token.partition("past:")[2]
    answer = serve(asked.with_arguments(resumptionToken=token) if token else asked)
    stage.seen["pages"] += 1
    return with_token(answer, f"{stage.seen['pages']}past:{token or asked.token}") if is_last(asked, answer) else answer


@quirk(Promise.WHOLE, 8, 9)
def token_after_the_last_record(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DOAJ (metha#14865, read 2026-11): cursor = completeListSize, a further token, which is then refused."""
    answer = serve(asked)
    return with_token(answer, "the end") if is_last(asked, answer) else answer


@quirk(Promise.WHOLE, 10, hides="completeListSize")
def first_page_is_empty_and_has_a_token(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HAL preprod (infrae/pyoai#8, read 2026-11): no record yet, and a token."""
    if asked.token.startswith("first:"):
        return serve(Asked(asked.token.removeprefix("first:")))
    answer = serve(asked)
    is_first = asked.is_list and not asked.token and b"<error" not in answer.body
    return emptied(answer, asked.verb, f"first:{asked.query}") if is_first else answer


@quirk(Promise.WHOLE, 11, needs="completeListSize")
def list_ends_after_the_first_page(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """OJS 3.3.0 (pkp-lib#7214, read 2026-11): the first page's token is empty, whatever completeListSize says."""
    answer = serve(asked)
    return with_token(answer, "") if asked.verb in LISTS and token_of(answer) else answer


@quirk(Promise.WHOLE, 12)
def tokens_expire_after_the_third_page(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """arxiv-public-datasets#26, scihist_digicoll#572 (read 2026-11)."""
    answer = serve(asked)
    if asked.is_list and asked.token and cursor_of(answer) >= 3 * stage.source.page_size:
        return refused(answer, "badResumptionToken", "It has expired.")
    return answer


@quirk(Promise.WHOLE, 13)
def token_can_be_used_once(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """coneda/kor#110 (read 2026-11): an answer that was lost cannot be had again."""
    answer = serve(asked.with_arguments(resumptionToken=asked.token.partition(":")[2]) if asked.token else asked)
    if not stage.is_first(asked.token) and asked.token:
        return refused(answer, "badResumptionToken", "It has been used.")
    if not token_of(answer):
        return answer
    stage.seen["tokens"] += 1
    answer = with_token(answer, f"{stage.seen['tokens']}:{token_of(answer)}")
    return answer._replace(cut=300) if is_middle(asked, answer) and stage.is_first("lost") else answer


@quirk(Promise.WHOLE, 15, entry={"sets": ("a",)})
def token_forgets_the_set(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """SobekCM#6, LearningRegistry#53 (read 2026-11): from the second page on, everything comes."""
    answer = serve(asked)
    with suppress(Refused):  # another quirk has disguised it
        if asked.is_list and not asked.token and token_of(answer):
            return with_token(answer, Token.read(token_of(answer))._replace(set_spec="").text)
    return answer


@quirk(Promise.WHOLE, 16)
def metadata_prefix_is_wanted_beside_the_token(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """OSTI (oadoi's OSTIOAIItemIterator, 2026-01; openalex-ingest's OSTIItemIterator, 2026-03)."""
    if not asked.token:
        return serve(asked)
    answer = serve(asked.with_arguments(metadataPrefix=None))
    is_there = "metadataPrefix" in asked.arguments
    return answer if is_there else refused(answer, "badArgument", "metadataPrefix is missing.")


@quirk(Promise.WHOLE, 49, 50)
def unknown_error_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """darwin.naturalsciences.be (metha extra/errors, 2026-03): too many scroll contexts, as an error."""
    answer = serve(asked)
    if is_middle(asked, answer) and stage.is_first("error"):
        return refused(answer, "unknownError", '{"error":{"reason":"Trying to create too many scroll contexts."}}')
    return answer


@quirk(Promise.HONEST, 51, outcome=RunOutcome.FAILED, says="badResumptionToken")
def several_errors_for_every_token(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Codes of their own and several errors at once (pyoai's UnknownError, 2022)."""
    answer = serve(asked)
    if not (asked.verb in LISTS and asked.token):
        return answer
    both = b'<error code="badResumptionToken"/><error code="sessionLost">x</error>'
    return edited(answer, rb"(?s)<List.*</List\w+>|<error.*</error>", both)


@quirk(Promise.WHOLE, 4, 11, hides="completeListSize")
def token_is_white_space_in_the_middle(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """ssoar (sickle#25) and OJS 3.3.0 (pkp-lib#7214, read 2026-11) together."""
    answer = serve(asked)
    if asked.verb not in LISTS:
        return answer
    answer = edited(answer, rb' (completeListSize|cursor)="[^"]*"', b"")
    return with_token(answer, " \n ") if is_middle(asked, answer) and stage.is_first("page") else answer


@quirk(Promise.WHOLE, 17, hides="completeListSize")
def first_page_is_empty_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Primo (dpla/ingestion3#777, read 2026-11)."""
    answer = serve(asked)
    is_hit = asked.is_list and not asked.token and size_of(answer) and stage.is_first("page")
    return emptied(answer, asked.verb) if is_hit else answer
