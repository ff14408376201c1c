"""`tf.cond`, `tf.case` and `tf.switch_case`: one of several functions is called.

Where values are known, one is called. In a function that is being traced all of them are traced, and the program runs
one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import bool_, int32
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.block import Block, Links, Operands
from tfcompat._function.control.hearing import hear
from tfcompat._function.control.unshaped import Unshaped
from tfcompat._function.graph import Graph
from tfcompat._ops.layout import reshape

Branch = Callable[[], Any]


def cond(pred: Any, true_fn: Branch | None = None, false_fn: Branch | None = None, name: str | None = None) -> Any:
    """`true_fn()` if `pred`, else `false_fn()`.

    In a `tf.function` both are traced; they must return tensors of the same shapes and dtypes.

    Shapes: those that the branches return.
    Dtypes: those that the branches return; `pred` is boolean.
    Gradient: through the branch that was taken.
    Raises: TypeError if a branch is not callable, the branches return different structures or dtypes, or `pred` is a
      Python bool in a `tf.function`; NotImplementedError if they return different shapes there.
    Source: TF 2.21 `tf.cond`.
    """
    del name
    for branch, parameter in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if branch is None:
            raise TypeError(f"cond(): '{parameter}' argument required")
        if not callable(branch):
            raise TypeError(f"'{parameter}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    if not here.trace.is_symbolic:
        return true_fn() if pred else false_fn()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    return choose("cond", _scalar(convert_to_tensor(pred)), [false_fn, true_fn], ("false_fn", "true_fn"))


def _scalar(pred: Tensor) -> Tensor:
    if pred.dtype is not bool_:
        raise InvalidArgumentError.of(f"Input 'pred' passed {pred.dtype.name} expected bool in tf.cond.")
    if pred._aval.size != 1:
        raise InvalidArgumentError.of(f"tf.cond: pred must be a scalar, but it has shape {pred._aval.shape}.")
    return pred if pred.ndim == 0 else reshape(pred, ())


def choose(op: str, index: Tensor, branches: Sequence[Branch], names: Sequence[str]) -> Any:
    """The result of the branch with number `index` (the last if there is none), recorded as one op.

    The branches are traced in the order of `names`, `true_fn` first.
    """
    order = sorted(range(len(branches)), key=lambda k: names[k] != "true_fn")
    traced = {k: Block(Graph(f"{op}_{names[k]}", creates=False, is_part=True), branches[k]) for k in order}
    blocks = [traced[k] for k in range(len(branches))]
    for k in order[1:]:
        _require_alike(op, (names[order[0]], blocks[order[0]]), (names[k], blocks[k]))
    _settle(blocks)
    cells = {number: cell for block in blocks for number, (cell, _) in block.updates.items()}
    operands = Operands([index])
    before = {number: operands.place(cell) for number, cell in cells.items()}
    checks = [block.checks for block in blocks] if any(block.is_heard for block in blocks) else None
    ends = [_Branch(k, block, operands.places(block), before, checks) for k, block in enumerate(blocks)]
    _require_shapes(op, names, ends)
    linked = [_NONE.union(*parts) for parts in zip(*[end.links() for end in ends], strict=True)]
    chosen: list[Tensor] = list(record(_op(op, ends, linked), tuple(operands.tensors))) if linked else []
    count = len(blocks[0].outputs)
    for cell, tensor in zip(cells.values(), chosen[count:], strict=False):
        cell._rebind(tensor)
    if checks is not None:
        hear(chosen[-1], [node for found in checks for node in found])
    return _packed(blocks[order[0]], chosen[:count])


_NONE: Links = frozenset()


def _settle(blocks: Sequence[Block]) -> None:
    """Where a branch has written into a tensor array and others not, these learn the shape."""
    for place, leaves in enumerate(zip(*[block.leaves for block in blocks], strict=True)):
        shapes = [leaf._aval.shape[1:] for leaf in leaves if type(leaf) is Tensor]
        for block, leaf in zip(blocks, leaves, strict=True):
            if type(leaf) is Unshaped and shapes:
                block.settle(place, shapes[0])


class _Branch:
    """A block as one of several: its leaves' places among the operands, and those of the variables that any assigns."""

    def __init__(
        self,
        number: int,
        block: Block,
        places: Sequence[int],
        before: dict[int, int],
        checks: Sequence[Sequence[Any]] | None,
    ) -> None:
        self._number = number
        self._block = block
        self._places = places
        self._checks = checks
        # For each variable that a branch assigns: its place, None if this branch assigns it.
        self._kept = [None if cell in block.updates else place for cell, place in before.items()]
        held = [block.updates[cell][1] for cell in before if cell in block.updates]
        self.outputs = block.outputs
        self._slots = block.slots([*self.outputs, *held])

    def links(self) -> list[Links]:
        """For each output the operands that its derivative depends on; nothing leads through an assignment."""
        outputs = self._block.links(self._slots[: len(self._block.outputs)])
        tail = len(self._kept) + (self._checks is not None)
        return [frozenset(self._places[k] for k in leaves) for leaves in outputs] + [_NONE] * tail

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """The function of the operands."""
        run = self._block.procedure(self._slots)
        count = len(self._block.outputs)

        def branch(operands: Sequence[Any]) -> tuple[Any, ...]:
            found, flags = run([operands[place] for place in self._places])
            new = iter(found[count:])
            held = [next(new) if place is None else operands[place] for place in self._kept]
            return (*found[:count], *held, *self._flags(flags))

        return branch

    def _flags(self, flags: Sequence[Any]) -> Sequence[Any]:
        if self._checks is None:
            return ()
        parts = [flags if k == self._number else [False] * len(checks) for k, checks in enumerate(self._checks)]
        return (jnp.stack([jnp.asarray(flag, bool) for part in (*parts, [False]) for flag in part]),)


