"""The actions of steps: each is a function of `tf`, its operands, and two numbers.

Nothing of tfcompat is imported here: the same actions run under TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Action = Callable[..., Any]

UNARY = (
    *("abs", "negative", "sign", "square", "exp", "math.expm1", "tanh", "sin", "cos", "atan", "asinh", "math.erf"),
    *("identity", "sqrt", "math.rsqrt", "math.log", "math.log1p", "math.reciprocal", "floor", "round", "sigmoid"),
    *("stop_gradient", "nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.softplus", "nn.softsign", "nn.gelu", "nn.swish"),
    *("nn.leaky_relu", "nn.softmax", "nn.log_softmax", "math.lgamma", "math.digamma", "zeros_like", "ones_like"),
    *("math.is_nan", "math.is_finite", "math.ceil", "math.rint", "transpose", "math.sinh", "math.acosh", "math.tan"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "pow", "math.atan2", "math.squared_difference"),
    *("math.divide_no_nan", "math.multiply_no_nan", "math.xlogy", "math.xlog1py", "math.floormod", "math.floordiv"),
    *("math.mod", "math.truediv", "math.xdivy", "matmul", "less", "greater_equal", "equal", "not_equal"),
)
REDUCTION = (
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "math.reduce_variance"),
    *("math.reduce_std", "reduce_logsumexp", "math.reduce_euclidean_norm", "norm"),
)
OF_INTEGERS = ("add", "multiply", "math.floordiv", "math.floormod", "maximum", "bitwise.bitwise_and", "less", "truediv")


def found(tf: Any, name: str) -> Action:
    """The function of `tf` with a dotted name."""
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


def axis_of(k: int) -> int | None:
    """An axis, usually a valid one."""
    return (None, 0, -1, 1, -2, 0)[k // 2]


def _finite(tf: Any, x: Any) -> Any:
    """`x` with 0 in place of nan and infinities, which some kernels of TensorFlow pass over and others do not."""
    return tf.where(tf.math.is_finite(x), x, tf.zeros_like(x))


def _not_far_below_0(tf: Any, x: Any) -> Any:
    """`x`, but -7.5 below -8, where TensorFlow's derivatives of digamma are wrong in float32."""
    return tf.where(x < -8, -7.5 * tf.ones_like(x), x)


def _unary(name: str) -> Action:
    if name in ("math.lgamma", "math.digamma"):
        return lambda tf, x, k, number: found(tf, name)(_not_far_below_0(tf, x))
    if name == "nn.softmax":
        return lambda tf, x, k, number: tf.nn.softmax(_finite(tf, x))
    return lambda tf, x, k, number: found(tf, name)(x)


def _binary(name: str) -> Action:
    return lambda tf, x, y, k, number: found(tf, name)(x, y)


def _reduction(name: str) -> Action:
    if name in ("reduce_max", "reduce_min"):
        return _extreme(name)
    return lambda tf, x, k, number: found(tf, name)(x, axis=axis_of(k), keepdims=k % 2 == 1)


def _extreme(name: str) -> Action:
    """An extreme that is not -0.0: of zeros of both signs either may come out."""

    def extreme(tf: Any, x: Any, k: int, number: float) -> Any:
        found_one = found(tf, name)(x, axis=axis_of(k), keepdims=k % 2 == 1)
        return tf.where(tf.equal(found_one, 0), tf.zeros_like(found_one), found_one)

    return extreme


# An action's name -> the kinds of its operands ("f" floating, "i" integer, "b" boolean, "v" variable, "*" any), and
# a function of (tf, *operands, k, number).
ACTIONS: dict[str, tuple[str, Action]] = {
    **{name: ("f", _unary(name)) for name in UNARY},
    **{name: ("ff", _binary(name)) for name in BINARY},
    **{name: ("f", _reduction(name)) for name in REDUCTION},
    **{f"{name} of integers": ("ii", _binary(name)) for name in OF_INTEGERS},
    **{f"{name} of integers": ("i", _reduction(name)) for name in ("reduce_sum", "reduce_max", "reduce_prod")},
    **{name: ("b", _reduction(name)) for name in ("reduce_any", "reduce_all")},
}


def action(kinds: str) -> Callable[[Action], Action]:
    """Adds the decorated function to the actions under its name."""

    def add(function: Action) -> Action:
        ACTIONS[function.__name__] = (kinds, function)
        return function

    return add


@action("f")
def beside_number(tf, x, k, number):
    return (
        lambda: x * number,
        lambda: x + number,
        lambda: number - x,
        lambda: x / number,
        lambda: number / x,
        lambda: x**number,
        lambda: x**2,
        lambda: x // number,
        lambda: -x,
        lambda: abs(x),
        lambda: x % 2,
        lambda: 2**x,
    )[k]()


