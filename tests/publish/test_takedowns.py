"""What is taken down is published by no path, becomes a tombstone, and comes back when its entry is removed."""

from __future__ import annotations

import threading
from base64 import encodebytes
from contextlib import closing
from hashlib import sha256

import pytest

from gateway.core.errors import TakedownsUnreadable
from gateway.core.model import FileLink, FileOrigin, Selection
from gateway.core.takedowns import Kind, Takedown, joined
from gateway.publish.publish_files import file_all
from gateway.publish.rebuild import rebuild, remove_source
from gateway.store.takedown_file import TakedownFile
from gateway.takedowns.apply import Searches, TakedownsApplied, apply_takedowns, pending
from tests.publish.desk import Desk, Sent, dc, mods, pdf
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


def listed(desk: Desk, *entries: Takedown) -> TakedownFile:
    """Write a list with these entries in force; all others that it had are removed."""
    file, keys = TakedownFile(desk.folder), {entry.key for entry in entries}
    file.change(
        lambda listed: (*entries, *(entry._replace(removed_at=LATER) for entry in listed if entry.key not in keys))
    )
    return file


def applied(desk: Desk, *entries: Takedown) -> TakedownsApplied:
    desk.now += 1
    return apply_takedowns(desk.store, desk.inbox, listed(desk, *entries))


def shown(desk: Desk) -> bytes:
    """Return all that a harvester can get from this repository."""
    with desk.store.view() as view:
        contents = [
            content
            for format_ in view.formats()
            for content in view.page(Selection(format_.metadata_prefix), None, 1000).records
        ]
        return b"\n".join([*contents, *(set_.spec.encode() for set_ in view.sets("", 1000))])


def is_tombstone(desk: Desk, upstream: str = "1") -> bool:
    state = desk.state(upstream)
    return bool(state and state.is_deleted and state.records and all(gone for _, _, gone in state.records))


# --- an item ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_an_item_that_is_taken_down_becomes_a_tombstone_in_every_format(desk: Desk, entry: Takedown) -> None:
    desk.sent(Sent("1", dc("Secret", DOI), sets=("a",)), Sent("2", dc("Other")))
    desk.sent(Sent("1", mods("Secret")), prefix="mods")
    before = desk.record().datestamp
    assert applied(desk, entry) == TakedownsApplied(deleted=1, stamped=3)
    assert is_tombstone(desk)
    assert {prefix for prefix, _, _ in desk.state().records} == {"oai_dc", "oai_didl", "mods"}
    assert desk.record().datestamp > before
    assert desk.sets() == ["source:laro:a"]
    assert b"Secret" not in shown(desk)
    assert b"Other" in shown(desk)
    assert desk.store.check() == ()


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_what_is_taken_down_before_it_arrives_is_never_exposed(desk: Desk, entry: Takedown) -> None:
    desk.sent(Sent("2", dc("Other")))
    applied(desk, entry)
    before = shown(desk)
    desk.sent(Sent("1", dc("Secret", DOI), sets=("hidden",)))
    desk.sent(Sent("1", None))
    desk.sent(Sent("1", dc("Secret again", DOI), sets=("hidden",)))
    assert shown(desk) == before
    with desk.store.view() as view:
        assert not view.has_item(LOCAL)
    assert desk.store.check() == ()


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.kind.value)
def test_what_is_lifted_lives_again_with_a_new_datestamp_and_without_a_harvest(desk: Desk, entry: Takedown) -> None:
    desk.sent(Sent("1", dc("Secret", DOI)))
    applied(desk, entry)
    desk.sent(Sent("3", dc("Never shown", DOI)), Sent("1", dc("Secret, second version", DOI)))
    gone_at = desk.record().datestamp
    assert applied(desk).returned == (2 if entry.kind is Kind.DOI else 1)
    assert b"Secret, second version" in desk.record().content
    assert desk.record().datestamp > gone_at
    assert b"Never shown" in shown(desk)
    assert desk.store.withheld(0, 10) == ()
    assert pending(desk.store) == ((), frozenset())


