"""What is taken down is published by no path, becomes a tombstone, and comes back when its entry is removed."""

import threading
from base64 import encodebytes
from contextlib import closing
from hashlib import sha256

import pytest

from gateway.core.errors import TakedownsUnreadable
from gateway.core.model import FileLink, FileOrigin, Selection
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown, joined
from gateway.publish.publish_files import file_all
from gateway.publish.rebuild import rebuild, remove_source
from gateway.takedowns.apply import Searches, TakedownsApplied, apply_takedowns, pending
from tests.publish.harness import Harness, Sent, dc, mods, pdf
from tests.rows import each_row

DOI = "<dc:identifier>https://doi.org/10.1234/Secret.1</dc:identifier>"
PDF = "http://laro.example.org/1.pdf"
BODY = b"%PDF-1.4 forbidden"
DIGEST = sha256(BODY).hexdigest()
FOUND = FileLink(
    "https://repository.example.org/copy.pdf",
    "application/pdf",
    FileOrigin.DISCOVERED,
    "unpaywall",
    len(BODY),
    DIGEST,
    found_at="2026-11-21T10:00:00Z",
)
LATER = "2026-11-22T12:00:00Z"
LOCAL = "oai:gateway.example.org:laro/1"
EVERY = [
    Takedown(Kind.IDENTIFIER, LOCAL),
    Takedown(Kind.UPSTREAM, "1", "laro"),
    Takedown(Kind.DOI, "10.1234/secret.1"),
]


def listed(harness: Harness, *entries: Takedown) -> TakedownFile:
    """Write a list with these entries in force; all others that it had are removed."""
    file, keys = TakedownFile(harness.folder), {entry.key for entry in entries}
    file.change(
        lambda listed: (*entries, *(entry._replace(removed_at=LATER) for entry in listed if entry.key not in keys))
    )
    return file


def applied(harness: Harness, *entries: Takedown) -> TakedownsApplied:
    harness.now += 1
    return apply_takedowns(harness.store, harness.inbox, listed(harness, *entries))


def shown(harness: Harness) -> bytes:
    """Return all that a harvester can get from this repository."""
    with harness.store.view() as view:
        contents = [
            content
            for format_ in view.formats()
            for content in view.page(Selection(format_.metadata_prefix), None, 1000).records
        ]
        return b"\n".join([*contents, *(set_.spec.encode() for set_ in view.sets("", 1000))])


def is_tombstone(harness: Harness, upstream: str = "1") -> bool:
    state = harness.state(upstream)
    return bool(state and state.is_deleted and state.records and all(gone for _, _, gone in state.records))


# --- an item ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_an_item_that_is_taken_down_becomes_a_tombstone_in_every_format(harness: Harness, entry: Takedown) -> None:
    harness.sent(Sent("1", dc("Secret", DOI), sets=("a",)), Sent("2", dc("Other")))
    harness.sent(Sent("1", mods("Secret")), prefix="mods")
    before = harness.record().datestamp
    assert applied(harness, entry) == TakedownsApplied(deleted=1, stamped=3)
    assert is_tombstone(harness)
    assert {prefix for prefix, _, _ in harness.state().records} == {"oai_dc", "oai_didl", "mods"}
    assert harness.record().datestamp > before
    assert harness.sets() == ["source:laro:a"]
    assert b"Secret" not in shown(harness)
    assert b"Other" in shown(harness)
    assert harness.store.check() == ()


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_what_is_taken_down_before_it_arrives_is_never_exposed(harness: Harness, entry: Takedown) -> None:
    harness.sent(Sent("2", dc("Other")))
    applied(harness, entry)
    before = shown(harness)
    harness.sent(Sent("1", dc("Secret", DOI), sets=("hidden",)))
    harness.sent(Sent("1", None))
    harness.sent(Sent("1", dc("Secret again", DOI), sets=("hidden",)))
    assert shown(harness) == before
    with harness.store.view() as view:
        assert not view.has_item(LOCAL)
    assert harness.store.check() == ()


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_what_is_lifted_lives_again_with_a_new_datestamp_and_without_a_harvest(
    harness: Harness, entry: Takedown
) -> None:
    harness.sent(Sent("1", dc("Secret", DOI)))
    applied(harness, entry)
    harness.sent(Sent("3", dc("Never shown", DOI)), Sent("1", dc("Secret, second version", DOI)))
    gone_at = harness.record().datestamp
    assert applied(harness).returned == (2 if entry.kind is Kind.DOI else 1)
    assert b"Secret, second version" in harness.record().content
    assert harness.record().datestamp > gone_at
    assert b"Never shown" in shown(harness)
    assert harness.store.withheld(0, 10) == ()
    assert pending(harness.store) == ((), frozenset())


