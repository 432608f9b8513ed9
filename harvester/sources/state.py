"""The state of a source, stored with its cursor as JSON. It is validated when read, like foreign data. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class State:
    """The base of such states: dataclasses of plain values, whose defaults mean that nothing is known yet.

    Raise `version` when the meaning of a value changes.
    """

    version: int = field(default=1, kw_only=True)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the state in a text. An unreadable text, or one of another version, means from the start."""
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
        """The state as text for `read`."""
        return json.dumps(asdict(self))
