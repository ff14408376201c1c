"""The states that a sequence of labels passes through over a longer sequence of frames, and their probabilities.

There is a state for each label, and for the blank after it (and before the first); a state lasts for one or more
frames. The states of labels and of blanks are two arrays, [batch, labels + 1]; label 0 is the start.

Source: Graves et al., Connectionist temporal classification (2006).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array

# The logarithm of the probability of impossible events; not infinite, so that derivatives stay finite.
NEVER = -1e30
# Up to this number of classes, probabilities are summed by class as a matrix product, else one by one (measured).
_MOST_MULTIPLIED = 128


class States(NamedTuple):
    """A number for each state: for the labels, and for the blanks after them."""

    label: Array
    blank: Array

    def plus(self, other: States) -> States:
        """The sum, state by state."""
        return States(self.label + other.label, self.blank + other.blank)

    def scaled(self) -> tuple[States, Array]:
        """The states minus the largest of their row, and the largest."""
        largest = jnp.maximum(jnp.max(self.label, -1, keepdims=True), jnp.max(self.blank, -1, keepdims=True))
        return States(self.label - largest, self.blank - largest), largest[..., 0]


def _log_sum(*parts: Array) -> Array:
    """The logarithm of the sum of exponentials."""
    largest = lax.stop_gradient(functools.reduce(jnp.maximum, parts))
    return largest + jnp.log(functools.reduce(jnp.add, [jnp.exp(part - largest) for part in parts]))


def _shares(*parts: Array) -> list[Array]:
    """The share of each part in the sum of exponentials."""
    total = _log_sum(*parts)
    return [jnp.exp(part - total) for part in parts]


def _to_next(array: Array) -> Array:
    """Each state's number moved to the next state."""
    return jnp.pad(array[:, :-1], ((0, 0), (1, 0)))


def _of_next(array: Array) -> Array:
    """The next state's number moved to each state."""
    return jnp.pad(array[..., 1:], [*[(0, 0)] * (array.ndim - 1), (0, 1)], constant_values=NEVER)


