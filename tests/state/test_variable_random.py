"""Random sequences of assignments and reads, with and without tapes, against the same sequence in NumPy.

The variables are large enough for programs to reuse their buffers.
"""

from __future__ import annotations

import contextlib
import copy

import numpy as np
import pytest

import tfcompat as tf

SIZE = 1_200
STEPS = 60


class Both:
    """Two variables and everything that was read of them, in TensorFlow's terms and in NumPy's."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.arrays = [self.fresh(), self.fresh()]
        self.variables = [tf.Variable(array) for array in self.arrays]
        self.snapshots = []

    def fresh(self):
        return self.random.integers(-4, 5, SIZE).astype(np.float32)

    def step(self):
        which, other = self.random.permutation(2)
        action = self.random.choice(ACTIONS)
        action(self, which, other)

    def check(self):
        for variable, array in zip(self.variables, self.arrays):
            np.testing.assert_array_equal(variable.numpy(), array)
        for tensor, array in self.snapshots:
            np.testing.assert_array_equal(np.asarray(tensor), array)


def assign(both, which, other):
    both.variables[which].assign(both.variables[other] - 1.0)
    both.arrays[which] = both.arrays[other] - 1.0


def assign_add(both, which, other):
    both.variables[which].assign_add(both.variables[other])
    both.arrays[which] = both.arrays[which] + both.arrays[other]


def assign_itself(both, which, other):
    both.variables[which].assign(both.variables[other])
    both.arrays[which] = both.arrays[other].copy()


def assign_array(both, which, _other):
    array = both.fresh()
    both.variables[which].assign(array)
    both.arrays[which] = array


def shrink(both, which, _other):
    both.variables[which].assign(tf.clip_by_value(both.variables[which], -9.0, 9.0))
    both.arrays[which] = np.clip(both.arrays[which], -9.0, 9.0)


def assign_slice(both, which, other):
    start = int(both.random.integers(0, SIZE - 20))
    both.variables[which][start : start + 20].assign(both.variables[other][:20] * 2.0)
    both.arrays[which] = both.arrays[which].copy()
    both.arrays[which][start : start + 20] = both.arrays[other][:20] * 2.0


def scatter(both, which, _other):
    rows, values = both.random.integers(0, SIZE, 5), both.random.integers(-3, 4, 5).astype(np.float32)
    both.variables[which].scatter_add(tf.IndexedSlices(values, rows))
    both.arrays[which] = both.arrays[which].copy()
    np.add.at(both.arrays[which], rows, values)


def snapshot(both, which, _other):
    read = both.random.choice([tf.Variable.read_value, tf.identity, copy.deepcopy, tf.Variable])
    both.snapshots.append((read(both.variables[which]), both.arrays[which].copy()))


def derived(both, which, other):
    both.snapshots.append((both.variables[which] * both.variables[other], both.arrays[which] * both.arrays[other]))


def read(both, which, _other):
    np.testing.assert_array_equal(both.variables[which].numpy(), both.arrays[which])


def forget(both, _which, _other):
    del both.snapshots[: len(both.snapshots) // 2]


def run(_both, _which, _other):
    tf.sync()


def fail(both, which, _other):
    with pytest.raises(tf.errors.InvalidArgumentError):
        both.variables[which].assign_add(tf.ones([3]) * 2.0)


ACTIONS = [assign, assign_add, assign_itself, assign_array, shrink, assign_slice, scatter, snapshot, derived, read]
ACTIONS += [forget, run, fail]


@pytest.mark.parametrize("is_taped", [False, True], ids=["untaped", "taped"])
@pytest.mark.parametrize("seed", range(6))
def test_random_assignments_agree_with_numpy(seed, is_taped):
    both = Both(seed)
    for _ in range(STEPS // 10):
        with tf.GradientTape() if is_taped else contextlib.nullcontext():
            for _ in range(10):
                both.step()
        both.check()