def test_no_publication_brings_an_item_back(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Secret", DOI)))
    applied(harness, EVERY[2])
    gone = harness.record()
    harness.sent(Sent("1", dc("Secret, changed", DOI)))
    harness.sent(Sent("1", dc("Secret without its DOI")))
    harness.sent(Sent("1", None))
    harness.sent(Sent("1", dc("Secret undeleted", DOI)))
    harness.sent(Sent("1", mods("Secret in MODS")), prefix="mods")
    harness.now += 1
    rebuild(harness.store, harness.inbox)
    file_all(harness.store, harness.inbox, "laro", ("1",), lambda _: (FOUND,))
    remove_source(harness.store, harness.inbox, "laro", 0)
    harness.add("laro")
    harness.sent(Sent("1", dc("Secret of a source that was added again", DOI)))
    assert harness.record() == gone
    assert b"Secret" not in shown(harness)
    assert harness.state().files == ()


def test_an_item_whose_doi_becomes_one_that_is_taken_down_becomes_a_tombstone(harness: Harness) -> None:
    applied(harness, EVERY[2])
    harness.sent(Sent("1", dc("Secret")))
    file_all(harness.store, harness.inbox, "laro", ("1",), lambda _: (FOUND,))
    assert not is_tombstone(harness)
    harness.sent(Sent("1", dc("Secret", DOI)))
    assert is_tombstone(harness)
    file = TakedownFile(harness.folder)
    apply_takedowns(harness.store, harness.inbox, file)
    assert (file.read().entries[0].items, file.read().entries[0].files) == ((LOCAL,), (DIGEST,))
    harness.sent(Sent("1", dc("Secret without its DOI")))
    assert is_tombstone(harness)


def test_a_doi_is_known_in_any_spelling(harness: Harness) -> None:
    spellings = [
        "doi:10.1234/SECRET.1",
        "10.1234/secret.1",
        "http://dx.doi.org/10.1234/secret.1",
        "info:doi/10.1234/secret.1",
        "https://doi.org/10.1234%2Fsecret.1",
        "https://onlinelibrary.example.org/doi/10.1234/secret.1/full",
        "Journal 12 (2001), doi: 10.1234/secret.1.",
    ]
    for number, text in enumerate(spellings):
        harness.send(Sent(f"s{number}", dc("Secret", f"<dc:identifier>{text}</dc:identifier>")))
        harness.send(Sent(f"c{number}", dc("Cites it", f"<dc:relation>{text}</dc:relation>")))
    harness.sent(Sent("3", dc("Longer", "<dc:identifier>10.1234/secret.12</dc:identifier>")))
    assert applied(harness, EVERY[2]).deleted == len(spellings)
    assert [text for number, text in enumerate(spellings) if not is_tombstone(harness, f"s{number}")] == []


@pytest.mark.parametrize("entry", [(Kind.HOST, "laro.example.org"), (Kind.PREFIX, "laro.example.org/private/")])
def test_an_item_that_is_a_resource_at_an_address_is_taken_down_with_it(
    harness: Harness, entry: tuple[Kind, str]
) -> None:
    name = "https://laro.example.org/private/1.xml"
    harness.sent(Sent(name, dc("Secret")), Sent("2"))
    assert applied(harness, Takedown(*entry)).deleted == 1
    assert is_tombstone(harness, name)


# --- a file -------------------------------------------------------------------------------------------------------

FILES = [
    Takedown(Kind.URL, "laro.example.org/1.pdf"),
    Takedown(Kind.PREFIX, "laro.example.org/1"),
    Takedown(Kind.HOST, "laro.example.org"),
    Takedown(Kind.HOST, "*.example.org"),
]


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.key)
def test_a_file_that_its_record_names_leaves_every_record_and_the_set_fulltext(
    harness: Harness, entry: Takedown
) -> None:
    harness.sent(Sent("1", dc("A title", pdf("1"), "<dc:format>application/pdf</dc:format>")))
    harness.sent(Sent("1", mods(f"A title, see {PDF}")), prefix="mods")
    assert harness.sets() == ["fulltext", "source:laro"]
    assert applied(harness, entry) == TakedownsApplied(changed=1, stamped=3)
    assert b"1.pdf" not in shown(harness)
    assert b"A title" in harness.record().content
    assert harness.record(prefix="mods").is_deleted
    assert harness.sets() == ["source:laro"]
    assert harness.listed("fulltext") == 0
    assert applied(harness).stamped == 0
    assert b"1.pdf" in harness.record(prefix="oai_didl").content
    assert harness.sets() == ["fulltext", "source:laro"]


