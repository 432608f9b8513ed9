"""Every command of the guides for administrators is run as it stands, with other folders and addresses."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from harvester.cli import main as harvester
from tests import live
from tests.conftest import ROOT
from tests.mirror.provider import Item, serving
from tests.offer.library import world
from tests.sample.demo import WEB, sample
from tests.test_first_hour import fetched

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # they harvest

GUIDES = ROOT / "deploy" / "guides"
PROGRAMS = {"gateway": gateway, "harvester": harvester}
_CRON = re.compile(r"(?m)^\S+ \S+ \S+ \S+ \S+  gateway  /opt/gateway/\.venv/bin/([^\n]*?)(?: 2?>.*)?$")
_FOLDERS = ("/var/lib/gateway", "/srv/", "/backup/")


class Piece(NamedTuple):
    """One block of a guide: its kind (`console`, `toml`, or nothing) and its text."""

    kind: str
    text: str

    def lines(self) -> list[str]:
        """Return the command lines: of a console without the prompt, of a crontab those of our programs."""
        if self.kind == "console":
            return [line.removeprefix("$ ") for line in self.text.splitlines()]
        return [line.strip() for line in _CRON.findall(self.text)]


def pieces(name: str) -> list[Piece]:
    """Return the blocks of a guide, in their order."""
    text = (GUIDES / name).read_text(encoding="utf-8")
    return [Piece(kind, block) for kind, block in re.findall(r"(?ms)^```([a-z]*)\n(.*?)^```$", text)]


class Machine:
    """A folder that stands for `/`, with addresses of this machine in place of those of the guides."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.instance = root / "var" / "lib" / "gateway"
        self.addresses = {":8080": f":{live.free_port()}"}
        self.environment: dict[str, str] = {}
        self.background: list[subprocess.Popen[bytes]] = []
        for folder in ("srv", "backup", "var/lib"):
            (root / folder).mkdir(parents=True)
        self.follow("README.md")

    def here(self, text: str) -> str:
        """Return a text with the folders and addresses of this machine."""
        for folder in _FOLDERS:
            text = text.replace(folder, f"{self.root}{folder}")
        for address, ours in self.addresses.items():
            text = text.replace(address, ours)
        text = text.replace("--delay 1", "--delay 0")  # nobody need be spared here
        return text.replace("--port 8080", f"--port {self.addresses[':8080'][1:]}")

    def follow(self, name: str) -> list[str]:
        """Do all that a guide says; return what the commands wrote."""
        return [written for piece in pieces(name) for written in self._do(piece)]

    def _do(self, piece: Piece) -> list[str]:
        if piece.kind == "toml":
            self._write(self.here(piece.text))
        return [self.run(line) for line in piece.lines()]

    def _write(self, text: str) -> None:
        """Write what a block of TOML says into the file that its first line names."""
        file = self.instance / text.partition("\n")[0].removeprefix("# ")
        before = file.read_text(encoding="utf-8")
        for name in re.findall(r"(?m)^(?:\[(\w+)\]|\w+ = )", text):
            if name:  # the whole entry of a source
                before = re.sub(rf"(?ms)^\[{name}\]\n.*?(?=^\[|\Z)", "", before)
        file.write_text(f"{before}\n{text}", encoding="utf-8")

    def run(self, line: str) -> str:
        """Run one command line; it must succeed. After a restore, `validate` may report what the guide announces."""
        program, *words = shlex.split(self.here(line))
        match program, words:
            case "sudo", _:
                return ""
            case "export", [setting]:
                name, _, value = setting.partition("=")
                if name != "PATH":
                    self.environment[name] = value
                return ""
            case "curl", [url]:
                return fetched(url).decode()
            case "rm", ["-r", folder]:
                shutil.rmtree(folder)
                return ""
            case _, [*words, "&"]:
                command = [str(live.COMMANDS / program), *words]
                surroundings = live.unmeasured(os.environ) | self.environment
                self.background.append(subprocess.Popen(command, env=surroundings, stderr=subprocess.DEVNULL))
                live.await_server(int(words[words.index("--port") + 1]))
                return ""
            case _:
                typed = "a password of this test\n" * 2 if words[0] == "user" else None
                done = CliRunner().invoke(PROGRAMS[program], words, env=self.environment, input=typed)
                allowed = {"answer.date-now"} if program == "harvester" and words[0] == "validate" else set()
                failed = set(re.findall(r"(?m)^ *FAIL +(\S+)", done.output))
                assert done.exit_code == 0 or (failed and failed <= allowed), f"{line}\n{done.output}"
                return done.output


