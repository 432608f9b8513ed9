"""The sets of resources of a site, and the addresses of their documents. Pure.

A set of resources is the metadata of one OAI-PMH set in one format; each has a Capability List. All documents are below
`/resourcesync/<metadataPrefix>/<setSpec>/`, where the set `source` has all records.
"""

from typing import Final, NamedTuple
from urllib.parse import quote

from gateway.core.names import SOURCES

DESCRIPTION: Final = "/.well-known/resourcesync"
FOLDER: Final = "/resourcesync"
_SAFE: Final = "-_.!~*'():"  # what a metadataPrefix or a setSpec may have beside letters and digits


class ResourceSet(NamedTuple):
    """A set of resources: a metadata format, and the spec of a set; `source` has all records."""

    metadata_prefix: str
    set_spec: str = SOURCES

    @property
    def selected(self) -> str | None:
        """The set as a `Selection` has it: None is everything."""
        return None if self.set_spec == SOURCES else self.set_spec


def resource_sets(setting: str) -> tuple[ResourceSet, ...]:
    """Return the sets of resources in the setting `resourcesync_lists`, such as `oai_dc oai_didl/source:laro`.

    One that is there twice counts once.
    """
    pairs = (word.partition("/") for word in setting.split())
    return tuple(dict.fromkeys(ResourceSet(prefix, spec or SOURCES) for prefix, _, spec in pairs))


class Addresses:
    """The addresses of the documents of one site, whose `/` has the address `url`, without the slash."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.description = url + DESCRIPTION

    def of(self, resources: ResourceSet, name: str, ending: str = "xml") -> str:
        """Return the address of a document or a package of a set of resources, by its name in the folder of the set."""
        prefix, spec = (quote(part, safe=_SAFE) for part in resources)
        return f"{self.url}{FOLDER}/{prefix}/{spec}/{name}.{ending}"

    def of_files(self, name: str) -> str:
        """Return the address of a document about the files of the site."""
        return f"{self.url}{FOLDER}/files/{name}.xml"
