"""Quirks of who a repository is: it becomes another one, and says so or not."""

from __future__ import annotations

from gateway.model import RunOutcome
from tests.faults.editing import edited, refused
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.table import Promise, quirk

_DAY = 86_400
_DESCRIPTION = (
    b'<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"><scheme>oai</scheme>'
    b"<repositoryIdentifier>%s</repositoryIdentifier><delimiter>:</delimiter>"
    b"<sampleIdentifier>oai:%s:1</sampleIdentifier></oai-identifier></description></Identify>"
)


def _is_later(stage: Stage) -> bool:
    """Tell whether days have passed since this was first asked."""
    began = float(stage.kept.setdefault("began", str(stage.clock()).encode()))
    return stage.clock() - began > _DAY


@quirk(Promise.HONEST, outcome=RunOutcome.REFUSED, says="repositoryIdentifier", is_again=True)
def repository_identifier_becomes_another(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Audited endpoint (2026-11): a base URL comes to serve another repository, and says so."""
    answer = serve(asked)
    domain = b"other.example.org" if _is_later(stage) else b"faults.example.org"
    return edited(answer, rb"</Identify>", _DESCRIPTION % (domain, domain)) if asked.verb == "Identify" else answer


@quirk(Promise.HONEST, outcome=RunOutcome.SUCCEEDED_WITH_ERRORS, says="repositoryName", is_again=True)
def repository_has_another_name_and_address(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Audited endpoint (2026-11): with its university a repository changes name and address, nothing else."""
    answer = serve(asked)
    if asked.verb != "Identify" or not _is_later(stage):
        return answer
    answer = edited(answer, rb"<repositoryName>[^<]*", b"<repositoryName>Renamed")
    return edited(answer, rb"<baseURL>[^<]*", b"<baseURL>http://renamed.example.org/oai")


@quirk(Promise.HONEST, outcome=RunOutcome.REFUSED, says="begins like another repository", is_again=True)
def every_identifier_becomes_another(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Audited endpoint (2026-11): 120 records were held of 60. Like zvdd.org it takes no dates."""
    answer = serve(asked)
    if "from" in asked.arguments or "until" in asked.arguments:
        return refused(answer, "badArgument", "There is no selective harvest here.")
    if not _is_later(stage):
        return answer
    if "oai:faults" in asked.arguments.get("identifier", ""):
        return refused(answer, "idDoesNotExist", "There is no such item.")
    return edited(answer, rb"<identifier>oai:faults", b"<identifier>oai:anew")