def test_no_publication_brings_an_item_back(desk: Desk) -> None:
    desk.sent(Sent("1", dc("Secret", DOI)))
    applied(desk, EVERY[2])
    gone = desk.record()
    desk.sent(Sent("1", dc("Secret, changed", DOI)))
    desk.sent(Sent("1", dc("Secret without its DOI")))
    desk.sent(Sent("1", None))
    desk.sent(Sent("1", dc("Secret undeleted", DOI)))
    desk.sent(Sent("1", mods("Secret in MODS")), prefix="mods")
    desk.now += 1
    rebuild(desk.store, desk.inbox)
    file_all(desk.store, desk.inbox, "laro", ("1",), lambda _: (FOUND,))
    remove_source(desk.store, desk.inbox, "laro", 0)
    desk.add("laro")
    desk.sent(Sent("1", dc("Secret of a source that was added again", DOI)))
    assert desk.record() == gone
    assert b"Secret" not in shown(desk)
    assert desk.state().files == ()


def test_an_item_whose_doi_becomes_one_that_is_taken_down_becomes_a_tombstone(desk: Desk) -> None:
    applied(desk, EVERY[2])
    desk.sent(Sent("1", dc("Secret")))
    file_all(desk.store, desk.inbox, "laro", ("1",), lambda _: (FOUND,))
    assert not is_tombstone(desk)
    desk.sent(Sent("1", dc("Secret", DOI)))
    assert is_tombstone(desk)
    file = TakedownFile(desk.folder)
    apply_takedowns(desk.store, desk.inbox, file)
    assert (file.read().entries[0].items, file.read().entries[0].files) == ((LOCAL,), (DIGEST,))
    desk.sent(Sent("1", dc("Secret without its DOI")))
    assert is_tombstone(desk)


def test_a_doi_is_known_in_any_spelling(desk: Desk) -> None:
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
        desk.send(Sent(f"s{number}", dc("Secret", f"<dc:identifier>{text}</dc:identifier>")))
        desk.send(Sent(f"c{number}", dc("Cites it", f"<dc:relation>{text}</dc:relation>")))
    desk.sent(Sent("3", dc("Longer", "<dc:identifier>10.1234/secret.12</dc:identifier>")))
    assert applied(desk, EVERY[2]).deleted == len(spellings)
    assert [text for number, text in enumerate(spellings) if not is_tombstone(desk, f"s{number}")] == []


@pytest.mark.parametrize("entry", [(Kind.HOST, "laro.example.org"), (Kind.PREFIX, "laro.example.org/private/")])
def test_an_item_that_is_a_resource_at_an_address_is_taken_down_with_it(desk: Desk, entry: tuple[Kind, str]) -> None:
    name = "https://laro.example.org/private/1.xml"
    desk.sent(Sent(name, dc("Secret")), Sent("2"))
    assert applied(desk, Takedown(*entry)).deleted == 1
    assert is_tombstone(desk, name)


# --- a file -------------------------------------------------------------------------------------------------------

FILES = [
    Takedown(Kind.URL, "laro.example.org/1.pdf"),
    Takedown(Kind.PREFIX, "laro.example.org/1"),
    Takedown(Kind.HOST, "laro.example.org"),
    Takedown(Kind.HOST, "*.example.org"),
]


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.key)
def test_a_file_that_its_record_names_leaves_every_record_and_the_set_fulltext(desk: Desk, entry: Takedown) -> None:
    desk.sent(Sent("1", dc("A title", pdf("1"), "<dc:format>application/pdf</dc:format>")))
    desk.sent(Sent("1", mods(f"A title, see {PDF}")), prefix="mods")
    assert desk.sets() == ["fulltext", "source:laro"]
    assert applied(desk, entry) == TakedownsApplied(changed=1, stamped=3)
    assert b"1.pdf" not in shown(desk)
    assert b"A title" in desk.record().content
    assert desk.record(prefix="mods").is_deleted
    assert desk.sets() == ["source:laro"]
    assert desk.listed("fulltext") == 0
    assert applied(desk).stamped == 0
    assert b"1.pdf" in desk.record(prefix="oai_didl").content
    assert desk.sets() == ["fulltext", "source:laro"]