def test_a_file_is_taken_down_by_its_bytes_wherever_they_lie(harness: Harness) -> None:
    harness.sent(Sent("1", dc("A title", pdf("1"))), Sent("2", dc("Another")))
    learned = FOUND._replace(url=PDF, origin=FileOrigin.UPSTREAM)
    file_all(harness.store, harness.inbox, "laro", ("1",), lambda _: (learned,))
    file_all(harness.store, harness.inbox, "laro", ("2",), lambda _: (FOUND._replace(content=BODY, is_named=True),))
    assert applied(harness, Takedown(Kind.SHA256, DIGEST)).changed == 2
    for secret in (b"1.pdf", b"copy.pdf", DIGEST.encode(), b"JVBERi0"):
        assert secret not in shown(harness)
    assert (harness.state("1").files, harness.state("2").files) == ((), ())


def test_the_bytes_of_a_file_that_was_taken_down_by_its_url_are_forbidden_too(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("2"))
    file_all(harness.store, harness.inbox, "laro", ("1",), lambda _: (FOUND,))
    file_all(
        harness.store, harness.inbox, "laro", ("2",), lambda _: (FOUND._replace(url="https://mirror.example.net/x"),)
    )
    assert applied(harness, Takedown(Kind.URL, "repository.example.org/copy.pdf")).stamped == 4
    assert b"mirror.example.net" not in shown(harness)
    file_all(
        harness.store, harness.inbox, "laro", ("2",), lambda _: (FOUND._replace(url="https://third.example.net/x"),)
    )
    assert b"third.example.net" not in shown(harness)


def test_a_file_in_base64_in_a_payload_is_not_passed_through(harness: Harness) -> None:
    body = BODY * 10
    sent = mods("A title").replace(b"</mods>", b"<note>" + encodebytes(body) + b"</note></mods>")
    harness.sent(Sent("1", sent), prefix="mods")
    applied(harness, Takedown(Kind.SHA256, sha256(body).hexdigest()))
    assert harness.record(prefix="mods").is_deleted
    assert not harness.record().is_deleted


def _named(harness: Harness, name: str = "1", url: str = PDF) -> None:
    """Note the bytes of a file that a record names, as a search does that has fetched it."""
    learned = FOUND._replace(url=url, origin=FileOrigin.UPSTREAM)
    file_all(harness.store, harness.inbox, "laro", (name,), lambda _: (learned,))


def test_a_file_that_was_taken_down_by_its_bytes_stays_down_when_its_record_changes(harness: Harness) -> None:
    harness.sent(Sent("1", dc("A title", pdf("1"))))
    _named(harness)
    applied(harness, Takedown(Kind.SHA256, DIGEST))
    assert b"1.pdf" not in shown(harness)
    harness.sent(Sent("1", dc("A new title", pdf("1")), datestamp="2021-01-01"))
    assert b"A new title" in shown(harness)
    assert b"1.pdf" not in shown(harness)
    assert TakedownFile(harness.folder).read().entries[0].addresses == ("laro.example.org/1.pdf",)
    applied(harness)
    assert b"1.pdf" in shown(harness), "until the takedown ends"


def test_an_address_that_is_only_noted_takes_no_item_down(harness: Harness) -> None:
    """It may be the landing page of the item, or its identifier at a source of resources."""
    harness.sent(Sent("1", dc("A title", pdf("1"))), Sent(PDF, dc("A resource", pdf("1"))))
    _named(harness)
    applied(harness, Takedown(Kind.SHA256, DIGEST))
    harness.sent(Sent("1", dc("A new title", pdf("1")), datestamp="2021-01-01"))
    assert not is_tombstone(harness)
    assert not is_tombstone(harness, PDF)


