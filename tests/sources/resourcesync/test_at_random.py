"""Sources that change, fail and grow at random: whatever happened, at the end we hold what they have, and say so."""

import os
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from harvester.harvest.run_lifecycle import RunOptions
from harvester.runtime.exit_status import Status
from tests.seeds import SEED
from tests.sources.resourcesync.site import DC
from tests.sources.resourcesync.test_dumps import Packed

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

# RESOURCESYNC_TIMES=200 tries two hundred sources.
ROUNDS = 6
TIMES = int(os.environ.get("RESOURCESYNC_TIMES", "3"))


class Flaky(dict):
    """Files of a site, some of which cannot be had at times."""

    def __init__(self, *values) -> None:
        super().__init__(*values)
        self.left = -1  # requests until the server is busy; never
        self.bad: dict[str, Any] = {}

    def get(self, path, default=None):
        self.left -= 1
        if self.left == 0:
            self.left = 1
            return 503, {}, b"later"
        return self.bad.get(path) or super().get(path, default)

    def heal(self) -> None:
        self.left = -1
        self.bad = {}


@dataclass
class World:
    """A source: what it has, and everything that ever happened to it."""

    site: Any
    chance: random.Random
    works: dict[str, str] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)  # by name of their metadata
    log: list[tuple[int, str, str]] = field(default_factory=list)  # second, name, change
    second: int = 0
    has_dump: bool = False
    is_split: bool = False  # into closed Change Lists of an index
    keeps: int = 10_000  # how many changes the Change Lists reach back
    says_at: bool = True
    closed: list[tuple[int, int]] = field(default_factory=list)
    snapshot: int = 0
    snapshot_works: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, int] = field(default_factory=dict)

    def change(self) -> None:
        for _ in range(self.chance.randrange(12)):
            self.second += self.chance.choice((0, 0, 1, 5))
            name = f"{self.chance.choice('abcz')}{self.chance.randrange(12):02}.xml"
            kind = "created" if name not in self.works else self.chance.choice(("updated", "updated", "deleted"))
            if kind == "deleted":
                del self.works[name]
                self.contents.pop(name, None)
            else:
                self.works[name] = f"{name} at {self.second} {self.chance.random()}"
                if self.chance.random() < 0.4:
                    self.contents[name] = f"%PDF {self.chance.random()}".encode()
            self.stamps[name] = self.second
            self.log.append((self.second, name, kind))

    def publish(self, *, snapshot: bool) -> None:
        site = self.site
        old = [path for path in site.files if path.endswith((".xml", ".zip", ".pdf"))]
        for path in old:
            del site.files[path]
        for name, title in self.works.items():
            site.files[f"/{name}"] = DC.format(title).encode()
            if name in self.contents:
                site.files[f"/{name}.pdf"] = self.contents[name]
        lists = ["resourcelist"]
        if snapshot or not self.snapshot_works:
            self.snapshot, self.snapshot_works = self.second, dict(self.works)
            self.snapshot_entries = [entry for name in sorted(self.works) for entry in self.entries(name)]
            self.packages = self.packed()
        attributes = {"at": moment(self.snapshot)} if self.says_at else {}
        site.put("resourcelist.xml", "resourcelist", *self.snapshot_entries, **attributes)
        if self.has_dump:
            lists.append("resourcedump")
            entries = []
            for number, package in enumerate(self.packages):
                site.files[f"/pack{number}.zip"] = package
                entries.append(site.entry(f"pack{number}.zip", type="application/zip"))
            site.put("resourcedump.xml", "resourcedump", *entries, at=moment(self.snapshot))
        self.put_changes()
        site.offer(*lists, "changelist")

    def entries(self, name, **attributes):
        site = self.site
        stamp = moment(self.stamps[name])
        if f"/{name}" not in site.files:
            yield site.url_element(name, stamp, type="text/xml", **attributes)
            return
        content = f"{name}.pdf"
        has = name in self.contents
        yield site.entry(name, stamp, site.link("describes", content) if has else "", type="text/xml", **attributes)
        if has:
            attributes.pop("path", "")
            yield site.entry(content, stamp, site.link("describedby", name), type="application/pdf", **attributes)

    def packed(self):
        packages = []
        names = sorted(self.works)
        for number in range(2):
            package = Packed(self.site, f"pack{number}.zip")
            for name in names[number::2]:
                package.entries += list(self.entries(name, path=f"/r/{name}"))
                package.files |= {f"r/{name}": self.site.files[f"/{name}"]}
            packages.append(package)
        bodies = []
        for number, package in enumerate(packages):
            package.put("resourcedump", at=moment(self.snapshot))
            bodies.append(self.site.files[f"/pack{number}.zip"])
        return bodies

    def changes_between(self, first, last):
        return [entry for entry in self.log if first <= entry[0] < last]

    def put_changes(self) -> None:
        site = self.site
        begin = self.log[-self.keeps][0] if len(self.log) > self.keeps else 0
        if not self.is_split:
            site.put(
                "changelist.xml", "changelist", *self.changed(self.changes_between(begin, 1 << 60)), from_=moment(begin)
            )
            return
        start = self.closed[-1][1] if self.closed else 0
        if self.second > start + 10 and self.chance.random() < 0.7:
            self.closed.append((start, self.second))
            start = self.second
        parts = []
        for number, (first, last) in enumerate(self.closed):
            site.put(
                f"closed{number}.xml",
                "changelist",
                *self.changed(self.changes_between(first, last)),
                from_=moment(first),
                until=moment(last),
            )
            parts.append(site.part(f"closed{number}.xml", from_=moment(first), until=moment(last)))
        site.put("open.xml", "changelist", *self.changed(self.changes_between(start, 1 << 60)), from_=moment(start))
        parts.append(site.part("open.xml", from_=moment(start)))
        site.put("changelist.xml", "changelist", *parts, root="sitemapindex", from_=moment(0))

    def changed(self, changes):
        for second, name, kind in changes:
            if kind == "deleted":
                yield self.site.url_element(name, change=kind, datetime=moment(second))
                yield self.site.url_element(f"{name}.pdf", change=kind, datetime=moment(second))
            elif name in self.works and self.stamps[name] == second:
                yield from self.entries(name, change=kind, datetime=moment(second))
            else:  # what it was then is not there any more
                yield self.site.url_element(name, moment(second), type="text/xml", change=kind, datetime=moment(second))