def test_a_file_is_taken_down_by_its_bytes_wherever_they_lie(desk: Desk) -> None:
    desk.sent(Sent("1", dc("A title", pdf("1"))), Sent("2", dc("Another")))
    learned = FOUND._replace(url=PDF, origin=FileOrigin.UPSTREAM)
    file_all(desk.store, desk.inbox, "laro", ("1",), lambda _: (learned,))
    file_all(desk.store, desk.inbox, "laro", ("2",), lambda _: (FOUND._replace(content=BODY, is_named=True),))
    assert applied(desk, Takedown(Kind.SHA256, DIGEST)).changed == 2
    for secret in (b"1.pdf", b"copy.pdf", DIGEST.encode(), b"JVBERi0"):
        assert secret not in shown(desk)
    assert (desk.state("1").files, desk.state("2").files) == ((), ())


def test_the_bytes_of_a_file_that_was_taken_down_by_its_url_are_forbidden_too(desk: Desk) -> None:
    desk.sent(Sent("1"), Sent("2"))
    file_all(desk.store, desk.inbox, "laro", ("1",), lambda _: (FOUND,))
    file_all(desk.store, desk.inbox, "laro", ("2",), lambda _: (FOUND._replace(url="https://mirror.example.net/x"),))
    assert applied(desk, Takedown(Kind.URL, "repository.example.org/copy.pdf")).stamped == 4
    assert b"mirror.example.net" not in shown(desk)
    file_all(desk.store, desk.inbox, "laro", ("2",), lambda _: (FOUND._replace(url="https://third.example.net/x"),))
    assert b"third.example.net" not in shown(desk)


def test_a_file_in_base64_in_a_payload_is_not_passed_through(desk: Desk) -> None:
    body = BODY * 10
    sent = mods("A title").replace(b"</mods>", b"<note>" + encodebytes(body) + b"</note></mods>")
    desk.sent(Sent("1", sent), prefix="mods")
    applied(desk, Takedown(Kind.SHA256, sha256(body).hexdigest()))
    assert desk.record(prefix="mods").is_deleted
    assert not desk.record().is_deleted


def _named(desk: Desk, name: str = "1", url: str = PDF) -> None:
    """Note the bytes of a file that a record names, as a search does that has fetched it."""
    learned = FOUND._replace(url=url, origin=FileOrigin.UPSTREAM)
    file_all(desk.store, desk.inbox, "laro", (name,), lambda _: (learned,))


def test_a_file_that_was_taken_down_by_its_bytes_stays_down_when_its_record_changes(desk: Desk) -> None:
    desk.sent(Sent("1", dc("A title", pdf("1"))))
    _named(desk)
    applied(desk, Takedown(Kind.SHA256, DIGEST))
    assert b"1.pdf" not in shown(desk)
    desk.sent(Sent("1", dc("A new title", pdf("1")), datestamp="2021-01-01"))
    assert b"A new title" in shown(desk)
    assert b"1.pdf" not in shown(desk)
    assert TakedownFile(desk.folder).read().entries[0].addresses == ("laro.example.org/1.pdf",)
    applied(desk)
    assert b"1.pdf" in shown(desk), "until the takedown ends"


