"""Why a person accepted or rejected a file: a reason of a list, a comment, or both; stored as one text. Pure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Final

from gateway.errors import DecisionRefused
from gateway.xmltext import clean

MOST_COMMENT = 2_000  # characters
_OPPOSITES: Final = {"accept": "reject", "reject": "accept"}
NONE_GIVEN = "No reason was given."  # as the command stores it


def reason_of(verb: str, key: str, comment: str, lists: SimpleNamespace) -> str:
    """Return the text of a reason to do something, and of a comment.

    `lists` has `accept` and `reject`, with a sentence for each key. Raise DecisionRefused if the reason is on no list,
    or on that of the opposite, or if the comment is too long.
    """
    sentence = vars(lists.accept).get(key) or vars(lists.reject).get(key) if key else ""
    if sentence is None:
        raise DecisionRefused(f"{key[:40]!r} is not one of the reasons. Choose one of the list.")
    opposite = _OPPOSITES.get(verb)
    if opposite and key in vars(getattr(lists, opposite)):
        raise DecisionRefused(f"{sentence!r} is a reason to {opposite}. Choose a reason to {verb}, or none.")
    comment = " ".join(clean(comment).split())
    if len(comment) > MOST_COMMENT:
        raise DecisionRefused(f"The comment has {len(comment):,} characters; at most {MOST_COMMENT:,} are stored.")
    return " ".join(filter(None, (sentence, comment))) or NONE_GIVEN
