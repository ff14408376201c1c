"""Private functions of TensorFlow that Keras calls. Expected values are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf

tf.keras  # noqa: B018  # makes `tensorflow` importable

from tensorflow.compiler.tf2xla.python.xla import dynamic_update_slice  # noqa: E402
from tensorflow.python.data.experimental.ops.distribute import compute_batch_size  # noqa: E402
from tensorflow.python.framework import type_spec_registry  # noqa: E402
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops as csr  # noqa: E402


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda ds: ds.batch(4), 4),
        (lambda ds: ds.batch(4, drop_remainder=True), 4),
        (lambda ds: ds.batch(4).prefetch(2).repeat(), 4),
        (lambda ds: ds.batch(4).take(2).map(lambda x: x + 1), -1),
    ],
    ids=["batch", "full", "prefetched", "mapped"],
)
def test_size_of_batches(make, size):
    assert compute_batch_size(make(tf.data.Dataset.range(10))).numpy() == size


def test_scalars_are_no_batches():
    with pytest.raises(IndexError):
        compute_batch_size(tf.data.Dataset.range(10))


def test_part_of_an_array_is_updated():
    x = tf.zeros([2, 3])
    found = dynamic_update_slice(x, tf.ones([1, 2]), tf.constant([1, 1]))
    assert found.numpy().tolist() == [[0, 0, 0], [0, 1, 1]]
    assert dynamic_update_slice(x, tf.ones([1, 2]), [5, 5]).numpy().tolist() == [[0, 0, 0], [0, 1, 1]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = dynamic_update_slice(x, tf.ones([1, 2]), [0, 0])
    with pytest.raises(LookupError, match="XlaDynamicUpdateSlice"):
        tape.gradient(y, x)


def test_type_specs_have_names():
    assert type_spec_registry.get_name(tf.TensorSpec) == "tf.TensorSpec"
    assert type_spec_registry.lookup("tf.RaggedTensorSpec") is tf.RaggedTensorSpec
    with pytest.raises(ValueError, match="No TypeSpec has been registered"):
        type_spec_registry.lookup("tf.NoSuchSpec")
    with pytest.raises(ValueError, match="must have the form"):
        type_spec_registry.register("unnamed")
    with pytest.raises(TypeError, match="Expected `name` to be a string"):
        type_spec_registry.register(3)


@pytest.mark.parametrize(
    ("spec", "serialized"),
    [
        (tf.TensorSpec([1, None], name="x"), (tf.TensorShape([1, None]), tf.float32, "x")),
        (tf.RaggedTensorSpec([None, None]), (tf.TensorShape([None, None]), tf.float32, 1, tf.int64)),
        (tf.SparseTensorSpec([2, 3]), (tf.TensorShape([2, 3]), tf.float32)),
    ],
    ids=["tensor", "ragged", "sparse"],
)
def test_type_specs_are_serialized(spec, serialized):
    assert spec._serialize() == serialized
    assert type(spec)._deserialize(serialized) == spec


def test_product_of_sparse_matrices():
    def matrix(dense):
        sparse = tf.sparse.from_dense(tf.constant(dense))
        return csr.sparse_tensor_to_csr_sparse_matrix(sparse.indices, sparse.values, sparse.dense_shape)

    left, right = [[1.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [4.0, 0.0]]
    product = csr.sparse_matrix_sparse_mat_mul(matrix(left), matrix(right), tf.float32)
    found = csr.csr_sparse_matrix_to_sparse_tensor(product, tf.float32)
    assert found.indices.numpy().tolist() == [[0, 1], [1, 0]]
    assert found.values.numpy().tolist() == [3.0, 8.0]
