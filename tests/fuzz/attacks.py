"""Texts that are made to be expensive for one regular expression, derived from the expression itself.

For every repetition: what stands before it, what it repeats many times, and an end that does not fit. And every part of
the pattern many times over, so that a search begins anew at each of them and looks to the end.
"""

import re
from collections.abc import Iterable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_ORDINARY = 'a0 <"\n/'
_MOST_KINDS = 6  # characters of one class that are tried
_LONG = 40  # a bound from which on a repetition counts as endless
_TAILS = ("\x00", "", "!", ">", '"')
_CATEGORIES = {
    codes.CATEGORY_DIGIT: "0", codes.CATEGORY_NOT_DIGIT: "a", codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a", codes.CATEGORY_WORD: "a", codes.CATEGORY_NOT_WORD: " ",
}  # fmt: skip


# By kind of node: the pattern inside it.
_INSIDE = {
    codes.MAX_REPEAT: lambda value: value[2], codes.MIN_REPEAT: lambda value: value[2],
    codes.POSSESSIVE_REPEAT: lambda value: value[2], codes.SUBPATTERN: lambda value: value[3],
    codes.ATOMIC_GROUP: lambda value: value, codes.ASSERT: lambda value: value[1],
    codes.ASSERT_NOT: lambda value: value[1],
    codes.IN: lambda value: [member for member in value if member[0] is codes.LITERAL],
}  # fmt: skip


def attacks(pattern: re.Pattern[str] | re.Pattern[bytes]) -> Iterator[tuple[str, str, str]]:
    """Return (beginning, repeated, end) of each attack, without repetitions."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = list(
        parser.parse(source, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    )
    # First what stands outside of classes: a class that takes a separator, too, has two readings of each.
    separators = _literals(tree, has_classes=False)
    letters = "".join(dict.fromkeys("".join((*separators, *_literals(tree))) + _ORDINARY))
    seen: set[tuple[str, str, str]] = set()
    for before, repeated in _pumps(tree, "", letters):
        for tail in _TAILS:
            for attack in ((before, repeated, tail), ("", before + repeated, tail), ("", before or repeated, tail)):
                if attack[1] and attack not in seen:
                    seen.add(attack)
                    yield attack


def _literals(tree: Iterable[tuple[Any, Any]], *, has_classes: bool = True) -> Iterator[str]:
    """Return the characters that stand in a pattern; without `has_classes`, only those outside of classes."""
    for code, value in tree:
        if code in (codes.LITERAL, codes.NOT_LITERAL):
            yield chr(value)
        elif has_classes or code is not codes.IN:
            for part in _parts(code, value):
                yield from _literals(part, has_classes=has_classes)


def _parts(code: Any, value: Any) -> list[list[tuple[Any, Any]]]:
    """Return the patterns inside one node."""
    if code in _INSIDE:
        return [list(_INSIDE[code](value))]
    if code is codes.BRANCH:
        return [list(branch) for branch in value[1]]
    return []


def _kinds(code: Any, value: Any, letters: str) -> list[str]:
    """Return characters that one node takes, different ones where it takes many."""
    if code is codes.LITERAL:
        return [chr(value)]
    if code is codes.ANY:
        return list(letters[:_MOST_KINDS])
    if code is codes.NOT_LITERAL:
        return [letter for letter in letters if ord(letter) != value][:_MOST_KINDS]
    assert code is codes.IN
    members: list[tuple[Any, Any]] = list(value)
    taken = [letter for letter in letters if _takes(members, ord(letter))]
    spare = [_one(*member) for member in members if member[0] is not codes.NEGATE]
    return (taken or [letter for letter in spare if letter])[:_MOST_KINDS] or ["~"]


def _takes(members: list[tuple[Any, Any]], letter: int) -> bool:
    is_negated = members[0][0] is codes.NEGATE
    return is_negated != any(_is_in(code, value, letter) for code, value in members)


def _is_in(code: Any, value: Any, letter: int) -> bool:
    if code is codes.LITERAL:
        return letter == value
    if code is codes.RANGE:
        return value[0] <= letter <= value[1]
    if code is codes.CATEGORY:
        shown = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[str(value).rpartition("_")[2]]
        return ("_NOT_" in str(value)) != bool(re.match(shown, chr(letter)))
    return False


def _one(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.RANGE:
        return chr(value[0])
    return _CATEGORIES.get(value, "")


def _sample(tree: Iterable[tuple[Any, Any]], letters: str, kind: int = 0) -> str:
    """Return a short text that a pattern takes, as near as can be told."""
    sample = ""
    for code, value in tree:
        if code in (codes.LITERAL, codes.ANY, codes.NOT_LITERAL, codes.IN):
            kinds = _kinds(code, value, letters)
            sample += kinds[kind % len(kinds)]
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            sample += _sample(value[2], letters, kind) * min(max(value[0], 0), 40)
        elif code is codes.BRANCH:
            branches = value[1]
            sample += _sample(branches[kind % len(branches)], letters, kind)
        elif code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
            sample += _sample(_parts(code, value)[0], letters, kind)
        elif code is codes.ASSERT and value[0] > 0:
            sample += _sample(value[1], letters, kind)
    return sample


def _pumps(tree: list[tuple[Any, Any]], before: str, letters: str) -> Iterator[tuple[str, str]]:
    """Return (what stands before, what to repeat) for every repetition, and for every beginning of the pattern."""
    for place, (code, value) in enumerate(tree):
        so_far = before + _sample(tree[:place], letters)
        if so_far:
            yield so_far, ""
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            body = list(value[2])
            if value[1] is codes.MAXREPEAT or value[1] >= _LONG:
                for kind in range(_MOST_KINDS):
                    yield so_far, _sample(body, letters, kind)
            yield from _pumps(body, so_far, letters)
        else:
            for part in _parts(code, value) if code is not codes.IN else []:
                yield from _pumps(part, so_far, letters)
    whole = before + _sample(tree, letters)
    if whole:
        yield whole, ""
