"""Finds the members of a folder: one new file there is one new ability, and nobody keeps a list.

A member that is incomplete, unnamed or there twice stops the start, in one sentence that names the file.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

from gateway.errors import ConfigurationError

Member = TypeVar("Member")


def members(
    package: ModuleType, export: str, kind: type[Member], key: Callable[[Member], object]
) -> tuple[Member, ...]:
    """Return what each file of `package` exports under the name `export`, in the order of the file names.

    Files that begin with an underscore are no members. Raise ConfigurationError when a file exports nothing of the
    `kind`, when its `key` is empty, or when two files have the same.
    """
    found: dict[object, str] = {}
    result = []
    for module in sorted(iter_modules(package.__path__), key=lambda each: each.name):
        if module.name.startswith("_"):
            continue
        name = f"{package.__name__}.{module.name}"
        member = getattr(import_module(name), export, None)
        if not isinstance(member, kind):
            raise ConfigurationError(f"{name} exports no {export}: it must be a {kind.__name__}.")
        mark = key(member)
        if not mark:
            raise ConfigurationError(f"{name} has a {export} without a name.")
        if mark in found:
            raise ConfigurationError(f"{name} and {found[mark]} are both {mark!r}.")
        found[mark] = name
        result.append(member)
    return tuple(result)
