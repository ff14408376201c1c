"""Traces of functions as messages `GraphDef`, for TensorBoard's view of graphs.

A node is a step of the trace, with the name of the op; TensorFlow's graphs have other ops.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tfcompat._core.structure.node import Node, Number
from tfcompat._core.types.aval import Aval
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._ops.text.tensor_message import field, number_field

# Numbers of fields: of GraphDef and NodeDef,
_NODE, _NAME, _OP, _INPUT, _ATTR = 1, 1, 2, 3, 5
# of AttrValue and its list, and of an entry of the map of attributes,
_LIST, _TEXT, _TYPE, _SHAPES, _KEY, _VALUE = 1, 2, 6, 7, 1, 2
# of TensorShapeProto,
_DIM, _SIZE = 2, 1
# and of RunMetadata and its FunctionGraphs.
_FUNCTION_GRAPHS, _BEFORE, _AFTER = 4, 2, 3
_NOT_OF_NAMES = re.compile(r"[^A-Za-z0-9_./>-]")


def graph_of(trace: StoredTrace) -> bytes:
    """The message `GraphDef` of a trace: a node for each leaf and each step."""
    names: dict[int, str] = {}
    used: Counter[str] = Counter()
    nodes = [field(_NODE, _node(trace, node, names, used)) for node in trace.node.path()]
    return b"".join(nodes)


def run_metadata_of(traces: Iterable[StoredTrace]) -> bytes:
    """The message `RunMetadata` with the graphs of functions."""
    graphs = map(graph_of, traces)
    return b"".join([field(_FUNCTION_GRAPHS, field(_BEFORE, graph) + field(_AFTER, graph)) for graph in graphs])


def _node(trace: StoredTrace, node: Node, names: dict[int, str], used: Counter[str]) -> bytes:
    kind = _kind(trace, node)
    name = f"{kind}_{used[kind]}" if used[kind] else kind
    used[kind] += 1
    for k in range(node.slot - node.first):
        names[node.first + k] = f"{name}:{k}" if k else name
    inputs = [names[one] for one in node.inputs if type(one) is int]
    attributes = _attribute("_output_shapes", field(_LIST, b"".join(map(_shape, node.avals))))
    attributes += _attribute("T", number_field(_TYPE, int(node.aval.dtype)))
    if label := _label(trace, node):
        attributes += _attribute("arguments", field(_TEXT, label.encode()))
    parts = [field(_NAME, name.encode()), field(_OP, kind.encode())]
    return b"".join([*parts, *[field(_INPUT, one.encode()) for one in inputs], attributes])


def _kind(trace: StoredTrace, node: Node) -> str:
    """The op's name; "variable", "argument" or "constant" for a leaf."""
    if node.op is not None:
        return _NOT_OF_NAMES.sub("_", node.op.name)
    if node.inputs or node.first not in trace.leaf_slots:
        return "number"
    source = trace.sources[trace.leaf_slots.index(node.first)]
    name = getattr(source, "_name", "").partition(":")[0]
    return _NOT_OF_NAMES.sub("_", name) or type(source).__name__.lower()


def _label(trace: StoredTrace, node: Node) -> str:
    """The attributes and the numbers among the arguments."""
    numbers = [repr(one.of(*trace.numbers)) for one in node.inputs if type(one) is Number]
    return ", ".join([*numbers, *([node.op.label] if node.op is not None and node.op.label else [])])


def _attribute(name: str, value: bytes) -> bytes:
    return field(_ATTR, field(_KEY, name.encode()) + field(_VALUE, value))


def _shape(aval: Aval) -> bytes:
    """A `TensorShapeProto` in a list; -1 stands for an open size."""
    sizes = [-1 if size is None else size for size in aval.tensor_shape.as_list()]
    dims = [field(_DIM, number_field(_SIZE, size & ((1 << 64) - 1)) if size else b"") for size in sizes]
    return field(_SHAPES, b"".join(dims))
