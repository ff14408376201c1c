"""The state of the seeds: the effect of `tf.random.set_seed` and of the ops' seeds on the next draw.

With a global seed, each op draws from the stream of that seed and a second number. That number is the op's seed, or, in
the order of the calls, comes from Python's generator. An op with a seed continues its stream at the next call. Without
any seed the stream starts from the system's entropy.
"""

from __future__ import annotations

import operator
import os
import random
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.lock import binding
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.trace import here
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT

_LARGEST = 2**31 - 1
_DEFAULT_SEED = 87654321
_KEY_BITS = 63


@dataclass
class _Seeds:
    """The process's seeds.

    Attributes:
      chosen: the global seed, or None.
      numbers: generates the second number of ops without a seed.
      drawn: number of blocks drawn by (op, dtype, key, number, replica), for ops with seeds.
      positions: the stream positions held by programs, by number.
      free_key: the key of the stream without seeds.
      free_blocks: number of blocks drawn from it.
      allows_chance: whether draws without a seed are allowed.
    """

    chosen: int | None = None
    numbers: random.Random = field(default_factory=random.Random)
    drawn: dict[tuple[Any, ...], int] = field(default_factory=dict)
    positions: WeakValueDictionary[int, Any] = field(default_factory=WeakValueDictionary)
    free_key: int = field(default_factory=lambda: int.from_bytes(os.urandom(8), "little") >> (64 - _KEY_BITS))
    free_blocks: int = 0
    allows_chance: bool = True


_seeds = _Seeds()


def set_seed(seed: Any) -> None:
    """Restarts the streams of all ops with the number `seed`; None makes them random.

    Shapes: none.
    Dtypes: none.
    Raises: TypeError if `seed` is not a number.
    Source: TF 2.21 `tf.random.set_seed`.
    """
    _seeds.chosen = None if seed is None else _whole(seed)
    _seeds.numbers = random.Random(seed if isinstance(seed, float) else _seeds.chosen)
    _seeds.drawn.clear()
    for position in list(_seeds.positions.values()):
        position.restart()


def forbid_chance() -> None:
    """Makes every later draw without a seed raise RuntimeError."""
    _seeds.allows_chance = False


def allow_chance() -> None:
    """Revokes `forbid_chance`."""
    _seeds.allows_chance = True


def require_chance(name: str) -> None:
    """Raises RuntimeError in the name of `name` if draws without a seed are forbidden."""
    if not _seeds.allows_chance:
        raise RuntimeError(
            f"{name}: Random ops require a seed to be set when determinism is enabled; call tf.random.set_seed first."
        )


def global_seed() -> int | None:
    """The global seed, or None."""
    return _seeds.chosen


def is_seeded(seed: Any) -> bool:
    """Whether a draw with the op's `seed` is determined by a seed."""
    return seed is not None or _seeds.chosen is not None


def next_pair(seed: Any) -> tuple[int, int] | None:
    """The key and the number for a draw of an op with `seed`; None without any seed. Consumes a generated number."""
    if not is_seeded(seed):
        require_chance("tf.random")
        return None
    number = _seeds.numbers.randint(0, _LARGEST) if seed is None else _whole(seed)
    key = _DEFAULT_SEED if _seeds.chosen is None else _seeds.chosen
    return _pair(key, number)


def pass_over(seed: Any) -> None:
    """Consumes the number that TensorFlow generates for an op with `seed` whose result does not depend on it."""
    if seed is None and here.graph is not None and is_seeded(None):
        here.graph.next_number()
    else:
        next_pair(seed)


def _whole(seed: Any) -> int:
    """The integer for a seed, as TensorFlow's kernels take it: fractions are cut off."""
    return int(seed) if isinstance(seed, float | np.floating) else operator.index(seed)


def _pair(key: int, number: int) -> tuple[int, int]:
    """The two seeds of a stream. TensorFlow replaces two zeros, which mean "without a seed" to its kernels."""
    pair = (key % _LARGEST, number % _LARGEST)
    return (0, _LARGEST) if pair == (0, 0) else pair


def reserve(op: str, dtype: Any, seed: Any, blocks: int) -> tuple[int, int, int]:
    """The key and the two halves of the counter for a draw of `blocks` blocks by `op` with `seed`."""
    pair = next_pair(seed)
    if pair is None:
        return _reserve_free(blocks)
    key, number = pair
    if seed is None:
        return key, 0, number
    # In TensorFlow each device has kernels of its own, which continue their own streams.
    replica = None if recorder.place is None else recorder.place.replica
    return key, _taken((op, dtype, key, number, replica or 0), blocks), number


def _taken(place: tuple[Any, ...], blocks: int) -> int:
    """The number of the first of the next `blocks` blocks at `place`, which no other thread gets."""
    with binding:
        start = _seeds.drawn.get(place, 0)
        _seeds.drawn[place] = start + blocks
    return start


def reserve_eagerly(op: str, dtype: Any, seed: Any, blocks: int) -> tuple[int, int, int]:
    """As `reserve`, for code that is not traced, which may run in a call of a function."""
    return reserve(op, dtype, seed, blocks) if here.untraced is None else here.untraced.draw(seed, blocks)


def _reserve_free(blocks: int) -> tuple[int, int, int]:
    """The same for a draw without any seed."""
    with binding:
        start = _seeds.free_blocks
        _seeds.free_blocks += blocks
    return _seeds.free_key, start, 0


