"""The rechecks of published files: when each was rechecked, what its server answered, and when it is due again."""

from typing import NamedTuple

NEVER_DUE = 1 << 62  # a second that never comes
SHARES = 1 << 20  # the parts of a period among which files are spread


class FileRecheck(NamedTuple):
    """The last recheck of one published file, and when the next one is due.

    `sha256` is that of the published bytes. `is_named`: the record names the file; else a search found it. `share` is
    the place of the file in the period, in parts of `SHARES`. `final_url` is the address after all redirects,
    `entity_tag` and `modified` are the validators that it sent. `rounds` counts the rechecks that were possible,
    `failures` those in a row at which the file was not there, since `failing_since`. Without failures, no recheck was
    possible since then. `text_sha256` is the digest of its text, if it is known. `every` is the period in seconds, 0:
    none. Seconds are since 1970; `looked_at` and `whole_at` are 0 before the first recheck. A person asked for a file
    with `due` 0.
    """

    identifier: str
    url: str
    source: str
    host: str
    sha256: str
    is_named: bool
    share: int
    every: int = 0
    due: int = NEVER_DUE
    looked_at: int = 0
    whole_at: int = 0
    rounds: int = 0
    outcome: str = ""
    final_url: str = ""
    entity_tag: str = ""
    modified: str = ""
    failures: int = 0
    failing_since: int = 0
    text_sha256: str = ""

    def next_after(self, second: int) -> int:
        """Return the second at which it is due after a recheck: its place in the period, the same in every period."""
        if not self.every:
            return NEVER_DUE
        return second + self.every - (second - (self.share * self.every // SHARES)) % self.every


class RecheckCounts(NamedTuple):
    """The published files of a source, and when the next is due.

    These are all `files`, those that are `due`, those that are not there, and those that cannot be rechecked.
    """

    files: int
    due: int
    failing: int
    unseen: int
    next_at: int | None