@pytest.fixture
def machine(tmp_path: Path, sample_source: str) -> Iterator[Machine]:
    made = Machine(tmp_path)
    made.addresses |= {f"https://{name}.example.org/oai": sample_source for name in ("laro", "large")}
    yield made
    for process in made.background:
        process.terminate()
        process.communicate()


@pytest.fixture
def harvested(machine: Machine) -> Machine:
    """Return a machine whose instance has harvested a source."""
    machine.run("gateway init --domain repository.example.org --email librarian@example.org")
    machine.run("harvester source add laro https://laro.example.org/oai --every 1d")
    machine.run("harvester run laro")
    return machine


def records(machine: Machine) -> str:
    return machine.run("harvester records laro")


def test_every_guide_is_followed_here() -> None:
    """And the list of guides names each."""
    names = {file.name for file in GUIDES.iterdir()} - {"README.md"}
    tests = "".join(name for name in globals() if name.startswith("test_the_guide_to_"))
    assert {name for name in names if name.removesuffix(".md").replace("-", "_") not in tests} == set()
    assert names == set(re.findall(r"\]\(([a-z-]+\.md)\)", (GUIDES / "README.md").read_text(encoding="utf-8")))


def test_the_guide_to_the_first_source(machine: Machine) -> None:
    outputs = machine.follow("first-source.md")
    assert any('<request verb="ListRecords"' in text and text.count("<record>") == 22 for text in outputs)
    assert "base_url" not in outputs[-2], "check is content with the address"


def test_the_guide_to_a_large_source(machine: Machine) -> None:
    machine.run("gateway init --domain repository.example.org --email librarian@example.org")
    (machine.root / "srv" / "delivery").mkdir()
    outputs = machine.follow("large-source.md")
    (status,) = [line.split() for line in outputs[-1].splitlines() if line.startswith("big ")]
    assert status[1:4] == ["22", "0", "16"]
    assert len(machine.run("harvester records large").splitlines()) == 22


def test_the_guide_to_people(machine: Machine) -> None:
    machine.run("gateway init --domain repository.example.org --email librarian@example.org")
    outputs = machine.follow("people.md")
    assert "Ada  manager of laro  last sign-in: never" in outputs[3]
    assert [line.split()[-1] for line in outputs[-1].splitlines()][:1] == ["Ada"]
    assert machine.run("gateway user list").count("\n") == 2


def test_the_guide_to_postgresql(machine: Machine, postgres: Callable[..., str]) -> None:
    machine.addresses["postgresql:///gateway"] = shlex.quote(postgres(lambda _url: None))
    outputs = machine.follow("postgresql.md")
    assert any("The store is sound." in text for text in outputs)
    assert "were copied and compared" in outputs[-1]


def test_the_guide_to_full_text(harvested: Machine) -> None:
    with sample(WEB) as (web,):
        with (harvested.instance / "config.toml").open("a", encoding="utf-8") as config:
            config.write(f'discover_instead = "https://={web}/"\ndiscover_delay_seconds = 0\n')
        outputs = harvested.follow("full-text.md")
    assert sum("LR-15-00071" in text for text in outputs) > 2
    assert harvested.run("harvester review list") == "", "what waited was accepted"


