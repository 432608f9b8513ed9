"""What methods of the databases are given and return, besides the model."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from gateway.core.model import Content, Decision, FoundCopy, Key
from gateway.core.pieces import Part

# Returns, of a prefix and a record in it, the bytes between `<metadata>` and `</metadata>`, and the files to which it
# refers; None: the record is no DIDL of ours.
ReadResource: TypeAlias = Callable[[str, bytes], tuple[bytes, tuple[Content, ...] | None]]
TAKEDOWNS_FACT = "takedowns"  # the name of a fact: a JSON list of the keys of the takedowns that were applied
SMALL_PAGE: Final = 50  # a page of fewer records is exact, and has a part for each of them
# A function that takes all decisions on the copies of an item so far and returns those to add.
Decide: TypeAlias = Callable[[Sequence[Decision]], Sequence[Decision]]


class PageOfParts(NamedTuple):
    """A page: parts of an answer, which are lines; how many records they have; the key of the last one, or None.

    `next` is None at the end of the list, as in `Page`.
    """

    parts: tuple[Part, ...]
    size: int
    next: Key | None


class Findings(NamedTuple):
    """What a recheck or a new judge changes: new decisions, the renewed story as JSON, renewed rows of the copies."""

    decisions: tuple[Decision, ...]
    search_json: str
    copies: tuple[FoundCopy, ...] = ()
    outcome: str = ""  # of the search, if it is another one now


# A function that takes all decisions on the copies of an item so far and its story as JSON, and returns what to write.
Conclude: TypeAlias = Callable[[Sequence[Decision], str], Findings]


class Slowing(NamedTuple):
    """How failures slow sign-ins down: `free` of them do not; then the wait doubles from `least` to `most` seconds.

    Failures are forgotten `memory` seconds after the last one.
    """

    free: int = 5
    least: int = 30
    most: int = 900
    memory: int = 3_600


class Attempt(NamedTuple):
    """What became of an attempt to sign in: `wait` seconds to wait, 0: the password may be checked.

    `is_slowed`: with this attempt, failures begin to slow sign-ins down.
    """

    wait: int = 0
    is_slowed: bool = False
