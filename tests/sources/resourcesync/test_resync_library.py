"""A source that the `resync` library publishes is synchronised, and what we hold is what its own client gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from resync import CapabilityList, ChangeList, Resource, ResourceList, SourceDescription
from resync.dump import Dump
from resync.hashes import Hashes
from resync.resource_dump import ResourceDump

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
        self.capabilities = capabilities
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

    def dump(self, *resources: Resource) -> None:
        """Put a dump of these resources there, with as many packages as the library makes."""
        name = "resourcedump"
        for resource in resources:
            resource.path = str(self.folder / resource.uri.rpartition("/")[2])
        dump = Dump(resources=list(resources))
        dump.max_files = 3
        count = dump.write(basename=str(self.folder / f"{name}-"))
        packages = ResourceDump()
        for number in range(count):
            file = self.folder / f"{name}-{number:05}.zip"
            self.site.files[f"/{file.name}"] = file.read_bytes()
            packages.add(Resource(uri=f"{self.site.url}/{file.name}", length=file.stat().st_size))
        packages.md_at = AT
        self.capabilities.add_capability(uri=f"{self.site.url}/{name}.xml", name=name)
        self.put("caps.xml", self.capabilities)
        self.put(f"{name}.xml", packages)


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


def test_a_dump_of_the_library_is_a_baseline(source, run, titles):
    records = [source.write(f"{number}", f"Work {number}") for number in range(7)]
    source.dump(*records)
    source.list(*records)
    source.changes()
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["published"]) == (Status.SUCCEEDED, True, 7)
    assert titles() == {f"{number}": f"Work {number}" for number in range(7)}
    assert sum(source.site.times(f"/resourcedump-0000{number}.zip") for number in range(3)) == 3
    assert source.site.times("/0") == 0


# What the client does, as a program of its own: it needs `distutils`, and warns of it.
_CLIENT = """
import logging, sys
from resync.client import Client
logging.basicConfig(level=logging.ERROR)
url, folder, capabilities = sys.argv[1:]
client = Client()
client.set_mappings([url, folder])
client.capability_list_uri = capabilities
client.{}
"""


def _synchronised_by_the_client(source, folder: Path, call: str) -> dict[str, str]:
    """Let the library's client do something, and return the titles of what it then holds."""
    url = source.site.url
    arguments = [sys.executable, "-W", "ignore", "-c", _CLIENT.format(call), url, str(folder), f"{url}/caps.xml"]
    # It leaves a file with its state wherever it is called.
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    texts = {path.name: path.read_text() for path in folder.iterdir() if path.name[0] != "."}
    return {name: text.partition("<dc:title>")[2].partition("</dc:title>")[0] for name, text in texts.items()}


@pytest.mark.slow
def test_we_hold_what_the_client_of_the_library_gets(source, run, titles, tmp_path):
    source.list(*(source.write(f"{number}", f"Work {number}") for number in range(7)))
    source.changes()
    run()
    folder = tmp_path / "client"
    folder.mkdir()
    assert _synchronised_by_the_client(source, folder, "baseline_or_audit(allow_deletion=True)") == titles()
    changed = source.write("2", "Changed", change="updated", datetime="2013-01-01T10:00:00Z")
    deleted = Resource(uri=f"{source.site.url}/3", change="deleted", datetime="2013-01-01T12:00:00Z")
    source.changes(changed, deleted)
    run()
    call = f"incremental(allow_deletion=True, from_datetime='{AT}')"
    held = {name: title for name, title in titles().items() if title}
    assert _synchronised_by_the_client(source, folder, call) == held
