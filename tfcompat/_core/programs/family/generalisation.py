"""The generalisation of two recordings that have one skeleton: one recording with symbols for sizes.

Sizes of leaves that differ become symbols. Static attributes that differ become expressions in them, or new symbols if
no expression is found. JAX infers all other sizes from these.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax

from tfcompat._core.operation.expression import Pair, guessed, products
from tfcompat._core.operation.inference import LEAST
from tfcompat._core.operation.op import Avals, Op, pullback_like
from tfcompat._core.operation.recipe import Recipe
from tfcompat._core.programs.family.difference import Differs, NeedsSize
from tfcompat._core.programs.family.place import Place
from tfcompat._core.structure.node import Node, Origin
from tfcompat._core.types.aval import Aval, aval_like, aval_of
from tfcompat._jaxpr.tracing import result_structs

# The most symbols for sizes that are in the shape of no leaf.
_MOST_OTHERS = 16


def generalise(
    first: Sequence[Node], second: Sequence[Node], least: Callable[[Pair], int], *, has_factors: bool
) -> Generalisation:
    """The generalisation of two paths whose skeletons are equal; `least` computes the lower bound of a symbol.

    With `has_factors`, sizes are multiples of their common divisor: where axes are split, an even size is twice a
    symbol.

    Raises: Differs.
    """
    differing = dict(_pairs_of_leaves(first, second))
    for _ in range(_MOST_OTHERS):
        try:
            return Generalisation(first, second, differing, least, has_factors=has_factors)
        except _Unexplained as unexplained:
            differing[unexplained.pair] = unexplained.place
    raise Differs(f"more than {_MOST_OTHERS} sizes differ that belong to no input")


class _Unexplained(Exception):
    """Two sizes differ without being an expression of the symbols. They become a symbol, and the work starts again."""

    def __init__(self, pair: Pair, place: Place) -> None:
        super().__init__(pair)
        self.pair = pair
        self.place = place


class Generalisation:
    """A path with symbols, made from two paths without.

    Attributes:
      symbols: by the sizes in the first and the second recording, the symbol times its factor.
      places: for each symbol, by name, a place where it can be read times its factor.
      factors: by the names of the symbols; `least` is the lower bound of each.
      known: the expressions used so far, by their values.
      path: the steps with symbols.
    """

    def __init__(
        self,
        first: Sequence[Node],
        second: Sequence[Node],
        differing: Mapping[Pair, Place],
        least: Callable[[Pair], int],
        *,
        has_factors: bool,
    ) -> None:
        """Generalises `first` and `second`; `differing` are the sizes that become symbols, with their places."""
        self.places = {f"s{k}": place for k, place in enumerate(differing.values())}
        factors = [_factor(pair) if has_factors else 1 for pair in differing]
        self.factors = {f"s{k}": factor for k, factor in enumerate(factors)}
        pairs = zip(differing, factors, strict=True)
        self.least = {f"s{k}": max(least(pair) // factor, LEAST) for k, (pair, factor) in enumerate(pairs)}
        constraints = [f"{name} >= {bound}" for name, bound in self.least.items()]
        names = ", ".join(self.places)
        made = jax.export.symbolic_shape(names, constraints=constraints) if names else ()
        multiples = [factor * symbol for factor, symbol in zip(factors, made, strict=True)]
        self.symbols: dict[Pair, Any] = dict(zip(differing, multiples, strict=True))
        self.known: dict[Pair, Any] = dict(self.symbols)
        # Sizes that are not in the shape of a leaf are rarely expressions of each other.
        self._of_leaves = [(pair, self.symbols[pair]) for pair in dict(_pairs_of_leaves(first, second))]
        self._ops: dict[tuple[Op, Op, Avals], Op] = {}
        self._inferred: dict[tuple[Op, Avals], Avals] = {}
        self.path: list[Node] = []
        self._made: dict[int, Node] = {}
        root = first[0].parent
        for step, nodes in enumerate(zip(first, second, strict=True)):
            node = self._node(step, *nodes, self.path[-1] if self.path else root)
            self.path.append(node)
            self._made[node.first] = node

    def _node(self, step: int, first: Node, second: Node, parent: Node | None) -> Node:
        signature = tuple([self._aval_of(slot) for slot in first.inputs])
        if first.op is None or second.op is None:
            pairs = zip(first.avals[0].shape, second.avals[0].shape, strict=True)
            avals = (aval_of(tuple([a if a == b else self.symbols[a, b] for a, b in pairs]), first.avals[0].dtype),)
            return Node(parent, None, first.inputs, avals if first.inputs else (), avals, first.line)
        near = _Near(first, second, signature)
        origin = first.origin and self._origin(first.origin)
        op = self._op(first.op, second.op, near, Place(step, ()), origin)
        avals = self._outputs(op, signature, origin, first)
        for aval, a, b in zip(avals, first.avals, second.avals, strict=True):
            self.known.update(zip(zip(a.shape, b.shape, strict=True), aval.shape, strict=True))
        node = Node(parent, op, first.inputs, signature, avals, first.line)
        node.origin = origin
        return node

    def _aval_of(self, reference: Any) -> Aval:
        if type(reference) is not int:
            return aval_of((), reference.dtype)
        return self._slots[reference]

    @functools.cached_property
    def _slots(self) -> _Slots:
        return _Slots(self.path)

    def _origin(self, origin: Origin) -> Origin:
        return origin.with_forward(self._made[origin.forward.first])

    def _op(self, first: Op, second: Op, near: _Near, place: Place, origin: Origin | None = None) -> Op:
        if first is second:
            return first
        key = (first, second, near.signature)
        found = self._ops.get(key)
        if found is None:
            found = self._ops[key] = self._made_op(first, second, near, place, origin)
        return found

    def _made_op(self, first: Op, second: Op, near: _Near, place: Place, origin: Origin | None) -> Op:
        recipe, other = first.recipe, second.recipe
        if recipe is None or other is None:
            raise Differs(f"tf.{first.name} is another function in each recording (at {near.line})")
        if recipe.maker is pullback_like and origin is not None and origin.forward.op is not None:
            sized: Any = (origin.forward.op, origin.forward.signature)
        else:
            sized = tuple(
                [
                    self._argument(a, b, near, place.inside(k))
                    for k, (a, b) in enumerate(zip(recipe.sized, other.sized, strict=True))
                ]
            )
        try:
            op = recipe.made(sized)
        except Exception as failed:  # code that needs to know a size may raise any error
            raise not_for_symbols(first, near.line, failed) from failed
        op.recipe = Recipe(recipe.maker, recipe.fixed, sized)
        return op

    def _argument(self, first: Any, second: Any, near: _Near, place: Place) -> Any:
        """An argument of a recipe that is `first` in one recording and `second` in the other."""
        if first is second or (type(first) is type(second) and first == second):
            return first
        if isinstance(first, tuple):
            pairs = enumerate(zip(first, second, strict=True))
            return tuple([self._argument(a, b, near, place.inside(k)) for k, (a, b) in pairs])
        if isinstance(first, Op):
            return self._op(first, second, near, place)
        if isinstance(first, Aval):
            sizes = enumerate(zip(first.shape, second.shape, strict=True))
            return aval_of(tuple([self._size((a, b), near, place.inside(k)) for k, (a, b) in sizes]), first.dtype)
        return self._size((first, second), near, place)

    def _size(self, pair: Pair, near: _Near, place: Place) -> Any:
        """The expression for a size among the attributes of an op."""
        first, second = pair
        if first == second:
            return first
        if first < 0 and second < 0:
            return -self._size((-first, -second), near, place)
        for found, size in near.sizes():
            if found == pair:
                return size
        size = self.known.get(pair)
        if size is None:
            size = guessed(pair, self._of_leaves)
        if size is None and min(pair) >= LEAST:
            raise _Unexplained(pair, place)
        if size is None:
            raise Differs(f"{near.op}: {first} and {second} (at {near.line})")
        return size

    def _outputs(self, op: Op, signature: Avals, origin: Origin | None, like: Node) -> Avals:
        """The outputs' avals; those of a pullback are like the inputs that it differentiates for."""
        if origin is not None and op.recipe is not None and op.recipe.maker is pullback_like:
            return tuple([origin.forward.signature[i] for i in origin.wanted])
        if op is like.op and signature == like.signature:
            return like.avals
        found = self._inferred.get((op, signature))
        if found is None:
            found = self._inferred[op, signature] = self._infer(op, signature, like)
        return found

    def _infer(self, op: Op, signature: Avals, like: Node) -> Avals:
        try:
            if () in op.inferred and not signature:
                return op.inferred[()]
            if op.infers is not None and (found := op.infers(*signature)) is not None:
                return (found,)
            return tuple(map(aval_like, result_structs(op.outputs, [aval.struct for aval in signature])))
        except Exception as failed:  # code that needs to know a size may raise any error
            raise not_for_symbols(op, like.line, failed) from failed


