"""Loops over datasets in functions."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset
FIVE = D.range(5)


@tf.function
def total(dataset):
    found = tf.constant(0, tf.int64)
    for x in dataset:
        found += x
    return found


def test_loops_run():
    assert int(total(FIVE)) == 10
    assert int(total(D.range(0))) == 0
    assert int(total(FIVE.map(lambda x: x * 2))) == 20


def test_captured_datasets_and_those_made_inside():
    @tf.function
    def captured():
        found = tf.constant(0, tf.int64)
        for x in FIVE:
            found += x
        return found

    @tf.function
    def made(values, scale):
        found = tf.constant(0.0)
        for x in D.from_tensor_slices(values).map(lambda x: x * scale):
            found += x
        return found

    assert [int(captured()), int(captured())] == [10, 10]
    assert [float(made(tf.constant([1.0, 2.0]), tf.constant(k))) for k in (1.0, 3.0)] == [3.0, 9.0]


def test_python_counters_become_tensors():
    @tf.function
    def counted(dataset):
        count, scaled, nested = 0, 0.0, (0, {"a": 1.0})
        for _ in dataset:
            count += 1
            scaled += 1.5
            nested = (nested[0] + 2, {"a": nested[1]["a"] * 2})
        return count, scaled, nested

    count, scaled, nested = counted(FIVE)
    assert (count.dtype, int(count)) == (tf.int32, 5)
    assert (scaled.dtype, float(scaled)) == (tf.float32, 7.5)
    assert (int(nested[0]), float(nested[1]["a"])) == (10, 32.0)


def test_break_and_continue():
    @tf.function
    def odd(dataset, limit):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            if x % 2 == 0:
                continue
            if x > limit:
                break
            found += x
        return found

    assert [int(odd(D.range(10), tf.constant(limit, tf.int64))) for limit in (0, 4, 100)] == [0, 4, 25]


def test_enumerate_zip_map_filter_and_len():
    @tf.function
    def weighted(dataset):
        found = tf.constant(0, tf.int64)
        for i, x in enumerate(dataset):
            found += i * x
        for x, y in zip(dataset, dataset.skip(1)):
            found += x * y
        for x in map(lambda x: x * 100, dataset):  # noqa: C417  # the built-in is tested
            found += x
        for x in filter(lambda x: x > 3, dataset):
            found += x * 10000
        return found

    @tf.function
    def length(dataset):
        return len(dataset)

    found, count = weighted(FIVE), length(FIVE)
    assert int(found) == 30 + 20 + 1000 + 40000
    assert (count.dtype, int(count)) == (tf.int64, 5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="len requires dataset with definitive cardinality"):
        length(FIVE.repeat())


def test_nested_loops():
    @tf.function
    def pairs(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            for y in D.range(x):
                found += x * y
        return found

    @tf.function
    def of_windows(dataset):
        found = tf.zeros([0], tf.int64)
        for window in dataset:
            largest = tf.constant(-1, tf.int64)
            for x in window:
                largest = tf.maximum(largest, x)
            found = tf.concat([found, [largest]], 0)
        return found

    assert int(pairs(FIVE)) == sum(x * y for x in range(5) for y in range(x))
    assert of_windows(FIVE.window(2)).numpy().tolist() == [1, 3, 4]


def test_elements_are_structures():
    @tf.function
    def summed(dataset):
        found, count = tf.zeros([2]), 0
        for element in dataset:
            found += tf.reduce_sum(element["x"], 0)
            count += tf.shape(element["y"][1])[0]
        return found, count

    values = {"x": np.ones((5, 2), np.float32), "y": (np.arange(5), np.arange(5))}
    found, count = summed(D.from_tensor_slices(values).batch(2))
    assert (found.numpy().tolist(), int(count)) == ([5.0, 5.0], 5)


def test_strings_and_ragged_elements():
    @tf.function
    def lengths(dataset):
        found = 0
        for text in dataset:
            found += tf.strings.length(text)
        return found

    @tf.function
    def sums(dataset):
        found = tf.constant(0)
        for row in dataset:
            found += tf.reduce_sum(row)
        return found

    assert int(lengths(D.from_tensor_slices(["a", "bb", "ccc"]))) == 6
    assert int(sums(D.from_tensor_slices(tf.ragged.constant([[1, 2], [3], [4, 5, 6]])).batch(2))) == 21


def test_arrays_are_part_of_the_state():
    @tf.function
    def squares(dataset):
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for i, x in dataset.enumerate():
            found = found.write(tf.cast(i, tf.int32), x * x)
        return found.stack()

    assert squares(FIVE).numpy().tolist() == [0, 1, 4, 9, 16]


def test_state_that_grows():
    @tf.function
    def joined(dataset):
        found = tf.zeros([0], tf.int64)
        for x in dataset:
            found = tf.concat([found, [x]], 0)
        return found

    assert joined(FIVE).numpy().tolist() == [0, 1, 2, 3, 4]


def test_the_body_is_traced_once():
    shapes = []

    @tf.function
    def counted(dataset):
        count = 0
        for x in dataset:
            shapes.append((x.shape.as_list(), isinstance(x, tf.Tensor)))
            count += tf.shape(x)[0]
        return count

    rows = D.from_tensor_slices(np.ones((10, 3), np.float32))
    assert [int(counted(rows.batch(4))) for _ in range(3)] == [10, 10, 10]
    assert [int(counted(rows.take(8).batch(3))) for _ in range(2)] == [8, 8]
    assert shapes == [([None, 3], True)]


def test_undefined_variables_are_refused():
    @tf.function
    def last(dataset):
        for x in dataset:
            y = x * 2
        return y

    @tf.function
    def best(dataset):
        y = None
        for x in dataset:
            y = x
        return y

    @tf.function
    def found(dataset):
        for x in dataset:
            if x == 2:
                return x
        return tf.constant(-1, tf.int64)

    with pytest.raises(ValueError, match="'y' must be defined before the loop"):
        last(FIVE)
    with pytest.raises(ValueError, match="'y' is not allowed to be None before the loop"):
        best(FIVE)
    with pytest.raises(NotImplementedError, match="a return statement cannot be placed inside this TensorFlow loop"):
        found(FIVE)


def test_tensors_of_the_body_are_out_of_scope_behind_it():
    @tf.function
    def leaking(dataset):
        found = []
        for x in dataset:
            found.append(x)
        return found

    with pytest.raises((TypeError, ValueError), match="out of scope"):
        leaking(FIVE)


def test_no_gradient_passes_through_a_dataset():
    weight = tf.Variable(2.0)

    @tf.function
    def loss(dataset):
        found = 0.0
        for x in dataset:
            found += weight * tf.cast(x, tf.float32)
        return found

    @tf.function
    def inside(dataset):
        with tf.GradientTape() as tape:
            found = 0.0
            for x in dataset:
                found += weight * tf.cast(x, tf.float32)
        return tape.gradient(found, weight)

    with tf.GradientTape() as tape:
        found = loss(FIVE)
    assert (float(found), tape.gradient(found, weight)) == (20.0, None)
    assert inside(FIVE) is None


def test_training():
    weight, velocity = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    xs = np.linspace(-1, 1, 10, dtype=np.float32)[:, None] * np.array([1.0, 2.0], np.float32)
    ys = xs @ np.array([1.0, -1.0], np.float32)

    @tf.function
    def epoch(dataset):
        found = 0.0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, weight) - y) ** 2)
            gradient = tape.gradient(loss, weight)
            velocity.assign(0.5 * velocity + gradient)
            weight.assign_sub(0.1 * velocity)
            found += loss
        return found

    losses = [float(epoch(D.from_tensor_slices((xs, ys)).batch(4))) for _ in range(3)]
    np.testing.assert_allclose(losses, [0.5609927, 0.0551415, 0.01191712], rtol=1e-4)


def test_variables_are_made_in_the_first_loop():
    class Net(tf.Module):
        def __init__(self):
            self.kept = []

        @tf.function
        def run(self, dataset):
            found = tf.constant(0.0)
            for x in dataset:
                if not self.kept:
                    self.kept.append(tf.Variable(10.0))
                self.kept[0].assign_add(tf.cast(x, tf.float32))
                found = self.kept[0].read_value()
            return found

    net = Net()
    assert [float(net.run(FIVE)), float(net.run(FIVE))] == [20.0, 30.0]


def test_random_numbers_are_the_same_in_each_loop():
    tf.random.set_seed(1)

    @tf.function
    def drawn(dataset):
        found = [tf.random.uniform([])]
        inner = tf.zeros([0])
        for _ in dataset:
            inner = tf.concat([inner, tf.random.uniform([1])], 0)
        return [*found, inner, tf.random.uniform([])]

    inner = [0.81269646, 0.5272893, 0.8489425]
    for before, behind in ((0.81269646, 0.05554414), (0.52728927, 0.8388307), (0.8489425, 0.5773283)):
        found = drawn(D.range(3))
        np.testing.assert_allclose([float(found[0]), float(found[2])], [before, behind], rtol=1e-6)
        np.testing.assert_allclose(found[1], inner, rtol=1e-6)


def test_shuffled_datasets_count_their_iterations():
    shuffled = D.range(4).shuffle(4, seed=1)

    @tf.function
    def order(dataset):
        found = tf.zeros([0], tf.int64)
        for x in dataset:
            found = tf.concat([found, [x]], 0)
        return found

    @tf.function
    def anew():
        found = tf.zeros([0], tf.int64)
        for x in D.range(4).shuffle(4, seed=1):
            found = tf.concat([found, [x]], 0)
        return found

    orders = {tuple(order(shuffled).numpy().tolist()) for _ in range(3)}
    assert len(orders) > 1
    assert len({tuple(anew().numpy().tolist()) for _ in range(3)}) == 1


def test_errors_of_elements_end_the_loop():
    count = tf.Variable(0)

    @tf.function
    def counted(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            count.assign_add(1)
            found += x
        return found

    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        counted(D.range(3).map(lambda x: 1 // (x - 1)))
    assert int(count) > 0


def test_values_of_the_function_reach_the_body():
    @tf.function
    def scaled(dataset, scale, offset=1):
        local = scale * 2

        def of(x):
            return x * local + offset

        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += of(x)
        return found

    assert [int(scaled(FIVE, tf.constant(k, tf.int64))) for k in (1, 2, 3)] == [25, 45, 65]
    assert int(scaled(FIVE, tf.constant(1, tf.int64), offset=10)) == 70


def test_datasets_are_reduced_measured_and_returned():
    @tf.function
    def reduced(dataset, scale):
        scaled = dataset.map(lambda x: x * scale)
        return scaled.reduce(tf.constant(0, tf.int64), lambda state, x: state + x + scale), dataset.cardinality()

    @tf.function
    def mapped(dataset, scale):
        return dataset.map(lambda x: x * scale)

    five = tf.constant(5, tf.int64)
    assert [int(part) for part in reduced(D.range(4), five)] == [50, 4]
    assert [int(x) for x in mapped(D.range(3), five)] == [0, 5, 10]
    assert int(tf.function(lambda dataset: dataset.get_single_element())(D.range(1))) == 0


def test_functions_that_the_body_captures_are_told_apart():
    class Base:
        def value(self, x):
            return x

    class Scale(Base):
        def __init__(self, factor):
            self.factor = factor

        def value(self, x):
            return super().value(x) * self.factor

    one = 1

    def with_default(factor):
        return lambda x, scale=factor: x * scale * one

    @tf.function
    def totals(dataset, functions):
        results = []
        for function in functions:
            found = tf.constant(0, tf.int64)
            for x in dataset:
                found += function(x)
            results.append(found)
        return results

    methods = [Scale(factor).value for factor in (1, 2, 1)]
    assert [int(found) for found in totals(FIVE, methods)] == [10, 20, 10]
    assert [int(found) for found in totals(FIVE, [with_default(factor) for factor in (1, 2, 1)])] == [10, 20, 10]

    @tf.function
    def of_array(dataset, values):
        parts = [values[0], values[1]]
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x * parts[0] + parts[1]
        return found

    pairs = [tf.constant(pair, tf.int64) for pair in ([1, 0], [2, 1], [3, 0])]
    assert [int(of_array(FIVE, pair)) for pair in pairs] == [10, 25, 30]


def test_methods_do_not_keep_their_instances():
    class Trainer:
        def __init__(self):
            self.total = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def epoch(self, dataset):
            for x in dataset:
                self.total.assign_add(x)
            return self.total.read_value()

    trainer = Trainer()
    assert [int(trainer.epoch(FIVE)) for _ in range(2)] == [10, 20]
    kept = weakref.ref(trainer)
    del trainer
    gc.collect()
    assert kept() is None


def test_elements_that_are_no_tensors():
    @tf.function
    def counted(dataset):
        for _ in dataset:
            calls.assign_add(1)
        return calls.read_value()

    calls = tf.Variable(0)
    assert int(counted(D.from_tensors((1, None)).repeat(3))) == 3


def test_input_signatures():
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))])
    def summed(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += tf.reduce_sum(x)
        return found

    assert int(summed(FIVE.batch(2))) == 10


def test_functions_that_are_called_in_the_loop():
    @tf.function
    def square(x):
        return x * x

    @tf.function
    def epoch(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += square(x)
        return found

    @tf.function
    def epochs(dataset):
        found = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            found += epoch(dataset)
        return found

    assert int(epochs(FIVE)) == 90
