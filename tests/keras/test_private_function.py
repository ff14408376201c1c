"""Private functions of TensorFlow that Keras calls. Expected values are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

tf.keras  # noqa: B018  # makes `tensorflow` importable

from tensorflow.compiler.tf2xla.python.xla import dynamic_slice, dynamic_update_slice  # noqa: E402
from tensorflow.python.data.experimental.ops.distribute import compute_batch_size  # noqa: E402
from tensorflow.python.eager import monitoring  # noqa: E402
from tensorflow.python.framework import type_spec_registry  # noqa: E402
from tensorflow.python.ops import clustering_ops, gen_sparse_ops, tensor_getitem_override  # noqa: E402
from tensorflow.python.ops.linalg.sparse import sparse as compressed  # noqa: E402
from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops as csr  # noqa: E402

# By the number of centres, the seed and the number of retries.
CENTRES = {(3, 1, 0): [4, 5, 0], (4, 2**40 + 3, 2): [1, 2, 4, 5], (6, -5, -1): [1, 3, 4, 5, 0, 2]}


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


def test_part_of_an_array_is_taken():
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert dynamic_slice(x, [2, 3], [2, 2]).numpy().tolist() == [[6, 7], [10, 11]]
    taken = tf.function(lambda start: dynamic_slice(x, start, [1, 4]))
    assert taken(tf.constant([1, 5], tf.int64)).numpy().tolist() == [[4, 5, 6, 7]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = dynamic_slice(x, [0, 0], [1, 1])
    with pytest.raises(LookupError, match="XlaDynamicSlice"):
        tape.gradient(y, x)


def test_first_centres_of_clusters():
    points = tf.constant([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0], [-4.0, 3.0], [2.0, 8.0]])
    for given, expected in CENTRES.items():
        found = clustering_ops.kmeans_plus_plus_initialization(points, *given)
        assert [points.numpy().tolist().index(row) for row in found.numpy().tolist()] == expected
    for count in (0, 7):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected num_to_sample"):
            clustering_ops.kmeans_plus_plus_initialization(points, count, 1, 0)


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


def test_decorator_that_libraries_import_from_the_module_of_sparse_matrices():
    def function():
        return 3

    assert csr.tf_export("function")(function) is function


DENSE = [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]


def test_matrix_in_compressed_rows():
    for matrix in (
        compressed.CSRSparseMatrix(tf.sparse.from_dense(DENSE)),
        compressed.CSRSparseMatrix(tf.constant(DENSE)),
        compressed.CSRSparseMatrix(tf.constant(DENSE)).transpose().hermitian_transpose().conj(),
    ):
        assert (matrix.shape, matrix.dtype, matrix.nnz().numpy()) == ([2, 3], tf.float32, 3)
        assert matrix.nnz().dtype is tf.int32
        assert matrix.to_dense().numpy().tolist() == DENSE
        assert matrix.to_sparse_tensor().indices.numpy().tolist() == [[0, 0], [0, 2], [1, 2]]
    chosen = compressed.CSRSparseMatrix(tf.constant(DENSE), indices=[[0, 0], [0, 1]])
    assert chosen.to_dense().numpy().tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert chosen.nnz().numpy() == 2
    batch = compressed.CSRSparseMatrix(tf.constant([[[1.0, 0.0], [2.0, 3.0]], [[0.0, 0.0], [0.0, 1.0]]]))
    assert batch.nnz().numpy().tolist() == [3, 1]
    assert compressed.CSRSparseMatrix(tf.constant([[np.nan, np.inf], [0.0, 1.0]])).nnz().numpy() == 3
    assert batch.transpose().to_dense().numpy().tolist() == [[[1.0, 2.0], [0.0, 3.0]], [[0.0, 0.0], [0.0, 1.0]]]


@pytest.mark.parametrize("value", [[1.0], [[1, 2]], [["a"]]], ids=["vector", "integer", "string"])
def test_matrix_in_compressed_rows_refuses(value):
    with pytest.raises(tf.errors.InvalidArgumentError):
        compressed.CSRSparseMatrix(tf.constant(value))


def test_products_of_matrices_in_compressed_rows():
    matrix = compressed.CSRSparseMatrix(tf.constant(DENSE))
    both = compressed.matmul(matrix, matrix, transpose_b=True)
    assert isinstance(both, compressed.CSRSparseMatrix)
    assert both.to_dense().numpy().tolist() == [[5.0, 6.0], [6.0, 9.0]]
    assert compressed.matmul(matrix, tf.ones([3, 2])).numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert compressed.matmul(tf.ones([2, 2]), matrix).numpy().tolist() == [[1.0, 0.0, 5.0], [1.0, 0.0, 5.0]]


def test_gradient_of_a_product_of_sparse_matrices():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        left = compressed.CSRSparseMatrix(tf.SparseTensor([[0, 0], [0, 2], [1, 2]], values, [2, 3]))
        right = compressed.CSRSparseMatrix(tf.constant([[1.0, 2.0], [0.0, 0.0], [0.0, 4.0]]))
        loss = tf.reduce_sum(compressed.matmul(left, right).to_sparse_tensor().values ** 2)
    assert tape.gradient(loss, values).numpy().tolist() == [42.0, 80.0, 96.0]


def test_elements_are_sorted():
    found = gen_sparse_ops.sparse_reorder([[1, 0], [0, 2], [0, 1]], [3.0, 2.0, 1.0], [2, 3])
    assert found.output_indices.numpy().tolist() == [[0, 1], [0, 2], [1, 0]]
    assert found.output_values.numpy().tolist() == [1.0, 2.0, 3.0]


def test_slice_of_a_variable_by_a_private_name():
    variable = tf.Variable([1.0, 2.0, 3.0])
    assert tensor_getitem_override._slice_helper_var(variable, slice(1, 3)).numpy().tolist() == [2.0, 3.0]


def test_counters_and_gauges_have_a_cell_for_labels():
    counter = monitoring.Counter("/uses", "of a function", "place")
    for steps in (3, 2, -1):
        counter.get_cell("here").increase_by(steps)
    assert (counter.get_cell("here").value(), counter.get_cell("there").value()) == (5, 0)
    gauge = monitoring.BoolGauge("/is_used", "whether it is", "place", "kind")
    gauge.get_cell("here", "a").set(True)
    assert gauge.get_cell("here", "a").value()
    assert not gauge.get_cell("here", "b").value()
    assert monitoring.StringGauge("/name", "a name").get_cell().value() == ""
    with pytest.raises(ValueError, match="The Counter expects taking 1 labels"):
        counter.get_cell()
    with pytest.raises(ValueError, match="Cannot create Counter metric with label >= 3"):
        monitoring.Counter("/uses", "of a function", "a", "b", "c")
    with pytest.raises(TypeError):
        counter.get_cell("here").increase_by(1.5)
    with pytest.raises(TypeError):
        gauge.get_cell("here", "a").set("yes")
