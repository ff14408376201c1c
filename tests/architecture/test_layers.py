"""Imports go from higher to lower layers, and are at the top of the file."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.architecture.source import FILES, PACKAGE, ROOT, name_of, nodes

# From the bottom up; any other module is one of TensorFlow's namespaces, in the top layer.
LAYERS = [
    *(
        "_jaxpr",
        "_core",
        "_ops",
        "_random",
        "_state",
        "_autodiff",
        "_function",
        "_extension",
        "_linear_operator",
        "_data",
        "_saved",
    ),
    *("_dropin", "_summary", "_distribute", "_mesh", "_keras", "_testing", "_first_version", "_raw_ops"),
    "_saved_model",
]
# The subpackages of a layer, from the bottom up.
SUBPACKAGES = {
    "_core": ["system", "types", "operation", "structure", "programs", "tracing", "calls"],
    "_function": [
        *("arguments", "graphs", "sizes", "tensor_array", "block", "control"),
        *("running", "rows", "autograph", "functions"),
    ],
    "_data": ["blocks", "format", "nodes", "function", "functional", "storage", "places", "datasets"],
    "_saved_model": ["messages", "programs", "kernels", "nodes", "objects", "directories"],
}
CORE_MAY_IMPORT = {"jax", "jaxlib", "numpy", "ml_dtypes"}
# JAX depends on it.
HOST_MAY_IMPORT = {"scipy"}
# File -> module -> the reason for importing it inside a function.
LATE: dict[str, dict[str, str]] = {
    "tfcompat/_core/programs/choice.py": {
        "tfcompat._core.programs.family": "only loops whose sizes vary need it, and it takes a tenth of the import",
    },
    "tfcompat/_core/programs/hosting.py": {
        "tfcompat._core.programs": "its kernels take a tenth of the import",
    },
    "tfcompat/_data/format/checksum.py": {
        "google_crc32c": "it may be missing",
    },
    "tfcompat/_data/format/json_op.py": {
        "google.protobuf": "it takes 10 ms to load, and few programs read JSON",
    },
    "tfcompat/_data/format/descriptor.py": {
        "google.protobuf": "it takes 30 ms to load, and only programs that make examples need it",
        "google.protobuf.descriptor_pb2": "the same",
    },
    "tfcompat/_data/format/stored_message.py": {
        "google.protobuf.message": "it takes 30 ms to load, and only programs that save datasets need it",
    },
    "tfcompat/_saved/message.py": {
        "google.protobuf": "it takes 30 ms to load, and only programs with checkpoints need it",
    },
    "tfcompat/_summary/message.py": {
        "google.protobuf.message": "it takes 30 ms to load, and few programs write messages of their own",
    },
    "tfcompat/_saved_model/programs/program.py": {
        "jax.extend": "only programs that save models need it, and it loads Pallas",
        "jax.extend.mlir": "the same",
        "jax.extend.mlir.dialects": "the same",
    },
    "tfcompat/_dropin/logical_device.py": {
        "jax.extend.backend": "programs that divide no device need not wait for it",
    },
    "tfcompat/_function/functions/late_autograph.py": {
        "tfcompat._function": "it loads a parser, which only who decorates a function waits for",
    },
    "tfcompat/_jaxpr/host/scientific.py": {
        "scipy": "it takes a tenth of a second to load, for kernels that few programs have",
    },
    "tfcompat/_function/graphs/jax_function.py": {
        "jax.extend.core": "it loads Pallas, which takes as long as a tenth of JAX itself",
    },
}


def layer(module: tuple[str, ...]) -> int:
    """The layer of a module, from the parts of its name after `tfcompat`."""
    return LAYERS.index(module[0]) if module and module[0] in LAYERS else len(LAYERS)


@functools.cache
def imported(path: Path) -> list[tuple[int, str]]:
    """The line of each import of a file, and the absolute name of the import."""
    package = path.relative_to(ROOT).parts[:-1]
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            parent = ".".join([*start, *([node.module] if node.module else [])])
            # `from tfcompat import _ops` names a module too.
            found += [
                (node.lineno, f"{parent}.{alias.name}" if parent == "tfcompat" else parent) for alias in node.names
            ]
    return found


def test_imports_point_down():
    upward = [
        f"{name_of(path)}:{line}: {module}"
        for path in FILES
        for line, module in imported(path)
        if module.split(".")[0] == "tfcompat"
        and layer(tuple(module.split(".")[1:])) > layer(path.relative_to(PACKAGE).with_suffix("").parts)
    ]
    assert not upward, "these stand above the file; put a method into the lower layer instead"


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_imports_between_subpackages_point_down(name):
    order, root = SUBPACKAGES[name], PACKAGE / name
    upward = [
        f"{name_of(path)}:{line}: {module}"
        for path in FILES
        if root in path.parents and path.parent != root
        for line, module in imported(path)
        if module.startswith(f"tfcompat.{name}.")
        and order.index(module.split(".")[2]) > order.index(path.relative_to(root).parts[0])
    ]
    assert not upward


def test_imports_make_no_circles():
    """Imports for type checkers count, too. TensorFlow's own names have one cycle: `tf.compat.v2` is `tf`."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}
    private = {module: path for module, path in modules.items() if module.startswith("tfcompat._")}
    graph = {module: named_modules(path, private.keys()) - {module} for module, path in private.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {' -> '.join(error.args[1])}")


def named_modules(path: Path, modules: Collection[str]) -> set[str]:
    """Those of `modules` that a file imports, or from which it imports a name."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in modules else node.module for name in names)
    return found.intersection(modules)


def late_imports(path: Path) -> list[str]:
    """The import statements inside the functions of a file, except those of LATE."""
    inside = {
        statement
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    }
    allowed = LATE.get(name_of(path), {})
    return [ast.unparse(s) for s in inside if not any(module in ast.unparse(s).split() for module in allowed)]


def test_imports_stand_at_the_top():
    late = [f"{name_of(path)}: {statement}" for path in FILES for statement in late_imports(path)]
    assert not late, "move these to the top of the file, or give a reason in LATE"


@pytest.mark.parametrize("path", sorted(LATE))
def test_late_imports_are_not_interrupted(path):
    """A handler that runs in the middle of an import would find half of the module, and could leave half of JAX's."""
    tree = ast.parse((ROOT / path).read_text())
    inside = {node for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) for node in ast.walk(each)}
    safe = {
        node
        for each in ast.walk(tree)
        if isinstance(each, ast.With) and "postponed()" in map(ast.unparse, each.items)
        for node in ast.walk(each)
    }
    late = [node for node in inside - safe if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [getattr(node, "module", None) or node.names[0].name for node in late]
    assert not [name for name in names if name.split(".")[0] in ("jax", "scipy", "tfcompat")], (
        "import within `postponed()`"
    )


def test_only_public_jax_is_imported():
    named = [name_of(path) for path in FILES if "jax._src" in path.read_text()]
    modules = [f"{name_of(path)}: {module}" for path in FILES for _, module in imported(path)]
    assert not named
    assert not [each for each in modules if re.search(r": jax\._src(\.|$)", each)]


def test_names_and_parameters_of_primitives_are_read_in_one_room():
    read = [
        f"{name_of(path)}:{node.lineno}: {node.attr}"
        for path in FILES
        if PACKAGE / "_jaxpr" not in path.parents
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in ("primitive", "params", "consts", "constvars")
    ]
    assert not read, "ask tfcompat/_jaxpr/primitive.py"


def test_core_stands_on_jax_and_numpy():
    standard = sys.stdlib_module_names | CORE_MAY_IMPORT | {"tfcompat"}
    core = [path for path in FILES if path.relative_to(PACKAGE).parts[0] in ("_core", "_jaxpr")]
    assert core
    others = [
        f"{name_of(path)}: {module}"
        for path in core
        for _, module in imported(path)
        if module.split(".")[0] not in standard
        and not (path.parent == PACKAGE / "_jaxpr" / "host" and module.split(".")[0] in HOST_MAY_IMPORT)
    ]
    assert not others
