"""`input_signature`, concrete functions, and their properties."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


@tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
def scaled(x, n):
    return x * tf.cast(n, tf.float32)


def test_arguments_are_converted():
    np.testing.assert_array_equal(scaled([1.0, 2.0], 3), [3.0, 6.0])
    np.testing.assert_array_equal(scaled(tf.constant([1.0]), 2), [2.0])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            (tf.constant([[1.0]]), 3),
            r"Can not cast TensorSpec\(shape=\(1, 1\), dtype=tf.float32, name=None\) to TensorSpec\(shape=\(None,\)",
        ),
        ((tf.constant([1]), 3), r"Can not cast TensorSpec\(shape=\(1,\), dtype=tf.int32, name=None\)"),
        (([1.0],), "missing a required argument: 'n'"),
        (("a", 3), "Binding inputs to tf.function failed"),
    ],
    ids=["shape", "dtype", "missing", "kind"],
)
def test_arguments_that_do_not_fit(args, message):
    with pytest.raises(TypeError, match=message):
        scaled(*args)


def test_a_parameter_without_constraint():
    with pytest.raises(TypeError, match="input_signature missing type constraint for y"):
        tf.function(lambda x, y: x + y, input_signature=[tf.TensorSpec([])])
    with pytest.raises(TypeError, match="input_signature must be either a tuple or a list"):
        tf.function(lambda x: x, input_signature=3)


class Scaled:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def call(self, x, n=2):
        return x * tf.cast(n, tf.float32)


def test_self_has_no_constraint():
    np.testing.assert_array_equal(Scaled().call([1, 2]), [2.0, 4.0])
    np.testing.assert_array_equal(Scaled().call([1, 2], 3), [3.0, 6.0])
    with pytest.raises(TypeError) as caught:
        Scaled().call("x")
    assert str(caught.value).endswith(
        "for signature: (x: TensorSpec(shape=(None,), dtype=tf.float32, name=None), "
        "n: TensorSpec(shape=(), dtype=tf.int32, name=None) = <captured_default_value>)."
    )


@tf.function(autograph=False)
def function(x, y=2, *, z=None):
    return {"a": x * 2, "b": [y, z]}


def test_a_concrete_function_knows_what_it_takes_and_gives():
    concrete = function.get_concrete_function(tf.TensorSpec([2]), y=5)
    assert concrete.structured_input_signature == ((tf.TensorSpec([2], name="x"), 5), {"z": None})
    assert concrete.structured_outputs == {"a": tf.TensorSpec([2]), "b": [tf.TensorSpec([], tf.int32), None]}
    assert (concrete.inputs, concrete.outputs) == (
        [tf.TensorSpec([2], name="x")],
        [tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)],
    )
    assert str(concrete) == (
        "ConcreteFunction Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"
        "  y (POSITIONAL_OR_KEYWORD): Literal[5]\n"
        "  z (KEYWORD_ONLY): Literal[None]\n"
        "Output Type:\n"
        "  Dict[['a', TensorSpec(shape=(2,), dtype=tf.float32, name=None)], "
        "['b', List[TensorSpec(shape=(), dtype=tf.int32, name=None), Literal[None]]]]\n"
        "Captures:\n"
        "  None"
    )


def test_a_concrete_function_is_called_with_its_tensors():
    concrete = function.get_concrete_function(tf.TensorSpec([2]), y=5)
    np.testing.assert_array_equal(concrete(tf.constant([1.0, 2.0]))["a"], [2.0, 4.0])
    np.testing.assert_array_equal(concrete(x=tf.constant([1.0, 2.0]))["a"], [2.0, 4.0])
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        concrete()
    with pytest.raises(TypeError, match="to be a Tensor; got list"):
        concrete([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float32 tensor, but is a int32"):
        concrete(tf.constant([1, 2]))


def test_a_concrete_function_names_its_variables():
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    concrete = tf.function(lambda x: v * x + w, autograph=False).get_concrete_function(tf.TensorSpec([]))
    assert [variable is v or variable is w for variable in concrete.variables] == [True, True]
    assert [variable is v for variable in concrete.trainable_variables] == [True]


def test_asking_for_a_concrete_function_runs_nothing():
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def add(x):
        v.assign_add(x)
        return v.read_value()

    concrete = add.get_concrete_function(tf.TensorSpec([]))
    assert v.numpy() == 1.0
    assert concrete(tf.constant(2.0)).numpy() == 3.0
    assert add(tf.constant(2.0)).numpy() == 5.0
    assert add.experimental_get_tracing_count() == 1


def test_arguments_without_names_of_their_own():
    x = tf.constant([1.0, 2.0])
    total = tf.function(lambda *parts: parts[0] + parts[1], autograph=False).get_concrete_function(x, x)
    np.testing.assert_array_equal(total(x, x), [2.0, 4.0])
    mixed = tf.function(lambda a, *rest, k=2.0, **more: a * k + rest[0] + more["z"], autograph=False)
    concrete = mixed.get_concrete_function(x, x, z=x)
    np.testing.assert_array_equal(concrete(x, x, z=x), [4.0, 8.0])
    np.testing.assert_array_equal(concrete(x[:1], x[:1], z=x[:1]), [4.0])
    with pytest.raises(TypeError, match="missing required arguments: z"):
        concrete(x, x)
    with pytest.raises(TypeError, match="takes 3 positional arguments, got 4"):
        concrete(x, x, x, x, z=x)


def test_keywords_are_sorted():
    assert list(tf.function(lambda **more: more, autograph=False)(b=1, a=2)) == ["a", "b"]


def test_signatures_in_a_line():
    f = tf.function(lambda a: {"z": a, "b": [a * 2]}, autograph=False)
    f(tf.constant([1.0, 2.0]))
    spec = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    assert (
        f.pretty_printed_concrete_signatures(verbose=False)
        == f"(a: {spec}) -> Dict[['z', {spec}], ['b', List[{spec}]]]"
    )


def test_one_name_for_compiling():
    with pytest.raises(ValueError, match="Cannot specify both 'experimental_compile' and 'jit_compile'"):
        tf.function(lambda a: a, jit_compile=True, experimental_compile=False)


@pytest.mark.parametrize("shape", [[None, None], [None, 3], None], ids=str)
def test_dtypes_are_refused_while_open_sizes_are_traced(shape):
    @tf.function(input_signature=[tf.TensorSpec(shape)])
    def add(x):
        return x + tf.ones([2, 3], tf.float64)

    with pytest.raises(TypeError):
        add(tf.ones([2, 3]))
