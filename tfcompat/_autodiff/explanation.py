"""Why a gradient is None: one sentence, read off the trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfcompat._autodiff.backward import Span
from tfcompat._core.node import Node
from tfcompat._core.op import differentiable
from tfcompat._core.trace import Trace


def explanation(trace: Trace, span: Span, target: int, sources: Sequence[int]) -> str:
    """Why no gradient flows from the slot `target` to the slots `sources`, or that one does."""
    path = trace.node.path()
    if target in sources:
        return "There is a gradient: target and source are the same tensor."
    if not _reaches(path, target, sources, lambda _: True, lambda *_: True):
        return _unreached(path, target)
    cut = _first_cut(path, target, sources, lambda *_: True, _linked)
    if cut is not None:
        return _blocked(cut)
    outside = _first_cut(path, target, sources, span.covers, _linked)
    if outside is not None:
        return f"The step {outside.op!r}, recorded at {outside.line}, is outside of the tape's context; move it inside."
    positions = [position for slot, position in span.watched if slot in sources]
    if not positions:
        return "The source is not watched: call tape.watch(source) before it is used (trainable variables are watched when they are read)."
    late = _first_cut(path, target, sources, lambda node: span.covers(node) and node.first >= min(positions), _linked)
    if late is not None:
        return f"The source was watched only after the step {late.op!r}, recorded at {late.line}, had used it; call tape.watch earlier."
    return "There is a gradient: the target was computed from the source while the tape was recording."


def _linked(node: Node, output: int, position: int) -> bool:
    assert node.op is not None
    return (
        node.op.links(output, position)
        and differentiable(node.avals[output])
        and differentiable(node.signature[position])
    )


Allows = Callable[[Node], bool]
Links = Callable[[Node, int, int], bool]


def _reached(path: Sequence[Node], sources: Sequence[int], allows: Allows, links: Links) -> set[int]:
    reached = set(sources)
    for node in path:
        if node.op is None or not allows(node):
            continue
        for output in range(len(node.avals)):
            if any(r in reached and links(node, output, i) for i, r in enumerate(node.inputs) if type(r) is int):
                reached.add(node.first + output)
    return reached


def _reaches(path: Sequence[Node], target: int, sources: Sequence[int], allows: Allows, links: Links) -> bool:
    return target in _reached(path, sources, allows, links)


def _first_cut(path: Sequence[Node], target: int, sources: Sequence[int], allows: Allows, links: Links) -> Node | None:
    """The first step on the way to `target` that the way stops at under these rules; None if it arrives."""
    reached = _reached(path, sources, allows, links)
    if target in reached:
        return None
    needed = {target}
    for node in reversed(path):
        if any(slot in needed for slot in range(node.first, node.slot)):
            needed.update(r for r in node.inputs if type(r) is int)
    for node in path:
        is_on_the_way = node.op is not None and any(slot in needed for slot in range(node.first, node.slot))
        if is_on_the_way and any(r in reached for r in node.inputs if type(r) is int):
            if not any(slot in reached for slot in range(node.first, node.slot)):
                return node
    return None


def _unreached(path: Sequence[Node], target: int) -> str:
    node = next((node for node in path if node.first <= target < node.slot), None)
    if node is not None and node.op is None:
        return (
            "The target is a finished value to this tape: it was computed before or outside of its context, or made anew from a NumPy or Python "
            "value (.numpy(), float(), np.*), which cuts the gradient."
        )
    return (
        "No recorded step leads from the source to the target: the target does not depend on it, or the way goes through a NumPy or Python value "
        "(.numpy(), float(), np.*), which cuts the gradient."
    )


def _blocked(node: Node) -> str:
    op = node.op
    assert op is not None
    if op.name.startswith("assign"):
        return f"The value went through a variable's {op.name} at {node.line}: an assignment ends the path of what was assigned."
    if not any(map(differentiable, node.avals)):
        return f"tf.{op.name}, recorded at {node.line}, answers {node.avals[0].dtype.name}: only floating and complex tensors carry gradients."
    return f"tf.{op.name}, recorded at {node.line}, has no gradient."
