"""Which repository an answer to Identify is of: its name, its address, and its repositoryIdentifier. Pure."""

from __future__ import annotations

from gateway.model import Identity
from harvester.sources.oai_pmh.answers import IdentifyAnswer
from harvester.xml.parsing import strict
from harvester.xml.slices import local, named, text_of


def identity_of(answer: IdentifyAnswer) -> Identity:
    """Return what a repository calls itself. The repositoryIdentifier is that of its oai-identifier descriptions."""
    identifiers = sorted({identifier for content in answer.descriptions for identifier in _identifiers(content)})
    return Identity(" ".join(identifiers), " ".join(answer.repository_name.split()), answer.base_url)


def _identifiers(content: bytes) -> list[str]:
    """Return the repositoryIdentifiers that a description names; as domains, whatever their case."""
    if b"repositoryIdentifier" not in content:
        return []
    root = strict(content)
    if local(root) != "oai-identifier":
        return []
    return [
        "".join(text_of(element).split()).lower() for element in named(root, "repositoryIdentifier") if text_of(element)
    ]
