"""What a source keeps with its cursor between runs, as JSON: written by us, and read as if by a stranger."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class State:
    """The base of such states: dataclasses of plain values with defaults, which mean that nothing is known yet.

    `version` is to be raised when the values come to mean something else.
    """

    version: int = field(default=1, kw_only=True)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a state; one that cannot be read, or is of another version, means from the start."""
        new = cls()
        try:
            state = cls(**json.loads(text))
        except (ValueError, TypeError):
            return new
        pairs = zip(asdict(state).values(), asdict(new).values(), strict=True)
        is_one = state.version == new.version and all(type(value) is type(plain) for value, plain in pairs)
        return state if is_one else new

    @property
    def text(self) -> str:
        """The state as `read` reads it."""
        return json.dumps(asdict(self))
