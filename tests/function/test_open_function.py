"""Concrete functions with open dimensions look as in TensorFlow."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf


def open_function(function, *dims, **options):
    spec = tf.TensorSpec(dims or [None], tf.float32)
    return tf.function(function, autograph=False, **options).get_concrete_function(spec)


WEIGHTS = tf.Variable(tf.ones([3, 2]))


@pytest.fixture
def dense():
    return open_function(lambda x: {"out": x @ WEIGHTS}, None, 3)


def test_open_dimensions_are_shown(dense):
    spec = tf.TensorSpec([None, 3], tf.float32, "x")
    assert dense.structured_input_signature == ((spec,), {})
    assert dense.inputs == [spec]
    assert dense.structured_outputs == {"out": tf.TensorSpec([None, 2])}
    assert dense.outputs == [tf.TensorSpec([None, 2])]
    assert [shape.as_list() for shape in dense.output_shapes.values()] == [[None, 2]]
    assert dense.output_dtypes == {"out": tf.float32}
    assert dense.pretty_printed_signature(verbose=False) == (
        "(x: TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)) -> "
        "Dict[['out', TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)]]"
    )
    assert [variable is WEIGHTS for variable in dense.trainable_variables] == [True]


def test_every_size_is_answered(dense):
    for count in (1, 4, 48):
        np.testing.assert_array_equal(dense(tf.ones([count, 3]))["out"], np.full([count, 2], 3.0))
    np.testing.assert_array_equal(dense(x=[[1, 2, 3]])["out"], [[6.0, 6.0]])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: tf.concat([x, x], 0), [None, 4]),
        (lambda x: tf.reshape(x, [-1, 2]), [None, 2]),
        (lambda x: x[:5], [None, 4]),
        (lambda x: x[1:], [None, 4]),
        (tf.shape, [2]),
        (lambda x: tf.reduce_sum(x, 0), [4]),
        (lambda x: tf.nn.conv2d(x[None, :, :, None], tf.ones([3, 3, 1, 2]), 2, "VALID"), [1, None, 1, 2]),
        (lambda x: tf.zeros([tf.shape(x)[0], 3]), [None, 3]),
        (lambda x: tf.range(tf.shape(x)[0]), [None]),
        (lambda x: x + tf.ones([7, 1]), [7, 4]),
        (lambda x: tf.signal.frame(x, 256, 160, axis=0), [None, 256, 4]),
        (lambda x: tf.zeros([tf.maximum(tf.shape(x)[0] - 100, 0)]), [None]),
    ],
    ids=["concat", "reshape", "head", "tail", "shape", "sum", "conv", "zeros", "range", "broadcast", "frame", "less"],
)
def test_what_is_known_of_results(function, expected):
    assert open_function(function, None, 4).outputs[0].shape.as_list() == expected


def test_images_that_shrink_are_traced_for_large_sizes():
    def small(x):
        for _ in range(5):
            x = tf.nn.max_pool2d(x, 3, 2, "VALID")
        return x

    assert open_function(small, None, None, None, 3).outputs[0].shape.as_list() == [None, None, None, 3]


def test_one_concrete_function_for_one_question():
    function = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    concrete = function.get_concrete_function()
    assert concrete is function.get_concrete_function(tf.TensorSpec([3], tf.float32))
    assert concrete is function.get_concrete_function([1.0, 2.0])
    assert function.pretty_printed_concrete_signatures(verbose=False) == concrete.pretty_printed_signature(False)
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        function.get_concrete_function(tf.TensorSpec([3, 3], tf.float32))


def test_names_of_specs_are_those_of_arguments():
    specs = [tf.TensorSpec([None], tf.float32, name) for name in ("p", "q")]
    concrete = tf.function(lambda a, b: a - b, autograph=False).get_concrete_function(*specs)
    assert concrete.structured_input_signature == (tuple(specs), {})
    np.testing.assert_array_equal(concrete(q=tf.constant([1.0]), p=tf.constant([3.0])), [2.0])


def test_what_the_program_refuses_is_an_invalid_argument(dense):
    with pytest.raises(tf.errors.InvalidArgumentError, match="matmul"):
        dense(tf.ones([2, 5]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float32 tensor, but is a int32"):
        dense(tf.ones([2, 3], tf.int32))
    specs = [tf.TensorSpec([None], tf.float32)] * 2
    total = tf.function(lambda a, b: a + b, autograph=False).get_concrete_function(*specs)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must broadcast"):
        total(tf.ones([2]), tf.ones([3]))


def test_what_cannot_be_traced_for_any_size():
    with pytest.raises(ValueError, match="rhs must be a matrix with as many rows") as caught:
        open_function(lambda x: tf.linalg.triangular_solve(tf.eye(3), x), None, 4)
    assert caught.value.__notes__ == ["Open dimensions were traced with size 48."]


def test_open_ranks_have_a_trace_each():
    def function(x):
        return tf.rank(x), x * 2.0, tf.shape(x), tf.reduce_sum(x)

    concrete = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(None, tf.float32, "x"))
    assert concrete.structured_input_signature == ((tf.TensorSpec(None, tf.float32, "x"),), {})
    assert [shape.rank for shape in concrete.output_shapes] == [0, None, 1, 0]
    assert concrete.output_shapes[2].as_list() == [None]
    for dims in ([], [3], [2, 3], [4, 3], [1, 2, 0], [2, 1, 1, 2]):
        x = tf.ones(dims)
        for got, want in zip(concrete(x), function(x), strict=True):
            np.testing.assert_array_equal(got, want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float32 tensor"):
        concrete(tf.constant([1]))


def test_open_ranks_that_fit_some_ranks():
    concrete = tf.function(lambda x: x @ WEIGHTS).get_concrete_function(tf.TensorSpec([None, None, 3]))
    assert concrete.output_shapes.as_list() == [None, None, 2]
    matrices = tf.function(lambda x: tf.linalg.matrix_transpose(x)).get_concrete_function(tf.TensorSpec(None))
    assert matrices(tf.ones([2, 3])).shape == (3, 2)
    assert matrices(tf.ones([4, 2, 3])).shape == (4, 3, 2)


@pytest.mark.parametrize("narrow", ["ensure_shape", "set_shape"])
@pytest.mark.parametrize("dims", [[5, 4], [None, 4], [5, None], [None, None]], ids=str)
def test_open_dimensions_become_known(narrow, dims):
    runs = []

    def function(x):
        runs.append(x.shape.as_list())
        if narrow == "ensure_shape":
            x = tf.ensure_shape(x, dims)
        else:
            x.set_shape(dims)
        runs.append(x.shape.as_list())
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**2, 1)
        return y, tape.gradient(y, x)

    concrete = open_function(function, None, None)
    assert runs == [[None, None], dims]
    assert [shape.as_list() for shape in concrete.output_shapes] == [dims[:1], dims]
    for sizes in ([5, 4], [2, 4], [5, 3], [2, 3]):
        if all(known in (None, size) for known, size in zip(dims, sizes, strict=True)):
            y, gradient = concrete(tf.ones(sizes))
            assert y.numpy().tolist() == [float(sizes[1])] * sizes[0]
            np.testing.assert_array_equal(gradient, np.full(sizes, 2.0))
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not compatible with the expected"):
                concrete(tf.ones(sizes))
    assert len(runs) == 2


def test_known_dimensions_are_not_exported_as_open_ones():
    checked = open_function(lambda x: tf.ensure_shape(x, [4]) * 2.0)
    with pytest.raises(NotImplementedError, match=r"the check of tf\.ensure_shape depends on the size"):
        checked.to_jax()
    with pytest.raises(NotImplementedError, match=r"the check of tf\.ensure_shape depends on the size"):
        checked.export()


def test_variables_are_made():
    class Dense(tf.Module):
        kernel = None

        @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, x):
            if self.kernel is None:
                self.kernel = tf.Variable(tf.ones([x.shape[-1], 2]))
            return x @ self.kernel

    dense = Dense()
    concrete = dense.__call__.get_concrete_function()
    assert dense.kernel.shape == (3, 2)
    assert [variable is dense.kernel for variable in concrete.variables] == [True]
    np.testing.assert_array_equal(concrete(tf.ones([1, 3])), dense([[1, 1, 1]]))


def test_strings_are_open_whatever_their_shape():
    concrete = tf.function(lambda x: x, autograph=False).get_concrete_function(tf.TensorSpec([], tf.string))
    assert concrete.structured_outputs == tf.TensorSpec([], tf.string)
    assert [concrete(tf.constant("a")).numpy(), concrete("b").numpy()] == [b"a", b"b"]


@pytest.fixture
def _seeded():
    tf.random.set_seed(1)
    yield
    tf.random.set_seed(None)


@pytest.mark.usefixtures("_seeded")
def test_draws_go_on_from_size_to_size():
    draw = tf.function(
        lambda x: tf.random.uniform(tf.shape(x)), autograph=False, input_signature=[tf.TensorSpec([None])]
    )
    drawn = [draw(tf.ones([count])) for count in (3, 2, 3)]
    np.testing.assert_allclose(drawn[0], [0.81269646, 0.07857466, 0.8916855], rtol=1e-6)
    np.testing.assert_allclose(drawn[1], [0.8928561, 0.02359712], rtol=1e-6)
    np.testing.assert_allclose(drawn[2], [0.9844202, 0.00614107, 0.4160719], rtol=1e-5)


class TestExport:
    def test_all_sizes_in_one(self):
        weights = tf.Variable([[1.0], [2.0]])
        function = open_function(lambda x: tf.nn.softmax(tf.concat([x @ weights, x * [3.0, 4.0]], 1)), None, 2)
        exported = function.export()
        assert str(exported.in_avals[-1].shape[0]) == "d0"
        for count in (1, 5):
            x = np.ones([count, 2], np.float32)
            (result, _) = exported.call((weights.numpy(),), x)
            np.testing.assert_allclose(result, function(tf.constant(x)), rtol=1e-6)

    def test_sizes_that_must_be_equal_share_a_symbol(self):
        specs = [tf.TensorSpec([None], tf.float32)] * 2
        total = tf.function(lambda a, b: a + b, autograph=False).get_concrete_function(*specs)
        (result, _) = total.export().call((), np.ones(3, np.float32), np.ones(3, np.float32))
        np.testing.assert_array_equal(result, np.full(3, 2.0))

    def test_jaxpr_and_text_have_symbols(self):
        function = open_function(lambda x: tf.reduce_sum(x * 2.0, 1), None, 2)
        assert [aval.str_short() for aval in function.jaxpr().out_avals] == ["float32[d0]"]
        assert "tensor<?x2xf32>" in function.stablehlo()

    def test_pure_function_takes_any_size(self):
        pure = open_function(lambda x: tf.nn.relu(x) * 2.0).to_jax()
        for count in (1, 2):
            (result, _) = jax.jit(pure)((), np.ones(count, np.float32))
            np.testing.assert_array_equal(result, np.full(count, 2.0))
        with pytest.raises(TypeError, match=r"must be float32\[d0\], got float32\[1,1\]"):
            pure((), np.ones([1, 1], np.float32))

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32),
            lambda x: tf.zeros([tf.shape(x)[0], 3]),
            lambda x: x + tf.random.stateless_uniform(tf.shape(x), [1, 2]),
        ],
        ids=["number", "attribute", "random"],
    )
    def test_sizes_that_are_part_of_the_trace_are_refused(self, function):
        with pytest.raises(NotImplementedError, match="depends on the size of an open dimension"):
            open_function(function).export()

    def test_python_runs_once(self):
        runs = []
        function = open_function(lambda x: runs.append(x) or tf.gather(x * 2.0, [1, 0], axis=1), None, 2)
        function.to_jax()
        assert len(runs) == 1
        for count in (1, 3):
            x = np.arange(2.0 * count, dtype=np.float32).reshape(count, 2)
            np.testing.assert_array_equal(function.export().call((), x)[0], 2 * x[:, ::-1])
        assert len(runs) == 1

    def test_lowered_needs_sizes(self):
        with pytest.raises(NotImplementedError, match="leaves dimensions open"):
            open_function(lambda x: x).lowered()


def test_what_the_program_refuses_is_an_invalid_argument_with_autograph_too():
    specs = [tf.TensorSpec([None], tf.float32)] * 2
    total = tf.function(lambda a, b: a + b).get_concrete_function(*specs)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must broadcast"):
        total(tf.ones([2]), tf.ones([3]))


@tf.custom_gradient
def tripled_slope(x):
    return x * 1.0, lambda upstream: upstream * 3.0


def drawn_once(x):
    return 0.0 * tf.reduce_sum(tripled_slope(x)) + tf.random.uniform([])


def drawn_in_a_loop(x):
    total = 0.0 * tf.reduce_sum(tripled_slope(x))
    for _ in tf.range(2):
        total += tf.random.uniform([])
    return total


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (drawn_once, [0.7537285, 0.5876015, 0.3971016, 0.7915035, 0.1781592]),
        (drawn_in_a_loop, [1.3413301, 1.1886052, 1.0461729, 0.5593078, 1.0474573]),
    ],
)
def test_draws_of_a_function_with_a_custom_gradient_go_on_from_size_to_size(function, expected):
    tf.random.set_seed(7)
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([None]))
    drawn = [concrete(tf.ones([count])).numpy() for count in (2, 3, 2, 48, 3)]
    np.testing.assert_allclose(drawn, expected, rtol=1e-6)
    tf.random.set_seed(None)
