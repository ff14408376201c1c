"""Times what runs once: a model's variables, a notebook's expressions, first steps; under TensorFlow and tfcompat.

    python -m benchmarks.once [--tensorflow PYTHON] [--only NAME,NAME] [--rounds 3]

Each measurement takes a new process, begins when the package is imported and has computed a sum, and ends with a read.
The medians of alternating rounds are compared. Programs are compiled, except `from the cache`: there an earlier
process, which is not counted, has left them in JAX's compilation cache, as `python -m tfcompat` does.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.bytecode import compile_package
from benchmarks.catalogue import WORKLOADS
from benchmarks.remote import found_by


def variables(tf: Any) -> None:
    """Makes the kernels, biases and scales of a model of 20 different layers."""
    made = []
    for k in range(20):
        made.append(tf.Variable(tf.random.truncated_normal([20 + 7 * k, 27 + 7 * k], stddev=0.05)))
        made.append(tf.Variable(tf.zeros([27 + 7 * k])))
        made.append(tf.Variable(tf.random.uniform([27 + 7 * k], -0.1, 0.1)))
    for variable in made:
        variable.numpy()


def initial_values(tf: Any) -> None:
    """Makes 60 kernels with Glorot's uniform values and orthogonal ones, as Keras computes them."""
    made = []
    for k in range(30):
        rows, columns = 20 + 5 * k, 24 + 5 * k
        limit = (6.0 / (rows + columns)) ** 0.5
        made.append(tf.Variable(tf.random.stateless_uniform([rows, columns], [k, 1], -limit, limit)))
        q, r = tf.linalg.qr(tf.random.stateless_normal([columns, rows], [k, 2]), full_matrices=False)
        made.append(tf.Variable(tf.transpose(q * tf.sign(tf.linalg.diag_part(r)))))
    for variable in made:
        variable.numpy()


def expressions(tf: Any) -> None:
    """Reads 150 small expressions, each at a size of its own: three kinds at 50 sizes."""
    for n in range(3, 53):
        x = tf.reshape(tf.range(n * 4, dtype=tf.float32), [n, 4])
        tf.nn.softmax(tf.matmul(x, x, transpose_b=True) / 100.0).numpy()
        tf.reduce_mean(tf.concat([x, tf.transpose(tf.reshape(x, [4, n]))], 0), 1).numpy()
        tf.sqrt(tf.reduce_sum(tf.square(x - tf.reduce_mean(x, 0)))).numpy()


def random_numbers(tf: Any) -> None:
    """Draws seeded random numbers of 20 shapes."""
    for n in range(20):
        for draw in (tf.random.stateless_normal, tf.random.stateless_uniform, tf.random.stateless_truncated_normal):
            draw([n + 2, 3 * n + 5], [n, 7]).numpy()


def first_step(tf: Any, workload: str, is_decorated: bool) -> None:
    """Runs the first step of a workload and reads its loss."""
    loop = WORKLOADS[workload].build(tf)
    step = tf.function(loop.step) if is_decorated else loop.step
    step(*loop.batch(0)).numpy()


@dataclass(frozen=True)
class Scene:
    """Something that runs once, and the largest ratio to TensorFlow's time that is wanted.

    Attributes:
      is_kept: whether its programs come from the compilation cache.
    """

    run: Callable[[Any], None]
    target: float
    is_kept: bool = False


def _steps(workload: str) -> dict[str, Scene]:
    return {
        f"first step, {workload}": Scene(lambda tf: first_step(tf, workload, False), 2.0),
        f"first step, {workload}, decorated": Scene(lambda tf: first_step(tf, workload, True), 1.5),
        f"first step, {workload}, from the cache": Scene(lambda tf: first_step(tf, workload, True), 1.2, is_kept=True),
    }


SCENES = {
    "60 variables": Scene(variables, 2.0),
    "60 initial values": Scene(initial_values, 2.0),
    "150 expressions": Scene(expressions, 2.0),
    "60 seeded draws": Scene(random_numbers, 3.0),
    **_steps("linear_regression"),
    **_steps("mlp_4x256"),
    **_steps("cnn"),
    **_steps("attention"),
    **_steps("rnn"),
    **_steps("rnn_loop_lstm"),
}


def measure(package: str, name: str) -> None:
    """Prints the seconds that the scene `name` takes, and the programs that tfcompat compiled for it."""
    tf = importlib.import_module(package)
    (tf.constant([1.0, 2.0]) + 3.0).numpy()
    started = time.perf_counter()
    SCENES[name].run(tf)
    seconds = time.perf_counter() - started
    counts = tf.counters() if package == "tfcompat" else None
    compiled = None if counts is None else counts.compiles + counts.op_compiles
    print(json.dumps({"seconds": seconds, "compiled": compiled}))


def measured(python: str, package: str, name: str, **environment: str) -> dict[str, Any]:
    """The result of `measure` in a new process."""
    return found_by([python, "-m", "benchmarks.once", "--measure", package, name], **environment)


def rounds(name: str, tensorflow: str | None, count: int) -> list[tuple[float, dict[str, Any]]]:
    """The results of alternating rounds: TensorFlow's seconds, and what tfcompat's process has printed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {}
        if SCENES[name].is_kept:
            least = {
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
            }
            environment = {"JAX_COMPILATION_CACHE_DIR": folder, **least}
            measured(sys.executable, "tfcompat", name, **environment)
        return [
            (
                measured(tensorflow, "tensorflow", name)["seconds"] if tensorflow else float("nan"),
                measured(sys.executable, "tfcompat", name, **environment),
            )
            for _ in range(count)
        ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.once", description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python that has TensorFlow")
    parser.add_argument("--only", default="", help="a part of the names of the scenes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(*asked.measure)
        return
    compile_package()
    print(f"{'':<44}{'TensorFlow':>11}{'tfcompat':>10}{'compiled':>9}{'ratio':>8}")
    for name in filter(lambda name: asked.only in name, SCENES):
        found = rounds(name, asked.tensorflow, asked.rounds)
        theirs = statistics.median(tensorflow for tensorflow, _ in found)
        ours = statistics.median(own["seconds"] for _, own in found)
        ratio, target = ours / theirs, SCENES[name].target
        missed = "  x" if ratio > target else ""
        compiled = found[0][1]["compiled"]
        print(f"{name:<44}{theirs:>10.3f}s{ours:>9.3f}s{compiled:>9}{ratio:>8.2f} (<= {target:g}){missed}", flush=True)


if __name__ == "__main__":
    main()
