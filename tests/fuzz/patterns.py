"""Every regular expression of the program, found by walking the code; a new one is included without being listed.

Those that stand in a module are recorded while the modules are imported. Those that stand in functions are evaluated
from the syntax tree; `LOCALS` gives a value to the names that a function gives them.
"""

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from harvester.xml.repair import CDATA

PACKAGES = ("gateway", "harvester")
_FUNCTIONS = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")

_FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}  # which argument the flags are; elsewhere the third

# Values of local names in patterns that functions build. A name that is missing here fails the test that walks them.
LOCALS: dict[str, Any] = {
    "closing": "oai_dc:dc", "dc": "dc",
    "element": '<dc:(title|creator)(?: xml:lang="[a-z]*")?[ \t\n\r]*(?:/>|>[^<]*+</dc:\\1[ \t\n\r]*>)[ \t\n\r]*',
    "marks": "\u0301", "p": "", "pattern": r"ph\.? ?d|doctor|diss|dr\.", "prefix": "", "name": "ListRecords",
    "key": "xmlns:a", "start": r"<resumptionToken(?:\s[^<>]*[^<>/]|\s*)", "content": rf"(?>(?:[^<]++|{CDATA})*)",
}  # fmt: skip


# Files whose patterns have no name of their own and are only ever matched at the beginning of a text.
ANCHORED = (
    "gateway/formats/oai_dc.py",
    "harvester/validate/payloads.py",
    "harvester/mirror/doubt_rules.py",
    "harvester/mirror/document_ends.py",
    "harvester/mirror/file_facts.py",
    "harvester/mirror/file_types.py",
    "harvester/mirror/file_ends.py",
    "harvester/mirror/verify.py",
)
# Files whose patterns only ever read files of the program itself.
TRUSTED = ("gateway/formats/_tables.py", "gateway/store/queries.py")


class Pattern(NamedTuple):
    """One regular expression: where it is compiled (`harvester/http/dates.py:19`), itself, and how it is used.

    `is_anchored`: it is only ever matched at the beginning of a text (`match`, `fullmatch`).
    """

    place: str
    compiled: re.Pattern[str] | re.Pattern[bytes]
    is_anchored: bool


def modules() -> Iterator[ModuleType]:
    """Import every module of the program."""
    for package in PACKAGES:
        root = importlib.import_module(package)
        yield root
        for walk_package in pkgutil.walk_packages(root.__path__, f"{package}."):
            if not walk_package.name.endswith("__main__"):
                yield importlib.import_module(walk_package.name)


def every() -> list[Pattern]:
    """Return every pattern of the program. Only a process that has imported none of it yet sees all of them."""
    recorded: dict[tuple[str, int], list[re.Pattern[str] | re.Pattern[bytes]]] = {}
    with_recording = _recording(re.compile, recorded)
    original, re.compile = re.compile, with_recording
    try:
        module_types = list(modules())
    finally:
        re.compile = original
    trees = {str(module.__file__): ast.parse(Path(str(module.__file__)).read_text()) for module in module_types}
    shared = _attributes(trees.values())
    return [pattern for module in module_types for pattern in _of_module(module, recorded, trees, shared)]


def _recording(compile_: Callable[..., Any], recorded: dict[tuple[str, int], list[Any]]) -> Callable[..., Any]:
    def recording(pattern: Any, flags: int = 0) -> Any:
        compiled = compile_(pattern, flags)
        frame = sys._getframe(1)
        recorded.setdefault((frame.f_code.co_filename, frame.f_lineno), []).append(compiled)
        return compiled

    return recording


def _of_module(
    module: ModuleType,
    recorded: dict[tuple[str, int], list[re.Pattern[str] | re.Pattern[bytes]]],
    trees: dict[str, ast.Module],
    shared: dict[str, set[str]],
) -> Iterator[Pattern]:
    path = Path(str(module.__file__))
    tree = trees[str(path)]
    shown = "/".join(path.parts[len(Path(str(sys.modules[PACKAGES[0]].__file__)).parts) - 2 :])
    if shown in TRUSTED:
        return
    names = _uses(tree, shared)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        kind = _function(call)
        if kind is None:
            continue
        lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
        seen = (
            [pattern for line in lines for pattern in recorded.get((str(path), line), ())] if kind == "compile" else []
        )
        for compiled in seen or [_evaluated(call, module, shown)]:
            used = names.get(call, set()) if kind == "compile" else {kind}
            is_anchored = bool(used) and used <= {"match", "fullmatch", "pattern"}
            is_anchored = is_anchored or (not used and shown in ANCHORED)
            yield Pattern(f"{shown}:{call.lineno}", compiled, is_anchored)


def _function(call: ast.Call) -> str | None:
    function = call.func
    is_ours = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"
    return function.attr if is_ours and function.attr in _FUNCTIONS else None  # type: ignore[attr-defined]


def _evaluated(call: ast.Call, module: ModuleType, shown: str) -> re.Pattern[str] | re.Pattern[bytes]:
    """Compile the pattern of a call in a function."""
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    flags += call.args[_FLAGS_AT.get(str(_function(call)), 2) :][:1]
    values: list[Any] = []
    for expression in (call.args[0], *flags):
        code = compile(ast.Expression(expression), shown, "eval")
        try:
            values.append(eval(code, {**vars(module), **LOCALS}))
        except Exception as error:
            raise AssertionError(f"{shown}:{call.lineno}: give tests/fuzz/patterns.py a value: {error}") from error
    flag = values[1] if len(values) > 1 and isinstance(values[1], int) else 0
    return re.compile(values[0], flag)


def _attributes(trees: Iterable[ast.Module]) -> dict[str, set[str]]:
    """Return which attributes are asked for by the name of what has them."""
    by_name: dict[str, set[str]] = {}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute):
            by_name.setdefault(_name(node.value), set()).add(node.attr)
    return by_name


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _uses(tree: ast.Module, shared: dict[str, set[str]]) -> dict[ast.Call, set[str]]:
    """Return the methods by which the pattern of a call is used, where it has a name; else nothing.

    What has no leading underscore may be used by any module.
    """
    own = _attributes((tree,))
    uses: dict[ast.Call, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            target = node.targets[0]
            name = (
                target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
            )
            by_name = own if name.startswith("_") else shared
            uses[node.value] = by_name.get(name, set()) & {*_FUNCTIONS, "pattern"}
    return uses
