"""The workloads by name, each with its target ratios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.loop import ArrayLoop, TensorLoop
from benchmarks.workloads import (
    attention,
    batch_jacobian,
    changing_rate,
    cnn,
    linear_regression,
    mlp,
    no_read,
    rnn,
    rnn_loop,
    rnn_loop_lstm,
    tree,
    wgan_gp,
)


@dataclass(frozen=True)
class Workload:
    """A training step in TensorFlow and in JAX, and upper bounds on tfcompat's ratios of time and memory.

    Attributes:
      build: a function of the module `tensorflow` or `tfcompat` that returns a loop.
      build_jax: a function of the module `jax` that returns the same loop, written by hand.
      to_jax, to_eager, to_function: tfcompat's step over that of hand-written JAX, TensorFlow eager, `tf.function`.
      decorated_to_jax, decorated_to_jit: the decorated step's over that of hand-written JAX, of `jit_compile=True`.
      peak: tfcompat's peak memory over that of hand-written JAX; None where it is not measured.
      warm_up: steps before the measurement.
      is_decorated: whether to measure the step under `tf.function` too.
      tolerance: the largest relative difference of losses of two versions.
    """

    build: Callable[..., TensorLoop]
    build_jax: Callable[..., ArrayLoop]
    to_jax: float | None = None
    to_eager: float | None = None
    to_function: float | None = None
    decorated_to_jax: float | None = None
    decorated_to_jit: float | None = None
    peak: float | None = None
    warm_up: int = 10
    is_decorated: bool = True
    tolerance: float = 1e-3


def perceptron(depth: int, width: int, batch: int, **targets: float) -> Workload:
    """The perceptron of `mlp` for one size."""
    size = {"depth": depth, "width": width, "batch": batch}
    return Workload(partial(mlp.build, **size), partial(mlp.build_jax, **size), **targets)


WORKLOADS = {
    "linear_regression": Workload(
        linear_regression.build,
        linear_regression.build_jax,
        to_jax=3,
        to_eager=1 / 12,
        to_function=1,
        decorated_to_jax=2.5,
        decorated_to_jit=1 / 1.5,
    ),
    "mlp_4x256": perceptron(4, 256, 128, to_jax=1.4, to_eager=1 / 3, decorated_to_jax=1.1),
    "mlp_4x32": perceptron(4, 32, 32),
    "mlp_8x1024": perceptron(8, 1024, 128, peak=1.15),
    "wgan_gp": Workload(
        wgan_gp.build, wgan_gp.build_jax, to_jax=7, to_eager=1 / 15, to_function=1, decorated_to_jax=2.5
    ),
    "cnn": Workload(cnn.build, cnn.build_jax, to_jax=1.1),
    "attention": Workload(attention.build, attention.build_jax, to_jax=1.25, decorated_to_jax=1.1),
    "rnn": Workload(rnn.build, rnn.build_jax, to_jax=2.5),
    "rnn_loop": Workload(rnn_loop.build, rnn_loop.build_jax, decorated_to_jax=1.1),
    "rnn_loop_lstm": Workload(rnn_loop_lstm.build, rnn_loop_lstm.build_jax, decorated_to_jax=1.1),
    "batch_jacobian": Workload(batch_jacobian.build, batch_jacobian.build_jax, to_jax=1.25),
    "tree": Workload(tree.build, tree.build_jax, to_eager=1.5, warm_up=50, is_decorated=False),
    "changing_rate": Workload(changing_rate.build, changing_rate.build_jax, to_jax=4),
    "no_read": Workload(no_read.build, no_read.build_jax),
}
