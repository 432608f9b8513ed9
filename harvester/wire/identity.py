"""Which repository an answer to Identify is of: its name, its address, and its repositoryIdentifier. Pure."""

from __future__ import annotations

from gateway.model import Identity
from harvester.wire.oai_pmh import IdentifyAnswer
from harvester.wire.parsing import strict
from harvester.wire.slices import local, named, text_of


def identity_of(answer: IdentifyAnswer) -> Identity:
    """Return what a repository calls itself. The repositoryIdentifier is that of its oai-identifier descriptions."""
    found = sorted({each for content in answer.descriptions for each in _identifiers(content)})
    return Identity(" ".join(found), " ".join(answer.repository_name.split()), answer.base_url)


def _identifiers(content: bytes) -> list[str]:
    """Return the repositoryIdentifiers that a description names; as domains, whatever their case."""
    if b"repositoryIdentifier" not in content:
        return []
    root = strict(content)
    if local(root) != "oai-identifier":
        return []
    return ["".join(text_of(each).split()).lower() for each in named(root, "repositoryIdentifier") if text_of(each)]