@action("ff")
def operator(tf, x, y, k, number):
    return (
        lambda: x + y,
        lambda: x - y,
        lambda: x * y,
        lambda: x / y,
        lambda: x @ y,
        lambda: x > y,
        lambda: x <= y,
        lambda: x // y,
        lambda: x % y,
        lambda: x == y,
        lambda: x**2 - y,
        lambda: y - x,
    )[k]()


@action("i")
def integer_beside_number(tf, x, k, number):
    return (
        lambda: x * 2,
        lambda: x + 1,
        lambda: 3 - x,
        lambda: x / 2,
        lambda: x // 2,
        lambda: x % 3,
        lambda: -x,
        lambda: abs(x),
        lambda: x**2,
        lambda: x > 1,
        lambda: x == 2,
        lambda: 7 // x,
    )[k]()


@action("bff")
def where(tf, condition, x, y, k, number):
    return tf.where(condition, x, y)


@action("ff")
def where_greater(tf, x, y, k, number):
    return tf.where(x > y, x, number * y) if k % 2 else tf.where(x > number, x, tf.zeros_like(x))


@action("f")
def clip(tf, x, k, number):
    if k < 4:
        return tf.clip_by_value(x, -abs(number) - 0.1, abs(number))
    return tf.clip_by_norm(x, abs(number) + 0.5) if k < 8 else tf.clip_by_norm(x, 1.0, axes=[0])


@action("*")
def reshape(tf, x, k, number):
    return tf.reshape(x, ([-1], [3, -1], [-1, 3], [1, -1], [-1, 1], [2, 3], [], [3], [9], [-1, 2], [6], [3, 3])[k])


@action("*")
def subscript(tf, x, k, number):
    key = (
        *(0, -1, slice(1, None), slice(None, None, -1), (Ellipsis, 0), (slice(None), 1), None, (Ellipsis, None)),
        *(slice(0, 2), (slice(None), slice(None, None, 2)), (0, slice(1, 3)), slice(2, 0, -1)),
    )[k]
    return x[key]


@action("*")
def layout(tf, x, k, number):
    return (
        lambda: tf.expand_dims(x, axis_of(k) or 0),
        lambda: tf.squeeze(x),
        lambda: tf.tile(x, [2] * len(x.shape)),
        # Of a scalar TensorFlow refuses the axis in functions only.
        lambda: tf.reverse(x, [0] if x.shape.rank else []),
        lambda: tf.roll(x, 1, -1),
        lambda: tf.pad(x, [[1, 1]] * len(x.shape)),
        lambda: tf.broadcast_to(x, [2, *x.shape]),
        lambda: tf.repeat(x, 2, axis=0),
        lambda: tf.pad(x, [[1, 1]] * len(x.shape), "REFLECT"),
        lambda: tf.squeeze(x, 0),
        lambda: tf.linalg.matrix_transpose(x),
        lambda: tf.transpose(x, [1, 0]),
    )[k]()


@action("**")
def join(tf, x, y, k, number):
    return tf.concat([x, y], axis_of(k) or 0) if k % 2 else tf.stack([x, y], axis_of(k) or 0)


@action("*")
def part(tf, x, k, number):
    if k < 4:
        return tf.split(x, 3, axis_of(2 * k) or 0)[1]
    return tf.unstack(x, axis=axis_of(k) or 0)[-1] if k < 8 else tf.slice(x, tf.zeros_like(tf.shape(x)), tf.shape(x))


@action("*i")
def gather(tf, x, indices, k, number):
    indices = tf.math.floormod(indices, max(2, min([*x.shape, 3], default=2)))
    if k < 6:
        return tf.gather(x, indices, axis=(0, 0, -1, 1, 0, -1)[k])
    return tf.gather_nd(x, tf.reshape(indices, [-1, 1])) if k < 9 else tf.gather(x, tf.reshape(indices, [-1])[:2])


@action("f")
def running(tf, x, k, number):
    if k < 6:
        return tf.cumsum(x, (0, -1, 1)[k % 3], exclusive=k < 3, reverse=k % 2 == 0)
    if k < 9:
        return tf.math.cumprod(x, 0)
    # Of a scalar TensorFlow refuses the axis in functions as they run, and leaves out what nothing reads.
    return tf.math.cumulative_logsumexp(_finite(tf, x), 0) if tf.executing_eagerly() or x.shape.rank else x


def _has_places(tf: Any, x: Any, axis: int) -> bool:
    """Whether TensorFlow raises errors for missing extremes: functions return extremes of empty arrays and scalars."""
    return tf.executing_eagerly() or (x.shape.rank > 0 and x.shape[axis] != 0)


