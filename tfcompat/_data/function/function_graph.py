"""The trace of a function of elements, with branches and loops that the host runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._data.function.block_gradient import with_gradients_of_branches
from tfcompat._data.function.branch import HostBlock, merged_kind
from tfcompat._data.function.graph import ElementGraph, HostStep
from tfcompat._data.function.loop import looped, mapped
from tfcompat._data.function.stream import Streams


class FunctionGraph(ElementGraph):
    """The trace of a function of elements whose branches and loops the host may run."""

    __slots__ = ()

    def choose(self, op: str, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """The result of branch number `index`, or of the last one if `index` is out of range, which the host runs.

        Raises: TypeError if the results of branches have other structures or dtypes.
        """
        blocks = [HostBlock(f"tf.{op}", self, branch) for branch in branches]
        first = blocks[0]
        for block in blocks[1:]:
            nest.assert_same_structure(first.result, block.result, expand_composites=True)
            if list(map(_kind, block.leaves)) != list(map(_kind, first.leaves)):
                raise TypeError(
                    f"tf.{op}: branches must return values of the same dtypes, got {first.result} and {block.result}"
                )
        places = [k for k, leaf in enumerate(first.leaves) if leaf is not None]
        number = len(self.steps)

        def compute(
            values: Mapping[str, int], streams: Streams, place: np.ndarray, *arrays: np.ndarray
        ) -> list[np.ndarray]:
            chosen = int(place) if 0 <= int(place) < len(blocks) else len(blocks) - 1
            block = blocks[chosen]
            start = sum(len(before.captured) for before in blocks[:chosen])
            own = streams.inner((number, chosen), block.calls.plan)
            found = block(values, own, arrays[start : start + len(block.captured)])
            return [found[k] for k in places]

        captured = [tensor for block in blocks for tensor in block.captured]
        inputs = self.inputs([index, *captured])
        acts = not all(block.calls.is_pure for block in blocks)
        outputs = [merged_kind([block.kinds[k] for block in blocks]) for k in places]
        made = self.stepped(HostStep(op, compute, inputs, has_effects=acts, draws=True), outputs)
        made = with_gradients_of_branches(op, index, branches, captured, made)
        flat: list[Any] = [None] * len(first.leaves)
        for k, tensor in zip(places, made, strict=True):
            flat[k] = tensor
        return nest.pack_sequence_as(first.result, flat, expand_composites=True)

    def loop(self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum: Tensor | None) -> Any:
        """The state after the loop `tf.while_loop(cond, body, loop_vars)`, which the host runs."""
        return looped(self, cond, body, loop_vars, maximum)

    def map_rows(
        self, function: Callable[..., Any], rows: Sequence[Tensor], joined: Sequence[bool] | None = None
    ) -> list[Tensor]:
        """`function` of each row of the tensors `rows`, stacked or `joined`, which the host computes."""
        return mapped(self, function, rows, joined)


def _kind(leaf: Any) -> Any:
    return None if leaf is None else leaf.dtype
