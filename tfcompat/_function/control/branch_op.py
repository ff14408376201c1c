"""Records one of several functions as one op, `jax.lax.switch`: all are traced, and the program runs one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._autodiff.connection import Links
from tfcompat._core.calls.by_row import element_trace, is_within_elements
from tfcompat._core.calls.host_call import is_later
from tfcompat._core.calls.text import is_text
from tfcompat._core.operation.op import Avals, GradientRule, Op
from tfcompat._core.operation.recipe import Hashed, Recipe
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import bool_
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.block.block import Block, Operands, has_value, record_checks
from tfcompat._function.block.procedure import Procedure, Sized
from tfcompat._function.block.refused_block import (
    REFUSALS,
    failing_like,
    is_for_known_sizes,
    may_be_untaken,
    or_by_host,
)
from tfcompat._function.control.iteration import constant_of
from tfcompat._function.graphs.host_string import chosen_text, is_same_text
from tfcompat._function.graphs.refusal import returned
from tfcompat._function.sizes.part_graph import PartGraph
from tfcompat._function.tensor_array.unshaped import Unshaped
from tfcompat._jaxpr.comparison import Unwatched

Branch = Callable[[], Any]
# TensorFlow's names of the ops, by function.
_OPS = {"switch_case": "case"}


def choose(op: str, index: Tensor, branches: Sequence[Branch], names: Sequence[str]) -> Any:
    """The result of branch number `index` (the last branch if `index` is out of range), recorded as one op.

    In functions of the elements of datasets, branches that a program can't run are run by the host.
    """
    trace = element_trace()
    if trace is None:
        return _recorded(op, index, branches, names)
    number = constant_of(index)
    if number is not None and is_for_known_sizes():
        # The trace for open sizes has checked that the results of all branches are alike.
        branch = branches[int(number) if 0 <= number < len(branches) else -1]
        return nest.map_structure(lambda value: None if value is None else returned(branch, value), branch())
    return or_by_host(
        lambda: _recorded(op, index, branches, names),
        lambda: trace.choose(op, index, branches),
    )


def _recorded(op: str, index: Tensor, branches: Sequence[Branch], names: Sequence[str]) -> Any:
    """The result, recorded as one op.

    The branches are traced in the order of `names`, `true_fn` first.
    """
    order = sorted(range(len(branches)), key=lambda k: names[k] != "true_fn")
    traced = _traced(op, index, branches, names, order)
    order = [k for k in order if k in traced]
    blocks = [traced[k] for k in sorted(order)]
    if element_trace() is not None:
        for block in blocks:
            block.require_program()
    for k in order[1:]:
        _require_alike(op, (names[order[0]], traced[order[0]]), (names[k], traced[k]))
    _settle(blocks)
    try:
        taken = _known(op, index, names, blocks) if len(blocks) == len(branches) else blocks[0]
    except UntraceableError:
        if not getattr(here.graph, "infers_only", False):
            raise
        return _without_value(op, traced[order[0]], blocks)
    if taken is not None:
        order, blocks = [0], [taken]
    cells = {number: cell for block in blocks for number, (cell, _) in block.updates.items()}
    operands = Operands([index])
    before = {number: operands.place(cell) for number, cell in cells.items()}
    has_effects = any(block.has_effects for block in blocks)
    ends = _Ends(blocks, [operands.places(block) for block in blocks], before, has_effects=has_effects)
    chosen: list[Tensor] = list(record(ends.op(op), tuple(operands.tensors))) if ends.linked else []
    count = len(blocks[0].outputs)
    for cell, tensor in zip(cells.values(), chosen[count:], strict=False):
        cell._rebind(tensor)
    if has_effects:
        record_checks(chosen.pop(), [node for block in blocks for node in block.checks])
    texts = _texts(op, index, blocks, iter(chosen[count + len(cells) :]))
    return _packed(blocks[order[0]], chosen[:count], list(texts))


def _traced(
    op: str, index: Tensor, branches: Sequence[Branch], names: Sequence[str], order: Sequence[int]
) -> dict[int, Block]:
    """The blocks of `branches`, by number. Those that do not fit the sizes of the call fail if they are taken.

    If no program can hold the other branches, there may be one block, which calls are expected to take.
    """

    def block(k: int, branch: Branch) -> Block:
        return Block(PartGraph(f"{op}_{names[k]}"), branch)

    blocks: dict[int, Block] = {}
    refusals: dict[int, Exception] = {}
    unfit: UntraceableError | None = None
    for k in order:
        try:
            blocks[k] = block(k, branches[k])
        except UntraceableError as refusal:
            if type(refusal) is not UntraceableError or not here.graph.may_assume(index):
                raise
            unfit = unfit or refusal
        except REFUSALS as refusal:
            refusals[k] = refusal
            if not may_be_untaken(refusal) or len(refusals) == len(branches):
                raise
    if unfit is not None:
        if len(blocks) != 1 or refusals:
            raise unfit
        (taken,) = blocks
        here.graph.assume(index, taken)
        return blocks
    for k, refusal in refusals.items():
        blocks[k] = block(k, functools.partial(failing_like, next(iter(blocks.values())), refusal))
    return blocks


def _texts(op: str, index: Tensor, blocks: Sequence[Block], parts: Iterator[Tensor]) -> Iterator[Any]:
    """For each leaf the chosen string, if it is a string. `parts` are the strings' inputs, branch by branch."""
    made_of = [{k: next(parts) for k, _ in enumerate(block.text_inputs)} for block in blocks]
    used = [0] * len(blocks)
    for leaves in zip(*[block.leaves for block in blocks], strict=True):
        inputs: list[list[Tensor]] = []
        for k, leaf in enumerate(leaves):
            first = used[k]
            used[k] += len(leaf._trace.inputs) if is_later(leaf) else 0
            inputs.append([made_of[k][i] for i in range(first, used[k])])
        if not is_text(leaves[0]) or all(is_same_text(leaf, leaves[0]) for leaf in leaves):
            yield leaves[0]
        else:
            yield chosen_text(op, index, leaves, inputs)


