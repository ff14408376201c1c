"""Time of training steps in the replicas of `MirroredStrategy`, on simulated devices, beside `jax.shard_map` by hand.

python -m benchmarks.replicas [--replicas 8] [--models mlp transformer] [--seconds 5]

Each figure is the median wall time of a step, and its CPU time, in one process. "one device" is the same strategy in a
process in which JAX has one device, so that all replicas are computed on it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.remote import found_by

RATE = 0.01
# The most that a step in replicas may take of the time of the hand-written one.
MOST = 1.1


class Ops(NamedTuple):
    """The functions with which a model is written, of TensorFlow or of JAX."""

    relu: Callable[..., Any]
    softmax: Callable[..., Any]
    reshape: Callable[..., Any]
    transpose: Callable[..., Any]
    mean: Callable[..., Any]
    square: Callable[..., Any]


class Model(NamedTuple):
    """A model to train.

    Attributes:
      shapes: the shapes of its weights; `example`: those of one example and its target.
      outputs: its outputs, of the weights and a batch, written with `Ops`.
      batch: the number of examples in a step.
    """

    shapes: list[tuple[int, ...]]
    example: tuple[tuple[int, ...], tuple[int, ...]]
    outputs: Callable[[Ops, Any, Any], Any]
    batch: int


def perceptron(ops: Ops, weights: Any, x: Any) -> Any:
    """The outputs of dense layers."""
    for weight in weights[:-1]:
        x = ops.relu(x @ weight)
    return x @ weights[-1]


def transformer(ops: Ops, weights: Any, x: Any) -> Any:
    """The outputs of layers of attention with four heads, each followed by two dense layers."""
    rows, length, width = x.shape
    for k in range(0, len(weights), 6):
        query, key, value, out, wide, narrow = weights[k : k + 6]
        heads = [
            ops.transpose(ops.reshape(x @ weight, (rows, length, 4, width // 4)), (0, 2, 1, 3))
            for weight in (query, key, value)
        ]
        scores = ops.softmax(heads[0] @ ops.transpose(heads[1], (0, 1, 3, 2)) * (width / 4) ** -0.5)
        x = x + ops.reshape(ops.transpose(scores @ heads[2], (0, 2, 1, 3)), (rows, length, width)) @ out
        x = x + ops.relu(x @ wide) @ narrow
    return x


def dense(width: int, layers: int, batch: int) -> Model:
    """A perceptron."""
    return Model([(width, width)] * layers, ((width,), (width,)), perceptron, batch)


def attention(width: int, layers: int, length: int, batch: int) -> Model:
    """A transformer."""
    layer = [(width, width)] * 4 + [(width, 4 * width), (4 * width, width)]
    return Model(layer * layers, ((length, width), (length, width)), transformer, batch)


MODELS = {
    "small mlp": dense(16, 2, 64),
    "mlp": dense(256, 4, 1024),
    "transformer": attention(64, 2, 32, 64),
}


def values(model: Model) -> tuple[list[Any], Any, Any]:
    """Weights, inputs and targets."""
    chance = np.random.default_rng(0)
    weights = [chance.normal(size=shape, scale=shape[0] ** -0.5).astype("f") for shape in model.shapes]
    x, y = (chance.normal(size=(model.batch, *shape)).astype("f") for shape in model.example)
    return weights, x, y


def handwritten(model: Model, count: int) -> Callable[[], float]:
    """A step by `jax.shard_map`; returns the loss."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    ops = Ops(jax.nn.relu, jax.nn.softmax, jnp.reshape, jnp.transpose, jnp.mean, jnp.square)
    mesh = Mesh(np.array(jax.devices()[:count]), ("batch",))
    divided, copied = PartitionSpec("batch"), PartitionSpec()

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        return jnp.mean(jnp.square(model.outputs(ops, weights, x) - y)) / count

    def step(weights: Any, x: Any, y: Any) -> Any:
        loss, slopes = jax.value_and_grad(loss_of)(weights, x, y)
        slopes = [jax.lax.psum(slope, "batch") for slope in slopes]
        new = [weight - RATE * slope for weight, slope in zip(weights, slopes, strict=True)]
        return new, jax.lax.psum(loss, "batch")

    specs = (copied, divided, divided)
    run = jax.jit(
        jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=copied, check_vma=False), donate_argnums=(0,)
    )
    weights, x, y = values(model)
    state = [jax.device_put(weights, NamedSharding(mesh, copied))]
    x, y = (jax.device_put(array, NamedSharding(mesh, divided)) for array in (x, y))

    def call() -> float:
        state[0], loss = run(state[0], x, y)
        return float(loss)

    return call


