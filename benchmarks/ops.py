"""Ops at large sizes, forward and with their gradient, relative to the same computation in JAX under `jax.jit`.

python -m benchmarks.ops [NAME ...]

Measurements of both sides alternate. The operands are large, so that the time of the op dominates the time of recording
and dispatch.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import tfcompat as tf

ROUNDS = 9
TARGET = 1.05
# Ops with TensorFlow's random streams, and ops with derivative rules of tfcompat.
STREAM_TARGET = 1.2


class Rival(NamedTuple):
    """An op and its equivalent in JAX, for arrays of some shapes."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]


def conv(x: Any, w: Any) -> Any:
    """A convolution in JAX, like `tf.nn.conv2d` with padding SAME."""
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(x: Any) -> Any:
    """A pooling in JAX, like `tf.nn.max_pool2d` with window and stride 2."""
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def cross_entropy(logits: Any) -> Any:
    """The softmax cross-entropy in JAX, for `DISTRIBUTION`."""
    return -jnp.sum(DISTRIBUTION * jax.nn.log_softmax(logits), -1)


def equal_cross_entropy(logits: Any) -> Any:
    """The softmax cross-entropy in JAX, for uniform class probabilities."""
    return -jnp.sum(jnp.ones_like(logits) / 2048.0 * jax.nn.log_softmax(logits), -1)


def sparse_cross_entropy(logits: Any) -> Any:
    """The softmax cross-entropy in JAX, for `CLASSES`."""
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), CLASSES[:, None], -1)[:, 0]


CLASSES = np.random.default_rng(0).integers(0, 2048, 2048)
DISTRIBUTION = jax.nn.softmax(np.random.default_rng(0).normal(size=(2048, 2048)).astype(np.float32))
TOKENS = np.random.default_rng(0).integers(0, 20_000, (64, 128))
FLAT, SQUARE, IMAGE = (4_000_000,), (2048, 2048), (32, 32, 32, 32)

# With their gradients for all operands.
SLOPES: dict[str, Rival] = {
    "tanh": Rival(tf.tanh, jnp.tanh, (FLAT,)),
    "exp": Rival(tf.exp, jnp.exp, (FLAT,)),
    "math.log": Rival(lambda x: tf.math.log(tf.abs(x) + 1.0), lambda x: jnp.log(jnp.abs(x) + 1.0), (FLAT,)),
    "sigmoid": Rival(tf.sigmoid, jax.nn.sigmoid, (FLAT,)),
    "sqrt": Rival(lambda x: tf.sqrt(tf.abs(x) + 1.0), lambda x: jnp.sqrt(jnp.abs(x) + 1.0), (FLAT,)),
    "multiply": Rival(tf.multiply, jnp.multiply, (FLAT, FLAT)),
    "divide": Rival(lambda x, y: x / (y + 10.0), lambda x, y: x / (y + 10.0), (FLAT, FLAT)),
    "maximum": Rival(tf.maximum, jnp.maximum, (FLAT, FLAT)),
    "where": Rival(lambda x, y: tf.where(x > y, x, y), lambda x, y: jnp.where(x > y, x, y), (FLAT, FLAT)),
    "reduce_sum": Rival(lambda x: tf.reduce_sum(x, 1), lambda x: jnp.sum(x, 1), (SQUARE,)),
    "reduce_max": Rival(lambda x: tf.reduce_max(x, 1), lambda x: jnp.max(x, 1), (SQUARE,)),
    "reduce_logsumexp": Rival(
        lambda x: tf.reduce_logsumexp(x, 1), lambda x: jax.scipy.special.logsumexp(x, 1), (SQUARE,)
    ),
    "cumsum": Rival(lambda x: tf.cumsum(x, 1), lambda x: jnp.cumsum(x, 1), ((1024, 1024),)),
    "transpose": Rival(tf.transpose, jnp.transpose, (SQUARE,)),
    "concat": Rival(lambda x, y: tf.concat([x, y], 1), lambda x, y: jnp.concatenate([x, y], 1), (SQUARE, SQUARE)),
    "strided_slice": Rival(lambda x: x[:, 1:-1:2], lambda x: x[:, 1:-1:2], (SQUARE,)),
    "pad": Rival(lambda x: tf.pad(x, [[1, 1], [1, 1]]), lambda x: jnp.pad(x, 1), (SQUARE,)),
    "tile": Rival(lambda x: tf.tile(x, [2, 1]), lambda x: jnp.tile(x, (2, 1)), (SQUARE,)),
    "matmul": Rival(tf.matmul, jnp.matmul, ((1024, 1024), (1024, 1024))),
    "einsum": Rival(
        lambda x, y: tf.einsum("bij,bkj->bik", x, y),
        lambda x, y: jnp.einsum("bij,bkj->bik", x, y),
        ((64, 128, 64), (64, 128, 64)),
    ),
    "sort": Rival(tf.sort, jnp.sort, ((256, 1024),)),
    "nn.softmax": Rival(tf.nn.softmax, jax.nn.softmax, (SQUARE,)),
    "nn.gelu": Rival(tf.nn.gelu, lambda x: jax.nn.gelu(x, approximate=False), (FLAT,)),
    "nn.relu": Rival(tf.nn.relu, jax.nn.relu, (FLAT,)),
    "nn.conv2d": Rival(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), conv, (IMAGE, (3, 3, 32, 32))),
    "nn.max_pool2d": Rival(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), max_pool, (IMAGE,)),
    "nn.embedding_lookup": Rival(lambda t: tf.nn.embedding_lookup(t, TOKENS), lambda t: t[TOKENS], ((20_000, 64),)),
    "nn.softmax_cross_entropy_with_logits": Rival(
        lambda x: tf.nn.softmax_cross_entropy_with_logits(DISTRIBUTION, x), cross_entropy, (SQUARE,)
    ),
    "nn.softmax_cross_entropy (equal labels)": Rival(
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.ones_like(x) / 2048.0, x), equal_cross_entropy, (SQUARE,)
    ),
    "nn.sparse_softmax_cross_entropy_with_logits": Rival(
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(CLASSES, x), sparse_cross_entropy, (SQUARE,)
    ),
    "linalg.cholesky": Rival(
        lambda x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + 128.0 * tf.eye(128)),
        lambda x: jnp.linalg.cholesky(x @ jnp.swapaxes(x, -1, -2) + 128.0 * jnp.eye(128)),
        ((8, 128, 128),),
    ),
    "linalg.inv": Rival(
        lambda x: tf.linalg.inv(x + 40.0 * tf.eye(128)),
        lambda x: jnp.linalg.inv(x + 40.0 * jnp.eye(128)),
        ((8, 128, 128),),
    ),
}

