"""`tf.random.Generator`: a stream of random numbers with its position in a variable."""

from __future__ import annotations

import math
import os
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, constant, convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.types.dtype import as_dtype, float32, int32, int64, uint64
from tfcompat._ops.array.joining import concat, split
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.random.algorithm import Algorithm, algorithm_number
from tfcompat._ops.random.binomial import draw_binomial
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT
from tfcompat._ops.random.stream import (
    dimensions,
    draw_all_integers,
    draw_normal,
    draw_truncated_normal,
    scaled_from,
    uniform_from,
)
from tfcompat._ops.random.walk import leading, together
from tfcompat._random.seed import require_chance
from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.variable import Variable

_WORD = (1 << 64) - 1
# TensorFlow reserves as much of the stream for four binomial numbers as for this number of other elements.
_RESERVED = 200


@op("random.Generator.skip", differentiable=False)
def advanced(state: Array, count: Array) -> Array:
    """The state after `count` more elements: its first two numbers are the halves of the counter."""
    low, high, key = state.astype(np.uint64)
    moved = low + count.astype(np.uint64) * np.uint64(BLOCKS_PER_ELEMENT)
    return jnp.stack((moved, high + (moved < low).astype(np.uint64), key)).astype(np.int64)


def _state_size(algorithm: int) -> int:
    """The number of integers in the state of a generator."""
    return 2 if algorithm == Algorithm.THREEFRY.value else 3


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator that starts from `seed`: an integer, or one integer for each element of the state.

    Shapes: [3]; [2] for Threefry.
    Dtypes: int64.
    Raises: ValueError for an unknown `alg`.
    Source: TF 2.21 `tf.random.create_rng_state`.
    """
    size = _state_size(algorithm_number("random.create_rng_state", alg))
    if isinstance(seed, int):
        parts = [seed >> 64 * place & _WORD for place in range(size)]
    else:
        parts = [int(part) & _WORD for part in np.asarray(seed).reshape(-1)[:size]]
        parts = [0] * (size - len(parts)) + parts
    return Tensor(np.array(parts, np.uint64).astype(np.int64))


class Generator(AutoTrackable):
    """A stream of random numbers, bit for bit TensorFlow's.

    Args:
      copy_from: another generator, whose state is copied.
      state: three integers; the first two are the counter, the last is the key. (Threefry has one integer for each.)
        A variable is used as it is: the generator changes it.
      alg: "philox" or "auto_select". "threefry" cannot draw numbers, as in TensorFlow on a CPU.

    Raises: ValueError unless `copy_from` alone or `state` with `alg` is given, or for a `state` of another size.
    Source: TF 2.21 `tf.random.Generator`.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None) or (state is None) != (alg is None):
            raise ValueError("tf.random.Generator: either copy_from or state and alg must be given; see from_seed.")
        self._algorithm = algorithm_number("random.Generator", alg) if copy_from is None else copy_from.algorithm
        value = self._checked(state) if copy_from is None else copy_from.state.read_value()
        self._made_in = recorder.place and recorder.place.strategy
        is_variable = isinstance(state, Variable)
        self._state_var = state if is_variable else Variable(value, trainable=False, dtype=int64, name="StateVar")

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with `state`, three integers."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers `seed` determines, an integer or up to three of them."""
        chosen = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, chosen), alg=chosen)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that starts from the system's entropy."""
        require_chance("tf.random.Generator.from_non_deterministic_state")
        chosen = algorithm_number("random.Generator", Algorithm.PHILOX if alg is None else alg)
        return cls(state=np.frombuffer(os.urandom(8 * _state_size(chosen)), np.int64), alg=chosen)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with `key`, an integer, and `counter`, two integers."""
        return cls(state=_joined(key, counter), alg=alg)

    def _checked(self, state: Any) -> Tensor:
        """`state` as a tensor. Raises ValueError if it has another size."""
        given = state.read_value() if isinstance(state, Variable) else convert_to_tensor(state, dtype_hint=int64)
        size = _state_size(self._algorithm)
        if tuple(given.shape) != (size,):
            raise ValueError(f"tf.random.Generator: state must have shape [{size}], got shape {tuple(given.shape)}.")
        return cast(given, int64)

    def reset(self, state: Any) -> None:
        """Sets the state, three integers."""
        self._state_var.assign(self._checked(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Starts again from `seed`."""
        self._state_var.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Sets the key, an integer, and the counter, two integers."""
        self._state_var.assign(self._checked(_joined(key, counter)))

    @property
    def state(self) -> Variable:
        """The variable that holds the state: two numbers of the counter, and the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the generator's algorithm in `tf.random.Algorithm`."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key."""
        return self._state_var[-1]

    def skip(self, delta: Any) -> Tensor:
        """Advances the state as if `delta` elements had been drawn. Returns the previous state.

        Raises: UnimplementedError for Threefry.
        """
        if self._algorithm == Algorithm.THREEFRY.value:
            raise UnimplementedError.of("tf.random.Generator: Threefry is not supported on this device; use 'philox'.")
        before = self._state_var.read_value()
        given = as_tensor(delta)
        count = convert_to_tensor(delta, int64) if given is None else cast(given, int64)
        self._state_var.assign(advanced(before, count))
        return before

    def _stream(self, dims: tuple[int, ...]) -> list[Tensor]:
        state, place = self.skip(math.prod(dims)), recorder.place
        if place is None or place.replica is None:
            return [state]
        if not self._state_var._is_replicated and place.strategy is not self._made_in:
            return [state]
        # The key of each replica is drawn with the common key from the replica's own place in the stream.
        counter, key = split(state, [2, 1])
        own = draw_all_integers([concat([constant([place.replica, 0], int64), key], 0)], (1,), uint64)
        return [concat([counter, cast(own, int64)], 0)]

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Normal numbers of `shape` with mean `mean` and standard deviation `stddev`, which broadcast."""
        del name
        dims = dimensions("random.Generator.normal", shape)
        place = "random.Generator.normal"
        return scaled_from(place, draw_normal, self._stream(dims), dims, mean, stddev, as_dtype(dtype))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Normal numbers of `shape` less than two `stddev` from `mean`."""
        del name
        dims = dimensions("random.Generator.truncated_normal", shape)
        place = "random.Generator.truncated_normal"
        return scaled_from(place, draw_truncated_normal, self._stream(dims), dims, mean, stddev, as_dtype(dtype))

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Uniform numbers of `shape` from [`minval`, `maxval`); from the full range of `dtype` if both are None."""
        del name
        dims, wanted = dimensions("random.Generator.uniform", shape), as_dtype(dtype)
        if wanted.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"tf.random.Generator.uniform: minval and maxval must both be given or both be None for {wanted.name}, "
                f"got {minval} and {maxval}."
            )
        return uniform_from("random.Generator.uniform", self._stream(dims), dims, minval, maxval, wanted)

    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Any:
        """Uniform integers of `shape` from the full range of `dtype`."""
        del name
        dims = dimensions("random.Generator.uniform_full_int", shape)
        return draw_all_integers(self._stream(dims), dims, as_dtype(dtype))

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None) -> Any:
        """Binomial numbers of `shape` for `counts` trials with probability `probs`, which have its last axes."""
        del name
        place = "random.Generator.binomial"
        if self._algorithm != Algorithm.PHILOX.value:
            raise InvalidArgumentError.of(f"tf.{place}: alg must be 'philox', got number {self._algorithm}.")
        given, chances = convert_to_tensor(counts), convert_to_tensor(probs)
        batch, dims = together(place, given, chances), dimensions(place, shape)
        samples = math.prod(leading(place, dims, batch))
        before = self.skip(math.prod(batch) * _RESERVED * (samples + 3) // 4)
        return draw_binomial(place, given, chances, [before], dims, as_dtype(dtype))

    def make_seeds(self, count: int = 1) -> Any:
        """`count` seeds for stateless ops, as the columns of a [2, `count`] tensor of int64."""
        keys = self.uniform_full_int([count], int64)
        return convert_to_tensor([keys, np.zeros([count], np.int64)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators, independent of each other and of this one."""
        keys = self.uniform_full_int([count], int64).numpy()
        return [Generator(state=[0, 0, int(key)], alg=self._algorithm) for key in keys]


def _joined(key: Any, counter: Any) -> np.ndarray:
    return np.append(np.asarray(counter, np.int64), np.int64(key))


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The global generator, created at the first call from the system's entropy.

    Source: TF 2.21 `tf.random.get_global_generator`.
    """
    if not _global:
        require_chance("tf.random.get_global_generator")
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Sets the global generator.

    Source: TF 2.21 `tf.random.set_global_generator`.
    """
    _global[:] = [generator]
