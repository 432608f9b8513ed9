"""Due files come host by host: no host waits for another, and none gets two requests at once."""

from gateway.core.model import FileRecheck
from harvester.fulltext.recheck.run import HostQueues


class Files:
    """The due files of hosts, and a clock that stands where it is put."""

    def __init__(self, **counts: int) -> None:
        self.now, self.reads = 0.0, 0
        self.files = {
            host: [FileRecheck("i", f"https://{host}/{n}", "s", host, "", False, 0, due=n) for n in range(total)]
            for host, total in counts.items()
        }
        self.queues = HostQueues(counts, self.more, lambda: self.now)

    def more(self, host: str, last: FileRecheck | None, limit: int) -> list[FileRecheck]:
        self.reads += 1
        return [file for file in self.files[host] if last is None or file.due > last.due][:limit]

    def ready(self) -> str:
        file = self.queues.next_ready()
        return file.url.removeprefix("https://") if file else ""


def test_each_host_gets_its_next_request_when_its_pause_is_over() -> None:
    files = Files(a=2, b=1)
    assert [files.ready(), files.ready(), files.ready()] == ["a/0", "b/0", ""]
    assert files.queues.wait() is None
    files.queues.release("b", 5.0)
    files.queues.release("a", 2.0)
    assert (files.ready(), files.queues.wait()) == ("", 2.0)
    files.now = 2.0
    assert files.ready() == "a/1"
    files.now = 9.0
    assert (files.ready(), files.queues.wait()) == ("", None)
    files.queues.release("a", 0.0)
    assert (files.ready(), files.queues.wait()) == ("", None)


def test_the_files_of_a_host_are_read_in_parts() -> None:
    files = Files(a=45)
    urls = []
    while url := files.ready():
        urls.append(url)
        files.queues.release("a", 0.0)
    assert (urls, files.reads) == ([f"a/{n}" for n in range(45)], 4)