KEY = jax.random.key(0)
SIXTEEN = (4096, 4096)
# Without gradients.
STREAMS: dict[str, Rival] = {
    "random.stateless_uniform": Rival(
        lambda: tf.random.stateless_uniform(SIXTEEN, [7, 42]), lambda: jax.random.uniform(KEY, SIXTEEN), ()
    ),
    "random.stateless_normal": Rival(
        lambda: tf.random.stateless_normal(SIXTEEN, [7, 42]), lambda: jax.random.normal(KEY, SIXTEEN), ()
    ),
    "nn.dropout (mask)": Rival(
        lambda: tf.nn.dropout(tf.ones(SIXTEEN), 0.5, seed=1),
        lambda: jnp.where(jax.random.bernoulli(KEY, 0.5, SIXTEEN), 2.0 * jnp.ones(SIXTEEN), 0.0),
        (),
    ),
}


def our_slope(op: Callable[..., Any], arrays: list[np.ndarray], upstream: np.ndarray) -> Callable[[], Any]:
    """A call that computes the op and its gradients."""
    tensors = [tf.constant(array) for array in arrays]
    given = tf.constant(upstream)

    def call() -> None:
        with tf.GradientTape() as tape:
            for tensor in tensors:
                tape.watch(tensor)
            out = op(*tensors)
        gradients = tape.gradient(out, tensors, given)
        jax.block_until_ready([(g.values if isinstance(g, tf.IndexedSlices) else g)._value() for g in gradients])

    return call


def their_slope(function: Callable[..., Any], arrays: list[np.ndarray], upstream: np.ndarray) -> Callable[[], Any]:
    """The same in JAX."""
    held = [jax.device_put(array) for array in (upstream, *arrays)]

    def both(given: Any, *operands: Any) -> Any:
        out, pull = jax.vjp(function, *operands)
        return out, pull(given)

    jitted = jax.jit(both)
    return lambda: jax.block_until_ready(jitted(*held))


def medians(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """The median milliseconds of both sides, measured in turns."""
    for call in (ours, theirs, ours, theirs, ours, theirs):
        call()
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for call, column in zip((ours, theirs), taken, strict=True):
            started = time.perf_counter()
            call()
            column.append(1e3 * (time.perf_counter() - started))
    return statistics.median(taken[0]), statistics.median(taken[1])


def row(name: str, ours: float, theirs: float, target: float) -> float:
    """Prints a line; returns the ratio."""
    ratio = ours / theirs
    print(f"  {name:<40} tfcompat {ours:8.2f}  jax {theirs:8.2f}  {ratio:5.2f}{'  x' if ratio > target else ''}")
    return ratio


def main() -> None:
    """Prints a line for each op, and the median of the ratios."""
    chosen = sys.argv[1:]
    rng = np.random.default_rng(0)
    ratios = []
    print(f"An op and its gradient, in milliseconds (target: the median ratio at most {TARGET:g})")
    for name, rival in SLOPES.items():
        if not chosen or name in chosen:
            arrays = [rng.normal(size=shape).astype(np.float32) for shape in rival.shapes]
            upstream = rng.normal(size=jax.eval_shape(rival.theirs, *arrays).shape).astype(np.float32)
            pair = medians(our_slope(rival.ours, arrays, upstream), their_slope(rival.theirs, arrays, upstream))
            ratios.append(row(name, *pair, TARGET))
    if ratios:
        print(f"  {'median of the ratios':<40} {statistics.median(ratios):5.2f}")
    print(f"16 M random numbers of TensorFlow's streams, over those of jax.random (target: at most {STREAM_TARGET:g})")
    for name, rival in STREAMS.items():
        if not chosen or name in chosen:
            jitted = jax.jit(rival.theirs)
            pair = medians(
                lambda ours=rival.ours: jax.block_until_ready(ours()._value()),
                lambda jitted=jitted: jax.block_until_ready(jitted()),
            )
            row(name, *pair, STREAM_TARGET)


if __name__ == "__main__":
    main()
