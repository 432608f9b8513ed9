"""Dumps: a baseline and changes in packages, verified; what a package does not bring is fetched, or told."""

import json
import zipfile
from hashlib import md5, sha256
from io import BytesIO

import pytest

from harvester.harvest.run_lifecycle import RunOptions
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, DC, LIST, document

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

DUMP, CHANGE_DUMP = "resourcedump.xml", "changedump.xml"
NOON, DAY2, NOON2, DAY3 = (f"2013-01-{moment}:00:00Z" for moment in ("01T12", "02T00", "02T12", "03T00"))


class Packed:
    """A package in the making."""

    def __init__(self, site, name):
        self.site, self.name, self.entries, self.files = site, name, [], {}

    def add(self, name, title="", body=None, **attributes):
        """Add a record; `body` is what lies in the package instead of what its entry tells of."""
        content = DC.format(title or f"Work {name}").encode()
        facts = {"path": f"/r/{name}", "hash": f"md5:{md5(content).hexdigest()}", "length": str(len(content))}
        self.entries.append(self.site.url_element(name, AT, **facts | attributes))
        self.files[f"r/{name}"] = content if body is None else body
        return self

    def put(self, capability, **attributes):
        """Put it there, and return its entry for the dump."""
        stream = BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("manifest.xml", document(f"{capability}-manifest", *self.entries, **attributes))
            for name, body in self.files.items():
                package.writestr(name, body)
        self.site.files[f"/{self.name}"] = stream.getvalue()
        return self.site.entry(self.name, type="application/zip", **attributes)


def _dump(site, *packages, with_changes=False):
    """Put a Resource Dump there, and an empty Change List where one is offered."""
    site.put(DUMP, "resourcedump", *(package.put("resourcedump", at=AT) for package in packages), at=AT)
    if with_changes:
        site.offer("resourcedump", "changelist")
        site.changes()


def _packed(site, name, records):
    package = Packed(site, name)
    for record in records:
        package.add(record)
    return package


def test_a_dump_is_a_baseline_of_which_nothing_is_fetched_one_by_one(site, run, titles):
    site.offer("resourcedump", "resourcelist", "changelist")
    _dump(site, _packed(site, "1.zip", (f"{number:03}" for number in range(600))), _packed(site, "2.zip", "x"))
    site.changes(site.change("000", DAY2, "deleted"))
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert ran.run.counts["received"] == 602
    assert site.times(f"/{LIST}") == site.times("/001") == 0
    assert (len(titles()), titles()["000"]) == (601, "")
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert site.times("/1.zip") == 0


def test_an_interrupted_dump_goes_on_where_it_was(site, run, titles):
    _dump(site, *(_packed(site, f"{name}.zip", (f"{name}1", f"{name}2")) for name in "abc"), with_changes=True)
    assert run(run_options=RunOptions(max_records=3)).run.counts["received"] == 4
    site.changes(site.change("a1", NOON, title="Changed"))
    site.asked.clear()
    assert run().status is Status.SUCCEEDED
    assert site.times("/a.zip") == 0
    assert (titles()["a1"], len(titles())) == ("Changed", 6)


def test_what_is_wrong_in_a_package_is_fetched_from_the_web(site, run, titles, house):
    package = Packed(site, "1.zip").add("1").add("2", body=b"damaged").add("3", path="/../3").add("4", path="")
    del package.files["r/1"]
    _dump(site, package.add("5", body=b"evil"), with_changes=True)
    for name in "1234":
        site.metadata(name)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert list(titles()) == ["1", "2", "3", "4"]
    (bad,) = [entry for entry in house.store.quarantined("fake") if entry.identifier.endswith("/5")]
    assert bad.reason.startswith("In its package: Its md5 is")
    assert "On the web:" in bad.reason


def test_a_package_that_is_not_what_the_source_says_is_not_used(site, run, titles):
    site.lists("123")
    site.offer("resourcedump", "resourcelist", "changelist")
    _dump(site, *(_packed(site, f"{name}.zip", name) for name in "123"))
    site.files["/1.zip"] = site.files["/1.zip"].replace(b"manifest", b"manifold")
    site.files["/2.zip"] = site.files["/2.zip"][:-40]
    del site.files["/3.zip"]
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert titles() == {name: f"Work {name}" for name in "123"}


