"""Writes the page of supported names, `migration_guide/supported.md`, from the code.

python -m tests.golden.supported             writes the page
python -m tests.golden.supported --names     prints every supported name, one a line, members of classes included
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import tfcompat
from tests import oracle
from tfcompat._dropin.way_out import WAYS_OUT

PAGE = Path(__file__).parents[2] / "migration_guide" / "supported.md"
WIDTH = 120
HEAD = """# Supported names

{count}
Each alias counts. `python -m tests.golden.supported` writes this page from the code; the tests check that it is fresh.
*Supported* means that each argument is supported or raises an error that names it. [Differences](differences.md) lists
results that differ from TensorFlow's.

`python -m tfcompat check PATH` lists the names that a program uses and tfcompat lacks.
"""


def main() -> None:
    """Runs the command line."""
    if sys.argv[1:] == ["--names"]:
        print("\n".join(f"tf.{name}" for name in names_with_members()))
    else:
        PAGE.write_text(page())


def page() -> str:
    """The text of the page."""
    supported = names_by_namespace()
    listed = sum(map(len, supported.values()))
    absent = {name for name in theirs() if name.partition(".")[0] != "raw_ops"}
    absent -= {joined(namespace, name) for namespace, names in supported.items() for name in names} | WAYS_OUT.keys()
    count = (
        f"{listed:,} of TensorFlow 2.21's public names are supported, {len(WAYS_OUT)} are refused, and {len(absent):,} "
        "are absent, not counting `tf.keras` and `tf.raw_ops`."
    )
    parts = [HEAD.format(count="\n".join(textwrap.wrap(count, WIDTH)))]
    for namespace, names in supported.items():
        parts += [f"## {spoken(namespace)}\n", f"{wrapped(names)}\n"]
    parts.append(
        "## Refused\n\nThese names exist, so that programs can test for them. Using one raises an error that names an "
        "alternative.\n"
    )
    for way_out, by_namespace in refused_by_way_out().items():
        parts += [
            f"{way_out}\n",
            *(f"- {spoken(path)}: {wrapped(names, '  ')}" for path, names in by_namespace.items()),
            "",
        ]
    return "\n".join(parts)


def names_by_namespace() -> dict[str, list[str]]:
    """The supported names by namespace; both are written without `tf.`."""
    known = theirs()
    found = {path: [name for name in listed(module) if joined(path, name) in known] for path, module in namespaces()}
    return {path: names for path, names in sorted(found.items()) if names}


def namespaces() -> Iterator[tuple[str, ModuleType]]:
    """The public modules, by the shortest path."""
    waiting, seen = [("", tfcompat)], set()
    for path, module in waiting:
        if module in seen:
            continue
        seen.add(module)
        yield path, module
        waiting += [(joined(path, name), found) for name, found in members(module) if isinstance(found, ModuleType)]


def listed(module: ModuleType) -> list[str]:
    """The names that a public module lists, except modules."""
    return [name for name, found in members(module) if not isinstance(found, ModuleType)]


def members(module: ModuleType) -> list[tuple[str, object]]:
    """The names and values that a public module lists."""
    return [(name, getattr(module, name)) for name in sorted(module.__all__)]


def names_with_members() -> Iterator[str]:
    """Every supported name, including members of classes."""
    modules = dict(namespaces())
    for path, names in names_by_namespace().items():
        for name in names:
            yield joined(path, name)
            found = getattr(modules[path], name)
            yield from (joined(joined(path, name), key) for key in member_names(found))


def member_names(found: object) -> list[str]:
    """The public names in a class, including those in nested classes."""
    if not inspect.isclass(found):
        return []
    direct = [key for key in dir(found) if not key.startswith("_") and hasattr(found, key)]
    inner = [(key, vars(found).get(key)) for key in direct]
    return direct + [joined(key, name) for key, cls in inner if inspect.isclass(cls) for name in member_names(cls)]


def theirs() -> set[str]:
    """TensorFlow's public names, except members of classes."""
    known = oracle.signatures()
    return {name for name in known if not name.rpartition(".")[0] or name.rpartition(".")[0] not in known}


def refused_by_way_out() -> dict[str, dict[str, list[str]]]:
    """The refused names, by alternative and by namespace."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, way_out in WAYS_OUT.items():
        path, _, last = name.rpartition(".")
        found.setdefault(way_out, {}).setdefault(path, []).append(last)
    return found


def joined(path: str, name: str) -> str:
    """The name in the namespace `path`."""
    return f"{path}.{name}" if path else name


def spoken(namespace: str) -> str:
    """The public name of a namespace."""
    return f"tf.{namespace}" if namespace else "tf"


def wrapped(names: list[str], indent: str = "") -> str:
    """The names as code, in lines."""
    text = " ".join(f"`{name}`" for name in names)
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


if __name__ == "__main__":
    main()
