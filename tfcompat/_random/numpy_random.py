"""NumPy's random numbers: TensorFlow's streams, drawn in float64 and int64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32, int64
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.numpy_like.promotion import asarray, default_float, result_type
from tfcompat._random import random as streams
from tfcompat._random.seed import set_seed


def seed(s: Any) -> None:
    """Restarts the streams of all ops with the integer seed `s`.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if `s` is not an integer.
    Source: TF 2.21 `tf.experimental.numpy.random.seed`.
    """
    try:
        set_seed(int(s))
    except TypeError:
        raise ValueError(f"tf.experimental.numpy.random.seed: s must be an integer, got {s!r}.") from None


def _dims(size: Any) -> Any:
    """The argument `size` as a shape."""
    if size is None:
        return ()
    return (size,) if np.ndim(size) == 0 else size


def randn(*args: Any) -> Tensor:
    """Normal numbers, of the shape `args`.

    Shapes: -> args.
    Dtypes: -> float64.
    Source: TF 2.21 `tf.experimental.numpy.random.randn`.
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Tensor:
    """Normal numbers, of the shape `size`.

    Shapes: -> size, a number or a list of them.
    Dtypes: -> float64.
    Source: TF 2.21 `tf.experimental.numpy.random.standard_normal`.
    """
    return streams.normal(_dims(size), dtype=default_float())


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Uniform numbers in [`low`, `high`), of the shape `size`.

    Shapes: two shapes that broadcast -> size, a list; their broadcast shape without size.
    Dtypes: numbers -> float64.
    Source: TF 2.21 `tf.experimental.numpy.random.uniform`.
    """
    lowest, highest = asarray(low, default_float()), asarray(high, default_float())
    shape = broadcast_shapes(lowest._aval.shape, highest._aval.shape) if size is None else size
    return streams.uniform(shape, lowest, highest, default_float())


def random(size: Any = None) -> Tensor:
    """Uniform numbers in [0, 1), of the shape `size`.

    Shapes: -> size, a list.
    Dtypes: -> float64.
    Source: TF 2.21 `tf.experimental.numpy.random.random`.
    """
    return uniform(size=size)


def rand(*size: Any) -> Tensor:
    """Uniform numbers in [0, 1), of the shape `size`.

    Shapes: -> size.
    Dtypes: -> float64.
    Source: TF 2.21 `tf.experimental.numpy.random.rand`.
    """
    return uniform(size=size)


def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Poisson numbers with the mean `lam`, of the shape `size` for each element of `lam`.

    Shapes: [*dims] -> size, then dims.
    Dtypes: numbers -> int64.
    Source: TF 2.21 `tf.experimental.numpy.random.poisson`.
    """
    return streams.poisson(_dims(size), lam, int64)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Tensor:
    """Uniform integers in [`low`, `high`), or in [0, `low`) without `high`, of the shape `size`.

    Shapes: -> size, a number or a list of them.
    Dtypes: -> int32 or int64.
    Raises: ValueError for another `dtype`.
    Source: TF 2.21 `tf.experimental.numpy.random.randint`.
    """
    wanted = result_type(dtype)
    if wanted not in (int32, int64):
        raise ValueError(f"tf.experimental.numpy.random.randint: dtype must be int32 or int64, got {dtype}.")
    first, last = (0, int(low)) if high is None else (int(low), high)
    return streams.uniform(_dims(size), first, last, wanted)