def test_without_a_resource_list_a_damaged_package_is_told_and_asked_for_again(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "1"), _packed(site, "2.zip", "2"))
    whole = site.files["/2.zip"]
    site.files["/2.zip"] = whole[:-10]
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "/2.zip: The package is not what the source states." in ran.run.reasons[0]
    site.files["/2.zip"] = whole
    _changes(site)
    assert run().run.is_complete
    assert site.times("/1.zip") == 1
    assert titles() == {"1": "Work 1", "2": "Work 2"}


def _changes(site, *packages, from_=AT):
    site.put(CHANGE_DUMP, "changedump", *packages, from_=from_)


def test_changes_come_in_packages_each_once(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "12"))
    _changes(site)
    assert run().run.is_complete
    day1 = Packed(site, "day1.zip").add("1", "Changed", change="updated", datetime=NOON)
    day1.entries.append(site.change("2", "2013-01-01T13:00:00Z", "deleted"))
    closed = day1.put("changedump", from_=AT, until=DAY2)
    _changes(site, closed)
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, 2)
    assert titles() == {"1": "Changed", "2": ""}
    day2 = Packed(site, "day2.zip").add("3", change="created", datetime=NOON2)
    _changes(site, closed, day2.put("changedump", from_=DAY2))
    site.asked.clear()
    assert run().run.counts["received"] == 1
    assert site.times("/day1.zip") == 0
    assert run().run.counts["received"] == 0
    day2.add("4", change="created", datetime="2013-01-02T13:00:00Z")
    _changes(site, closed, day2.put("changedump", from_=DAY2, until=DAY3))
    assert run().run.counts["received"] == 1
    assert sorted(titles()) == ["1", "2", "3", "4"]


def test_a_later_package_does_not_hide_that_an_earlier_one_is_missing(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "1"))
    day1 = Packed(site, "day1.zip").add("2", change="created", datetime=NOON)
    day2 = Packed(site, "day2.zip").add("3", change="created", datetime=NOON2)
    _changes(site, day1.put("changedump", from_=AT, until=DAY2), day2.put("changedump", from_=DAY2))
    held = site.files.pop("/day1.zip")
    assert not run().run.is_complete
    assert list(titles()) == ["1"]
    site.files["/day1.zip"] = held
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3"]


PDF = b"%PDF-1.4 the full text"


def _offer(site, *entries):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", *entries, at=AT)
    site.changes()


def _pair(site, name="1", **attributes):
    """Return the entries of a record and of the full text that it describes, each naming the other."""
    site.files[f"/{name}.pdf"] = PDF
    site.files[f"/{name}.xml"] = DC.format(f"Work {name}").encode()
    digest = f"sha-256:{sha256(PDF).hexdigest()}"
    content = site.entry(
        f"{name}.pdf",
        "2013-01-01T12:00:00Z",
        site.link("describedby", f"{name}.xml"),
        type="application/pdf",
        hash=digest,
        **attributes,
    )
    metadata = site.entry(
        f"{name}.xml", links=site.link("describes", f"{name}.pdf"), type="application/xml", **attributes
    )
    return metadata, content


def test_content_that_metadata_describes_is_a_file_of_the_same_item(site, run, published, titles):
    _offer(site, *_pair(site), site.metadata("2.xml"))
    ran = run()
    assert (ran.status, ran.run.counts["received"]) == (Status.SUCCEEDED, 2)
    assert titles() == {"1.xml": "Work 1", "2.xml": "Work 2.xml"}
    didl = published("oai_didl")["1.xml"]
    assert f'<didl:Resource mimeType="application/pdf" ref="{site.url}/1.pdf"/>' in didl
    assert f">{len(PDF)} bytes<" in didl
    assert f">{sha256(PDF).hexdigest()}<" in didl
    assert ">2013-01-01T12:00:00Z<" in didl
    assert "upstream: named in its own entry in the list" in didl
    assert site.times("/1.pdf") == 0
    assert (list(published(set_spec="fulltext")), list(published())) == (["1.xml"], ["1.xml", "2.xml"])


def test_an_audit_tells_of_content_with_another_digest_in_the_lists(site, run, audited):
    metadata, content = _pair(site)
    _offer(site, metadata, content)
    run()
    assert audited() == []
    _offer(site, metadata, content.replace(sha256(PDF).hexdigest(), "0" * 64))
    ((what, name, sentence),) = audited()
    assert (what, name) == ("changed", f"{site.url}/1.xml")
    assert sentence == f"The list has another digest of its content {site.url}/1.pdf than the stored entry."