_NONE: Links = frozenset()
_CONDITION = aval_of((), bool_)


def _settle(blocks: Sequence[Block]) -> None:
    """If only some branches wrote into a tensor array, gives the array of the others the same shape."""
    for place, leaves in enumerate(zip(*[block.leaves for block in blocks], strict=True)):
        shapes = [leaf._aval.shape[1:] for leaf in leaves if type(leaf) is Tensor]
        for block, leaf in zip(blocks, leaves, strict=True):
            if type(leaf) is Unshaped and shapes:
                block.settle(place, shapes[0])


class _Branch(NamedTuple):
    """The structure of one block of several, without its procedure.

    Attributes:
      places: the places of its leaves.
      outputs: the number of its outputs.
      kept: for each variable that any of the blocks assigns: its place, or None if this block assigns it.
      before: the number of inputs of the strings of the blocks before it.
      flags: the number of checks of the blocks before it.
    """

    places: tuple[int, ...]
    outputs: int
    kept: tuple[int | None, ...]
    before: int
    flags: int


class _Ends:
    """The branches as one op.

    Attributes:
      linked: for each output, the operands that its derivative depends on. No gradient goes through an assignment.
    """

    def __init__(
        self, blocks: Sequence[Block], places: Sequence[Sequence[int]], before: dict[int, int], *, has_effects: bool
    ) -> None:
        """`places` are those of the leaves of each block, `before` those of the variables that any block assigns."""
        self._parts = tuple([part._aval for block in blocks for part in block.text_inputs])
        self._flags = sum(len(block.checks) for block in blocks) if has_effects else None
        self._branches: list[_Branch] = []
        self._runs: list[Procedure] = []
        linked: list[list[Links]] = []
        texts = flags = 0
        for block, held_at in zip(blocks, places, strict=True):
            kept = tuple([None if cell in block.updates else place for cell, place in before.items()])
            held = [block.updates[cell][1] for cell in before if cell in block.updates]
            slots = block.slots([*block.outputs, *held, *block.text_inputs])
            count = len(block.outputs)
            self._branches.append(_Branch(tuple(held_at), count, kept, texts, flags))
            self._runs.append(block.procedure(slots))
            tail = len(kept) + len(self._parts) + has_effects
            links = [frozenset(held_at[k] for k in leaves) for leaves in block.links(slots[:count])]
            linked.append(links + [_NONE] * tail)
            texts += len(block.text_inputs)
            flags += len(block.checks)
        self.linked = tuple([_NONE.union(*parts) for parts in zip(*linked, strict=True)])

    def op(self, name: str) -> Op:
        """The op, which takes the index and the other operands."""
        structures = Hashed(tuple([run.structure for run in self._runs]))
        rule = GradientRule(linked=self.linked)
        fixed = (name, rule, tuple(self._branches), structures, self._flags)
        return switch_like(*fixed, self._parts, *[run.sized for run in self._runs])


def switch_like(
    name: str,
    rule: GradientRule,
    branches: tuple[_Branch, ...],
    structures: Hashed,
    flags: int | None,
    parts: Avals,
    *sized: Sized,
) -> Op:
    """The op that runs one of `branches`, with procedures of `structures`.

    `flags` is the number of all checks; None if the op has no output for them. `parts` are the inputs of the strings of
    all branches.
    """
    runs = list(map(Procedure, structures.value, sized))

    def run(index: Any, *operands: Any) -> tuple[Any, ...]:
        # New functions for every trace of JAX, because JAX caches by function.
        pairs = zip(branches, runs, strict=True)
        ends = [functools.partial(_outputs, branch, procedure, flags, parts) for branch, procedure in pairs]
        number = index.astype(jnp.int32)
        # A number out of range selects the last branch.
        taken = jnp.where((number < 0) | (number >= len(ends)), len(ends) - 1, number)
        return jax.lax.switch(taken, ends, (index, *operands))

    op = Op(name, run, many=True, gradient=rule)
    op.recipe = Recipe(switch_like, (name, rule, branches, structures, flags), (parts, *sized))
    return op