class _Slots(dict[int, Aval]):
    """The avals of the slots of a path to which nodes are added."""

    def __init__(self, path: list[Node]) -> None:
        super().__init__()
        self._path = path
        self._read = 0

    def __missing__(self, slot: int) -> Aval:
        for node in self._path[self._read :]:
            self.update(enumerate(node.avals, node.first))
        self._read = len(self._path)
        return self[slot]


class _Near:
    """The context of an attribute: the op's inputs, whose sizes it probably contains."""

    def __init__(self, first: Node, second: Node, signature: Avals) -> None:
        self.op = f"tf.{first.op!r} and tf.{second.op!r}"
        self.line = first.line
        self.signature = signature
        self._avals = list(zip(first.signature, second.signature, signature, strict=True))

    def sizes(self) -> list[tuple[Pair, Any]]:
        """The sizes of the inputs and products of neighbours, with their values in both recordings."""
        found: list[tuple[Pair, Any]] = []
        for first, second, symbolic in self._avals:
            pairs = zip(first.shape, second.shape, strict=True)
            sizes: list[tuple[Pair, Any]] = list(zip(pairs, symbolic.shape, strict=True))
            found += [*sizes, *products(sizes)]
        return found


def _factor(pair: Pair) -> int:
    """The largest number that divides both sizes, and leaves at least 2 of each."""
    return next(
        (k for k in range(math.gcd(*pair), 1, -1) if not pair[0] % k and not pair[1] % k and min(pair) >= LEAST * k), 1
    )


def _pairs_of_leaves(first: Sequence[Node], second: Sequence[Node]) -> Iterator[tuple[Pair, Place]]:
    """The sizes of leaves that differ, with their places."""
    for step, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.op is None and not a.inputs:
            for axis, pair in enumerate(zip(a.avals[0].shape, b.avals[0].shape, strict=True)):
                if pair[0] != pair[1]:
                    yield pair, Place(step, (axis,))


def not_for_symbols(op: Op, line: str, failed: Exception) -> NeedsSize:
    """The error for an op whose code `failed` with symbols."""
    lines = str(failed).splitlines()
    return NeedsSize(f"tf.{op!r} needs to know sizes: {lines[0] if lines else failed!r} (at {line})")
