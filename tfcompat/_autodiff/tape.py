"""`tf.GradientTape`: an interval of the trace with what it watches."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfcompat._autodiff import jacobian as jacobians
from tfcompat._autodiff.backward import CustomCall, Dense, Gradient, Rows, Span, backward, zeros
from tfcompat._autodiff.explanation import explanation
from tfcompat._core import nest
from tfcompat._core.aval import Aval
from tfcompat._core.convert import as_tensor, convert_to_tensor
from tfcompat._core.display import listing
from tfcompat._core.dtype import TRAINABLE, as_dtype, int32
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import differentiable
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace, here, resume, start_step
from tfcompat._ops.indexed_slices import IndexedSlices
from tfcompat._ops.layout import broadcast_to
from tfcompat._state.variable import Variable

logger = logging.getLogger("tensorflow")


class UnconnectedGradients(enum.Enum):
    """What a gradient is where target and source are not connected.

    Source: TF 2.21 `tf.UnconnectedGradients`.
    """

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records what is computed in its context, for gradients.

    Args:
      persistent: whether gradients may be asked for more than once; the tape then holds what it recorded until it is
        deleted.
      watch_accessed_variables: whether trainable variables are watched as they are read.

    Source: TF 2.21 `tf.GradientTape`.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_accessed = watch_accessed_variables
        self._trace: Trace | None = None
        self._is_recording = False
        self._variables: dict[int, tuple[Variable, list[int]]] = {}
        self._clear()

    def _clear(self) -> None:
        self._intervals: list[tuple[int, int]] = []
        self._start = 0
        self._watched: list[tuple[int, int]] = []
        self._touched: dict[int, Tensor] = {}
        self._followed: set[int] = set()
        self.customs: dict[int, CustomCall] = {}

    def __enter__(self) -> GradientTape:
        if self._is_recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._resume()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._is_recording:
            self._pause()

    def __del__(self) -> None:
        trace = getattr(self, "_trace", None)
        if trace is not None:
            self._trace = None
            trace.release()

    def _resume(self) -> None:
        if self._trace is None:
            if not here.tapes:
                start_step()
            if self._intervals or self._variables:
                self._clear()
                self._variables = {}
            self._trace = here.trace
            self._trace.hold(self)
        elif here.trace is not self._trace:
            if here.tapes:
                raise NotImplementedError(
                    "tf.GradientTape: re-entering a tape inside another one that began after it is not supported; use a new tape."
                )
            resume(self._trace)
        self._start = self._trace.node.slot
        self._is_recording = True
        here.tapes.append(self)

    def _pause(self) -> None:
        assert self._trace is not None
        here.tapes.remove(self)
        self._is_recording = False
        self._intervals.append((self._start, self._trace.node.slot))

    def holds(self, trace: Trace) -> bool:
        """Whether this tape may still replay `trace`."""
        return trace is self._trace

    def _consume(self) -> None:
        trace = self._trace
        self._trace = None
        self._touched = {}
        self.customs = {}
        if trace is not None:
            trace.release()

    def touch(self, variable: Variable) -> None:
        """Notes that `variable` is being read."""
        tensor = variable._tensor
        if id(tensor) in self._touched:
            return
        if (self._watches_accessed and variable._trainable) or variable._number in self._followed:
            self._touch(variable, tensor)

    def _touch(self, variable: Variable, tensor: Tensor) -> None:
        trace = self._trace
        assert trace is not None
        slot = trace.slot_of(tensor)
        self._touched[id(tensor)] = tensor
        self._variables.setdefault(variable._number, (variable, []))[1].append(slot)
        if differentiable(tensor._aval):
            self._watched.append((slot, trace.node.slot))

    def watch(self, tensor: Any) -> None:
        """Records what is computed from `tensor`, a tensor, a variable or a nested structure of them, from now on.

        Raises: ValueError for anything else; AttributeError outside of the tape's context before it was ever entered.
        """
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not isinstance(leaf, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {leaf} of type {type(leaf).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType."
                )
            if as_dtype(leaf.dtype) not in TRAINABLE:
                logger.warning("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", leaf.dtype)
            if self._trace is None:
                raise AttributeError(
                    "tf.GradientTape.watch: the tape has not been entered; call watch inside `with tf.GradientTape() as tape:`."
                )
            if isinstance(leaf, Variable):
                self._followed.add(leaf._number)
                self.touch(leaf)
            elif differentiable(leaf._aval):
                slot = self._trace.slot_of(leaf)
                self._watched.append((slot, self._trace.node.slot))

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pauses recording within its context. Raises RuntimeError if the tape is not recording."""
        if not self._is_recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def reset(self) -> None:
        """Forgets everything recorded and watched so far. Raises ValueError if the tape is not recording."""
        if not self._is_recording:
            raise ValueError("Tape is not recording.")
        self._clear()
        self._variables = {}
        assert self._trace is not None
        self._start = self._trace.node.slot

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched, in the order in which they were first read."""
        return tuple(variable for variable, _ in self._variables.values())

    def explain(self, target: Any, source: Any) -> str:
        """Why the gradient of `target` for `source` is None, in a sentence; or that there is one. Does not use the tape
        up.

        tfcompat's own: TensorFlow has no such method.
        """
        trace = self._trace
        if trace is None:
            return "The tape holds nothing any more: it is used up, or was never entered. Make it persistent, or ask before calling gradient."
        dtype = as_dtype(source.dtype)
        if dtype not in TRAINABLE:
            return f"The source is {dtype.name}: only floating and complex tensors carry gradients; convert with tf.cast before the tape."
        if as_dtype(target.dtype) not in TRAINABLE:
            return f"The target is {as_dtype(target.dtype).name}: only floating and complex tensors carry gradients."
        slots = self._slots(trace, source)
        if not slots:
            return self._unused(source)
        tensor = target._tensor if isinstance(target, Variable) else target
        slot = trace.find(tensor)
        if slot is None:
            return "The target is not part of what this tape recorded: it was computed elsewhere, or made anew from a NumPy or Python value."
        return explanation(trace, self._span(trace), slot, slots)

    def _unused(self, source: Any) -> str:
        if isinstance(source, Variable) and not source.trainable:
            return "The variable was not read through the tape: it is not trainable, so it is only watched by tape.watch(variable)."
        if isinstance(source, Variable) and not self._watches_accessed:
            return "The variable is not watched: the tape was made with watch_accessed_variables=False; call tape.watch(variable)."
        return "The source was not used while the tape was recording."

    def listing(self) -> str:
        """What the tape recorded, as a short program: see `tfcompat.listing`."""
        trace = self._trace
        return (
            "nothing: the tape is used up, or was never entered"
            if trace is None
            else listing(trace, {slot for slot, _ in self._watched})
        )

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of `target` for each of `sources`, in the structure of `sources`.

        Shapes: those of the sources. `output_gradients` has the structure of `target` and weighs its tensors.
        Dtypes: those of the sources.
        Gradient: recorded as ordinary steps, so an outer tape differentiates it.
        Raises: RuntimeError if the tape is used up; TypeError, ValueError, AttributeError and InvalidArgumentError as
          TensorFlow does.
        Source: TF 2.21 `tf.GradientTape.gradient`.
        """
        trace = self._begin(target)
        mode = _mode(unconnected_gradients)
        flat_sources, are_single = _sources(sources)
        targets = self._targets(trace, target, output_gradients)
        slots = [self._slots(trace, source) for source in flat_sources]
        answers = backward(trace, self._span(trace), targets, slots, self.customs)
        gradients = [
            _tensor_of(trace, answer) if answer is not None else _unconnected(source, mode)
            for answer, source in zip(answers, flat_sources, strict=True)
        ]
        if not self._persistent:
            self._consume()
        if are_single:
            return gradients[0]
        return (
            gradients
            if type(sources) is list and len(sources) == len(gradients)
            else nest.pack_sequence_as(sources, gradients)
        )

    def _begin(self, target: Any) -> Trace:
        """What every question to the tape begins with; the tape's trace is then the one recorded into."""
        if self._trace is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if self._is_recording:
            if self._persistent:
                logger.warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than calling it "
                    "outside the context (it causes the gradient ops to be recorded on the tape, leading to increased CPU and memory usage)."
                )
            else:
                self._pause()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be differentiated, "
                "but received None."
            )
        resume(self._trace)
        return self._trace

    def _span(self, trace: Trace) -> Span:
        intervals = (*self._intervals, (self._start, trace.node.slot)) if self._is_recording else tuple(self._intervals)
        return Span(intervals, tuple(self._watched))

    def _slots(self, trace: Trace, source: Any) -> tuple[int, ...]:
        if isinstance(source, Variable):
            entry = self._variables.get(source._number)
            if entry is not None:
                return tuple(entry[1])
            source = source._tensor
        slot = trace.find(source)
        return () if slot is None else (slot,)

    def _targets(self, trace: Trace, target: Any, output_gradients: Any) -> list[tuple[int, int | None]]:
        if type(target) is Tensor and output_gradients is None and differentiable(target._aval):
            return [(trace.slot_of(target), None)]
        flat = [target] if type(target) is Tensor else nest.flatten(target)
        cotangents: list[Any] = [None] * len(flat)
        if output_gradients is not None:
            cotangents = nest.flatten(output_gradients)
            if len(cotangents) != len(flat):
                raise ValueError(
                    f"tf.GradientTape.gradient: output_gradients has {len(cotangents)} tensors for {len(flat)} targets; give one for each."
                )
        pairs: list[tuple[int, int | None]] = []
        for leaf, cotangent in zip(flat, cotangents, strict=True):
            dtype = as_dtype(getattr(leaf, "dtype", leaf))
            if dtype not in TRAINABLE:
                logger.warning(
                    "The dtype of the target tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    dtype,
                )
                continue
            tensor = leaf if type(leaf) is Tensor else as_tensor(leaf)
            if tensor is None:
                raise AttributeError(
                    f"tf.GradientTape.gradient: a target must be a tensor or a variable, got {leaf!r}."
                )
            slot = trace.slot_of(tensor)
            if output_gradients is None:
                pairs.append((slot, None))
            else:
                pairs.append((slot, trace.slot_of(_cotangent(cotangent, tensor._aval))))
        return pairs

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target` for every element of each source.

        Shapes: target.shape + source.shape for each source.
        Dtypes: those of the sources.
        Raises: RuntimeError if the tape is used up, or not persistent with `experimental_use_pfor=False`.
        Source: TF 2.21 `tf.GradientTape.jacobian`. The rows are computed together, in chunks where all would not fit;
          `parallel_iterations`
        only bounds TensorFlow's loop and changes no value.
        """
        del parallel_iterations
        trace = self._begin(target)
        mode = _mode(unconnected_gradients)
        self._require_persistent(experimental_use_pfor)
        flat_sources, are_single = _sources(sources)
        tensor = target._read() if isinstance(target, Variable) else target
        rows = jacobians.jacobian(
            trace,
            self._span(trace),
            self.customs,
            _slot_and_aval(trace, tensor),
            [(self._slots(trace, source), _aval(source)) for source in flat_sources],
        )
        answers = [_unconnected(s, mode) if row is None else row for row, s in zip(rows, flat_sources, strict=True)]
        if not self._persistent:
            self._consume()
        return answers[0] if are_single else nest.pack_sequence_as(sources, answers)

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The jacobian of each row of `target` for the same row of `source`.

        Shapes: target [b, *m], source [b, *n] -> [b, *m, *n]; zeros if they are not connected.
        Dtypes: that of the source.
        Raises: ValueError if the first dimensions differ; RuntimeError as `jacobian`.
        Source: TF 2.21 `tf.GradientTape.batch_jacobian`.
        """
        del parallel_iterations
        trace = self._begin(target)
        _mode(unconnected_gradients)
        shapes = [tuple(x.shape.as_list()) for x in (target, source)]
        if shapes[0][0] != shapes[1][0]:
            raise ValueError(
                f"Need first dimension of target shape ({shapes[0]}) and source shape ({shapes[1]}) to match."
            )
        for dims in shapes:
            if len(dims) < 2:
                raise ValueError(f"Shape {dims} must have rank at least 2")
        self._require_persistent(experimental_use_pfor)
        answer = jacobians.batch_jacobian(
            trace,
            self._span(trace),
            self.customs,
            _slot_and_aval(trace, target),
            (self._slots(trace, source), _aval(source)),
        )
        if not self._persistent:
            self._consume()
        if answer is not None:
            return answer
        return Tensor(np.zeros((*shapes[0], *shapes[1][1:]), _aval(source).dtype.as_numpy_dtype))

    def _require_persistent(self, experimental_use_pfor: bool) -> None:
        if not experimental_use_pfor and not self._persistent:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the jacobian with experimental_use_pfor set to False."
            )


def _mode(unconnected_gradients: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}") from None


def _sources(sources: Any) -> tuple[list[Any], bool]:
    are_single = isinstance(sources, (Tensor, Variable))
    flat = [sources] if are_single else nest.flatten(sources)
    for source in flat:
        if type(source) is Variable and source._dtype in TRAINABLE:
            continue
        if source is None:
            as_dtype(None)
        if not isinstance(source, (Tensor, Variable)):
            tensor = as_tensor(source)
            if tensor is None:
                raise AttributeError(
                    f"{type(source).__name__!r} object has no attribute '_id': tf.GradientTape: a source must be a tensor or a variable."
                )
        elif source.dtype not in TRAINABLE:
            logger.warning(
                "The dtype of the source tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                source.dtype,
            )
    return flat, are_single


def _cotangent(cotangent: Any, aval: Aval) -> Tensor:
    if cotangent is None:
        raise ValueError(
            "tf.GradientTape.gradient: output_gradients must not hold None; use zeros for a target that doesn't count."
        )
    tensor = convert_to_tensor(cotangent, None if as_tensor(cotangent) is not None else aval.dtype)
    if tensor._aval.dtype is not aval.dtype:
        raise InvalidArgumentError.of(
            f"tf.GradientTape.gradient: output_gradients must have the dtype of the target, {aval.dtype.name}, got {tensor.dtype.name}."
        )
    if tensor._aval is aval:
        return tensor
    try:
        return broadcast_to(tensor, aval.shape)
    except InvalidArgumentError as unfit:
        raise InvalidArgumentError.of(
            f"tf.GradientTape.gradient: output_gradients of shape {tensor._aval.shape} do not fit the target's shape {aval.shape}."
        ) from unfit


def _tensor_of(trace: Trace, gradient: Gradient) -> Any:
    if isinstance(gradient, Dense):
        return trace.tensor(gradient.slot, gradient.aval)
    assert isinstance(gradient, Rows)
    return IndexedSlices(
        trace.tensor(gradient.values, gradient.values_aval),
        trace.tensor(gradient.indices, gradient.indices_aval),
        Tensor(np.asarray(gradient.aval.shape, int32.as_numpy_dtype)),
    )


def _unconnected(source: Any, mode: UnconnectedGradients) -> Tensor | None:
    if mode is UnconnectedGradients.NONE:
        return None
    trace = here.trace
    aval = _aval(source)
    return trace.tensor(trace.step(zeros(aval), (), ()).first, aval)


def _aval(value: Any) -> Aval:
    return value._tensor._aval if isinstance(value, Variable) else value._aval


def _slot_and_aval(trace: Trace, tensor: Tensor) -> tuple[int, Aval]:
    return trace.slot_of(tensor), tensor._aval
