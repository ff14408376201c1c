"""Datasets of Python generators."""

from __future__ import annotations

import collections
import gc

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
NUMBER = tf.TensorSpec([], tf.int32)
ROW = tf.TensorSpec([2], tf.float32)
ERROR = "InvalidArgumentError"


def test_generator_is_called_for_each_iterator_and_each_repetition():
    calls = []

    def numbers():
        calls.append(1)
        yield from range(3)

    dataset = D.from_generator(numbers, output_signature=NUMBER)
    assert calls == []
    assert listed(dataset.repeat(3)) == [0, 1, 2] * 3
    assert len(calls) in (3, 4)
    before = len(calls)
    assert listed(dataset) == [0, 1, 2]
    assert len(calls) == before + 1


@pytest.mark.parametrize(
    ("spec", "values", "expected"),
    [
        (NUMBER, [1, 2.5, True], [1, 2, 1]),
        (tf.TensorSpec([], tf.uint8), [1.5, 300, 2**40], [1, 44, 0]),
        (tf.TensorSpec([], tf.float32), [1, np.float64(2.5)], [1.0, 2.5]),
        (tf.TensorSpec([], tf.bool), [1, 0, np.int32(2)], [True, False, True]),
        (tf.TensorSpec([], tf.string), ["a", b"b", np.str_("c")], [b"a", b"b", b"c"]),
        (tf.TensorSpec([2], tf.int32), [[1, 2], (3, 4), np.array([5.5, 6])], [[1, 2], [3, 4], [5, 6]]),
        (tf.TensorSpec([None], tf.int32), [[1], [], [2, 3]], [[1], [], [2, 3]]),
        (tf.TensorSpec(None, tf.int32), [1, [2], [[3]]], [1, [2], [[3]]]),
        (NUMBER, [tf.constant(1), tf.constant(2)], [1, 2]),
        ((NUMBER, {"a": NUMBER}), [(1, {"a": 2}), (3, {"a": 4})], [(1, {"a": 2}), (3, {"a": 4})]),
        ((NUMBER, tf.TensorSpec([2], tf.float32)), [(1, [2, 3]), (4, [5.0, 6.0])], [(1, [2.0, 3.0]), (4, [5.0, 6.0])]),
    ],
    ids=range(11),
)
def test_values_are_cast_to_the_signature(spec, values, expected):
    dataset = generated(values, spec)
    assert dataset.element_spec == spec
    assert listed(dataset) == expected
    assert type(listed(dataset)[0]) is type(expected[0])


@pytest.mark.parametrize(
    ("spec", "values", "expected"),
    [
        (NUMBER, [1, "a", 3], [1, ERROR, 3, "end"]),
        (NUMBER, [1, None], [1, ERROR, "end"]),
        (NUMBER, [1, (2, 3), 4], [1, ERROR, 4, "end"]),
        (tf.TensorSpec([2], tf.int32), [[1, 2], [3], (4, 5)], [[1, 2], ERROR, [4, 5], "end"]),
        ((NUMBER, NUMBER), [(1, 2), [1, 2], (1,), {"a": 1}, (3, 4)], [(1, 2), ERROR, ERROR, ERROR, (3, 4), "end"]),
        ({"a": NUMBER}, [{"a": 1}, {"b": 1}, {"a": 1, "b": 2}], [{"a": 1}, ERROR, ERROR, "end"]),
        (tf.TensorSpec([], tf.string), ["a", 1, "b"], [b"a", "InternalError", b"b", "end"]),
        (tf.RaggedTensorSpec([2, None], tf.int32), [5], [ERROR, "end"]),
    ],
    ids=range(8),
)
def test_bad_value_is_an_error_when_it_is_the_next(spec, values, expected):
    assert outcomes(generated(values, spec), len(expected)) == expected


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        (
            lambda: ["a"],
            "TypeError: `generator` yielded an element that could not be converted to the expected type. The ",
        ),
        (
            lambda: [[1, 2]],
            r"TypeError: `generator` yielded an element of shape \(2,\) where an element of shape \(\) ",
        ),
        (lambda: 5, "TypeError: 'int' object is not iterable"),
        (lambda: int("x"), "ValueError: invalid literal"),
        (lambda x: x, "TypeError: .* missing 1 required positional argument: 'x'"),
    ],
    ids=["value", "shape", "number", "raises", "arguments"],
)
def test_message_begins_with_pythons_class(generator, message):
    dataset = D.from_generator(generator, output_types=tf.int32, output_shapes=[])
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        next(iter(dataset))


def test_generator_that_raises_ends_after_its_error():
    def numbers():
        yield 1
        raise ValueError("boom")

    found = D.from_generator(numbers, output_signature=NUMBER)
    assert outcomes(found, 3) == [1, ERROR, "end"]
    assert outcomes(found.batch(2), 2) == [ERROR, "end"]