def test_content_that_only_its_metadata_names_is_a_file_too(site, run, published):
    site.metadata("1.xml")
    links = (
        site.link("describes", "1.pdf", type="application/pdf", length="7", modified="2013-01-01T00:00:00Z")
        + site.link("describes", "1.html", type="text/html")
        + '<rs:ln rel="cite-as" href="https://doi.org/10.5555/12345678"/><rs:ln rel="describes" href="urn:x:y"/>'
        + site.link("profile", "dc")
    )
    _offer(site, site.entry("1.xml", links=links))
    run()
    didl = published("oai_didl")["1.xml"]
    assert f'<didl:Resource mimeType="application/pdf" ref="{site.url}/1.pdf"/>' in didl
    assert ">7 bytes<" in didl
    assert f'<didl:Resource mimeType="text/html" ref="{site.url}/1.html"/>' in didl
    assert "https://doi.org/10.5555/12345678</dii:Identifier>" in didl
    assert "urn:x:y" not in didl


def test_items_that_the_lists_name_too_are_files_with_what_is_said_there(site, run, published):
    site.files["/1.pdf"] = PDF
    site.metadata("1.xml")
    item = site.link("item", "1.pdf", type="application/pdf")
    _offer(site, site.entry("1.xml", links=item), site.entry("1.pdf", type="application/pdf"))
    assert run().status is Status.SUCCEEDED
    assert f">{len(PDF)} bytes<" in published("oai_didl")["1.xml"]
    assert site.times("/1.pdf") == 0
    site.changes(site.change("1.pdf", "2013-01-02T00:00:00Z", "deleted"))
    run()
    assert "1.pdf" not in published("oai_didl")["1.xml"]


def test_a_feed_of_entry_pages_is_read_with_the_files_and_the_doi_of_each_work(site, run, published):
    site.metadata("1.xml", "Work 1")
    doi, kind = "https://doi.org/10.5555/12345678", "info:eu-repo/semantics/article"
    links = (
        "".join(f'<rs:ln rel="{rel}" href="{href}"/>' for rel, href in (("persistent-id", doi), ("type", kind)))
        + site.link("item", "1.pdf", type="application/pdf")
        + site.link("describedby", "1.bib", type="text/plain")
        + site.link("describedby", "1.xml", type="application/xml")
    )
    _offer(site, site.entry("article?id=1", links=links))
    assert run().status is Status.SUCCEEDED
    for _ in range(2):
        ((name, didl),) = published("oai_didl").items()
        assert name == "1.xml"
        assert f'ref="{site.url}/1.pdf"/>' in didl
        assert f'<didl:Resource mimeType="text/html" ref="{site.url}/article?id=1"/>' in didl
        assert f"{doi}</dii:Identifier>" in didl
        site.changes(site.change("1.xml", "2013-01-02T00:00:00Z", title="Changed"))
        run()
    assert "Changed" in didl


_CSL = {"type": "article-journal", "title": "Work 1", "author": [{"family": "Okafor", "given": "Ada"}], "volume": 12}
_CSL["issued"] = {"date-parts": [[2020, None]]}
_ARTICLE = {"@type": "Article", "headline": "Work 1", "author": "Okafor, Ada", "datePublished": "2020"}
_SCHEMA_ORG = {"@graph": [{"@type": "Person", "name": "Okafor, Ada"}, _ARTICLE]}


@pytest.mark.parametrize(
    ("media_type", "facts"),
    [
        ("application/vnd.citationstyles.csl+json", json.dumps(_CSL)),
        ("application/ld+json", json.dumps(_SCHEMA_ORG)),
        ("application/x-bibtex", "% Exported\n@misc{a, title = {Work {1}}, author = {Okafor, Ada}, year = 2020}"),
        ("text/plain", None),
    ],
)
def test_a_work_that_only_json_or_bibtex_describes_is_read_and_one_that_only_text_describes_is_counted(
    site, run, published, media_type, facts
):
    site.files["/1.json"] = (facts or "").encode()
    links = site.link("item", "1.pdf", type="application/pdf") + site.link("describedby", "1.json", type=media_type)
    _offer(site, site.entry("article?id=1", links=links))
    ran = run()
    if facts is None:
        assert ran.run.counts["left_out"] == 1
        return
    assert ran.status is Status.SUCCEEDED
    ((_, didl),) = published("oai_didl").items()
    statements = ("<dc:title>Work 1</dc:title>", "<dc:creator>Okafor, Ada</dc:creator>", "<dc:date>2020</dc:date>")
    for text in (*statements, f'ref="{site.url}/1.pdf"/>'):
        assert text in didl


