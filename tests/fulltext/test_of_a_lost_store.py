"""The store was lost and made again: what was found and decided of files is published again, and searches go on."""

import json

from click.testing import CliRunner

from gateway.cli.main import main as gateway
from harvester.cli import main as harvester
from tests.fulltext.test_releasing import FILE, IDENTIFIER, ITEM, NAMED, component, dcterms_text, published_search
from tests.fulltext.web import RecordedWeb, answer
from tests.opening import open_store

__all__ = ["published_search"]


def lose(search, *, stamps: bool = True) -> None:
    """Lose the store, and make it again with the commands that `gateway check` names."""
    search.store.close()
    folder = search.settings.instance
    for file in folder.glob("store.sqlite*"):
        file.unlink()
    for command, words in ((gateway, ("rebuild", "--from-inbox")), (harvester, ("publish", "--json"))):
        ran = CliRunner().invoke(command, ["--instance", str(folder), *words])
        assert ran.exit_code == 0, ran.output
    assert ("stamped" in json.loads(ran.stdout.splitlines()[-1])["counts"]) is stamps
    search.store = open_store(folder)


def test_an_accepted_file_is_published_again(published_search) -> None:
    published_search.run()
    before, since = dcterms_text(published_search, "provenance"), published_search.discovery.position("laro changed")
    assert since > 0
    lose(published_search)
    assert dcterms_text(published_search, "provenance") == before
    assert published_search.discovery.position("laro") == 0
    assert published_search.discovery.position("laro changed") == since
    assert published_search.release() == 0


def test_what_people_rejected_stays_rejected(published_search) -> None:
    last = published_search.discovery.decisions(IDENTIFIER)[-1]
    published_search.discovery.decide(last._replace(verdict="reject", decided_by="librarian"))
    published_search.release()
    lose(published_search, stamps=False)
    assert component(published_search, item=ITEM) is None


def test_what_was_learned_of_a_file_that_the_record_names_is_published_again(searching) -> None:
    search = searching(RecordedWeb({FILE: answer(b"%PDF-1.4 x")}, has_recordings=False))
    search.run()
    search.release()
    lose(search)
    assert dcterms_text(search, "extent", url=FILE, item=NAMED) == "10 bytes"