def test_an_address_that_is_only_noted_takes_no_item_down(desk: Desk) -> None:
    """It may be the landing page of the item, or its identifier at a source of resources."""
    desk.sent(Sent("1", dc("A title", pdf("1"))), Sent(PDF, dc("A resource", pdf("1"))))
    _named(desk)
    applied(desk, Takedown(Kind.SHA256, DIGEST))
    desk.sent(Sent("1", dc("A new title", pdf("1")), datestamp="2021-01-01"))
    assert not is_tombstone(desk)
    assert not is_tombstone(desk, PDF)


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
def test_with_a_damaged_list_nothing_is_published(desk: Desk, content: bytes) -> None:
    (desk.folder / "takedowns.json").write_bytes(content)
    desk.send(Sent("1"))
    with pytest.raises(TakedownsUnreadable, match="Nothing is published"):
        desk.publish()
    with pytest.raises(TakedownsUnreadable):
        listed(desk, EVERY[0])


def test_a_list_that_was_lost_stops_publication_instead_of_bringing_everything_back(desk: Desk) -> None:
    desk.sent(Sent("1", dc("Secret", DOI)))
    applied(desk, EVERY[0])
    (desk.folder / "takedowns.json").unlink()
    desk.send(Sent("1", dc("Secret again")))
    with pytest.raises(TakedownsUnreadable, match="lacks entries that were applied"):
        desk.publish()
    assert is_tombstone(desk)


def test_of_two_copies_of_a_list_the_later_word_counts() -> None:
    first = Takedown(Kind.DOI, "10.1/x", at="2026-01-01T00:00:00Z", items=("a",), files=("f",))
    again = first._replace(at="2026-03-01T00:00:00Z", items=("b",), files=())
    gone = first._replace(items=(), files=(), removed_at="2026-02-01T00:00:00Z")
    other = Takedown(Kind.HOST, "example.org")
    assert joined([first], [gone, other]) == joined([gone], [first, other]) == (gone, other)
    assert joined([gone], [again]) == joined([again], [gone]) == (again,)
    assert joined([first], [again]) == (again._replace(items=("a", "b"), files=("f",)),)


def test_a_publication_that_looked_at_an_earlier_list_looks_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.send(Sent("1", dc("Secret", DOI)))
    intend = desk.store.intend

    def slow():
        listed(desk, EVERY[2])
        return intend()

    monkeypatch.setattr(desk.store, "intend", slow)
    desk.publish()
    assert b"Secret" not in shown(desk)
    assert desk.record() is None


def test_two_that_obey_at_once_do_not_take_back_each_others_word(desk: Desk) -> None:
    desk.sent(Sent("1", dc("Secret", DOI)), Sent("2"))
    file, late = listed(desk, EVERY[2]), Takedown(Kind.UPSTREAM, "2", "laro")

    def obey_too() -> None:
        other = Desk(desk.folder)
        other.now = desk.now + 1
        with closing(other.store), closing(other.inbox):
            apply_takedowns(other.store, other.inbox, TakedownFile(desk.folder))

    seconds = threading.Thread(target=obey_too)

    def find_unpublished(_: object) -> dict[str, set[str]]:
        if not seconds.ident:
            file.change(lambda listed: (*listed, late))
            seconds.start()
            seconds.join(0.3)
        return {}

    apply_takedowns(desk.store, desk.inbox, file, searches=Searches(find_unpublished))
    seconds.join(240)
    assert pending(desk.store) == ((), frozenset())
    assert is_tombstone(desk)
    assert is_tombstone(desk, "2")


# --- what was lost ------------------------------------------------------------------------------------------------


def test_what_a_kill_left_is_finished_by_the_next_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.sent(Sent("1", dc("Secret", DOI)))
    listed(desk, EVERY[2])
    assert pending(desk.store)[0]
    with monkeypatch.context() as patched:
        patched.setattr(desk.store, "publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            apply_takedowns(desk.store, desk.inbox, TakedownFile(desk.folder))
    assert pending(desk.store)[0]
    apply_takedowns(desk.store, desk.inbox, TakedownFile(desk.folder))
    assert is_tombstone(desk)
    assert not pending(desk.store)[0]
