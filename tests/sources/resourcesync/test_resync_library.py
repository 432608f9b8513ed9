"""A source that the `resync` library publishes is synchronised."""

from pathlib import Path

import pytest
from resync import CapabilityList, ChangeList, Resource, ResourceList, SourceDescription
from resync.hashes import Hashes

from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import DC

AT = "2013-01-01T00:00:00Z"


class Published:
    """A folder of records that the library publishes on a site."""

    def __init__(self, site, folder: Path) -> None:
        self.site, self.folder = site, folder
        folder.mkdir()
        capabilities = CapabilityList()
        for name in ("resourcelist", "changelist"):
            capabilities.add_capability(uri=f"{site.url}/{name}.xml", name=name)
        self.put("caps.xml", capabilities)
        description = SourceDescription()
        description.add_capability_list(f"{site.url}/caps.xml")
        self.put(".well-known/resourcesync", description)

    def put(self, name: str, document) -> None:
        self.site.files[f"/{name}"] = document.as_xml().encode()

    def write(self, name: str, title: str, **attributes: str) -> Resource:
        """Write a record, and return what the library says of it."""
        file = self.folder / name
        file.write_text(DC.format(title))
        self.site.files[f"/{name}"] = file.read_bytes()
        return self.resource(name, **attributes)

    def resource(self, name: str, lastmod: str = AT, **attributes: str) -> Resource:
        file = self.folder / name
        hashes = Hashes({"md5", "sha-256"}, str(file))
        resource = Resource(uri=f"{self.site.url}/{name}", lastmod=lastmod, length=file.stat().st_size, **attributes)
        resource.md5, resource.sha256, resource.path = hashes.md5, hashes.sha256, None
        return resource

    def list(self, *resources: Resource, at: str = AT) -> None:
        resource_list = ResourceList(resources=list(resources))
        resource_list.md_at = at
        resource_list.up = f"{self.site.url}/caps.xml"
        self.put("resourcelist.xml", resource_list)

    def changes(self, *resources: Resource, from_: str = AT) -> None:
        change_list = ChangeList()
        change_list.md_from = from_
        for resource in resources:
            change_list.add(resource)
        self.put("changelist.xml", change_list)


@pytest.fixture
def source(site, tmp_path):
    return Published(site, tmp_path / "source")


def test_a_source_of_the_library_is_synchronised_with_its_changes_and_deletions(source, run, titles):
    source.list(*(source.write(f"{number}", f"Work {number}") for number in range(7)))
    source.changes()
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["published"]) == (Status.SUCCEEDED, True, 7)
    changed = source.write("2", "Changed", change="updated", datetime="2013-01-01T10:00:00Z")
    created = source.write("7", "Created", change="created", datetime="2013-01-01T11:00:00Z")
    deleted = Resource(uri=f"{source.site.url}/3", change="deleted", datetime="2013-01-01T12:00:00Z")
    source.changes(changed, created, deleted)
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, 3)
    wanted = {f"{number}": f"Work {number}" for number in range(7)} | {"2": "Changed", "3": "", "7": "Created"}
    assert titles() == wanted
