"""The log has a line for each decision of a person and each takedown, also if the process that decided was killed."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.errors import StoreBusy
from gateway.core.model import Decision, Deed, LogLine, Role, User
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.core.xmltext import utc_datetime
from gateway.review import users as people
from gateway.store.users import Users
from gateway.takedowns.withdrawing import added
from tests.conftest import ROOT
from tests.opening import open_discovery, open_users, settings_of
from tests.page_house import House, house, settings  # noqa: F401 - fixtures
from tests.publish.harness import make_databases
from tests.review_house import ADDRESS, Files, signed_in
from tests.rows import each_row

URL = "https://repository.example.net/1.pdf"
IDENTIFIER = "oai:gateway.example.org:laro/1"
ACCEPTED = f"accept {IDENTIFIER} {URL}"


def _decided(folder: Path) -> list[tuple[str, ...]]:
    """Return the lines about decisions and takedowns that `gateway user log` writes, the oldest first."""
    wanted = (Deed.DECIDED, Deed.TAKEN_DOWN, Deed.RESTORED)
    facts = [line for line in people.log(settings_of(folder), 1 << 62, 10_000) if line["deed"] in wanted]
    return [tuple(str(line[name]) for name in ("by", "deed", "about", "network")) for line in reversed(facts)]


def _decide(folder: Path, name: str, at: int, verdict: str = "accept") -> None:
    """Decide as a command does, which writes no line."""
    with closing(open_discovery(folder)) as discovery:
        discovery.decide(Decision(IDENTIFIER, URL, "ab" * 32, verdict, "It is so.", name, at))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(open_users(tmp_path)) as users:
        assert users.add(User("B. Ito", Role.REVIEWER), "a hash", LogLine(1_000, "root", Deed.ADDED, "B. Ito"))
    return tmp_path


def test_a_decision_of_a_page_is_in_the_log_once_with_the_user_and_the_network(house):  # noqa: F811 - the fixture
    file = Files(house).add("1")
    reviewer = signed_in(house.app, house.harness.folder)
    number = Files(house).last(file).number
    for _ in range(2):  # a form that is sent twice decides once
        assert reviewer.post("/review/decide", row=f"accept {number}").status_code == 303
    assert _decided(house.harness.folder) == [("B. Ito", "decided", ACCEPTED, ADDRESS)]
    assert _decided(house.harness.folder) == [("B. Ito", "decided", ACCEPTED, ADDRESS)]


def test_decisions_of_commands_and_of_killed_processes_are_added_when_the_log_is_read(folder):
    for at, name in enumerate(("ada", "rule", "B. Ito", "zoe", "sam"), 2_000):
        _decide(folder, name, at)
    names = ["ada", "B. Ito", "zoe", "sam"]
    for _ in range(2):
        assert _decided(folder) == [(name, "decided", ACCEPTED, "") for name in names]


def test_the_log_begins_with_the_first_user(folder):
    _decide(folder, "ada", 999)
    _decide(folder, "ada", 1_000)
    assert len(_decided(folder)) == 1


def test_takedowns_of_commands_are_in_the_log_and_their_removal_is(folder):
    entry = Takedown(Kind.HOST, "example.net", at=utc_datetime(2_000), by="ada")
    older = Takedown(Kind.HOST, "old.example.net", at=utc_datetime(500), by="ada", removed_at=utc_datetime(3_000))
    older = older._replace(removed_by="zoe")
    TakedownFile(folder).change(lambda listed: added(listed, (entry, older)))
    assert _decided(folder) == [
        ("ada", "taken down", "host example.net", ""),
        ("zoe", "takedown removed", "host old.example.net", ""),
    ]


def test_a_log_that_cannot_be_written_stops_no_decision(house, monkeypatch, caplog):  # noqa: F811 - the fixture
    def busy(*_: object) -> int:
        raise StoreBusy("users.sqlite is being written by another process.")

    file = Files(house).add("1")
    reviewer = signed_in(house.app, house.harness.folder)
    with monkeypatch.context() as patch:
        patch.setattr(Users, "write_missing", busy)
        answer = reviewer.post("/review/decide", row=f"accept {Files(house).last(file).number}")
    assert answer.status_code == 303
    assert file.url in house.harness.record("1", "oai_didl").content.decode()
    assert "`gateway user log` adds them" in caplog.text
    assert _decided(house.harness.folder) == [("B. Ito", "decided", ACCEPTED, "")]


KILLED = """
import os, signal, sys
from pathlib import Path
from gateway.fulltext.release import Releaser
from gateway.store.users import Users
from tests.conftest import ROOT
from tests.page_house import opened
from tests.review_house import Files, Found
from tests.review_house import signed_in

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

folder, moment = Path(sys.argv[1]), sys.argv[2]
with opened(folder) as house:
    files = Files(house)
    file = files.add("1")
    reviewer = signed_in(house.app, folder)
    if moment == "before the line":
        Users.write_missing = die
    else:
        Releaser.release_items = die
    reviewer.post("/review/decide", row=f"accept {files.last(file).number}")
"""


@pytest.mark.slow
@each_row("moment, network", [("before the line", ""), ("before the publication", ADDRESS)])
def test_a_kill_behind_a_decision_leaves_it_with_its_line(tmp_path, moment, network):
    make_databases(tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), moment], check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    with closing(open_discovery(tmp_path)) as discovery:
        assert [decision.decided_by for decision in discovery.decisions(IDENTIFIER)] == ["rule", "B. Ito"]
    assert _decided(tmp_path) == [("B. Ito", "decided", ACCEPTED, network)]
