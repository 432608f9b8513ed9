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


class FileAddresses:
    """The addresses of the documents about files of one site, whose `/` has the address `url`, without the slash."""

    def __init__(self, url: str) -> None:
        self._folder = f"{url}{FOLDER}/files"

    @property
    def capability_list(self) -> str:
        """The address of the Capability List of files."""
        return f"{self._folder}/capabilitylist.xml"

    def resource_list(self, part: str = "") -> str:
        """Return the address of the Resource List of files, which is an index; or that of one of its parts."""
        return f"{self._folder}/resourcelist{f'-{part}' if part else ''}.xml"


class Addresses:
    """The addresses of the documents of one site, whose `/` has the address `url`, without the slash."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def description(self) -> str:
        """The address of the Source Description."""
        return self.url + DESCRIPTION

    def capability_list(self, resources: ResourceSet) -> str:
        """Return the address of the Capability List of a set of resources."""
        return self._document(resources, "capabilitylist")

    def resource_list(self, resources: ResourceSet, part: int | None = None) -> str:
        """Return the address of a Resource List; of one of its parts, if it has an index."""
        return self._document(resources, "resourcelist" if part is None else f"resourcelist-{part}")

    def resource_dump(self, resources: ResourceSet) -> str:
        """Return the address of the Resource Dump."""
        return self._document(resources, "resourcedump")

    def manifest(self, resources: ResourceSet, part: int) -> str:
        """Return the address of the copy of the manifest of a package."""
        return self._document(resources, f"resourcedump-{part}")

    def package(self, resources: ResourceSet, part: int) -> str:
        """Return the address of a package of the Resource Dump."""
        return self.manifest(resources, part).removesuffix(".xml") + ".zip"

    def change_list(self, resources: ResourceSet, period: str = "") -> str:
        """Return the address of the Change List of a period; without one, that of their index."""
        return self._document(resources, f"changelist-{period}" if period else "changelist")

    def change_dump(self, resources: ResourceSet, period: str = "") -> str:
        """Return the address of the Change Dump; with a period, that of the closed one of this period."""
        return self._document(resources, f"changedump-{period}" if period else "changedump")

    def change_manifest(self, resources: ResourceSet, period: str) -> str:
        """Return the address of the copy of the manifest of a package of changes."""
        return self._document(resources, f"changedump-manifest-{period}")

    def change_package(self, resources: ResourceSet, period: str) -> str:
        """Return the address of the package of the changes of a period."""
        return self.change_dump(resources, period).removesuffix(".xml") + ".zip"

    def archive(self, resources: ResourceSet, kind: str) -> str:
        """Return the address of an archive; `kind` is `resourcelist`, `changelist` or `changedump`."""
        return self._document(resources, f"{kind}-archive")

    def snapshot(self, resources: ResourceSet, name: str, part: int | None = None) -> str:
        """Return the address of an archived Resource List; of one of its parts, if it has an index."""
        return self._document(
            resources, f"archive/{name}/resourcelist" if part is None else f"archive/{name}/resourcelist-{part}"
        )

    def _document(self, resources: ResourceSet, name: str) -> str:
        prefix, spec = (quote(part, safe=_SAFE) for part in resources)
        return f"{self.url}{FOLDER}/{prefix}/{spec}/{name}.xml"
