"""The shapes that Keras infers for the results of layers."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.error import UntraceableError

layers = tf.keras.layers

SELECTIONS = {
    "boolean_mask": (lambda x: tf.boolean_mask(x, x[:, 0] > 0.0), (None, 6)),
    "where": (lambda x: tf.where(x > 0.0), (None, 2)),
    "unique": (lambda x: tf.unique(tf.reshape(x, [-1]))[0], (None,)),
    "sum": (lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0.0), keepdims=True), (1,)),
    "histogram": (lambda x: tf.keras.ops.histogram(tf.reshape(x, [-1]), bins=5)[0], (5,)),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_sizes_that_depend_on_values_are_open(name):
    function, shape = SELECTIONS[name]
    inputs = tf.keras.Input((6,))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.random.default_rng(0).normal(size=(2, 6)).astype(np.float32)
    assert tf.keras.Model(inputs, outputs)(x).numpy().tolist() == function(tf.constant(x)).numpy().tolist()


def lengths_of(x):
    return tf.fill([tf.shape(x)[0]], tf.shape(x)[1])


def labels_of(x):
    return tf.nn.ctc_greedy_decoder(tf.transpose(x, [1, 0, 2]), lengths_of(x))[0][0]


# What recognises texts: labels, their number in each row, and how probable they are.
TEXTS = {
    "greedy": (lambda x: tf.sparse.to_dense(labels_of(x)), (None, None)),
    "beam": (
        lambda x: tf.nn.ctc_beam_search_decoder(tf.transpose(x, [1, 0, 2]), lengths_of(x), 4, 2)[1],
        (None, 2),
    ),
    "backend": (lambda x: tf.keras.backend.ctc_decode(tf.nn.softmax(x), lengths_of(x), greedy=False)[0][0], (None, 5)),
    "rows": (lambda x: tf.RaggedTensor.from_sparse(labels_of(x)).row_lengths(), (None,)),
    "loss": (
        lambda x: tf.nn.ctc_loss(
            tf.cast(labels_of(x), tf.int32), x, None, lengths_of(x), logits_time_major=False, blank_index=-1
        ),
        (None,),
    ),
    "elements": (lambda x: tf.sparse.to_dense(tf.sparse.from_dense(x)), (None, 5, 3)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_decoding_in_a_layer(name):
    function, shape = TEXTS[name]
    inputs = tf.keras.Input((5, 3))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
    found = tf.keras.Model(inputs, outputs).predict(x, verbose=0)
    np.testing.assert_allclose(found, function(tf.constant(x)), rtol=1e-5)


def inferred(function, *shape):
    """The shape of `function` of a tensor of `shape`, in a graph of Keras 2, which only infers shapes."""
    with tf.__internal__.FuncGraph("keras_graph").as_default():
        return function(tf.compat.v1.placeholder(tf.float32, shape)).shape


# Keras 2 takes a short vector of integers for a shape, and asks for the shape of a tensor of that shape.
OF_SIZES = {
    "vector": (lambda x: tf.ones(tf.cast(x[0], tf.int32)), (None, None, None)),
    "scalar": (lambda x: tf.ones(tf.reduce_sum(tf.cast(x, tf.int32))), (None,)),
    "batch": (lambda x: tf.ones(tf.argmax(x, -1, output_type=tf.int32)), None),
    "range": (lambda x: tf.range(tf.reduce_max(tf.cast(x, tf.int32))), (None,)),
    "slice": (lambda x: x[:, : tf.cast(x[0, 0], tf.int32)], (None, None)),
    "tile": (lambda x: tf.tile(x, [1, tf.cast(x[0, 0], tf.int32)]), (None, None)),
    # Sizes that are known are converted as other numbers.
    "padding": (
        lambda x: tf.pad(x, [[0, 0], [0, tf.cast(tf.math.ceil(tf.cast(tf.shape(x)[1], tf.float32) / 2), tf.int32)]]),
        (None, 5),
    ),
}


@pytest.mark.parametrize("name", OF_SIZES)
def test_shapes_that_depend_on_values_are_open(name):
    function, shape = OF_SIZES[name]
    assert inferred(function, None, 3).as_list() == list(shape) if shape else inferred(function, None, 3).rank is None


def test_loop_over_sizes_has_the_shapes_of_its_iterations():
    def grids(x):
        sizes = tf.stack([tf.shape(x)[1], 2 * tf.shape(x)[1]])

        def body(k, rows):
            return k + 1, rows.write(k, tf.linspace(0.0, 1.0, sizes[k]))

        rows = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None])
        return tf.while_loop(lambda k, _: k < 2, body, (0, rows))[1].concat()

    assert inferred(grids, None, 3).as_list() == [9]
    assert grids(tf.zeros([4, 3])).numpy() == pytest.approx([0.0, 0.5, 1.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def test_loop_of_unknown_length_over_sizes_is_refused():
    def grown(x):
        length = tf.cast(x[0, 0], tf.int32)
        return tf.while_loop(lambda k, _: k < length, lambda k, _: (k + 1, tf.zeros([k])), (0, x[0]))

    with pytest.raises(UntraceableError, match="decides a shape"):
        inferred(grown, None, 3)


def test_mask_as_long_as_the_longest():
    lengths = tf.keras.Input([], dtype="int32")
    mask = tf.keras.layers.Lambda(lambda x: tf.sequence_mask(x, dtype=tf.float32))(lengths)
    assert mask.shape == (None, None)
    model = tf.keras.Model(lengths, mask)
    assert model(tf.constant([1, 3, 2])).numpy().tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]
    assert model.predict(np.array([1, 0, 2]), verbose=0).tolist() == [[1, 0], [0, 0], [1, 1]]


class Weighted(layers.Layer):
    """A layer whose `build` creates a `tf.Variable` with a first value of the kind `first`."""

    def __init__(self, first):
        super().__init__()
        self.first = first
        self.builds = 0

    def build(self, _):
        self.builds += 1
        self.w = tf.Variable(self.first())

    def call(self, x):
        return x @ self.w


KEPT = tf.ones([2, 1])
# By kinds of first values, how often TensorFlow calls `build`: the shapes are not inferred if the value is symbolic.
FIRST_VALUES = {
    "number": (lambda: [[1.0], [1.0]], 1),
    "tensor": (lambda: KEPT, 1),
    "function": (lambda: lambda: tf.ones([2, 1]), 1),
    "op": (lambda: tf.ones([2, 1]), 2),
    "initializer": (lambda: tf.ones_initializer()([2, 1]), 2),
}


@pytest.mark.parametrize("kind", FIRST_VALUES)
def test_variables_of_layers_without_add_weight(kind):
    first, builds = FIRST_VALUES[kind]

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.layer = Weighted(first)

        def call(self, x):
            return self.layer(x)

    model = Model()
    assert model(tf.constant([[2.0, 3.0]])).numpy() == [[5.0]]
    assert model.layer.w.numpy().tolist() == [[1.0], [1.0]]
    assert model.layer.builds == builds
    assert model.trainable_variables == []


def test_variable_that_a_symbolic_call_creates():
    class Late(layers.Layer):
        def call(self, x):
            return x @ tf.Variable(tf.ones([2, 1]))

    with pytest.raises(ValueError, match="could not be lifted"):
        Late()(tf.keras.Input([2]))


@pytest.mark.parametrize("axis", [-1, [2]])
def test_removed_axes_may_be_open(axis):
    inputs = tf.keras.Input((None, None))
    outputs = layers.Lambda(lambda x: tf.squeeze(x, axis))(inputs)
    assert outputs.shape == (None, None)
    model = tf.keras.Model(inputs, layers.Lambda(lambda x: 2.0 * x)(outputs))
    assert model(np.ones([2, 3, 1], np.float32)).numpy().tolist() == [[2.0] * 3] * 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        model(np.ones([2, 3, 2], np.float32))


SIZES_OF_OTHERS = {
    "added": (lambda x: x + tf.ones([1, 5]), (None, 5)),
    "rows": (lambda x: tf.ones([4, 1]) * x[:, tf.newaxis], (None, 4, None)),
    "product": (lambda x: tf.matmul(x, tf.ones([5, 3])), (None, 3)),
    "joined": (lambda x: tf.concat([x, tf.ones([3, 5])], 0), (None, 5)),
    "stacked": (lambda x: tf.stack([x, tf.ones([2, 5])]), (2, 2, 5)),
    "unstacked": (lambda x: tf.unstack(x, num=2)[1], (None,)),
}


@pytest.mark.parametrize("name", SIZES_OF_OTHERS)
def test_an_open_size_may_be_that_of_the_other_operand(name):
    function, shape = SIZES_OF_OTHERS[name]
    inputs = tf.keras.Input((None,))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.arange(10.0, dtype=np.float32).reshape(2, 5)
    assert tf.keras.Model(inputs, outputs)(x).numpy().tolist() == function(tf.constant(x)).numpy().tolist()


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: tf.dynamic_partition(x, tf.cast(x[:, 0] > 1.0, tf.int32), 2)[1], (None, 3)),
        (lambda x: tf.math.segment_sum(x, tf.cast(x[:, 0], tf.int32)), (None, 3)),
        (lambda x: tf.math.unsorted_segment_mean(x, tf.range(tf.shape(x)[0]), 4), (4, 3)),
    ],
    ids=["partition", "segment_sum", "unsorted_segment_mean"],
)
def test_values_that_decide_the_number_of_rows(function, shape):
    inputs = tf.keras.Input((3,))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.array([[0.0, 1.0, 2.0], [1.0, 4.0, 5.0], [2.0, 7.0, 8.0]], np.float32)
    assert tf.keras.Model(inputs, outputs)(x).numpy().tolist() == function(tf.constant(x)).numpy().tolist()


def test_sizes_that_never_fit_are_refused():
    with pytest.raises(NotImplementedError, match="automatically infer the shape"):
        layers.Lambda(lambda x: x + tf.ones([7, 5]))(tf.keras.Input((4,)))


FAULTS = {
    "matmul": (lambda x: tf.matmul(x, tf.ones([3, 2])), ValueError, "matmul|MatMul"),
    "axis": (lambda x: tf.reduce_sum(x, 2), ValueError, "dimension|axis"),
    "dtype": (lambda x: x + tf.constant(1), TypeError, "type"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_model_that_cannot_be_built_says_why(name):
    function, error, cause = FAULTS[name]

    class Layer(layers.Layer):
        def call(self, x):
            return function(x)

    with pytest.raises(error, match=cause):
        Layer()(tf.keras.Input((4,)))


def best_of(x):
    def single():
        return tf.argmax(x, 2), tf.reshape(tf.reduce_max(x, 2), [-1])

    def several():
        return tf.argmax(x, 2), tf.reduce_max(tf.reduce_max(x, 1), 1)

    return tf.cond(tf.equal(tf.shape(x)[1], 1), single, several)


BRANCHES = {
    "sizes_of_the_input": (lambda x: best_of(x)[1], (None,)),
    "open_size": (lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x[:2], lambda: x), (None, None, 4)),
    "known_sizes": (
        lambda x: tf.switch_case(tf.shape(x)[1] - 3, [lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 4])]),
        (2, None),
    ),
    "another_size": (lambda x: tf.cond(x[0, 0, 0] > 5.0, lambda: x[:, :, :2], lambda: x[:, :, :3]), (None, None, None)),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_of_other_shapes(name):
    function, shape = BRANCHES[name]
    inputs = tf.keras.Input((None, 4))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.arange(36.0, dtype=np.float32).reshape(3, 3, 4)
    assert tf.keras.Model(inputs, outputs)(x).numpy().tolist() == function(tf.constant(x)).numpy().tolist()
