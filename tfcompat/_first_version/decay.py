"""Learning rates that decay with the step: functions without arguments, which read the step when they are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import int32, int64
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.array.gathering import gather, where
from tfcompat._ops.array.joining import stack
from tfcompat._ops.elementwise.algebraic import minimum, pow, sqrt
from tfcompat._ops.elementwise.rounding import cast, ceil, floor
from tfcompat._ops.elementwise.transcendental import cos, exp, log
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._random.random import normal

Rate = Callable[[], Any]


def _shares(learning_rate: Any, global_step: Any, decay_steps: Any) -> tuple[Any, Any, Any]:
    """The rate, the step and the number of steps as tensors of one dtype."""
    rate: Any = convert_to_tensor(learning_rate)
    return rate, cast(global_step, rate.dtype), cast(decay_steps, rate.dtype)


def _progress(step: Any, steps: Any, staircase: bool) -> Any:
    return floor(step / steps) if staircase else step / steps


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """`learning_rate` times `decay_rate` to the power of `global_step / decay_steps`, rounded down if `staircase`.

    Source: TF 2.21 `tf.compat.v1.train.exponential_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        return rate * pow(cast(decay_rate, rate.dtype), _progress(step, steps, staircase))

    return decayed


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """`learning_rate` times e to the power of `-decay_rate * global_step / decay_steps`, in steps if `staircase`.

    Source: TF 2.21 `tf.compat.v1.train.natural_exp_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        return rate * exp(-cast(decay_rate, rate.dtype) * _progress(step, steps, staircase))

    return decayed


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """`learning_rate` divided by `1 + decay_rate * global_step / decay_steps`, in steps if `staircase`.

    Source: TF 2.21 `tf.compat.v1.train.inverse_time_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        return rate / (1.0 + cast(decay_rate, rate.dtype) * _progress(step, steps, staircase))

    return decayed


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Rate:
    """A decay from `learning_rate` to `end_learning_rate` in `decay_steps`, polynomial of degree `power`.

    With `cycle`, `decay_steps` is extended to its next multiple when `global_step` exceeds it.

    Source: TF 2.21 `tf.compat.v1.train.polynomial_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        end = cast(end_learning_rate, rate.dtype)
        if cycle:
            steps = steps * where(step == 0.0, ones_like(step), ceil(step / steps))
        else:
            step = minimum(step, steps)
        return (rate - end) * pow(1.0 - step / steps, cast(power, rate.dtype)) + end

    return decayed


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Rate:
    """`values[k]`, where k is the number of `boundaries` below `x`.

    Raises: ValueError unless there is one more value than boundaries; when called, if the dtypes of `x` and
      `boundaries`
      differ.
    Source: TF 2.21 `tf.compat.v1.train.piecewise_constant`.
    """
    del name
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def decayed() -> Any:
        position: Any = convert_to_tensor(x)
        limits = [_limit(boundary, position) for boundary in boundaries]
        if not limits:
            return convert_to_tensor(values[0])
        passed = reduce_sum(cast(position > stack(limits), int32))
        return gather(stack([convert_to_tensor(value) for value in values]), passed)

    return decayed


def _limit(boundary: Any, position: Any) -> Any:
    limit = convert_to_tensor(boundary)
    if limit.dtype is position.dtype:
        return limit
    if (limit.dtype, position.dtype) == (int32, int64):
        return cast(limit, int64)
    raise ValueError(f"Boundaries ({limit.dtype}) must have the same dtype as x ({position.dtype}).")


def _wave(share: Any) -> Any:
    """Half a cosine that falls from 1 to 0 as `share` goes from 0 to 1."""
    return 0.5 * (1.0 + cos(math.pi * share))


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Rate:
    """A decay from `learning_rate` to `alpha` times it in `decay_steps` along half a cosine.

    Source: TF 2.21 `tf.compat.v1.train.cosine_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        return rate * ((1.0 - alpha) * _wave(minimum(step, steps) / steps) + alpha)

    return decayed


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Rate:
    """`cosine_decay` with restarts: the first period lasts `first_decay_steps`; each next is `t_mul` times as long.

    Source: TF 2.21 `tf.compat.v1.train.cosine_decay_restarts`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, first_decay_steps)
        done = step / steps
        if t_mul == 1.0:
            round_number = floor(done)
            share = done - round_number
        else:
            round_number = floor(log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul))
            length: Any = pow(cast(t_mul, rate.dtype), round_number)
            share = (done - (1.0 - length) / (1.0 - t_mul)) / length
        height = pow(cast(m_mul, rate.dtype), round_number)
        return rate * ((1.0 - alpha) * height * _wave(share) + alpha)

    return decayed


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Rate:
    """`learning_rate` times a linear decay up to `alpha` times `num_periods` of a cosine, plus `beta`.

    Source: TF 2.21 `tf.compat.v1.train.linear_cosine_decay`.
    """
    del name

    def decayed() -> Any:
        rate, step, steps = _shares(learning_rate, global_step, decay_steps)
        share = minimum(step, steps) / steps
        return rate * ((alpha + 1.0 - share) * _wave(2.0 * num_periods * share) + beta)

    return decayed


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: float = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Rate:
    """`linear_cosine_decay` with noise on the linear part, of `initial_variance`, which decays by `variance_decay`.

    Source: TF 2.21 `tf.compat.v1.train.noisy_linear_cosine_decay`.
    """
    del name

    def decayed() -> Any:
        rate, now, steps = _shares(learning_rate, global_step, decay_steps)
        step: Any = minimum(now, steps)
        deviation = sqrt(initial_variance / pow(1.0 + step, cast(variance_decay, rate.dtype)))
        line = (steps - step) / steps + normal(step.shape, stddev=deviation)
        return rate * ((alpha + line) * _wave(2.0 * num_periods * step / steps) + beta)

    return decayed
