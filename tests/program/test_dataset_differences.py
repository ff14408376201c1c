"""Known differences of functions that read datasets; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import pytest

import tfcompat as tf

D = tf.data.Dataset


def test_python_around_a_loop_over_a_dataset_runs_at_each_call():
    outer, inner = [], []

    @tf.function
    def total(dataset):
        outer.append(1)
        found = tf.constant(0, tf.int64)
        for x in dataset:
            inner.append(1)
            found += x
        return found

    for _ in range(3):
        assert int(total(D.range(4))) == 6
    assert (len(outer), len(inner)) == (3, 1)
    with pytest.raises(NotImplementedError, match="an XLA program can't read datasets"):
        total.get_concrete_function(D.range(4)).jaxpr()


def test_elements_are_found_by_tracing_again():
    runs = []
    iterator = iter(D.range(100))

    @tf.function
    def three():
        runs.append(1)
        return [next(iterator) for _ in range(3)]

    assert [int(x) for _ in range(2) for x in three()] == [0, 1, 2, 3, 4, 5]
    assert 1 < len(runs) <= 5


def test_next_has_a_default_in_a_function():
    @tf.function
    def taken(iterator):
        return next(iterator, tf.constant(-1, tf.int64))

    iterator = iter(D.range(1))
    assert [int(taken(iterator)), int(taken(iterator))] == [0, -1]


def test_a_call_without_an_element_assigns_nothing():
    count, generator = tf.Variable(0), tf.random.Generator.from_seed(1)

    @tf.function
    def step(iterator):
        x = next(iterator)
        count.assign_add(1)  # TensorFlow counts the last call, too
        return generator.normal([]) * tf.cast(x, tf.float32)

    iterator = iter(D.range(2))
    step(iterator)
    step(iterator)
    with pytest.raises(tf.errors.OutOfRangeError):
        step(iterator)
    assert (int(count), generator.state.numpy()[0]) == (2, 2 * 256 + 1)


def test_lists_of_datasets_end_in_a_function():
    @tf.function(autograph=False)
    def doubled(dataset):
        return [x * 2 for x in dataset]

    with tf.counted() as counted:
        assert [int(x) for x in doubled(D.range(3))] == [0, 2, 4]
    assert counted.compiles <= 1


def test_return_between_steps():
    @tf.function
    def found(iterator):
        for _ in tf.range(5):
            x = next(iterator)
            if x == 2:
                return x * 100
        return tf.constant(-1, tf.int64)

    assert int(found(iter(D.range(10)))) == 200


def test_datasets_are_checked_against_the_signature():
    signature = [tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))]
    total = tf.function(lambda dataset: dataset.cardinality(), input_signature=signature)
    assert int(total(D.range(4).batch(2))) == 2
    with pytest.raises(TypeError, match="Can not cast"):
        total(D.range(4))


def test_snapshot_with_an_error_is_not_kept(tmp_path):
    dataset = D.range(4).map(lambda x: 6 // (x - 2)).snapshot(str(tmp_path))
    for _ in range(2):
        iterator = iter(dataset)
        assert [int(next(iterator)), int(next(iterator))] == [-3, -6]
        # TensorFlow: the second iteration ends here.
        with pytest.raises(tf.errors.InvalidArgumentError):
            next(iterator)
        assert [int(x) for x in iterator] == [6]
    del iterator
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
