"""Fused recurrent cells: an LSTM over a sequence, and the steps of an LSTM and of a GRU."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, Number, op
from tfcompat._core.types.dtype import DType, bfloat16, float16, float32, int64

_CELL: frozenset[DType] = frozenset((float16, bfloat16, float32))
# The positions of the state and the output among the results.
_STATE = (1, 6)
_SAME = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")


def _step(state: Any, x: Any, *, weights: Any, forget_bias: Any, cell_clip: Any, order: str, peephole: bool) -> Any:
    """The gates, the state and the output of one step; `order` gives the position of each gate in the product."""
    cs_prev, h_prev = state
    w, wci, wcf, wco, b = weights
    gates = dict(zip(order, jnp.split(jnp.concatenate([x, h_prev], 1) @ w + b, 4, axis=1), strict=True))
    seen = [cs_prev * weight if peephole else 0 for weight in (wci, wcf)]
    i = jax.nn.sigmoid(gates["i"] + seen[0])
    f = jax.nn.sigmoid(gates["f"] + jnp.asarray(forget_bias, x.dtype) + seen[1])
    ci = jnp.tanh(gates["c"])
    cs = ci * i + cs_prev * f
    bound = jnp.asarray(cell_clip, x.dtype)
    clipped = jax.lax.stop_gradient(jnp.where(bound > 0, jnp.clip(cs, -bound, bound), cs))
    cs = clipped + (cs - jax.lax.stop_gradient(cs))  # gradients ignore the clipping
    o = jax.nn.sigmoid(gates["o"] + (cs * wco if peephole else 0))
    co = jnp.tanh(cs)
    return i, cs, f, o, ci, co, o * co


@op(
    "raw_ops.LSTMBlockCell",
    dtypes=_CELL,
    same=_SAME,
    structure=tuple,
    no_gradient="LSTMBlockCell",
)
def lstm_block_cell(
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    forget_bias: Number = 1.0,
    cell_clip: Number = 3.0,
    use_peephole: bool = False,
) -> tuple[Array, ...]:
    """The gates `i`, `f`, `o`, `ci`, the states `cs`, `co` and the output of one LSTM step with the input `x`.

    Shapes: [batch, inputs], twice [batch, cells], [inputs + cells, 4 * cells], three times [cells], [4 * cells], [],
      [] -> seven times [batch, cells].
    Dtypes: float16, bfloat16, float32 -> the same.
    Gradient: LookupError.
    Source: TF 2.21 `tf.raw_ops.LSTMBlockCell`.
    """
    weights = (w, wci, wcf, wco, b)
    return _step(
        (cs_prev, h_prev),
        x,
        weights=weights,
        forget_bias=forget_bias,
        cell_clip=cell_clip,
        order="icfo",
        peephole=use_peephole,
    )


@op(
    "raw_ops.BlockLSTM",
    dtypes=dict.fromkeys(_SAME, _CELL) | {"seq_len_max": frozenset((int64,))},
    same=_SAME,
    structure=tuple,
)
def block_lstm(
    seq_len_max: Array,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    forget_bias: Number = 1.0,
    cell_clip: Number = 3.0,
    use_peephole: bool = False,
    order: str = "icfo",
) -> tuple[Array, ...]:
    """The results of the LSTM steps over `x`, stacked; zeros from step `seq_len_max` on.

    Shapes: [], [time, batch, inputs], and the weights and numbers of `lstm_block_cell` -> seven times
      [time, batch, cells].
    Dtypes: int64, then float16, bfloat16, float32 -> the same.
    Gradient: through the states and the outputs only, as if nothing were clipped.
    Source: TF 2.21 `tf.raw_ops.BlockLSTM`.
    """
    step = functools.partial(
        _step,
        weights=(w, wci, wcf, wco, b),
        forget_bias=forget_bias,
        cell_clip=cell_clip,
        order=order,
        peephole=use_peephole,
    )

    def turn(state: Any, row: Any) -> Any:
        k, current = row
        found = step(state, current)
        kept = tuple(jnp.where(k < seq_len_max, part, jnp.zeros_like(part)) for part in found)
        return (kept[1], kept[6]), kept

    _, found = jax.lax.scan(turn, (cs_prev, h_prev), (jnp.arange(x.shape[0]), x))
    return tuple(part if k in _STATE else jax.lax.stop_gradient(part) for k, part in enumerate(found))


@op(
    "raw_ops.GRUBlockCell",
    dtypes=_CELL,
    structure=tuple,
    no_gradient="GRUBlockCell",
)
def gru_block_cell(x: Array, h_prev: Array, w_ru: Array, w_c: Array, b_ru: Array, b_c: Array) -> tuple[Array, ...]:
    """The gates `r` and `u`, the candidate `c` and the output `h` of one GRU step with the input `x`.

    Shapes: [batch, inputs], [batch, cells], [inputs + cells, 2 * cells], [inputs + cells, cells], [2 * cells],
      [cells] -> four times [batch, cells].
    Dtypes: float16, bfloat16, float32 -> the same.
    Gradient: LookupError.
    Source: TF 2.21 `tf.raw_ops.GRUBlockCell`.
    """
    r, u = jnp.split(jax.nn.sigmoid(jnp.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, axis=1)
    c = jnp.tanh(jnp.concatenate([x, h_prev * r], 1) @ w_c + b_c)
    return r, u, c, u * h_prev + (1 - u) * c