def test_other_classes_are_unknown_errors():
    def numbers():
        yield {}[5]

    with pytest.raises(tf.errors.UnknownError, match="KeyError: 5"):
        next(iter(D.from_generator(numbers, output_signature=NUMBER)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: D.from_generator([1], output_types=tf.int32), "`generator` must be a Python callable"),
        (lambda: D.from_generator((x for x in [1]), output_types=tf.int32), "`generator` must be a Python callable"),
        (lambda: D.from_generator(lambda: [1]), "you need to provide either the `output_signature` argument or the"),
        (lambda: D.from_generator(lambda: [1], tf.int32, output_signature=NUMBER), "can not be used together with"),
        (lambda: D.from_generator(lambda: [1], output_signature=[NUMBER]), "subclass of `tf.TypeSpec` but found"),
        (lambda: D.from_generator(lambda: [1], (tf.int32, tf.int32), [2]), "input must also be a sequence"),
    ],
    ids=range(6),
)
def test_signature_is_checked_when_it_is_built(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_types_without_shapes_are_of_unknown_rank():
    dataset = D.from_generator(lambda: [1], tf.int32)
    assert dataset.element_spec == tf.TensorSpec(None, tf.int32)
    assert dataset.batch(2).element_spec == tf.TensorSpec(None, tf.int32)
    shaped = D.from_generator(lambda: [1], (tf.int32, tf.float32), ([], [2]))
    assert shaped.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32))


def test_arguments_are_numpys():
    kinds = []

    def numbers(number, real, row):
        kinds.append((type(number), type(real), type(row)))
        yield number

    assert listed(D.from_generator(numbers, tf.int32, args=(3, 2.5, [1, 2]))) == [3]
    assert kinds == [(np.int32, np.float32, np.ndarray)]


def test_object_may_be_called():
    class Numbers:
        def __call__(self):
            return [1, 2]

        def __iter__(self):
            return iter([3])

    assert listed(D.from_generator(Numbers(), output_signature=NUMBER)) == [1, 2]


def test_dropped_iterator_closes_the_generator():
    closed = []

    def numbers():
        try:
            yield from range(1000)
        finally:
            closed.append(True)

    iterator = iter(D.from_generator(numbers, output_signature=NUMBER))
    next(iterator)
    del iterator
    gc.collect()
    assert closed == [True]


def test_composite_values():
    ragged = generated([tf.ragged.constant([[1], [2, 3]])], tf.RaggedTensorSpec([2, None], tf.int32))
    assert [each.to_list() for each in ragged] == [[[1], [2, 3]]]
    sparse = generated([tf.sparse.from_dense([1, 0])], tf.SparseTensorSpec([2], tf.int32))
    assert listed(sparse) == [[1, 0]]


@pytest.mark.parametrize("after", [lambda d: d.take(5), lambda d: d.batch(5).take(1), lambda d: d.skip(2).take(3)])
def test_generator_is_not_run_far_ahead(after):
    taken = []

    def numbers():
        for k in range(1000):
            taken.append(k)
            yield k

    listed(after(D.from_generator(numbers, output_signature=NUMBER)))
    assert len(taken) < 100


def _reusing(form):
    """Elements of one buffer, list and variable, which are changed before the next element."""
    buffer, numbers, variable = np.zeros(2, np.float32), [0.0, 0.0], tf.Variable([0.0, 0.0])
    for k in range(5):
        buffer[:] = numbers[:] = [k, k]
        variable.assign([float(k)] * 2)
        yield form(buffer, numbers, variable, k)


@pytest.mark.parametrize(
    ("form", "spec"),
    [
        (lambda b, *_: b, ROW),
        (lambda b, *_: b[::-1], ROW),
        (lambda _, numbers, *__: numbers, ROW),
        (lambda _, __, variable, ___: variable, ROW),
        (lambda b, _, __, k: (b, k), (ROW, NUMBER)),
        (lambda b, numbers, *_: {"a": b, "b": (numbers, b)}, {"a": ROW, "b": (ROW, ROW)}),
    ],
    ids=["array", "view", "list", "variable", "pair", "nested"],
)
def test_generator_may_change_what_it_has_yielded(form, spec):
    dataset = D.from_generator(lambda: _reusing(form), output_signature=spec)
    elements = [form(*[[float(k)] * 2] * 3, k) for k in range(5)]
    assert listed(dataset) == elements
    assert listed(dataset.batch(5).unbatch()) == elements
    assert listed(dataset.prefetch(3)) == elements


def test_named_tuples_are_tuples():
    pair = collections.namedtuple("pair", ["x", "y"])
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    assert listed(generated([pair(1, 2), (3, 4)], spec)) == [(1, 2), (3, 4)]