class CallStream:
    """The stream of an op with `seed` in a function that is being traced: each call reserves `blocks` blocks.

    It uses the seeds at the time of tracing. The stream continues from call to call until the global seed is set again.
    """

    def __init__(self, seed: Any, blocks: int, number: int) -> None:
        """`number` takes the place of `seed` if that is None."""
        self._is_seeded = is_seeded(seed)
        if not self._is_seeded:
            require_chance("tf.random")
        key = _DEFAULT_SEED if _seeds.chosen is None else _seeds.chosen
        self._key, self._number = _pair(key, number if seed is None else _whole(seed))
        self._blocks = blocks
        self._place = object()

    @property
    def seeds(self) -> Any:
        """The two seeds; None if they are left to chance."""
        return (self._key, self._number) if self._is_seeded else None

    def __call__(self) -> tuple[int, int, int]:
        """The key and the two halves of the counter for a call."""
        return self.reserved(self._blocks)

    def reserved(self, blocks: int) -> tuple[int, int, int]:
        """The key and the two halves of the counter for the next `blocks` blocks."""
        if not self._is_seeded:
            require_chance("tf.random")
            return _reserve_free(blocks)
        return self._key, _taken((self._place,), blocks), self._number

    def give_back(self, blocks: int) -> None:
        """Takes the last `blocks` blocks that were reserved for not drawn."""
        with binding:
            if self._is_seeded and (self._place,) in _seeds.drawn:
                _seeds.drawn[self._place,] -= blocks

    @property
    def position(self) -> int:
        """How many blocks have been reserved, for `return_to`."""
        return _seeds.drawn.get((self._place,), 0)

    def go_to(self, position: int) -> None:
        """Makes the next call draw from `position`, the number of blocks before it."""
        with binding:
            _seeds.drawn[self._place,] = position

    def return_to(self, position: int) -> None:
        """Makes the next call draw from `position` again, where a call has drawn, if the stream is seeded.

        It does not if another thread has drawn or has set the seeds meanwhile.
        """
        if not self._is_seeded:
            return
        with binding:
            end = self.position if is_open(self._blocks) else position + self._blocks
            if position < end == self.position:
                _seeds.drawn[self._place,] = position

    def restart(self) -> None:
        """Makes the next call the first one again."""
        _seeds.drawn.pop((self._place,), None)

    def first(self) -> tuple[int, int, int]:
        """The result of the first call, if the stream is seeded."""
        return self._key, 0, self._number

    def restarts(self, position: Any) -> None:
        """Registers `position` to restart when the global seed is set."""
        _seeds.positions[position._number] = position

    @property
    def is_seeded(self) -> bool:
        """Whether a seed determines the numbers."""
        return self._is_seeded

    @property
    def blocks(self) -> Any:
        """The number of blocks that each call reserves; it may contain symbols."""
        return self._blocks

    def of_blocks(self, blocks: int) -> CallStream:
        """The same stream for calls that reserve `blocks` blocks."""
        stream = object.__new__(type(self))
        stream.__dict__.update(self.__dict__)
        stream._blocks = blocks
        return stream

    def again(self) -> CallStream:
        """The same stream from its start, for the op as part of another function."""
        stream = object.__new__(CallStream)
        stream.__dict__.update(self.__dict__)
        stream._place = object()
        return stream

    def go_on_with(self, other: CallStream) -> None:
        """Makes this and `other` one stream, for an op that is traced again for other sizes."""
        self._place = other._place


def traced_stream(seed: Any, blocks: int) -> CallStream:
    """The stream of a draw of `blocks` blocks by an op with `seed` in the function that is being traced."""
    return CallStream(seed, blocks, here.graph.next_number() if seed is None else 0)


class ChanceStream(CallStream):
    """The stream of an op without any seed, in a function that is being traced."""

    def __init__(self, blocks: int) -> None:
        self._is_seeded = False
        self._key = self._number = 0
        self._blocks = blocks
        self._place = object()


class _KernelStream(CallStream):
    """The stream of a kernel in a graph of TensorFlow, which has two seeds; both are 0 if they are left to chance."""

    def __init__(self, place: Any, pair: tuple[int, int], blocks: int) -> None:
        self._is_seeded = pair != (0, 0)
        if not self._is_seeded:
            require_chance("tf.random")
        self._key, self._number = pair
        self._blocks = blocks
        self._place = place


def kernel_stream(place: Any, pair: tuple[int, int], blocks: int) -> list[Any]:
    """The stream, as the arguments of ops, for a draw of `blocks` blocks by the kernel at `place` with two seeds.

    It continues from call to call.
    """
    found = _KernelStream(place, pair, blocks)
    if here.graph is not None:
        key, low, high = here.graph.draw(found)
        return [low, high, key]
    key, low, high = found()
    return [low, high, Tensor(np.array(key, np.int64))]


def chance_stream(name: str, blocks: int) -> list[Any]:
    """The stream, as the arguments of ops, for a draw of `blocks` blocks by the op `name`, whatever the seed."""
    require_chance(name)
    if here.graph is not None:
        key, low, high = here.graph.draw(ChanceStream(blocks))
        return [low, high, key]
    key, low, high = _reserve_free(blocks)
    return [low, high, Tensor(np.array(key, np.int64))]


def stream(op: str, dtype: Any, seed: Any, count: int) -> list[Any]:
    """The stream, as the arguments of ops, for a draw of `count` elements by `op` with `seed`."""
    return block_stream(op, dtype, seed, count * BLOCKS_PER_ELEMENT)


def block_stream(op: str, dtype: Any, seed: Any, blocks: int) -> list[Any]:
    """The stream, as the arguments of ops, for a draw of `blocks` blocks by `op` with `seed`."""
    if here.graph is not None:
        key, low, high = here.graph.draw(traced_stream(seed, blocks))
        return [low, high, key]
    key, low, high = reserve_eagerly(op, dtype, seed, blocks)
    return [low, high, Tensor(np.array(key, np.int64))]