def _op(name: str, ends: Sequence[_Branch], linked: Sequence[Links]) -> Op:
    def run(index: Any, *operands: Any) -> tuple[Any, ...]:
        # Made anew for every trace of JAX's, which remembers functions.
        branches = [end.function() for end in ends]
        number = index.astype(jnp.int32)
        # What is no branch is the last one.
        taken = jnp.where((number < 0) | (number >= len(ends)), len(ends) - 1, number)
        return jax.lax.switch(taken, branches, (index, *operands))

    return Op(name, run, many=True, linked=tuple(linked))


def _packed(block: Block, tensors: Sequence[Tensor]) -> Any:
    """The structure that `block` answers with `tensors` in the places of its tensors."""
    given = iter(tensors)
    leaves = [next(given) if type(leaf) is Tensor else leaf for leaf in block.leaves]
    return nest.pack_sequence_as(block.result, leaves, expand_composites=True)


def _require_alike(op: str, first: tuple[str, Block], second: tuple[str, Block]) -> None:
    """Raises TypeError unless both branches return the same structure and dtypes."""
    (name, one), (other_name, other) = first, second
    details = ""
    try:
        nest.assert_same_structure(one.result, other.result, expand_composites=True)
    except (TypeError, ValueError) as unlike:
        details = str(unlike)
    if not details:
        pairs = [(a, b) for a, b in zip(one.leaves, other.leaves, strict=True) if _dtype(a) is not _dtype(b)]
        details = f"{pairs[0][0]} and {pairs[0][1]} have different types" if pairs else ""
    if details:
        raise TypeError(
            f"{name} and {other_name} arguments to tf.{op} must have the same number, type, and overall structure of "
            f"return values.\n\n{name} output: {one.result}\n{other_name} output: {other.result}\n\n"
            f"Error details:\n{details}"
        )


def _dtype(leaf: Any) -> Any:
    return None if leaf is None else leaf.dtype


def _require_shapes(op: str, names: Sequence[str], ends: Sequence[_Branch]) -> None:
    for name, end in zip(names, ends, strict=True):
        for one, other in zip(ends[0].outputs, end.outputs, strict=True):
            if one._aval.shape != other._aval.shape:
                raise NotImplementedError(
                    f"tf.{op}: {names[0]} returns the shape {one._aval.shape} and {name} the shape "
                    f"{other._aval.shape}; an XLA program's shapes are fixed. Pad to one shape, or choose outside of "
                    "the tf.function."
                )


def switch_case(branch_index: Any, branch_fns: Any, default: Branch | None = None, name: str = "switch_case") -> Any:
    """The result of the branch with number `branch_index`; of `default`, or the last, if there is none.

    `branch_fns` are functions, pairs of a number and a function, or a dictionary of them by number.

    Shapes: those that the branches return.
    Dtypes: those that the branches return; `branch_index` is int32.
    Gradient: through the branch that was taken.
    Raises: TypeError if `branch_index` is no integer tensor, or the branches return different structures or dtypes;
      ValueError unless the numbers are 0, 1, ... without gaps.
    Source: TF 2.21 `tf.switch_case`.
    """
    del name
    if not isinstance(branch_index, Tensor) and not hasattr(type(branch_index), "_as_tensor"):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype!r}")
    branches = _numbered(branch_fns)
    if not here.trace.is_symbolic:
        number = int(index)
        chosen = branches[number] if 0 <= number < len(branches) else default or branches[-1]
        return chosen()
    if index.dtype is not int32:
        raise TypeError(
            f"Input 'branch_index' of 'StatelessCase' Op has type {index.dtype.name} that does not match expected type "
            "of int32."
        )
    if index.ndim:
        raise InvalidArgumentError.of(f"tf.switch_case: branch_index must be a scalar, got shape {index.shape}.")
    if default is not None:
        branches = [*branches, default]
    return choose("switch_case", index, branches, [f"branches[{k}]" for k in range(len(branches))])


def _numbered(branch_fns: Any) -> list[Branch]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        are_plain = all(map(callable, branch_fns))
        pairs = list(enumerate(branch_fns)) if are_plain else list(branch_fns)
    else:
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    numbers = sorted(number for number, _ in pairs)
    if numbers != list(range(len(numbers))):
        found = ",".join(map(str, numbers))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(numbers)}) but found {{{found}}}"
        )
    return [branch for _, branch in sorted(pairs, key=lambda pair: pair[0])]
