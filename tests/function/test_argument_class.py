"""Arguments of subclasses of float and str, of classes with metadata, and numbers of NumPy."""

from __future__ import annotations

import enum
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tfcompat as tf


class Mode(enum.StrEnum):
    TRAIN = "train"
    TEST = "test"


class Length(float):
    """A number with a unit."""


@dataclass
class Masked:
    """A tensor with a mask, which is not one of its elements."""

    mask: Any
    values: tf.Tensor

    def __tf_flatten__(self):
        return (self.mask,), (self.values,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


@pytest.mark.parametrize(("special", "plain"), [(Mode.TRAIN, "train"), (Length(2), 2.0)], ids=str)
def test_value_of_a_subclass_is_not_the_value_that_it_equals(special, plain):
    @tf.function
    def is_special(x, value):
        return x + (1.0 if type(value) is type(special) else 0.0)

    values = [special, plain, special, plain]
    assert [is_special(tf.constant(0.0), value).numpy() for value in values] == [1.0, 0.0, 1.0, 0.0]
    assert is_special.experimental_get_tracing_count() == 2
    assert is_special(tf.constant(0.0), Mode.TEST).numpy() == float(type(special) is Mode)


def test_object_is_not_compared_with_itself():
    class Uncomparable:
        def __eq__(self, other):
            raise ValueError("equality")

        __hash__ = object.__hash__

    @tf.function
    def kind(value):
        return tf.constant(type(value).__name__)

    value = Uncomparable()
    assert [kind(value).numpy() for _ in range(2)] == [b"Uncomparable"] * 2
    assert kind.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("values", [(np.float64(1), np.float64(2)), (np.complex128(1), np.complex128(2j))], ids=str)
def test_numbers_of_numpy_are_tensors(values):
    seen = []

    @tf.function
    def doubled(x):
        seen.append(tf.is_tensor(x))
        return x * 2

    assert [doubled(value).numpy() for value in values] == [2 * value for value in values]
    assert doubled(values[0]).dtype.name == values[0].dtype.name
    assert seen == [True]


def test_strings_of_numpy():
    seen = []

    @tf.function
    def text(x):
        seen.append(type(x))
        return tf.convert_to_tensor(x)

    assert [text(value).numpy() for value in (np.str_("a"), np.str_("b"), np.str_("a"))] == [b"a", b"b", b"a"]
    assert seen == [np.str_, np.str_]


def test_weak_references_are_refused():
    mode = Masked(True, tf.constant([1.0]))
    with pytest.raises(TypeError, match=r"weakref input .* not supported"):
        tf.function(lambda _: 1.0)(weakref.ref(mode))


@pytest.mark.parametrize(("one", "other"), [(True, False), ("a", "b"), ([1], [2]), ({"a": 1}, {"a": 2}), (None, 1)])
def test_metadata_are_part_of_the_trace(one, other):
    @tf.function
    def kept(x):
        return x, x.values + (1.0 if x.mask == one else 2.0)

    for mask, expected in [(one, 1.0), (other, 2.0), (one, 1.0)]:
        same, sums = kept(Masked(mask, tf.constant([0.0])))
        assert same.mask == mask
        assert sums.numpy() == [expected]
    assert kept.experimental_get_tracing_count() == 2


def test_metadata_must_be_those_of_the_signature():
    @tf.function(input_signature=[Masked(5, tf.TensorSpec([None]))])
    def first(x):
        return x.values[0]

    assert first(Masked(5, tf.constant([2.0, 3.0]))).numpy() == 2.0
    with pytest.raises(TypeError, match=r"Metadata mismatch: \[\(5,\)\] != \[\(6,\)\]"):
        first(Masked(6, tf.constant([2.0])))


class Described(tf.types.experimental.TraceType):
    """The type of scales with equal factors."""

    def __init__(self, scale):
        self.scale, self.factor = scale, scale.factor

    def is_subtype_of(self, other):
        return type(other) is Described and other.factor in (self.factor, None)

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, _):
        return self.scale

    def __eq__(self, other):
        return type(other) is Described and self.factor == other.factor

    def __hash__(self):
        return hash(self.factor)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __tf_tracing_type__(self, _):
        return Described(self)


class TestTracingProtocol:
    def test_objects_of_equal_types_share_a_trace(self):
        scaled = tf.function(lambda x, scale: x * scale.factor)
        results = [scaled(tf.constant(1.0), Scale(factor)).numpy() for factor in (2.0, 2.0, 3.0, 2.0)]
        assert results == [2.0, 2.0, 3.0, 2.0]
        assert scaled.experimental_get_tracing_count() == 2

    def test_changed_object_is_traced_again(self):
        scaled = tf.function(lambda x, scale: x * scale.factor)
        scale = Scale(2.0)
        assert scaled(tf.constant(1.0), scale).numpy() == 2.0
        scale.factor = 5.0
        assert scaled(tf.constant(1.0), scale).numpy() == 5.0

    def test_function_is_traced_with_the_placeholder(self):
        class Named(Described):
            def placeholder_value(self, _):
                return "placeholder"

        class Thing(Scale):
            def __tf_tracing_type__(self, _):
                return Named(self)

        seen = []
        tf.function(lambda thing: seen.append(thing))(Thing(1.0))
        assert seen == ["placeholder"]

    def test_concrete_functions_take_the_placeholder(self):
        scale = Scale(3.0)
        concrete = tf.function(lambda x, scale: x * scale.factor).get_concrete_function(tf.constant(1.0), scale)
        assert concrete(tf.constant(4.0), scale).numpy() == 12.0
        with pytest.raises(TypeError, match="Can not cast"):
            concrete(tf.constant(4.0), Scale(3.0))

    def test_what_is_no_type(self):
        class Wrong:
            def __tf_tracing_type__(self, _):
                return 3

        with pytest.raises(TypeError, match="Expected an instance of TraceType"):
            tf.function(lambda _: 1.0)(Wrong())

    def test_types_with_tensors_are_refused(self):
        class Wrapped:
            def __tf_tracing_type__(self, _):
                return tf.TensorSpec([])

        with pytest.raises(NotImplementedError, match=r"ExtensionType"):
            tf.function(lambda _: 1.0)(Wrapped())
