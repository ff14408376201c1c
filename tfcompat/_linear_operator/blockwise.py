"""The base of operators that consist of blocks: their products and solutions also take one tensor for each block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import expand_dims, squeeze


class Blockwise(LinearOperator):
    """An operator whose products and solutions take a tensor, or a list with a tensor for each block."""

    def _block_sizes(self, adjoint: bool) -> list[int]:
        """The number of columns of each block, or with `adjoint` that of its rows."""
        raise NotImplementedError

    def _products(self, parts: Sequence[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        """The product for each block of rows."""
        raise NotImplementedError

    def _solutions(self, parts: Sequence[Any], adjoint: bool) -> list[Any]:
        """The solution for each block."""
        raise NotImplementedError

    def _blocks(self, x: Any, axis: int, wanted: list[int]) -> list[Any] | None:
        """The parts of `x`, one for each block, if it is such a list; else None. Raises ValueError or TypeError."""
        if not isinstance(x, (list, tuple)) or len(x) != len(wanted):
            return None
        if any(isinstance(part, (list, tuple)) for part in x):
            sizes = [convert_to_tensor(part)._aval.shape[axis] for part in x]
            if sizes != wanted:
                if len(set(sizes)) == 1 and sizes[0] >= sum(wanted):
                    return None
                raise ValueError(f"{self.name}: axis {axis} of the parts must have sizes {wanted}, got {sizes}.")
        return [self._argument(part, "each part", axis, size) for part, size in zip(x, wanted, strict=True)]

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product of the matrix and `x`. `adjoint` and `adjoint_arg` take the conjugate transposes of the factors.

        `x` is a tensor, a list with one tensor for each block, or another operator.
        """
        parts = self._blocks(x, -1 if adjoint_arg else -2, self._block_sizes(adjoint))
        if parts is None:
            return super().matmul(x, adjoint, adjoint_arg, name)
        return self._products(parts, adjoint, adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product of the matrix, or its conjugate transpose with `adjoint`, and the vectors `x`, or a list."""
        parts = self._blocks(x, -1, self._block_sizes(adjoint))
        if parts is None:
            return super().matvec(x, adjoint, name)
        return [squeeze(y, -1) for y in self._products([expand_dims(part, -1) for part in parts], adjoint, False)]

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """The solutions of the linear systems with the matrix, or its conjugate transpose with `adjoint`, and `rhs`.

        `rhs` is a tensor, a list with one tensor for each block, or another operator. Raises NotImplementedError if the
        operator is known to be singular, or not square.
        """
        self._require_solvable()
        parts = self._blocks(rhs, -1 if adjoint_arg else -2, self._block_sizes(adjoint))
        if parts is None:
            return super().solve(rhs, adjoint, adjoint_arg, name)
        return self._solutions([adjoint_of(part) for part in parts] if adjoint_arg else parts, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The solutions of systems with the matrix, or its conjugate transpose with `adjoint`, and vectors, or a list.

        Raises NotImplementedError if the operator is known to be singular, or not square.
        """
        self._require_solvable()
        parts = self._blocks(rhs, -1, self._block_sizes(adjoint))
        if parts is None:
            return super().solvevec(rhs, adjoint, name)
        return [squeeze(x, -1) for x in self._solutions([expand_dims(part, -1) for part in parts], adjoint)]
