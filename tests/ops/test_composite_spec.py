"""`tf.RaggedTensorSpec` and `tf.SparseTensorSpec`: text, accepted values, and common specs."""

from __future__ import annotations

import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([[1, 2], [3]])
SPARSE = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [3, 4])


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (tf.SparseTensorSpec(), "SparseTensorSpec(TensorShape(None), tf.float32)"),
        (tf.SparseTensorSpec([None, 3], tf.int32), "SparseTensorSpec(TensorShape([None, 3]), tf.int32)"),
        (tf.SparseTensorSpec.from_value(SPARSE), "SparseTensorSpec(TensorShape([3, 4]), tf.float32)"),
        (
            tf.RaggedTensorSpec([None, None, None]),
            "RaggedTensorSpec(TensorShape([None, None, None]), tf.float32, 2, tf.int64)",
        ),
        (tf.RaggedTensorSpec(None, ragged_rank=1), "RaggedTensorSpec(TensorShape(None), tf.float32, 1, tf.int64)"),
        (
            tf.RaggedTensorSpec([2, None], tf.int32, row_splits_dtype=tf.int32),
            "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int32)",
        ),
        (tf.RaggedTensorSpec.from_value(ROWS), "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)"),
    ],
)
def test_text_is_tensorflow_s(spec, text):
    assert repr(spec) == text


@pytest.mark.parametrize("arguments", [{}, {"shape": None}, {"shape": [2], "ragged_rank": 1}])
def test_ragged_rank_must_be_known_and_fit(arguments):
    with pytest.raises(ValueError, match="ragged_rank"):
        tf.RaggedTensorSpec(**arguments)


def test_values_that_fit():
    assert tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(ROWS)
    assert not tf.RaggedTensorSpec([None, None], tf.float32).is_compatible_with(ROWS)
    assert tf.SparseTensorSpec([None, 4]).is_compatible_with(SPARSE)
    assert not tf.SparseTensorSpec([None, 3]).is_compatible_with(SPARSE)


def test_what_two_have_in_common():
    ragged = tf.RaggedTensorSpec([2, None], tf.int32).most_specific_common_supertype(
        [tf.RaggedTensorSpec([3, None], tf.int32)]
    )
    assert ragged == tf.RaggedTensorSpec([None, None], tf.int32)
    sparse = tf.SparseTensorSpec([3, 4]).most_specific_common_supertype([tf.SparseTensorSpec([2, 4])])
    assert sparse == tf.SparseTensorSpec([None, 4])
    assert tf.SparseTensorSpec([3, 4]).is_subtype_of(sparse)
    assert not sparse.is_subtype_of(tf.SparseTensorSpec([3, 4]))


def test_classes_of_the_values():
    assert tf.RaggedTensorSpec([None, None]).value_type is tf.RaggedTensor
    assert tf.RaggedTensorSpec([None], ragged_rank=0).value_type is tf.Tensor
    assert tf.SparseTensorSpec([None]).value_type is tf.SparseTensor


def test_equal_specs_are_one_key():
    assert len({tf.RaggedTensorSpec([None, None]), tf.RaggedTensorSpec([None, None], ragged_rank=1)}) == 1
    assert len({tf.SparseTensorSpec([2]), tf.SparseTensorSpec([2]), tf.SparseTensorSpec([3])}) == 2


def test_parts_are_components():
    assert [part.shape.as_list() for part in tf.nest.flatten(ROWS, expand_composites=True)] == [[3], [3]]
    twice = tf.nest.map_structure(lambda part, other: part + other * 0, SPARSE, SPARSE, expand_composites=True)
    assert twice.dense_shape.numpy().tolist() == [3, 4]