def test_the_guide_to_close_the_loop_with_a_source(machine: Machine) -> None:
    with world() as around:
        library = around.library
        machine.addresses = {
            'notify_inbox = "https://laro.example.org/inbox"': f'notify_inbox = "{around.inbox.url("/inbox")}"\n'
            f'allow = ["{around.inbox.address}"]',
            "https://laro.example.org": library.place,
            ":8080": machine.addresses[":8080"],
        }
        machine.run("gateway init --domain repository.example.org --email librarian@example.org")
        with (machine.instance / "config.toml").open("a", encoding="utf-8") as config:
            config.write(
                f'base_url = "http://127.0.0.1{machine.addresses[":8080"]}/oai"\ndiscover_email = "a@example.org"\n'
            )
            config.write(f'discover_instead = "https://={around.web}/ {library.place}/=')
            config.write(f'{library.place}/"\nfetch_delay_seconds = 0\ndiscover_delay_seconds = 0\n')
        machine.run("harvester source check https://laro.example.org --add laro")
        (name,) = {url.rpartition("/")[2].removesuffix(".pdf") for url in around.files if url.endswith(".pdf")}
        outputs = []
        for piece in pieces("close-the-loop.md"):
            if "offer laro --list" in piece.text:
                assert around.take_in_packages(machine.root / "srv" / "deposit") == [name]
            outputs += machine._do(piece)
    assert len(around.notifications) == 1
    assert "<url>" in next(text for text in outputs if 'capability="resourcelist"' in text)
    *_, offers, explained = outputs
    assert [line.split()[1] for line in offers.splitlines()] == ["taken", "taken"]
    assert "A file was found." in explained.splitlines()[0]


@pytest.fixture
def package() -> Callable[[Machine], None]:
    """Return a function that puts the package of a provider where the guide has it."""

    def put(machine: Machine, items: dict[str, Item]) -> None:
        folder = machine.root / "srv" / "delivery" / "package"
        folder.mkdir(parents=True)
        machine.run("harvester dump https://didl.example.org/oai /srv/delivery/package/records.xml --format oai_didl")
        for name, item in items.items():
            for file, content in item.files.items():
                (folder / name).mkdir(exist_ok=True)
                (folder / name / file).write_bytes(content)

    return put  # type: ignore[return-value]


def test_the_guide_to_a_mirror(harvested: Machine, package: Callable[..., None]) -> None:
    with serving() as provider:
        provider.items = {
            f"oai:p:{number}": Item({"a.txt": b"a%d" % number, "b.txt": b"b%d" % number}) for number in range(3)
        }
        harvested.addresses["https://didl.example.org/oai"] = provider.base_url
        package(harvested, provider.items)
        provider.items["oai:p:later"] = Item({"c.txt": b"c"}, datestamp="2025-01-01T00:00:00Z")
        harvested.follow("mirror.md")
    held = [file.read_bytes() for file in (harvested.root / "srv" / "mirror" / "ocfl").rglob("*.txt")]
    assert {b"a0", b"b0", b"a1", b"b1", b"a2", b"b2", b"c"} <= set(held)


def test_the_guide_to_a_backup(harvested: Machine) -> None:
    before = records(harvested)
    *most, loss = pieces("backup.md")
    for piece in most:
        harvested._do(piece)
    assert not (harvested.root / "srv" / "trial").exists()
    shutil.rmtree(harvested.instance)
    harvested._do(loss)
    assert records(harvested) == before


def test_the_guide_to_a_move(harvested: Machine) -> None:
    before = records(harvested)
    outputs = []
    for piece in pieces("move.md"):
        if "gateway restore" in piece.text:
            shutil.rmtree(harvested.instance)  # this is now the new machine
        outputs += harvested._do(piece)
    assert records(harvested) == before
    assert "<repositoryIdentifier>repository.example.org</" in outputs[-1]