def test_a_change_withdraws_a_file_only_if_it_states_all_links(site, run, published):
    site.metadata("1.xml")
    files = [site.link("describes", name, type="application/pdf") for name in ("1.pdf", "2.pdf")]
    _offer(site, site.entry("1.xml", links="".join(files)))
    run()
    page = site.link("alternate", "1.html", type="text/html")
    for day, links, known in ((3, "", {1, 2}), (4, files[0], {1, 2}), (5, page + files[0], {1}), (6, page, set())):
        site.metadata("1.xml", f"Title {day}")
        moment = f"2013-01-0{day}T00:00:00Z"
        site.changes(site.entry("1.xml", moment, links, change="updated", datetime=moment))
        assert run().status is Status.SUCCEEDED
        didl = published("oai_didl")["1.xml"]
        assert (f"Title {day}" in didl, {number for number in (1, 2) if f"/{number}.pdf" in didl}) == (True, known)
    assert f'<didl:Resource mimeType="text/html" ref="{site.url}/1.html"/>' in didl


def test_content_that_changes_changes_its_item(site, run, published):
    _offer(site, *_pair(site))
    run()
    site.files["/1.pdf"] = b"longer than before, by far"
    change = {"change": "updated", "type": "application/pdf"}
    for number, links in enumerate((site.link("describedby", "1.xml"), "")):
        site.files["/1.pdf"] += b"!"
        changed = site.entry("1.pdf", links=links, datetime=f"2013-01-0{number + 2}T00:00:00Z", **change)
        site.changes(changed)
        assert run().run.counts["published"] == 1
        assert f">{len(site.files['/1.pdf'])} bytes<" in published("oai_didl")["1.xml"]


def test_content_that_is_deleted_leaves_its_item(site, run, published):
    _offer(site, *_pair(site))
    run()
    site.changes(site.change("1.pdf", "2013-01-02T00:00:00Z", "deleted"))
    ran = run()
    assert (ran.status, ran.run.counts["published"], ran.run.counts["ignored"]) == (Status.SUCCEEDED, 1, 1)
    assert "1.pdf" not in published("oai_didl")["1.xml"]
    assert list(published(set_spec="fulltext")) == []


def test_what_is_no_metadata_and_not_described_is_left_out_and_reported(site, run, house):
    site.files |= {"/1.pdf": PDF, "/2": b"<html><title>No metadata</title></html>", "/3": b"plain"}
    _offer(site, site.entry("1.pdf"), site.entry("2"), site.entry("3"), site.metadata("4"))
    ran = run()
    assert (ran.status, ran.run.counts["received"], ran.run.is_complete) == (Status.SUCCEEDED, 1, True)
    notes = [event.text for event in house.inbox.events(ran.run.number)]
    assert any("neither metadata that can be read nor described by any were left out: 3." in note for note in notes)
    assert notes[-1].endswith("Nothing is missing; 3 resources that no readable metadata describes were left out.")
    assert ran.run.counts["left_out"] == 3
    assert site.times("/1.pdf") == 0


def test_metadata_whose_namespace_tells_nothing_is_read_by_the_profile_that_a_link_names(site, run, titles):
    bare = "<mods><titleInfo><nonSort>The</nonSort><title>{}</title></titleInfo></mods>"
    site.files |= {f"/{name}": bare.format(name).encode() for name in ("1", "2")}
    own = site.entry("1", links='<rs:ln rel="profile" href="http://www.loc.gov/mods/v3"/>', type="application/xml")
    leading = site.link("describedby", "2", type="application/xml", profile="http://www.loc.gov/mods/v3")
    _offer(site, own, site.entry("2.pdf", links=leading, type="application/pdf"))
    run()
    assert titles() == {"1": "The 1", "2": "The 2"}