def moment(second):
    return f"2013-01-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"


@pytest.mark.parametrize("number", range(TIMES))
def test_whatever_happens_to_a_source_we_hold_what_it_has(site, run, titles, published, audited, number):
    chance = random.Random(SEED + number)
    world = World(
        site,
        chance,
        has_dump=chance.random() < 0.3,
        is_split=chance.random() < 0.4,
        keeps=chance.choice((5, 10_000)),
        says_at=chance.random() < 0.8,
    )
    if not world.says_at:  # nothing tells then whether a list is of before what the Change Lists leave out
        world.keeps = 10_000
    site.files = Flaky(site.files)
    world.change()
    world.change()
    for _ in range(ROUNDS):
        world.change()
        world.publish(snapshot=chance.random() < 0.5)
        if chance.random() < 0.5:
            site.files.left = chance.randrange(1, 40)
        for name in chance.sample(sorted(world.works), min(2, len(world.works))):
            if chance.random() < 0.6:
                site.files.bad[f"/{name}"] = chance.choice(((404, {}, b"no"), (500, {}, b"ill"), b"<wrong/>"))
        run("/caps.xml", RunOptions(max_records=chance.choice((None, None, 7))))
        site.files.heal()
    world.publish(snapshot=True)
    for _ in range(3):
        ran = run("/caps.xml")
    held = {name: title for name, title in titles().items() if title}
    if ran.status is Status.SUCCEEDED:
        assert held == world.works
        assert audited() == []
    else:
        assert {name: held.get(name) for name in world.works} == world.works
        assert "sweep" in " ".join(ran.run.reasons)
    didls = published("oai_didl")
    assert {name for name in world.works if f"{name}.pdf" in didls[name]} == set(world.contents)
