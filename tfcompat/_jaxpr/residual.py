"""The values that the derivative of a loop keeps of each iteration, and those that it computes again.

By default JAX keeps each value that a derivative multiplies by: of a sigmoid y both y and y (1 - y). They are written
to memory in each iteration, and read in the loop that goes backward. A product or a difference takes less time to
compute again than to write and read, while exponentials, sums and products of matrices take more.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._jaxpr.primitive import Name

_CHEAP = frozenset(
    (
        *(Name.ABS, Name.ADD, Name.CLAMP, Name.DIV, Name.INTEGER_POW, Name.MAX, Name.MIN, Name.MUL, Name.NEG),
        *(Name.SELECT_N, Name.SIGN, Name.SQUARE, Name.SUB),
    )
)
_LAYOUT = frozenset(
    (
        Name.BROADCAST_IN_DIM,
        Name.CONVERT_ELEMENT_TYPE,
        Name.RESHAPE,
        Name.SLICE,
        Name.SPLIT,
        Name.SQUEEZE,
        Name.TRANSPOSE,
    )
)
# Primitives that may have complex results of real operands.
_COMPLEX = frozenset((Name.COMPLEX, Name.EIG, Name.FFT))


def is_kept(primitive: Any, *operands: Any, **parameters: Any) -> bool:
    """Whether results of `primitive` are kept, as `jax.checkpoint` asks its policy.

    Arithmetic of whole numbers is not done again: random numbers consist of much of it. Complex numbers are: JAX rounds
    what it keeps by an op that takes none.
    """
    del parameters
    if primitive.name in _LAYOUT or primitive.name in _COMPLEX or any(map(_is_complex, operands)):
        return False
    return not (primitive.name in _CHEAP and jnp.issubdtype(operands[-1].dtype, jnp.floating))


def _is_complex(operand: Any) -> bool:
    return jnp.issubdtype(operand.dtype, jnp.complexfloating)
