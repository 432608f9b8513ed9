"""Finds the members of a folder, such as the metadata formats: one file per member, without a list of them.

If a member is incomplete, has no name or is there twice, the start fails with a message that names the file.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

from gateway.core.errors import ConfigurationError

Member = TypeVar("Member")


def members(
    package: ModuleType, export: str, kind: type[Member], key: Callable[[Member], object], beside: tuple[str, ...] = ()
) -> tuple[Member, ...]:
    """Return the object called `export` of each file of `package`, in the order of the file names.

    Files that begin with an underscore, and those in `beside`, are skipped. Raise ConfigurationError if the object of a
    file is missing or not of the `kind`, or if its `key` is empty or occurs twice.
    """
    seen: dict[object, str] = {}
    result = []
    for module in sorted(iter_modules(package.__path__), key=lambda module_info: module_info.name):
        if module.name.startswith("_") or module.name in beside:
            continue
        name = f"{package.__name__}.{module.name}"
        member = getattr(import_module(name), export, None)
        if not isinstance(member, kind):
            raise ConfigurationError(f"{name} exports no {export}: it must be a {kind.__name__}.")
        mark = key(member)
        if not mark:
            raise ConfigurationError(f"{name} has a {export} without a name.")
        if mark in seen:
            raise ConfigurationError(f"{name} and {seen[mark]} are both {mark!r}.")
        seen[mark] = name
        result.append(member)
    return tuple(result)
