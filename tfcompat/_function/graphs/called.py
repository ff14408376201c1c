"""Python functions that programs call.

Each call has a number, which is drawn when the program starts; in a loop, each iteration has its own. The results are
stored under that number. A program may repeat a call, for instance to compute the gradient of a loop or of a part that
has run already. Python is called once for each number, whatever XLA eliminates, shares or repeats. Programs make the
calls in the order of the trace, since each call takes the outcome of the previous one as an input.
"""

from __future__ import annotations

import functools
import itertools
import threading
import traceback
from collections.abc import Callable, Container, Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._autodiff.watcher import AccessWatcher, accessing
from tfcompat._core.calls.by_row import apart
from tfcompat._core.structure.check_outcome import python_errors
from tfcompat._core.system.callback import call_python
from tfcompat._core.system.error import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tfcompat._core.system.python_program import call_in, end
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import Aval
from tfcompat._function.graphs.answers import Answers, note_shapes
from tfcompat._random.seed import CallStream

# TensorFlow's error classes for exceptions of Python functions; the first match is used.
_CLASSES: tuple[tuple[Any, type[OpError]], ...] = (
    ((TypeError, ValueError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (BaseException, UnknownError),
)
# The results of calls under a tape are kept for the gradient until this many other runs have started.
_MOST_HELD = 8
# After a failed call, later ones are skipped. After this many an error ends the program: it may loop until one works.
_MOST_SKIPPED = 1000
_DONE, _FAILED = np.zeros((), np.int32), np.ones((), np.int32)
_numbers = itertools.count()

Arrays = Sequence[np.ndarray]
# From the cotangents of some outputs, by number, to those of the inputs.
Pull = Callable[[dict[int, np.ndarray]], Arrays]


class Answer(NamedTuple):
    """The results of a Python function.

    Attributes:
      values: the arrays.
      pull: its derivative, if it has one.
    """

    values: Arrays
    pull: Pull | None = None


def error_for(name: str, error: BaseException) -> OpError:
    """TensorFlow's error for the exception `error` of a Python function that `tf.NAME` called."""
    kind = next(found for kinds, found in _CLASSES if isinstance(error, kinds))
    raised_by_op = kind.of(f"tf.{name}: {type(error).__name__}: {error}")
    raised_by_op.__cause__ = error
    return raised_by_op


@contextmanager
def _computing() -> Generator[None]:
    """A context whose ops are recorded in a trace of their own, and computed at its end."""
    with apart():
        yield
        here.trace.flush("python")


@contextmanager
def observed() -> Generator[AccessWatcher]:
    """As `_computing`, with what registers the variables that the ops read or assign."""
    with _computing(), accessing() as watcher:
        yield watcher


class _Start:
    """Shared by the calls of all sites in one run of a program.

    Attributes:
      skipped: how many calls were skipped since one failed; None if no call failed.
      message: the message of the check that the failed call did not fail.
    """

    def __init__(self) -> None:
        self.skipped: int | None = None
        self.message: str | None = None


@contextmanager
def starting() -> Generator[None]:
    """A context in which one program starts, so that its calls end with the first one that fails."""
    outer, here.start = here.start, _Start()
    try:
        yield
    finally:
        here.start = outer


class _Run:
    """The calls of one site in one run of a program.

    Attributes:
      thread: the thread that started the run.
      answers: the results, by the last two integers of the calls' numbers.
      start: whether a call of this run has failed, at any site.
      is_held: whether a tape may repeat these calls.
      kept: what keeps the results for code that may run again, or None.
    """

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.answers: dict[tuple[int, int], Answer] = {}
        self.start: _Start = _Start() if here.start is None else here.start
        self.is_held = bool(here.tapes)
        self.kept: Answers | None = here.answers


class Site(CallStream):
    """A place in a function's trace where `call` is called with the values of its inputs.

    It is a stream of numbers, like those of the seeds: each start of a program draws one.

    Attributes:
      message: the message of the program's check that calls don't fail.
      function: the name of the called function in `answers.py`; None if results can't be kept.
    """

    _is_seeded = False

    def __init__(self, name: str, call: Callable[[Arrays], Answer], function: Hashable = None) -> None:
        self.name = name
        self.function = function
        self._call = call
        self.message = f"call {next(_numbers)} of a Python function failed."
        self._runs: dict[int, _Run] = {}

    def __call__(self) -> tuple[int, int, int]:
        """Draws the number for the calls of a program that is about to start. Forgets the results of earlier runs.

        Keeps the runs under a tape, those without results (a program may call this site in several places), and those
        of other threads.
        """
        number, run = next(_numbers), _Run()
        mine = [number for number, known in list(self._runs.items()) if known.thread == run.thread]
        held = [number for number in mine if self._runs[number].is_held or not self._runs[number].answers]
        for known in set(mine).difference(held[1 - _MOST_HELD :]):
            del self._runs[known]
        self._runs[number] = run
        return number, 0, 0

    def again(self) -> Site:
        """This site: another function that calls the function of this one draws numbers of its own."""
        return self

    def of_blocks(self, blocks: int) -> Site:
        """This site, whatever the sizes are."""
        del blocks
        return self

    def go_on_with(self, other: CallStream) -> None:
        """Nothing: the numbers of calls belong to programs, and do not continue."""
        del other

    def restart(self) -> None:
        """Nothing: the numbers of calls are those of programs."""

    @property
    def blocks(self) -> int:
        """No blocks of random numbers."""
        return 0

    def answer(self, key: np.ndarray, arrays: Arrays) -> Answer | None:
        """The results of the call `key`; None if it fails, or if an earlier call of the same run has failed."""
        number, low, high = map(int, key)
        run = self._runs.get(number)
        if run is None:
            run = _Run()
        if (low, high) in run.answers:
            return run.answers[low, high]
        if run.start.skipped is not None:
            return self.skip(key)
        answer = call_in(run.thread, functools.partial(self._called, arrays, run))
        if answer is None:
            self._end(run.start)
        else:
            run.answers[low, high] = answer
        return answer

    def _end(self, start: _Start) -> None:
        """Makes later calls of the same run be skipped, since one of this site has failed."""
        if start.skipped is None:
            start.skipped, start.message = 0, self.message

    def skip(self, key: np.ndarray) -> None:
        """Takes that the call `key` is not made. Raises an error if very many are not."""
        run = self._runs.get(int(key[0]))
        if run is not None:
            start = run.start
            start.skipped = 1 + (start.skipped or 0)
            if start.skipped > _MOST_SKIPPED:
                found = python_errors.pop((start.message or self.message, run.thread), None)
                end(run.thread, found or UnknownError.of(f"tf.{self.name}: calls failed."))

    def thread(self, key: np.ndarray) -> int:
        """The thread that started the program that makes the call `key`."""
        run = self._runs.get(int(key[0]))
        return threading.get_ident() if run is None else run.thread

    def refuse(self, key: np.ndarray, error: Exception) -> None:
        """Makes the call `key`, whose results are refused, fail with `error`."""
        run = self._runs.get(int(key[0]))
        if run is not None:
            self._end(run.start)
        self.fail(error, self.thread(key))

    def _called(self, arrays: Arrays, run: _Run) -> Answer | None:
        try:
            if run.kept is not None:
                return run.kept.call(self.function, functools.partial(self._observed, arrays, run.kept))
            with _computing():
                return self._call(arrays)
        except Exception as error:
            self.fail(error, run.thread)
            return None

    def _observed(self, arrays: Arrays, kept: Answers) -> Answer:
        """The results of a call. Raises UnknownError if it uses variables that the program assigns."""
        with observed() as watcher:
            answer = self._call(arrays)
        shapes = None if watcher.variables else tuple([value.shape for value in answer.values])
        note_shapes(self.function, [array.shape for array in arrays], shapes)
        if not kept.assigned.isdisjoint(watcher.variables):
            kept.is_unfit = True
            names = ", ".join(watcher.variables[number].name for number in kept.assigned & watcher.variables.keys())
            raise UnknownError.of(
                f"tf.{self.name}: the Python function uses variables that the tf.function around it assigns ({names}); "
                "pass their values in `inp`."
            )
        return answer

    def refuse_shape(self, key: np.ndarray) -> None:
        """Notes that the call `key` has returned an array of another shape than the program expects."""
        run = self._runs.get(int(key[0]))
        if run is not None and run.kept is not None:
            run.kept.is_unexpected = True

    def fail(self, error: Exception, thread: int) -> None:
        """Stores `error` as the one to raise when the program that `thread` has started reports a failed call."""
        raised_by_op = error_for(self.name, error)
        lines = "".join(traceback.format_exception(error))
        detailed = type(raised_by_op).of(f"{raised_by_op.message}\n{lines}")
        detailed.__cause__ = error
        python_errors[self.message, thread] = detailed


class Step:
    """The function of an op: some outputs of a call on arrays, followed by a flag that is nonzero if it failed.

    It takes the number of the call, the flag of the previous call, a value that must be computed before the call, and
    the call's inputs. Python computes the gradient too. The gradient is not differentiable, as in TensorFlow.
    """

    def __init__(
        self,
        site: Site,
        outputs: Sequence[tuple[int, Aval]],
        *,
        has_gradient: bool,
        reshapes: bool,
        expected: Container[int],
    ) -> None:
        """The step for `outputs` of a call. If `reshapes`, they are reshaped; otherwise another shape is an error.

        The shapes of those with the numbers `expected` are only what earlier calls have returned.
        """
        self._site = site
        self._outputs = outputs
        self._reshapes = reshapes
        self._expected = expected
        self._run: Any = self._forward
        if has_gradient:
            self._run = jax.custom_vjp(self._forward)
            self._run.defvjp(self._kept, self._backward)

    def __call__(self, key: Any, before: Any, order: Any, *arrays: Any) -> tuple[Any, ...]:
        return tuple(self._run(key, before, order, *arrays))

    def _forward(self, key: Any, before: Any, order: Any, *arrays: Any) -> tuple[Any, ...]:
        structs = (*[aval.struct for _, aval in self._outputs], jax.ShapeDtypeStruct((), np.int32))
        return call_python(self._on_host, structs, key, before, order, *arrays)

    def _on_host(self, key: Any, before: Any, order: Any, *arrays: Any) -> tuple[np.ndarray, ...]:
        del order
        site = self._site
        answer = site.skip(key) if before else site.answer(key, list(map(np.asarray, arrays)))
        try:
            if answer is not None:
                return (*[self._fitting(answer.values[k], aval, key, k) for k, aval in self._outputs], _DONE)
        except ValueError as error:
            site.refuse(key, error)
        return (*[np.zeros(aval.shape, aval.struct.dtype) for _, aval in self._outputs], _FAILED)

    def _fitting(self, value: np.ndarray, aval: Aval, key: np.ndarray, place: int) -> np.ndarray:
        if value.shape != aval.shape and not (self._reshapes and value.size == aval.size):
            if place in self._expected:
                self._site.refuse_shape(key)
            raise ValueError(f"the Python function returned an array of shape {value.shape}, expected {aval.shape}")
        return value.reshape(aval.shape)

    def _kept(self, key: Any, before: Any, order: Any, *arrays: Any) -> tuple[Any, Any]:
        return self._forward(key, before, order, *arrays), (key, arrays)

    def _backward(self, kept: Any, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        key, arrays = kept
        given = [k for k, (_, aval) in enumerate(self._outputs) if jnp.issubdtype(aval.struct.dtype, jnp.inexact)]
        wanted = [k for k, array in enumerate(arrays) if jnp.issubdtype(array.dtype, jnp.inexact)]
        values = (*arrays, *[cotangents[k] for k in given])

        def pull(key: Any, *bits: Any) -> tuple[np.ndarray, ...]:
            read = [np.asarray(x).view(like.dtype) for x, like in zip(bits, values, strict=True)]
            upstream = dict(zip([self._outputs[k][0] for k in given], read[len(arrays) :], strict=True))
            return self._pulled(key, read[: len(arrays)], upstream, wanted)

        structs = tuple(jax.ShapeDtypeStruct(arrays[k].shape, arrays[k].dtype) for k in wanted)
        found = call_python(pull, structs, key, *map(_as_bits, values))
        gradients: list[Any] = [None] * len(arrays)
        for k, gradient in zip(wanted, found, strict=True):
            gradients[k] = gradient
        return (None, None, None, *gradients)

    def _pulled(
        self, key: Any, arrays: Arrays, upstream: dict[int, np.ndarray], wanted: Sequence[int]
    ) -> tuple[np.ndarray, ...]:
        answer = self._site.answer(key, arrays)
        if answer is None or answer.pull is None or any(answer.values[k].size != x.size for k, x in upstream.items()):
            return tuple(np.zeros_like(arrays[k]) for k in wanted)
        # JAX's cotangents of complex numbers are the conjugates of TensorFlow's.
        shaped = {k: np.conj(gradient).reshape(answer.values[k].shape) for k, gradient in upstream.items()}
        found = call_in(self._site.thread(key), functools.partial(_pulled, answer.pull, shaped))
        return tuple(np.conj(found[k]) for k in wanted)


def _pulled(pull: Pull, upstream: dict[int, np.ndarray]) -> Arrays:
    with _computing():
        return pull(upstream)


def _as_bits(array: Any) -> Any:
    """`array` as integers, so that results computed from it have no derivative."""
    if jnp.issubdtype(array.dtype, jnp.floating):
        return jax.lax.bitcast_convert_type(array, np.dtype(f"uint{8 * array.dtype.itemsize}"))
    return jax.lax.stop_gradient(array)
