"""Which tests are tfcompat's own: their source, or that of their helpers, uses names that TensorFlow lacks.

A name is followed from the test to the fixtures, functions and constants of its module and of other modules of tests.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.exemption import OWN
from tests.on_tensorflow.stand_in import is_absent

ROOT = Path(__file__).parents[2]
# tfcompat's own names in `tf`, and its own attributes of TensorFlow's objects.
OWN_NAMES = {name for name in OWN if name != "config"} | {"config.settings", "config.immediate"}
OWN_ATTRIBUTES = {"_array", "_tensor", "explain", "jaxpr", "listing", "lowered", "stablehlo", "to_jax"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """A file of tests: what its names are bound to."""

    definitions: dict[str, list[ast.AST]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    fixtures: set[str] = field(default_factory=set)
    for_all: set[str] = field(default_factory=set)


@functools.cache
def module(path: Path) -> Module:
    """The file at `path`."""
    found = Module()
    for node in ast.parse(path.read_text()).body:
        found.origins |= origins(node)
        for name in bound(node):
            found.definitions.setdefault(name, []).append(node)
            if isinstance(node, Function) and any("fixture" in ast.unparse(mark) for mark in node.decorator_list):
                found.fixtures.add(name)
                if any("autouse=True" in ast.unparse(mark) for mark in node.decorator_list):
                    found.for_all.add(name)
    found.for_all |= {"pytestmark"} & found.definitions.keys()
    return found


def origins(node: ast.AST) -> dict[str, str]:
    """The names that an import binds, each with the dotted name of its object."""
    if isinstance(node, ast.Import):
        return {name.asname or name.name.partition(".")[0]: name.name for name in node.names}
    if isinstance(node, ast.ImportFrom):
        return {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    return {}


def bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif not isinstance(node, ast.Import | ast.ImportFrom):
        yield from (sub.id for sub in ast.walk(node) if isinstance(sub, ast.Name) and isinstance(sub.ctx, ast.Store))


def case_names(path: Path) -> Iterator[str]:
    """The tests of a file: `test_it`, or `TestThem.test_it`."""
    for node in ast.parse(path.read_text()).body:
        if is_test(node):
            yield node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from (f"{node.name}.{part.name}" for part in node.body if is_test(part))


def is_test(node: ast.AST) -> bool:
    """Whether pytest takes a function for a test."""
    return isinstance(node, Function) and node.name.startswith("test_")


def is_own_throughout(path: Path) -> bool:
    """Whether every test of a file is tfcompat's own."""
    tests = [*case_names(path)]
    return bool(tests) and all(own_parts(path, test) for test in tests)


def own_parts(path: Path, test: str) -> frozenset[str]:
    """The names that a test uses and only tfcompat has; empty if TensorFlow can run it."""
    return frozenset(Search().run(path, test))


class Search:
    """A walk through the source from a test to all that it uses."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.seen: set[tuple[Path, str]] = set()

    def run(self, path: Path, test: str) -> set[str]:
        """The findings for the test called `test` in the file at `path`."""
        owner, _, method = test.rpartition(".")
        here = module(path)
        for name in here.for_all:
            self.follow(path, name)
        if owner:
            for node in here.definitions[owner]:
                self.follow_method(path, node, method)
        else:
            self.follow(path, method)
        return self.found

    def follow_method(self, path: Path, owner: ast.AST, method: str) -> None:
        """Walks through a method, and the members of its class that it uses."""
        parts = {part.name: part for part in owner.body if isinstance(part, Function)}
        fixtures = {name for name, part in parts.items() if "fixture" in "".join(map(ast.unparse, part.decorator_list))}
        waiting, done = [method], set[str]()
        for mark in owner.decorator_list:
            self.walk(path, mark)
        while waiting:
            name = waiting.pop()
            if name in done or name not in parts:
                continue
            done.add(name)
            self.walk(path, parts[name])
            for node in ast.walk(parts[name]):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                    waiting.append(node.attr)
                elif isinstance(node, ast.arg) and node.arg in fixtures:
                    waiting.append(node.arg)

    def follow(self, path: Path, name: str) -> None:
        """Walks through what `name` is bound to in a file."""
        if (path, name) in self.seen:
            return
        self.seen.add((path, name))
        here = module(path)
        for node in here.definitions.get(name, []):
            self.walk(path, node)
        if name in here.origins:
            self.enter(here.origins[name])

    def enter(self, origin: str) -> None:
        """Notes an imported name, or follows it into its file of tests."""
        if is_absent(origin):
            self.found.add(origin)
        elif origin.startswith("tests."):
            folder, _, name = origin.rpartition(".")
            if (file := ROOT / f"{folder.replace('.', '/')}.py").exists():
                self.follow(file, name)
        elif origin.startswith("tfcompat."):
            self.note_public(origin.removeprefix("tfcompat."))

    def note_public(self, name: str) -> None:
        """Notes `name`, of the public namespace, if it or what holds it is tfcompat's own."""
        self.found |= {f"tf.{own}" for own in OWN_NAMES if f"{name}.".startswith(f"{own}.")}

    def walk(self, path: Path, root: ast.AST) -> None:
        """Looks at all that a piece of source names."""
        here = module(path)
        for node in ast.walk(root):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for origin in origins(node).values():
                    self.enter(origin)
            elif isinstance(node, ast.Name):
                self.follow(path, node.id)
            elif isinstance(node, ast.arg) and node.arg in here.fixtures:
                self.follow(path, node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.read(path, node.value)
            elif isinstance(node, ast.Attribute):
                self.look_up(path, node)

    def read(self, path: Path, text: str) -> None:
        """Looks at a string: the name of a fixture, of a private object to be replaced, or a program."""
        if text in module(path).fixtures:
            self.follow(path, text)
        elif text.startswith("tfcompat._"):
            self.found.add(text)
        elif text == "tfcompat" or "import tfcompat" in text:
            self.found.add("a process of its own that imports tfcompat")

    def look_up(self, path: Path, node: ast.Attribute) -> None:
        """Looks at `a.b.c`, whose `a` may be a module."""
        if node.attr in OWN_ATTRIBUTES:
            self.found.add(f".{node.attr}")
        root, _, rest = dotted(node).partition(".")
        origin = module(path).origins.get(root, "")
        if origin == "tfcompat":
            self.note_public(rest)
        elif origin.startswith("tests"):
            self.enter(f"{origin}.{rest.partition('.')[0]}")


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an attribute of names; empty for anything else."""
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return owner and f"{owner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