# --- the list -----------------------------------------------------------------------------------------------------


ENTRY = b'{"takedowns": [{"source": "", "reason": "", "at": "", "items": [], "files": [], "removed_at": "", %s}]}'


@each_row(
    "content",
    [
        b"",
        b'{"takedowns": [',
        b'{"takedowns": [{"kind": "doi"}]}',
        ENTRY % b'"kind": "x", "value": "1"',
        ENTRY % b'"kind": "doi", "value": ""',
        b"[" * 100_000,
    ],
)
def test_with_a_damaged_list_nothing_is_published(harness: Harness, content: bytes) -> None:
    (harness.folder / "takedowns.json").write_bytes(content)
    harness.send(Sent("1"))
    with pytest.raises(TakedownsUnreadable, match="Nothing is published"):
        harness.publish()
    with pytest.raises(TakedownsUnreadable):
        listed(harness, EVERY[0])


def test_a_list_that_was_lost_stops_publication_instead_of_bringing_everything_back(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Secret", DOI)))
    applied(harness, EVERY[0])
    (harness.folder / "takedowns.json").unlink()
    harness.send(Sent("1", dc("Secret again")))
    with pytest.raises(TakedownsUnreadable, match="lacks entries that were applied"):
        harness.publish()
    assert is_tombstone(harness)


def test_of_two_copies_of_a_list_the_later_word_counts() -> None:
    first = Takedown(Kind.DOI, "10.1/x", at="2026-01-01T00:00:00Z", items=("a",), files=("f",))
    again = first._replace(at="2026-03-01T00:00:00Z", items=("b",), files=())
    gone = first._replace(items=(), files=(), removed_at="2026-02-01T00:00:00Z")
    other = Takedown(Kind.HOST, "example.org")
    assert joined([first], [gone, other]) == joined([gone], [first, other]) == (gone, other)
    assert joined([gone], [again]) == joined([again], [gone]) == (again,)
    assert joined([first], [again]) == (again._replace(items=("a", "b"), files=("f",)),)


def test_a_publication_that_looked_at_an_earlier_list_looks_again(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.send(Sent("1", dc("Secret", DOI)))
    intend = harness.store.intend

    def slow():
        listed(harness, EVERY[2])
        return intend()

    monkeypatch.setattr(harness.store, "intend", slow)
    harness.publish()
    assert b"Secret" not in shown(harness)
    assert harness.record() is None


def test_two_that_obey_at_once_do_not_take_back_each_others_word(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Secret", DOI)), Sent("2"))
    file, late = listed(harness, EVERY[2]), Takedown(Kind.UPSTREAM, "2", "laro")

    def obey_too() -> None:
        other = Harness(harness.folder)
        other.now = harness.now + 1
        with closing(other.store), closing(other.inbox):
            apply_takedowns(other.store, other.inbox, TakedownFile(harness.folder))

    seconds = threading.Thread(target=obey_too)

    def find_unpublished(_: object) -> dict[str, set[str]]:
        if not seconds.ident:
            file.change(lambda listed: (*listed, late))
            seconds.start()
            seconds.join(0.3)
        return {}

    apply_takedowns(harness.store, harness.inbox, file, searches=Searches(find_unpublished))
    seconds.join(240)
    assert pending(harness.store) == ((), frozenset())
    assert is_tombstone(harness)
    assert is_tombstone(harness, "2")


# --- what was lost ------------------------------------------------------------------------------------------------


def test_what_a_kill_left_is_finished_by_the_next_one(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.sent(Sent("1", dc("Secret", DOI)))
    listed(harness, EVERY[2])
    assert pending(harness.store)[0]
    with monkeypatch.context() as patched:
        patched.setattr(harness.store, "publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            apply_takedowns(harness.store, harness.inbox, TakedownFile(harness.folder))
    assert pending(harness.store)[0]
    apply_takedowns(harness.store, harness.inbox, TakedownFile(harness.folder))
    assert is_tombstone(harness)
    assert not pending(harness.store)[0]
