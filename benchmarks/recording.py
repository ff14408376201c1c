"""The cost of recording one op, without running it.

python -m benchmarks.recording
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import tfcompat as tf

CHAIN, ROUNDS, TARGET = 400, 30, 2.0


def microseconds(apply: Callable[[tf.Tensor], tf.Tensor]) -> float:
    """The median microseconds of `apply` in a chain whose result is not read."""
    taken = []
    for _ in range(ROUNDS):
        value = tf.ones([8, 8])
        tf.sync()
        started = time.perf_counter()
        for _ in range(CHAIN):
            value = apply(value)
        taken.append((time.perf_counter() - started) / CHAIN)
        del value
        tf.sync()
    return 1e6 * statistics.median(taken)


def main() -> None:
    """Prints the cost of a few ops; the target applies to elementwise ops."""
    other = tf.ones([8, 8])
    ops = {
        "x + y": lambda x: x + other,
        "x * 2.0": lambda x: x * 2.0,
        "tf.square(x)": tf.square,
        "tf.matmul(x, y)": lambda x: tf.matmul(x, other),
        "tf.transpose(x)": tf.transpose,
    }
    print(f"Recording one op, in microseconds (target for elementwise ones: at most {TARGET:g})")
    for name, apply in ops.items():
        print(f"  {name:<26} {microseconds(apply):5.2f}")


if __name__ == "__main__":
    main()
