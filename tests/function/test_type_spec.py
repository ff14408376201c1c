"""Type specs of values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tfcompat as tf

k = tf.constant
DESCRIBED = {
    "tensor": (k([1.0]), "TensorSpec(shape=(1,), dtype=tf.float32, name=None)"),
    "array": (np.ones(2), "TensorSpec(shape=(2,), dtype=tf.float64, name=None)"),
    "integer": (3, "TensorSpec(shape=(), dtype=tf.int32, name=None)"),
    "float": (2.5, "TensorSpec(shape=(), dtype=tf.float32, name=None)"),
    "text": ("a", "TensorSpec(shape=(), dtype=tf.string, name=None)"),
    "list": ([1, 2], "TensorSpec(shape=(2,), dtype=tf.int32, name=None)"),
    "None": (None, "NoneTensorSpec()"),
    "variable": (tf.Variable(1.0), "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=None)"),
    "ragged": (tf.ragged.constant([[1]]), "RaggedTensorSpec(TensorShape([1, None]), tf.int32, 1, tf.int64)"),
    "sparse": (tf.SparseTensor([[0, 0]], [1], [1, 1]), "SparseTensorSpec(TensorShape([1, 1]), tf.int32)"),
    "rows": (
        tf.IndexedSlices(k([1.0]), k([0])),
        "IndexedSlicesSpec(TensorShape([None]), tf.float32, tf.int32, None, TensorShape([1]))",
    ),
    "rows of a shape": (
        tf.IndexedSlices(k([1.0]), k([0]), k([3])),
        "IndexedSlicesSpec(TensorShape([3]), tf.float32, tf.int32, tf.int32, TensorShape([1]))",
    ),
    "array of tensors": (tf.TensorArray(tf.float32, 3), "TensorArraySpec(TensorShape(None), tf.float32, False, True)"),
}


@pytest.mark.parametrize(("value", "shown"), DESCRIBED.values(), ids=DESCRIBED.keys())
def test_spec_of_a_value(value, shown):
    assert repr(tf.type_spec_from_value(value)) == shown


@pytest.mark.parametrize("value", [{"a": 1}, tf.TensorSpec([1]), object()], ids=["dictionary", "spec", "object"])
def test_what_has_no_spec_is_refused(value):
    with pytest.raises(TypeError, match="Could not build a TypeSpec for"):
        tf.type_spec_from_value(value)


SPECS = [
    tf.NoneTensorSpec(),
    tf.IndexedSlicesSpec([None, 3], tf.float64, tf.int32, tf.int64, [2]),
    tf.TensorArraySpec([None, 3], tf.float64, True, False),
]


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_specs_are_values(spec):
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec
    assert hash(copy) == hash(spec)
    assert spec != tf.TensorSpec([1])
    assert spec.is_subtype_of(copy)
    assert spec.is_compatible_with(copy)
    assert spec.most_specific_common_supertype([copy]) == spec
    assert spec.most_specific_common_supertype([tf.TensorSpec([1])]) is None
    assert not spec.is_compatible_with(tf.TensorSpec([1]))


def test_none_is_described_by_its_spec():
    assert tf.NoneTensorSpec().is_compatible_with(None)
    assert tf.NoneTensorSpec().value_type is type(None)


def test_rows_that_fit():
    rows = tf.IndexedSlices(k([[1.0, 2.0]]), k([0], tf.int64), k([3, 2], tf.int64))
    spec = tf.IndexedSlicesSpec([None, 2], dense_shape_dtype=tf.int64)
    assert spec.is_compatible_with(rows)
    assert not tf.IndexedSlicesSpec([None, 3], dense_shape_dtype=tf.int64).is_compatible_with(rows)
    assert not tf.IndexedSlicesSpec([None, 2]).is_compatible_with(rows)
    common = tf.type_spec_from_value(rows).most_specific_common_supertype(
        [tf.IndexedSlicesSpec([4, 2], tf.float32, tf.int64, tf.int64, [7])]
    )
    assert (
        repr(common) == "IndexedSlicesSpec(TensorShape([None, 2]), tf.float32, tf.int64, tf.int64, TensorShape([None]))"
    )
    assert tf.type_spec_from_value(rows).is_subtype_of(common)
    assert spec.value_type is tf.IndexedSlices


def test_arrays_that_fit():
    spec = tf.TensorArraySpec()
    assert spec.is_compatible_with(tf.TensorArray(tf.float32, 3))
    assert not spec.is_compatible_with(tf.TensorArray(tf.int32, 3))
    assert spec.is_subtype_of(tf.TensorArraySpec([2]))
    made = tf.TensorArraySpec.from_value(tf.TensorArray(tf.float32, 3, dynamic_size=True, element_shape=[2]))
    assert repr(made) == "TensorArraySpec(TensorShape([2]), tf.float32, True, True)"
    assert spec.value_type is tf.TensorArray
    with pytest.raises(TypeError, match="expected a TensorArray"):
        tf.TensorArraySpec.from_value(3)


def test_tensor_that_stands_for_one_is_symbolic():
    assert not tf.is_symbolic_tensor(k(1))
    assert not tf.is_symbolic_tensor(3)
    seen = []
    tf.function(lambda x: seen.append(tf.is_symbolic_tensor(x * 2.0)))(k(1.0))
    assert seen == [True]


def test_classes_to_ask_with_isinstance():
    types = tf.types.experimental
    double = tf.function(lambda x: x * 2.0)
    concrete = double.get_concrete_function(k(1.0))
    open_function = double.get_concrete_function(tf.TensorSpec([None]))
    assert types.GenericFunction is types.PolymorphicFunction
    assert isinstance(double, types.GenericFunction)
    assert isinstance(double, types.Callable)
    for traced in (concrete, open_function):
        assert isinstance(traced, types.ConcreteFunction)
        assert isinstance(traced, types.Callable)
        assert not isinstance(traced, types.GenericFunction)
        assert isinstance(traced.function_type, types.FunctionType)
    assert isinstance(tf.TensorSpec([1]), types.TraceType)
    assert not isinstance(len, types.Callable)
    assert tf.Tensor in types.TensorLike.__args__


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


@pytest.mark.parametrize(
    "value",
    [
        tf.ragged.constant([[1, 2], [3]]),
        tf.sparse.from_dense([[1, 0]]),
        tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])),
        Masked([1.0], [True]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_specs_of_composites_expand_as_their_values(value):
    spec = tf.type_spec_from_value(value)
    parts = tf.nest.flatten(value, expand_composites=True)
    specs = tf.nest.flatten(spec, expand_composites=True)
    assert all(one.is_compatible_with(part) for one, part in zip(specs, parts, strict=True))
    packed = tf.nest.pack_sequence_as({"a": [spec]}, parts, expand_composites=True)["a"][0]
    assert type(packed) is type(value)
    assert all(one is part for one, part in zip(tf.nest.flatten(packed, expand_composites=True), parts, strict=True))
    assert tf.nest.pack_sequence_as(spec, specs, expand_composites=True) == spec
    tf.nest.assert_same_structure(spec, value, expand_composites=True)
    with pytest.raises(ValueError, match="same nested structure"):
        tf.nest.assert_same_structure(spec, parts[0], expand_composites=True)


def test_the_type_of_a_variable_is_a_type_spec():
    v = tf.Variable([1.0, 2.0])
    spec, longer = tf.type_spec_from_value(v), tf.type_spec_from_value(tf.Variable([1.0, 2.0, 3.0]))
    assert isinstance(spec, tf.TypeSpec)
    assert isinstance(v, spec.value_type)
    others = [v, spec, tf.Variable([3.0, 4.0]), k([1.0, 2.0]), tf.Variable([1.0]), tf.Variable(v, trainable=False)]
    assert [spec.is_compatible_with(other) for other in others] == [True, True, True, False, False, False]
    common = spec.most_specific_common_supertype([longer])
    assert repr(common) == "VariableSpec(shape=(None,), dtype=tf.float32, trainable=True, alias_id=None)"
    assert [spec.is_subtype_of(other) for other in (spec, longer, common)] == [True, False, True]
    assert spec.most_specific_common_supertype([tf.TensorSpec([2])]) is None


def test_input_signatures_have_no_types_of_variables():
    spec = tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    with pytest.raises(TypeError, match="input_signature doesn't support VariableSpec"):
        tf.function(lambda v: v + 1.0, input_signature=[spec])
