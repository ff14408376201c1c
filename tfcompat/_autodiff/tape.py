"""`tf.GradientTape`: an interval of the trace, and the tensors and variables watched in it."""

from __future__ import annotations

from itertools import repeat
from typing import Any, Self

from tfcompat._autodiff import argument, jacobian_by_row
from tfcompat._autodiff import jacobian as jacobians
from tfcompat._autodiff.backward import backward
from tfcompat._autodiff.connection import UnconnectedGradients, wants_zeros, with_zeros
from tfcompat._autodiff.explanation import explanation
from tfcompat._autodiff.gradient import Dense, Target, tensor_of
from tfcompat._autodiff.warning import warn
from tfcompat._autodiff.watching import WatchingContext
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.display import listing
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types import nest
from tfcompat._core.types.aval import aval_of
from tfcompat._state.variable import Variable

_NONE = UnconnectedGradients.NONE
_USED_UP = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
_INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased CPU "
    "and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace the gradient "
    "in order to compute higher order derivatives."
)


class GradientTape(WatchingContext):
    """Records the ops in its context, for gradients.

    Args:
      persistent: whether gradients may be requested more than once; the tape then keeps the recorded steps until it is
        deleted.
      watch_accessed_variables: whether trainable variables are watched as they are read.

    Source: TF 2.21 `tf.GradientTape`.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_accessed = watch_accessed_variables
        self._forget()

    def __enter__(self) -> Self:
        if self._is_recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._trace is None and self._intervals:
            self._forget()
        self._resume()
        return self

    def _use_up(self) -> None:
        """Releases the recorded steps, if the tape is not persistent."""
        if self._persistent:
            return
        trace = self._trace
        self._trace = None
        self._touched = {}
        self._moved = {}
        self.customs = {}
        if trace is not None:
            trace.remove_holder(self)
            if trace is not here.trace:
                trace.release()

    def explain(self, target: Any, source: Any) -> str:
        """Why the gradient of `target` for `source` is None, in a sentence, or a statement that it exists.

        It doesn't use the tape up. tfcompat's own: TensorFlow has no such method.
        """
        return explanation(self, target, source)

    def listing(self) -> str:
        """The recorded steps as a short program: see `tfcompat.listing_of`."""
        if self._trace is None:
            return "nothing: the tape is used up, or was never entered"
        return listing(self._trace, {slot for slot, _ in (*self._watched, *self._reads)})

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = _NONE,
    ) -> Any:
        """The gradient of the sum of `target` for each of `sources`, in the structure of `sources`.

        Shapes: those of the sources. `output_gradients` has the structure of `target` and weighs its tensors.
        Dtypes: those of the sources.
        Gradient: recorded as ordinary steps, so an outer tape differentiates it.
        Raises: RuntimeError if the tape is used up; TypeError, ValueError, AttributeError and InvalidArgumentError as
          TensorFlow does; LookupError through an op for which TensorFlow has no gradient.
        Source: TF 2.21 `tf.GradientTape.gradient`.
        """
        trace = self._begun(target)
        has_zeros = unconnected_gradients is not _NONE and wants_zeros(unconnected_gradients)
        kind = type(sources)
        is_flat = (kind is list or kind is tuple) and all(map(isinstance, sources, repeat(argument.PLAIN)))
        flat = sources if is_flat else argument.flat_sources(sources)
        targets = self._targets(target, output_gradients)
        slots = tuple([self._slots(source) for source in flat])
        answers = backward(trace, self._span(trace), targets, slots, self.customs)
        gradients = [
            None if answer is None else trace.tensor(*answer) if type(answer) is Dense else tensor_of(trace, answer)
            for answer in answers
        ]
        if has_zeros:
            gradients = with_zeros(trace, gradients, map(argument.aval_of, flat))
        self._use_up()
        if not is_flat:
            return argument.in_structure(sources, gradients)
        return gradients if kind is list else tuple(gradients)

    def _begun(self, target: Any, refusal: str = _USED_UP) -> Trace:
        """Begins the computation of gradients: returns the tape's trace, into which the thread then records."""
        trace = self._trace
        if trace is None:
            raise RuntimeError(refusal)
        if self._is_recording:
            if trace is not here.trace:
                _require_outer_target(target)
            if self._persistent:
                warn(_INSIDE, at_most=1)
            else:
                self._pause()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to "
                "be differentiated, but received None."
            )
        return trace if trace is here.trace else self._switch_to(trace)

    def _targets(self, target: Any, output_gradients: Any) -> tuple[Target, ...]:
        if output_gradients is None:
            if type(target) is Tensor and target._trace is self._trace and differentiable(target._aval):
                return ((target._slot, None),)
            leaves = argument.flat_targets(target)
            return tuple([(self._target_slot(leaf), None) for leaf in leaves if leaf is not None])
        pairs = list(argument.weighed(argument.flat_targets(target), output_gradients))
        slots = [None if weight is None else self._slot_of(weight) for _, weight in pairs]
        return tuple([(self._target_slot(leaf), slot) for (leaf, _), slot in zip(pairs, slots, strict=True)])

    def _target_slot(self, target: Any) -> int:
        """The slot of a target: for a variable, that of its last read, or of its value if it was not read."""
        if isinstance(target, Variable):
            slots = self._slots(target)
            return slots[-1] if slots else self._slot_of(target._entered())
        return self._slot_of(argument.single(target))

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = _NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target` for every element of each source.

        The rows are computed together, or in chunks if they don't fit into memory. With `experimental_use_pfor=False`,
        functions with custom gradients are called for each row, outside of functions. `parallel_iterations` limits a
        loop in TensorFlow and changes no value.

        Shapes: target.shape + source.shape for each source.
        Dtypes: those of the sources.
        Raises: RuntimeError if the tape is used up, or not persistent with `experimental_use_pfor=False`.
        Source: TF 2.21 `tf.GradientTape.jacobian`.
        """
        del parallel_iterations
        trace = self._begun(target)
        wanted = self._followed_target(target)
        has_zeros = wants_zeros(unconnected_gradients)
        self._require_persistent(experimental_use_pfor, "jacobian")
        flat = argument.flat_sources(sources)
        places = [(self._slots(source), argument.aval_of(source)) for source in flat]
        if not experimental_use_pfor and self._walks_by_row(trace, wanted):
            avals = [aval for _, aval in places]
            rows = jacobian_by_row.jacobian(lambda row: self.gradient(target, flat, row), wanted.aval, avals)
        else:
            rows = jacobians.jacobian(trace, self._span(trace), self.customs, wanted, places)
        if has_zeros:
            rows = with_zeros(
                trace, rows, [aval_of((*wanted.aval.shape, *aval.shape), aval.dtype) for _, aval in places]
            )
        self._use_up()
        return nest.pack_sequence_as(sources, rows)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = _NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The jacobian of each row of `target` for the same row of `source`; `parallel_iterations` as in `jacobian`.

        Shapes: target [b, *m], source [b, *n] -> [b, *m, *n]; zeros if they are not connected.
        Dtypes: that of the source.
        Raises: ValueError if the first dimensions differ, or a rank is below 2; RuntimeError as `jacobian`.
        Source: TF 2.21 `tf.GradientTape.batch_jacobian`.
        """
        del parallel_iterations
        trace = self._begun(target, _USED_UP.replace("to compute", "tocompute"))
        wants_zeros(unconnected_gradients)
        wanted = self._followed_target(target)
        aval = argument.aval_of(argument.single(source))
        argument.require_batches(wanted.aval, aval)
        self._require_persistent(experimental_use_pfor, "batch_jacobian")
        if not experimental_use_pfor and self._walks_by_row(trace, wanted):
            found = jacobian_by_row.batch_jacobian(lambda row: self.gradient(target, [source], row), wanted.aval, aval)
        else:
            place = (self._slots(source), aval)
            found = jacobians.batch_jacobian(trace, self._span(trace), self.customs, wanted, place)
        rows = with_zeros(trace, [found], [aval_of((*wanted.aval.shape, *aval.shape[1:]), aval.dtype)])
        self._use_up()
        return rows[0]

    def _followed_target(self, target: Any) -> Dense:
        """The slot of the target of a jacobian. A variable is read, and therefore watched."""
        if isinstance(target, Variable):
            self.touch(target, target._entered())
        return Dense(self._target_slot(target), argument.aval_of(argument.single(target)))

    def _walks_by_row(self, trace: Trace, target: Dense) -> bool:
        """Whether a jacobian by a loop needs a walk for each row: custom gradients may read values."""
        return bool(self.customs) and not trace.is_symbolic and target.aval.size > 0

    def _require_persistent(self, experimental_use_pfor: bool, method: str) -> None:
        if not experimental_use_pfor and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {method} with eager execution "
                "enabled and with  experimental_use_pfor set to False."
            )


def _require_outer_target(target: Any) -> None:
    """Raises NotImplementedError if the branch or loop that is being traced computes `target`: the tape is outside."""
    leaves = nest.flatten(target, expand_composites=True)
    if here.trace.is_symbolic and any(type(leaf) is Tensor and leaf._trace is here.trace for leaf in leaves):
        raise NotImplementedError(
            "tf.GradientTape.gradient: the target is computed in a branch or a loop, and the tape was entered outside "
            "of it; enter a tape inside, or return the target and ask for its gradient outside."
        )