def replicated(model: Model, count: int, *, is_decorated: bool, reads: bool = True) -> Callable[[], Any]:
    """A step in the replicas of a strategy; returns the loss, a tensor unless it `reads` it."""
    import tfcompat as tf

    ops = Ops(tf.nn.relu, tf.nn.softmax, tf.reshape, tf.transpose, tf.reduce_mean, tf.square)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(count)])
    given, x, y = values(model)
    with strategy.scope():
        weights = [tf.Variable(value) for value in given]
    rows = model.batch // count
    pieces = [
        strategy.experimental_distribute_values_from_function(
            lambda context, array=array: tf.constant(array[context.replica_id_in_sync_group * rows :][:rows])
        )
        for array in (x, y)
    ]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model.outputs(ops, weights, x) - y)) / count
        slopes = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, weights))
        for weight, slope in zip(weights, slopes, strict=True):
            weight.assign_sub(RATE * slope)
        return loss

    def everywhere(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    return lambda: float(run(*pieces)) if reads else run(*pieces)


def measured(calls: dict[str, Callable[[], float]], seconds: float) -> dict[str, Any]:
    """For each of `calls`, which run by turns: the medians of wall and CPU time in ms, and the first losses."""
    losses = {name: [call() for _ in range(4)] for name, call in calls.items()}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end:
        for name, call in calls.items():
            for _ in range(3):
                wall, cpu = time.perf_counter(), time.process_time()
                call()
                times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {
        name: {
            "wall": 1e3 * statistics.median([wall for wall, _ in found]),
            "cpu": 1e3 * statistics.median([cpu for _, cpu in found]),
            "losses": losses[name],
        }
        for name, found in times.items()
    }


def work(name: str, count: int, seconds: float) -> None:
    """Prints the measurements of the model `name` in this process."""
    import jax

    model, forms = MODELS[name], {"decorated": True, "undecorated": False}
    calls = {form: partial(replicated, model, count, is_decorated=flag)() for form, flag in forms.items()}
    if len(jax.devices()) == count:
        calls["shard_map"] = handwritten(model, count)
    print(json.dumps(measured(calls, seconds)))


def in_process(name: str, count: int, devices: int, seconds: float) -> dict[str, Any]:
    """The measurements in a process in which JAX has this number of `devices`."""
    command = [sys.executable, "-m", "benchmarks.replicas", "--work", name, "--replicas", str(count)]
    flags = f"--xla_force_host_platform_device_count={devices}"
    return found_by([*command, "--seconds", str(seconds)], XLA_FLAGS=flags, JAX_PLATFORMS="cpu")


def main() -> None:
    """Prints a table of times in ms; fails if a loss is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicas", type=int, default=8)
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.replicas, given.seconds)
        return
    for name in given.models:
        found = in_process(name, given.replicas, given.replicas, given.seconds)
        for form, figures in in_process(name, given.replicas, 1, given.seconds).items():
            found[f"{form}, one device"] = figures
        own = found["shard_map"]
        for form, figures in found.items():
            np.testing.assert_allclose(figures["losses"], own["losses"], rtol=1e-5)
            ratios = [figures[kind] / own[kind] for kind in ("wall", "cpu")]
            mark = "" if form == "shard_map" or "one" in form or ratios[1] <= MOST else "  slow"
            print(
                f"{name:12} {form:24} wall {figures['wall']:8.2f} cpu {figures['cpu']:8.2f} ms"
                f"  ratio {ratios[0]:5.2f} {ratios[1]:5.2f}{mark}"
            )


if __name__ == "__main__":
    main()
