"""The store was lost and made again: what was found and decided of files is published again, and searches go on."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gateway.cli import main as gateway
from gateway.store.opening import open_store
from harvester.cli import main as harvester
from tests.fulltext.test_releasing import FILE, IDENTIFIER, ITEM, NAMED, component, found, said
from tests.fulltext.web import RecordedWeb, answer

__all__ = ["found"]
pytestmark = pytest.mark.slow  # it searches, and reads PDFs


def lose(search) -> None:
    """Lose the store, and make it again with the commands that `gateway check` names."""
    search.store.close()
    folder = search.settings.instance
    for file in folder.glob("store.sqlite*"):
        file.unlink()
    for command, words in ((gateway, ("rebuild", "--from-inbox")), (harvester, ("publish", "--json"))):
        ran = CliRunner().invoke(command, ["--instance", str(folder), *words])
        assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout.splitlines()[-1])["counts"]["stamped"] > 0
    search.store = open_store(folder)


def test_an_accepted_file_is_published_again(found) -> None:
    found.run()
    before, since = said(found, "provenance"), found.desk.position("laro changed")
    assert since > 0
    lose(found)
    assert said(found, "provenance") == before
    assert found.desk.position("laro") == 0
    assert found.desk.position("laro changed") == since
    assert found.release() == 0


def test_what_people_rejected_stays_rejected(found) -> None:
    found.desk.decide(found.desk.decisions(IDENTIFIER)[-1]._replace(verdict="reject", decided_by="librarian"))
    found.release()
    found.store.close()
    folder = found.settings.instance
    for file in folder.glob("store.sqlite*"):
        file.unlink()
    assert CliRunner().invoke(gateway, ["--instance", str(folder), "rebuild", "--from-inbox"]).exit_code == 0
    found.store = open_store(folder)
    found.release()
    assert component(found, item=ITEM) is None


def test_what_was_learned_of_a_file_that_the_record_names_is_published_again(searching) -> None:
    search = searching(RecordedWeb({FILE: answer(b"%PDF-1.4 x")}, has_recordings=False))
    search.run()
    search.release()
    lose(search)
    assert said(search, "extent", url=FILE, item=NAMED) == "10 bytes"
