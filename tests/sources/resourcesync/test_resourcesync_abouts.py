"""What the lists say beside the metadata: files with their facts, pages, identifiers; and what becomes of content."""

import json
from hashlib import sha256

import pytest

from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, DC, LIST

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


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
    [("application/vnd.citationstyles.csl+json", _CSL), ("application/ld+json", _SCHEMA_ORG), ("text/plain", None)],
)
def test_a_work_that_only_json_describes_is_read_and_one_that_only_bibtex_describes_is_counted(
    site, run, published, media_type, facts
):
    site.files["/1.json"] = json.dumps(facts).encode()
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
    assert any("neither metadata in XML or JSON nor described by any were left out: 3." in note for note in notes)
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
