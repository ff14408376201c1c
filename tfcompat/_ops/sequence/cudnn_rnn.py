"""Recurrent layers with the weights of cuDNN in one vector. XLA compiles them for any device."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32, float64, int32

_SAME = ("input", "input_h", "input_c", "params")
_GATES = {"lstm": 4, "gru": 3}


def _validate(
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    sequence_lengths: Any,
    rnn_mode: str,
    time_major: bool,
    resets_first: bool,
) -> None:
    del input_c, sequence_lengths, resets_first
    if rnn_mode not in _GATES:
        raise NotImplementedError(f"tf.raw_ops.CudnnRNNV3: rnn_mode must be 'lstm' or 'gru', got {rnn_mode!r}.")
    if input_h.ndim != 3 or input_h.shape[0 if time_major else 1] != 1:
        raise NotImplementedError(
            f"tf.raw_ops.CudnnRNNV3: only one layer in one direction is supported, got input_h of {input_h.shape}."
        )
    units, features = input_h.shape[2], input.shape[2]
    wanted = _GATES[rnn_mode] * units * (features + units + 2)
    if params.shape != (wanted,):
        raise InvalidArgumentError.of(
            f"tf.raw_ops.CudnnRNNV3: params must have the shape ({wanted},), got {params.shape}."
        )


@op(
    "raw_ops.CudnnRNNV3",
    dtypes=dict.fromkeys(_SAME, frozenset((float32, float64))) | {"sequence_lengths": frozenset((int32,))},
    same=_SAME,
    validate=_validate,
    differentiable=_SAME,
    structure=tuple,
)
def cudnn_rnn(
    input: Array,
    input_h: Array,
    input_c: Array,
    params: Array,
    sequence_lengths: Array,
    rnn_mode: str = "lstm",
    time_major: bool = True,
    resets_first: bool = True,
) -> tuple[Array, ...]:
    """The outputs of a layer for the sequences `input` up to their lengths, then zeros; its states after the last step.

    `params` holds the weights of the inputs, those of the state, and both biases, in the order of the gates: input,
    forget, candidate, output for an LSTM; reset, update, candidate for a GRU, or update first unless `resets_first`.

    Shapes: [time, batch, features], [1, batch, units], [1, batch, units] for an LSTM, [weights], [batch] ->
      [time, batch, units], [1, batch, units], [1, batch, units]; batch is first of all without `time_major`.
    Dtypes: float32, float64, and int32 for the lengths -> the same.
    Raises: InvalidArgumentError if `params` has another size; NotImplementedError for another mode, or several layers.
    Source: TF 2.21 `tf.raw_ops.CudnnRNNV3`.
    """
    sequence = input if time_major else jnp.swapaxes(input, 0, 1)
    step = _lstm_step if rnn_mode == "lstm" else _gru_step
    weights = _unpacked(params, _GATES[rnn_mode], sequence.shape[2], input_h.shape[2])
    is_lstm = rnn_mode == "lstm"
    if not is_lstm and not resets_first:
        weights = tuple(part[jnp.array([1, 0, 2])] for part in weights)
    axis = 0 if time_major else 1
    start = jnp.squeeze(input_h, axis)
    memory = jnp.squeeze(input_c, axis) if is_lstm else jnp.zeros_like(start)

    def turn(state: Any, row: Any) -> Any:
        k, x = row
        is_running = (k < sequence_lengths)[:, None]
        found = step(x, *state, *weights)
        kept = tuple(jnp.where(is_running, new, old) for new, old in zip(found, state, strict=True))
        return kept, jnp.where(is_running, found[0], 0)

    times = jnp.arange(sequence.shape[0], dtype=jnp.int32)
    (hidden, cell), outputs = jax.lax.scan(turn, (start, memory), (times, sequence))
    outputs = outputs if time_major else jnp.swapaxes(outputs, 0, 1)
    hidden = jnp.expand_dims(hidden, axis)
    return outputs, hidden, jnp.expand_dims(cell, axis) if is_lstm else input_c


def _unpacked(params: Any, gates: int, features: int, units: int) -> tuple[Any, Any, Any, Any]:
    """The weights of inputs and of states, [gates, outputs, inputs], and their biases, [gates, outputs]."""
    of_input, of_state = gates * units * features, gates * units * units
    parts = jnp.split(params, (of_input, of_input + of_state, of_input + of_state + gates * units))
    shapes = ((gates, units, features), (gates, units, units), (gates, units), (gates, units))
    kernel, recurrent, bias, recurrent_bias = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    return kernel, recurrent, bias, recurrent_bias


def _applied(weights: Any, x: Any, bias: Any) -> Any:
    """The products for all gates: [gates, batch, outputs]."""
    return jnp.einsum("bi,goi->gbo", x, weights) + bias[:, None]


def _lstm_step(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any, recurrent_bias: Any) -> tuple[Any, Any]:
    take, keep, candidate, give = _applied(kernel, x, bias) + _applied(recurrent, h, recurrent_bias)
    cell = jax.nn.sigmoid(keep) * c + jax.nn.sigmoid(take) * jnp.tanh(candidate)
    return jax.nn.sigmoid(give) * jnp.tanh(cell), cell


def _gru_step(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any, recurrent_bias: Any) -> tuple[Any, Any]:
    given, held = _applied(kernel, x, bias), _applied(recurrent, h, recurrent_bias)
    reset, update = jax.nn.sigmoid(given[0] + held[0]), jax.nn.sigmoid(given[1] + held[1])
    candidate = jnp.tanh(given[2] + reset * held[2])
    return update * h + (1 - update) * candidate, c
