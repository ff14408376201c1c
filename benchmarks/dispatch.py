"""The cost of calling a decorated function of many variables, relative to a raw `jax.jit` call with the same arrays.

python -m benchmarks.dispatch
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp

import tfcompat as tf

VARIABLES, CALLS, ROUNDS, TARGET = 200, 50, 15, 1.5


def reading() -> tuple[Callable[[], None], Callable[[], None]]:
    """Calls that read all variables and return one number: decorated, and in JAX."""
    variables = [tf.Variable(tf.ones([8])) for _ in range(VARIABLES)]
    total = tf.function(lambda: tf.reduce_sum(tf.add_n(variables)))
    arrays = [jnp.ones([8]) for _ in range(VARIABLES)]
    jitted = jax.jit(lambda arrays: jnp.sum(sum(arrays)))
    return lambda: total().numpy(), lambda: jitted(arrays).__array__()


def assigning() -> tuple[Callable[[], None], Callable[[], None]]:
    """Calls that assign all variables: decorated, and in JAX with donated arrays."""
    variables = [tf.Variable(tf.ones([8])) for _ in range(VARIABLES)]

    @tf.function
    def decay():
        for variable in variables:
            variable.assign(variable * 0.9)

    arrays = [jnp.ones([8]) for _ in range(VARIABLES)]
    jitted = jax.jit(lambda arrays: [0.9 * array for array in arrays], donate_argnums=0)

    def by_hand():
        nonlocal arrays
        arrays = jitted(arrays)
        arrays[-1].block_until_ready()

    def decorated():
        decay()
        variables[-1].numpy()

    return decorated, by_hand


def microseconds(call: Callable[[], None]) -> float:
    """The mean microseconds of a block of calls."""
    started = time.perf_counter()
    for _ in range(CALLS):
        call()
    return 1e6 * (time.perf_counter() - started) / CALLS


def main() -> None:
    """Prints the medians over blocks of calls, which alternate between both versions."""
    print(f"Calling a function of {VARIABLES} variables, in microseconds (target: at most {TARGET:g} times jax.jit)")
    for build in (reading, assigning):
        decorated, by_hand = build()
        taken = [(microseconds(decorated), microseconds(by_hand)) for _ in range(ROUNDS + 1)][1:]
        ours, theirs = (statistics.median(column) for column in zip(*taken, strict=True))
        missed = "" if ours <= TARGET * theirs else "  x"
        print(f"  {build.__name__:<10} decorated {ours:6.1f}, jax.jit {theirs:6.1f}: {ours / theirs:.2f}{missed}")


if __name__ == "__main__":
    main()