def _outputs(
    branch: _Branch, procedure: Procedure, flags: int | None, parts: Avals, operands: Sequence[Any]
) -> tuple[Any, ...]:
    """The outputs of `branch`: its own, the variables, the inputs of strings (zeros for those of others), the flags."""
    found, failed = procedure([operands[place] for place in branch.places])
    new = iter(found[branch.outputs :])
    held = [next(new) if place is None else operands[place] for place in branch.kept]
    texts = [jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype) for aval in parts]
    own = list(new)
    texts[branch.before : branch.before + len(own)] = own
    if flags is None:
        return (*found[: branch.outputs], *held, *texts)
    after = flags + 1 - branch.flags - len(failed)
    every = [*[False] * branch.flags, *failed, *[False] * after]
    return (*found[: branch.outputs], *held, *texts, jnp.stack([jnp.asarray(flag, bool) for flag in every]))


def _packed(block: Block, tensors: Sequence[Tensor], texts: Sequence[Any]) -> Any:
    """The structure of the result of `block`, with `tensors` for numeric leaves and `texts` for the rest."""
    given = iter(tensors)
    leaves = [next(given) if has_value(leaf) else text for leaf, text in zip(block.leaves, texts, strict=True)]
    return nest.pack_sequence_as(block.result, leaves, expand_composites=True)


def _require_alike(op: str, first: tuple[str, Block], second: tuple[str, Block]) -> None:
    """Raises TypeError, or ValueError, unless both branches return the same structure and dtypes."""
    (name, one), (other_name, other) = first, second
    details = ""
    try:
        nest.assert_same_structure(one.result, other.result, expand_composites=True)
    except (TypeError, ValueError) as unlike:
        details = str(unlike)
    if not details:
        counts = [sum(leaf is not None for leaf in block.leaves) for block in (one, other)]
        if counts[0] != counts[1]:
            raise ValueError(
                f"Lengths of branch outputs of {_OPS.get(op, 'cond')} must match.\n"
                f"len(graphs[0].outputs): {counts[0]}\nlen(graphs[1].outputs): {counts[1]}"
            )
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


def _known(op: str, index: Tensor, names: Sequence[str], blocks: Sequence[Block]) -> Block | None:
    """The block that is taken, if constants determine it and it matters while tracing; otherwise None.

    It matters if the shapes of the blocks differ, or if the blocks return a condition, which may choose between shapes.

    Raises: UntraceableError if the shapes differ and the block is not known before the program runs.
    """
    # The host runs branches whose shapes differ, and these alike if they happen to agree.
    with Unwatched() if is_within_elements() else nullcontext():
        differing = _differing(blocks)
    if differing is None and not all(map(_is_condition, blocks)):
        return None
    number = constant_of(index)
    if number is not None:
        return blocks[int(number) if 0 <= number < len(blocks) else -1]
    if differing is None:
        return None
    place, one, other = differing
    raise UntraceableError(
        f"tf.{op}: {names[0]} returns the shape {one} and {names[place]} the shape {other}; an XLA program's shapes "
        "are fixed. Call the function instead of asking for its concrete function, or pad to one shape."
    )


def _without_value(op: str, first: Block, blocks: Sequence[Block]) -> Any:
    """The result of an unknown branch in a graph that only infers shapes: with the sizes that all branches have."""
    columns = [leaves for leaves in zip(*[block.leaves for block in blocks], strict=True) if has_value(leaves[0])]
    outputs = [(_shared([leaf.shape for leaf in leaves]), leaves[0].dtype) for leaves in columns]
    graph: Any = here.graph
    return _packed(first, graph.hosted(op, None, (), outputs), first.leaves)


def _shared(shapes: Sequence[TensorShape]) -> list[int | None] | None:
    """The sizes that all `shapes` have, None for others and for open ones; None if the ranks differ."""
    found = functools.reduce(TensorShape.most_specific_compatible_shape, shapes)
    return None if found.rank is None else found.as_list()


def _differing(blocks: Sequence[Block]) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """The number of the first block whose shapes differ from those of block 0, and the two differing shapes."""
    for place, block in enumerate(blocks):
        for one, other in zip(blocks[0].leaves, block.leaves, strict=True):
            if type(one) is Tensor and one._aval.shape != other._aval.shape:
                return place, one._aval.shape, other._aval.shape
    return None


def _is_condition(block: Block) -> bool:
    """Whether `block` returns only a boolean, without assignments and side effects."""
    return [getattr(leaf, "_aval", None) for leaf in block.leaves] == [_CONDITION] and not (
        block.updates or block.has_effects
    )
