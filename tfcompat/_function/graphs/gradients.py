"""`tf.gradients` and `tf.hessians`: derivatives inside a function that is being traced, without a tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._autodiff import argument
from tfcompat._autodiff.backward import backward
from tfcompat._autodiff.connection import UnconnectedGradients, wants_zeros, with_zeros
from tfcompat._autodiff.gradient import Dense, Span, Target, tensor_of
from tfcompat._autodiff.jacobian import jacobian
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.mode import executing_eagerly
from tfcompat._state.variable import Variable

_EAGER = "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
_UNTRACED = (
    "tf.gradients and tf.hessians: not supported in a function that runs its Python code at each call, as this one "
    "does (the line that TFCOMPAT_EXPLAIN=1 logs says why). Use tf.GradientTape instead."
)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradients of the sum of `ys` with respect to each of `xs`, tensors and variables of the traced function.

    `grad_ys` weighs the tensors of `ys` (None: ones). Gradients don't flow through `stop_gradients`.
    `gate_gradients` and `aggregation_method` change no value.

    Shapes: those of `xs`.
    Dtypes: those of `xs`.
    Gradient: to any order.
    Raises: RuntimeError outside of a function; NotImplementedError in one that runs as Python; ValueError
      if `grad_ys` has another length than `ys`.
    Source: TF 2.21 `tf.gradients`.
    """
    del name, gate_gradients, aggregation_method
    graph = _graph()
    sources = _listed(xs)
    targets = _targets(graph, _listed(ys), None if grad_ys is None else _listed(grad_ys))
    places = [_slots(graph, source) for source in sources]
    span = _span(graph, sources, places, _listed(stop_gradients))
    answers = backward(graph, span, targets, tuple(places), graph.watcher.customs)
    found = [None if answer is None else tensor_of(graph, answer) for answer in answers]
    if wants_zeros(unconnected_gradients):
        return with_zeros(graph, found, map(argument.aval_of, sources))
    return found


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Tensor]:
    """The second derivatives of the sum of `ys` with respect to each of `xs` separately.

    Shapes: x.shape + x.shape for each x.
    Dtypes: those of `xs`.
    Raises: RuntimeError outside of a function; NotImplementedError in one that runs as Python; ValueError
      where `ys` is at most linear in an x.
    Source: TF 2.21 `tf.hessians`.
    """
    del gate_gradients, aggregation_method, name
    graph = _graph()
    found: list[Tensor] = []
    for source in _listed(xs):
        gradient = gradients(ys, source)[0]
        rows = None
        if gradient is not None:
            slope = convert_to_tensor(gradient)
            places = [_slots(graph, source)]
            span = _span(graph, [source], places, [])
            target = Dense(graph.slot_of(slope), slope._aval)
            rows = jacobian(graph, span, graph.watcher.customs, target, [(places[0], argument.aval_of(source))])[0]
        if rows is None:
            raise ValueError("tf.hessians: None values not supported: ys have no second derivative for one of xs.")
        found.append(rows)
    return found


def _graph() -> Graph:
    if here.graph is None:
        raise RuntimeError(_EAGER) if executing_eagerly() else NotImplementedError(_UNTRACED)
    return here.graph


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _slots(graph: Graph, source: Any) -> tuple[int, ...]:
    """The slots of `source`. A variable has one for each value that was read."""
    if isinstance(source, Variable):
        read = graph.watcher.reads.get(source._number)
        return () if read is None else tuple(read[1])
    tensor = convert_to_tensor(source)
    return (graph.slot_of(tensor),) if differentiable(tensor._aval) else ()


def _targets(graph: Graph, ys: Sequence[Any], weights: Sequence[Any] | None) -> tuple[Target, ...]:
    if weights is None:
        weights = [None] * len(ys)
    elif len(weights) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(ys)} ys")
    targets: list[Target] = []
    for y, weight in zip(ys, weights, strict=True):
        tensor = convert_to_tensor(y)
        if differentiable(tensor._aval):
            cotangent = None if weight is None else argument.fitted_weight(convert_to_tensor(weight), tensor._aval)
            targets.append((graph.slot_of(tensor), None if cotangent is None else graph.slot_of(cotangent)))
    return tuple(targets)


def _span(graph: Graph, sources: Sequence[Any], places: Sequence[tuple[int, ...]], stops: Sequence[Any]) -> Span:
    """The whole of `graph` without the steps that computed `stops`."""
    intervals: list[tuple[int, int]] = []
    start = 0
    stopped = {slot for value in stops for slot in _slots(graph, value)}
    for node in graph.node.path():
        if not stopped.isdisjoint(range(node.first, node.slot)):
            intervals.append((start, node.first))
            start = node.slot
    intervals.append((start, graph.node.slot))
    watched: list[tuple[int, int]] = []
    reads: list[tuple[int, int]] = []
    for source, slots in zip(sources, places, strict=True):
        (reads if isinstance(source, Variable) else watched).extend((slot, 0) for slot in slots)
    return Span(tuple(intervals), tuple(watched), tuple(reads))