class Lattice:
    """The states of `labels` in the frames of `logits`, their transitions, and the log probabilities of their outputs.

    Args:
      logits: [frames, batch, classes].
      labels: [batch, labels], of classes.
      label_length: [batch]; later labels are ignored.
      logit_length: [batch]; later frames are ignored.
      blank: the class for no label.
      penalty: the log probability of a path that starts or ends in a wrong state.
    """

    def __init__(
        self, logits: Array, labels: Array, label_length: Array, logit_length: Array, blank: int, penalty: float
    ) -> None:
        self.frames, self.batch, self.classes = logits.shape
        # A label that is not a class is emitted with certainty.
        self.labels = jnp.where((labels >= 0) & (labels < self.classes), labels, self.classes)
        self.label_length = label_length
        self.blank = blank
        self.penalty = jnp.asarray(penalty, logits.dtype)
        self.states = jnp.arange(labels.shape[1] + 1)
        self.is_running = jnp.arange(self.frames)[:, None] < logit_length
        self.skip = self._skip().astype(logits.dtype)
        self.log_probs = jax.nn.log_softmax(logits)
        self.emissions = self._emissions()

    def _skip(self) -> Array:
        """The transition from a label directly to the next: impossible between equal labels, which would be merged."""
        is_repeated = self.labels[:, :-1] == self.labels[:, 1:]
        parts = (jnp.full((self.batch, 1), NEVER), jnp.zeros((self.batch, min(1, self.labels.shape[1]))))
        return jnp.concatenate((*parts, jnp.where(is_repeated, NEVER, 0)), 1)

    def _emissions(self) -> States:
        places = jnp.broadcast_to(self.labels, (self.frames, *self.labels.shape))
        of_labels = jnp.take_along_axis(self.log_probs, places, -1, mode="fill", fill_value=0)
        label = jnp.pad(of_labels, ((0, 0), (0, 0), (1, 0)), constant_values=NEVER)
        return States(label, self.log_probs[..., self.blank, None])

    def _start(self) -> States:
        at_start = jnp.where(self.states == 0, jnp.zeros_like(self.penalty), self.penalty)
        shape = (self.batch, self.states.size)
        return States(jnp.broadcast_to(at_start, shape), jnp.broadcast_to(self.penalty, shape))

    def _end(self) -> States:
        is_last = self.states == self.label_length[:, None]
        at_end = jnp.where(is_last, jnp.zeros_like(self.penalty), self.penalty)
        return States(at_end, at_end)

    def backward(self) -> tuple[States, States, Array]:
        """The probability of the remaining frames: after each frame in each state, and before the first frame.

        Both are logarithms minus a number for each frame. The last result is the total log probability.
        """
        end, skip = self._end(), _of_next(self.skip)

        def step(carry: tuple[States, Array], frame: tuple[States, Array]) -> tuple[tuple[States, Array], States]:
            states, total = carry
            emission, is_running = frame
            label, blank = states.plus(emission)
            came = States(_log_sum(label, blank, _of_next(label) + skip), _log_sum(blank, _of_next(label)))
            moved, largest = came.scaled()
            kept = States(*(jnp.where(is_running[:, None], new, old) for new, old in zip(moved, end, strict=True)))
            return (kept, total + jnp.where(is_running, largest, 0)), states

        carry = (end, jnp.zeros(self.batch, self.log_probs.dtype))
        (before, total), after = lax.scan(step, carry, (self.emissions, self.is_running), reverse=True)
        return after, before, before.label[:, 0] + total

    def occupied(self, after: States, before: States) -> States:
        """The probability of each state at each frame, given the labels: [frames, batch, labels + 1].

        `after` and `before` give the probability of each transition, so the result is a chain of products.
        """
        label, blank = after.plus(self.emissions)
        stays, ends, _ = _shares(label, blank, _of_next(label) + _of_next(self.skip))
        pauses, _ = _shares(blank, _of_next(label))

        def step(states: States, share: tuple[Array, Array, Array]) -> tuple[States, States]:
            label, blank = states
            stays, ends, pauses = share
            skipped, begun = label * (1 - stays - ends), blank * (1 - pauses)
            moved = States(label * stays + _to_next(skipped + begun), blank * pauses + label * ends)
            return moved, moved

        start = self._start().plus(before).scaled()[0]
        first = States(jnp.exp(start.label), jnp.exp(start.blank))
        total = jnp.sum(first.label + first.blank, -1, keepdims=True)
        return lax.scan(step, States(first.label / total, first.blank / total), (stays, ends, pauses))[1]

    def slope(self, occupied: States) -> Array:
        """The derivative of the loss for the logits: the probabilities of the classes minus those of the states."""
        label, blank = occupied
        # TensorFlow's derivative ignores labels that are the blank.
        places = jnp.where(self.labels == self.blank, self.classes, self.labels)
        excess = jnp.exp(self.log_probs)
        if self.classes <= _MOST_MULTIPLIED:
            is_class = places[..., None] == jnp.arange(self.classes)
            excess = excess - jnp.einsum("tbl,blc->tbc", label[..., 1:], is_class.astype(label.dtype))
        else:
            frames, rows = jnp.ogrid[: self.frames, : self.batch]
            excess = excess.at[frames[..., None], rows[..., None], places].add(-label[..., 1:], mode="drop")
        excess = excess.at[..., self.blank].add(-jnp.sum(blank, -1))
        return jnp.where(self.is_running[..., None], excess, 0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(4, 5))
def losses(logits: Array, labels: Array, label_length: Array, logit_length: Array, blank: int, penalty: float) -> Array:
    """The negative log probability of the labels of each example; the arguments are those of `Lattice`."""
    return -Lattice(logits, labels, label_length, logit_length, blank, penalty).backward()[2]


@losses.defjvp
def _losses_jvp(blank: int, penalty: float, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Array, Array]:
    logits, labels, label_length, logit_length = primals
    lattice = Lattice(logits, labels, label_length, logit_length, blank, penalty)
    after, before, log_probability = lattice.backward()
    slope = lattice.slope(lattice.occupied(after, before))
    return -log_probability, jnp.sum(slope * tangents[0], (0, 2))
