"""Functions that take elements of iterators, and optionals."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset
OUT_OF_RANGE = tf.errors.OutOfRangeError
Optional = tf.experimental.Optional


def test_a_step_takes_the_next_element():
    shapes = []
    total = tf.Variable(0.0)

    @tf.function
    def step(iterator):
        x = next(iterator)
        shapes.append(x.shape.as_list())
        total.assign_add(tf.reduce_sum(tf.cast(x, tf.float32)))
        return tf.reduce_sum(x)

    iterator = iter(D.range(10).batch(4))
    assert [int(step(iterator)) for _ in range(3)] == [6, 22, 17]
    for _ in range(2):
        with pytest.raises(OUT_OF_RANGE, match="End of sequence"):
            step(iterator)
    assert float(total) == 45.0
    assert int(step(iter(D.range(10).batch(5)))) == 10
    assert shapes == [[None]]
    assert step.experimental_get_tracing_count() == 1


def test_only_where_an_element_has_no_rows_are_sizes_of_0_open():
    seen = []

    @tf.function
    def step(iterator):
        x = next(iterator)
        seen.append((x.shape.as_list()[-1], tf.zeros([0, 3]).shape.as_list()))
        return tf.size(x)

    rows = D.from_tensor_slices(tf.ones([4, 2])).batch(4)
    assert [int(step(iter(each))) for each in (rows, rows.map(lambda x: x[:0]))] == [8, 0]
    assert seen[0] == (2, [0, 3])
    assert {last for last, _ in seen} == {2}


def test_captured_iterators():
    iterator = iter(D.range(20))

    @tf.function
    def doubled():
        return iterator.get_next() * 2

    @tf.function
    def doubled_by_next():
        return next(iterator) * 2

    assert [int(doubled()), int(doubled()), int(doubled_by_next()), int(next(iterator))] == [0, 2, 4, 3]


def test_several_elements_in_one_call():
    @tf.function
    def total(iterator):
        found = tf.constant(0, tf.int64)
        for _ in range(5):
            found += next(iterator)
        return found

    iterator = iter(D.range(13))
    assert [int(total(iterator)), int(total(iterator))] == [10, 35]
    with pytest.raises(OUT_OF_RANGE):
        total(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
    three = iter(D.range(9))
    of_three = tf.function(lambda iterator: [next(iterator) for _ in range(3)])
    assert [int(x) for _ in range(3) for x in of_three(three)] == [*range(9)]


def test_two_iterators_in_turn():
    @tf.function
    def product(one, other):
        first = next(one)
        return first * next(other) + next(one)

    one, other = iter(D.range(10)), iter(D.range(100, 110))
    assert [int(product(one, other)) for _ in range(3)] == [1, 205, 413]
    assert int(product(one, one)) == 6 * 7 + 8
    assert int(next(one)) == 9


def test_what_precedes_the_end_happens():
    count = tf.Variable(0)

    @tf.function
    def pair(iterator):
        first = next(iterator)
        count.assign_add(1)
        return first + next(iterator)

    iterator = iter(D.range(3))
    assert int(pair(iterator)) == 1
    with pytest.raises(OUT_OF_RANGE):
        pair(iterator)
    assert int(count) == 2


def test_elements_that_are_not_taken_stay():
    @tf.function
    def ignored(iterator):
        del iterator
        return tf.constant(1)

    iterator = iter(D.range(3))
    assert [int(ignored(iterator)), int(next(iterator)), int(ignored(iterator)), int(next(iterator))] == [1, 0, 1, 1]

    @tf.function
    def refused(iterator):
        next(iterator)
        raise ValueError("while it is traced")

    with pytest.raises(ValueError, match="while it is traced"):
        refused(iterator)
    assert int(next(iterator)) == 2


def test_functions_that_call_functions():
    @tf.function
    def inner(iterator):
        return next(iterator) + 1

    @tf.function
    def outer(iterator):
        return inner(iterator), inner(iterator)

    iterator = iter(D.range(20))
    assert [[int(x) for x in outer(iterator)] for _ in range(2)] == [[1, 2], [3, 4]]
    assert int(inner(iterator)) == 5


def test_iterators_made_inside_begin_anew():
    @tf.function
    def first_two():
        iterator = iter(D.range(5))
        return next(iterator), next(iterator)

    assert [[int(x) for x in first_two()] for _ in range(2)] == [[0, 1], [0, 1]]


def test_elements_in_branches():
    @tf.function
    def chosen(iterator, takes):
        if takes:
            return next(iterator)
        return tf.constant(-1, tf.int64)

    iterator = iter(D.range(5))
    assert [int(chosen(iterator, tf.constant(takes))) for takes in (True, False, True)] == [0, -1, 1]


def test_several_steps_in_one_call():
    weight = tf.Variable(0.0)
    runs = []

    @tf.function
    def steps(iterator, count):
        loss = tf.constant(0.0)
        for _ in tf.range(count):
            runs.append(1)
            x = tf.cast(next(iterator), tf.float32)
            with tf.GradientTape() as tape:
                loss = (weight - x) ** 2
            weight.assign_sub(0.25 * tape.gradient(loss, weight))
        return loss

    iterator = iter(D.range(8))
    assert [float(steps(iterator, tf.constant(3))) for _ in range(2)] == [2.25, 3.75390625]
    traced = len(runs)
    with pytest.raises(OUT_OF_RANGE):
        steps(iterator, tf.constant(3))
    assert float(weight) == pytest.approx(6.0078125)
    steps(iter(D.range(8)), tf.constant(3))
    assert len(runs) == traced


def test_a_variable_that_only_the_loop_defines():
    @tf.function
    def last(iterator, count):
        for _ in tf.range(count):
            found = next(iterator) * 2
        return found

    iterator = iter(D.range(10))
    assert [int(last(iterator, tf.constant(3))), int(last(iterator, tf.constant(3)))] == [4, 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize found"):
        last(iterator, tf.constant(0))


def test_while_loops():
    @tf.function
    def total(iterator, count):
        i, found = tf.constant(0), tf.constant(0, tf.int64)
        while i < count:
            found += next(iterator)
            i += 1
        return found

    iterator = iter(D.range(10))
    assert [int(total(iterator, tf.constant(4))), int(total(iterator, tf.constant(2)))] == [6, 9]


def test_loops_over_iterators_stop_where_they_break():
    @tf.function
    def total(iterator):
        found = tf.constant(0, tf.int64)
        for x in iterator:
            if x > 3:
                break
            found += x
        return found

    iterator = iter(D.range(10))
    assert [int(total(iterator)), int(next(iterator)), int(total(iterator))] == [6, 5, 0]
    assert int(total(iter(D.range(2)))) == 1


def test_gradients_pass_through_elements_and_loops_over_iterators():
    weight = tf.Variable(2.0)

    @tf.function
    def scaled(iterator):
        return weight * tf.cast(next(iterator), tf.float32)

    @tf.function
    def summed(iterator):
        with tf.GradientTape() as tape:
            found = 0.0
            for x in iterator:
                found += weight * tf.cast(x, tf.float32)
        return tape.gradient(found, weight)

    iterator = iter(D.range(3, 6))
    for expected in (3.0, 4.0):
        with tf.GradientTape() as tape:
            found = scaled(iterator)
        assert float(tape.gradient(found, weight)) == expected
    assert float(summed(iter(D.range(4)))) == 6.0


def test_random_numbers_go_on():
    tf.random.set_seed(1)

    @tf.function
    def step(iterator):
        return next(iterator), tf.random.uniform([])

    iterator = iter(D.range(4).batch(3))
    numbers = [float(step(iterator)[1]) for _ in range(2)]
    np.testing.assert_allclose(numbers, [0.81269646, 0.5272893], rtol=1e-6)


def test_variables_are_made_in_the_first_call():
    class Net(tf.Module):
        def __init__(self):
            self.weight = None

        @tf.function
        def step(self, iterator):
            x = tf.cast(next(iterator), tf.float32)
            if self.weight is None:
                self.weight = tf.Variable(1.0)
            self.weight.assign_add(x)
            return self.weight.read_value()

    iterator = iter(D.range(5))
    net = Net()
    assert [float(net.step(iterator)) for _ in range(3)] == [1.0, 2.0, 4.0]
    assert int(next(iterator)) == 3


def test_errors_of_elements_are_raised_once():
    @tf.function
    def taken(iterator):
        return next(iterator)

    iterator = iter(D.range(3).map(lambda x: 1 // (x - 1)))
    assert int(taken(iterator)) == -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        taken(iterator)
    assert int(taken(iterator)) == 1
    with pytest.raises(OUT_OF_RANGE):
        taken(iterator)


def test_structures_and_composites():
    @tf.function
    def step(iterator):
        element = next(iterator)
        return tf.reduce_sum(element["row"]) + element["pair"][1], element["text"]

    rows = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    dataset = D.from_tensor_slices({"row": rows, "pair": ([1, 2, 3], [10, 20, 30]), "text": ["a", "b", "c"]})
    iterator = iter(dataset)
    assert [(int(total), text.numpy()) for total, text in [step(iterator) for _ in range(3)]] == [
        (13, b"a"),
        (23, b"b"),
        (45, b"c"),
    ]


def test_input_signatures():
    @tf.function(input_signature=[tf.data.IteratorSpec(tf.TensorSpec([None], tf.int64))])
    def total(iterator):
        return tf.reduce_sum(next(iterator))

    iterator = iter(D.range(10).batch(4))
    assert [int(total(iterator)) for _ in range(3)] == [6, 22, 17]
    with pytest.raises(OUT_OF_RANGE):
        total(iterator)


def test_iterators_are_returned():
    iterator = iter(D.range(3))
    assert int(next(tf.function(lambda iterator: iterator)(iterator))) == 0


def test_optionals_in_functions():
    @tf.function
    def total(iterator):
        found = tf.constant(0, tf.int64)
        optional = iterator.get_next_as_optional()
        while optional.has_value():
            found += optional.get_value()
            optional = iterator.get_next_as_optional()
        return found

    @tf.function
    def first(iterator):
        optional = iterator.get_next_as_optional()
        if optional.has_value():
            return optional.get_value()
        return tf.constant(-1, tf.int64)

    @tf.function
    def taken(iterator):
        return iterator.get_next_as_optional()

    assert int(total(iter(D.range(5)))) == 10
    iterator = iter(D.range(2))
    assert [int(first(iterator)), int(taken(iterator).get_value()), int(first(iterator))] == [0, 1, -1]
    empty = taken(iterator)
    assert (bool(empty.has_value()), empty.element_spec) == (False, tf.TensorSpec([], tf.int64))


def test_optionals_are_arguments_and_results():
    @tf.function
    def doubled(optional):
        return optional.get_value() * 2

    @tf.function
    def made(x):
        return Optional.from_value({"a": x, "b": (x, 2.0)})

    assert [int(doubled(Optional.from_value(tf.constant(k)))) for k in (3, 4)] == [6, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        doubled(Optional.empty(tf.TensorSpec([], tf.int32)))
    found = made(tf.constant(1))
    scalar = tf.TensorSpec([], tf.int32)
    assert found.element_spec == {"a": scalar, "b": (scalar, tf.TensorSpec([], tf.float32))}
    assert [int(made(tf.constant(k)).get_value()["a"]) for k in (1, 5)] == [1, 5]


def test_optional_specs():
    spec = tf.OptionalSpec(tf.TensorSpec([2], tf.int32))
    optional = Optional.from_value([1, 2])
    assert tf.OptionalSpec.from_value(optional) == spec
    assert isinstance(optional, spec.value_type)
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(2,), dtype=tf.int32, name=None),)"
    assert tf.OptionalSpec(tf.TensorSpec([None], tf.int32)).is_compatible_with(optional)
    assert not spec.is_compatible_with(Optional.from_value([1.0, 2.0]))


def test_strings_of_elements_may_vary():
    tf.random.set_seed(2)
    total = tf.Variable(0)
    words = ["x" * (k % 12) for k in range(30)]

    @tf.function
    def step(iterator):
        word, number = next(iterator)
        total.assign_add(number)
        return tf.strings.length(word), tf.random.uniform([])

    iterator = iter(tf.data.Dataset.from_tensor_slices((words, list(range(30)))))
    found = [step(iterator) for _ in words]
    assert [int(length) for length, _ in found] == [len(word) for word in words]
    assert int(total) == sum(range(30))
    tf.random.set_seed(2)
    drawn = tf.function(lambda: tf.random.uniform([]))
    assert [float(number) for _, number in found] == [float(drawn()) for _ in words]
    with pytest.raises(OUT_OF_RANGE):
        step(iterator)