@action("f")
def order(tf, x, k, number):
    # Where TensorFlow puts nan is left to chance (migration_guide/differences.md).
    x = tf.where(tf.math.is_nan(x), tf.zeros_like(x), x) if k in (0, 1, 2, 4, 5) else x
    return (
        lambda: tf.sort(x),
        lambda: tf.sort(x, direction="DESCENDING"),
        lambda: tf.math.top_k(x, 2).values,
        lambda: tf.argmax(x, axis=0) if _has_places(tf, x, 0) else x,
        lambda: tf.argsort(x),
        lambda: tf.math.top_k(x, 1).indices,
        lambda: tf.argmin(x, axis=-1) if _has_places(tf, x, -1) else x,
        lambda: tf.nn.l2_normalize(x, -1),
        lambda: tf.linalg.diag_part(x),
        lambda: tf.linalg.diag(x),
        lambda: tf.linalg.trace(x),
        # In functions TensorFlow looks at the rank as it runs, and leaves out what nothing reads.
        lambda: tf.linalg.band_part(x, 1, 0) if tf.executing_eagerly() or x.shape.rank > 1 else x,
    )[k]()


@action("*")
def cast(tf, x, k, number):
    return tf.cast(x, (tf.float32, tf.float64, tf.int32, tf.int64, tf.bool, tf.int32)[k // 2])


@action("fi")
def segments(tf, x, ids, k, number):
    ids = tf.math.floormod(tf.reshape(ids, [-1])[:3], 3)
    if k < 4:
        return tf.math.unsorted_segment_sum(x, ids, 3)
    if k < 8:
        return (tf.math.unsorted_segment_max, tf.math.unsorted_segment_mean)[k % 2](x, ids, 3)
    if k < 10 and tf.executing_eagerly():
        return tf.math.segment_sum(x, tf.sort(ids))
    return tf.one_hot(ids, 4, dtype=x.dtype)


@action("ff")
def contraction(tf, x, y, k, number):
    return (
        lambda: tf.matmul(x, y, transpose_b=True),
        lambda: tf.matmul(x, y, transpose_a=True),
        lambda: tf.tensordot(x, y, 1),
        lambda: tf.einsum("ij,jk->ik", x, y),
        lambda: tf.einsum("...i,...i->...", x, y),
        lambda: tf.einsum("i,j->ij", x, y),
        lambda: tf.linalg.matvec(x, y),
        lambda: tf.tensordot(x, y, [[0], [0]]),
        lambda: tf.add_n([x, y]),
        lambda: tf.einsum("...ij->...ji", x),
        # Where the first size is 0, TensorFlow doesn't look at the second.
        lambda: tf.einsum("ii", x if 0 not in x.shape else x[..., :0]),
        lambda: tf.linalg.cross(x, y),
    )[k]()


@action("ff")
def loss(tf, x, y, k, number):
    return (
        lambda: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(_finite(tf, x)), y),
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(x), y),
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros(y.shape[:-1], tf.int32), y),
        lambda: tf.nn.moments(x, [0])[1],
        lambda: tf.nn.batch_normalization(x, tf.zeros_like(y), tf.ones_like(y), y, None, 1e-3),
        lambda: tf.nn.l2_loss(x),
        lambda: tf.nn.bias_add(x, y),
        lambda: tf.math.polyval([x, y, x], y),
        lambda: tf.nn.log_poisson_loss(x, y),
        lambda: tf.math.betainc(tf.abs(x) + 1, tf.abs(y) + 1, tf.sigmoid(x)),
        lambda: tf.math.igamma(tf.abs(x) + 1, tf.abs(y)),
        lambda: tf.math.zeta(tf.abs(x) + 1.5, tf.abs(y) + 1),
    )[k]()


@action("fi")
def scatter(tf, x, indices, k, number):
    at = tf.reshape(tf.math.floormod(indices, 2), [-1, 1])[:2]
    if k < 4:
        return tf.tensor_scatter_nd_add(x, at, x[:2])
    if k < 6:
        return tf.tensor_scatter_nd_update(x, [[0], [1]], 2 * x[:2])
    return tf.tensor_scatter_nd_max(x, at, x[1:3]) if k < 9 else tf.scatter_nd(at, x[:2], [3, *x.shape[1:]])


@action("vf")
def assign(tf, variable, x, k, number):
    (variable.assign, variable.assign_add, variable.assign_sub)[k % 3](x)


@action("v")
def assign_number(tf, variable, k, number):
    (variable.assign_add, variable.assign_sub)[k % 2](tf.fill(variable.shape, tf.cast(number, variable.dtype)))


@action("vf")
def assign_part(tf, variable, x, k, number):
    (
        lambda: variable[0].assign(x[0]),
        lambda: variable[..., 1].assign(x[..., 0]),
        lambda: variable[1:].assign(x[1:]),
    )[k % 3]()


@action("v")
def read(tf, variable, k, number):
    return (variable.read_value, variable.value, lambda: variable * 1, lambda: tf.gather(variable, [0, 1, 0]))[k % 4]()


@action("f")
def observe(tf, x, k, number):
    """Reads an intermediate value, as a print does."""
    if tf.executing_eagerly():
        x.numpy()
    return x
