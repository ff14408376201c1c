"""`tf.print` lays values out as TensorFlow 2.21 does."""

from __future__ import annotations

import collections
import logging
import sys

import numpy as np
import pytest

import tfcompat as tf


@pytest.fixture
def printed(capfd):
    """A function that gives what `tf.print` writes to standard output."""

    def write(*inputs, **options):
        assert tf.print(*inputs, output_stream=sys.stdout, **options) is None
        return capfd.readouterr().out.removesuffix("\n")

    return write


def test_standard_error_is_the_default(capfd):
    tf.print(tf.constant(1.0), "x")
    assert capfd.readouterr() == ("", "1 x\n")


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.0, tf.float32, "1"),
        (np.array(-0.0), tf.float32, "-0"),  # TensorFlow remembers 0.0 of Python for it
        (0.1, tf.float32, "0.1"),
        (1 / 3, tf.float32, "0.333333343"),
        (1e5, tf.float32, "100000"),
        (1e6, tf.float32, "1e+06"),
        (1e6 + 0.5, tf.float32, "1000000.5"),
        (np.nan, tf.float32, "nan"),
        (-np.inf, tf.float32, "-inf"),
        (1 / 3, tf.float64, "0.33333333333333331"),
        (np.pi, tf.float64, "3.1415926535897931"),
        (np.pi, tf.float16, "3.140625"),
        (0.1, tf.bfloat16, "0.100097656"),
        (True, tf.bool, "1"),
        (-1, tf.int8, "-1"),
        (3, tf.int64, "3"),
        (1 + 2j, tf.complex64, "?"),
    ],
)
def test_number(printed, value, dtype, text):
    assert printed(tf.constant(value, dtype)) == text


@pytest.mark.parametrize(
    ("shape", "summarize", "text"),
    [
        ((7,), 3, "[0 1 2 ... 4 5 6]"),
        ((6,), 3, "[0 1 2 3 4 5]"),
        ((10,), -1, "[0 1 2 3 4 5 6 7 8 9]"),
        ((10,), 0, "[ ...]"),
        ((4,), 1, "[0 ... 3]"),
        ((2, 2), 3, "[[0 1]\n [2 3]]"),
        ((5, 5), 2, "[[0 1 ... 3 4]\n [5 6 ... 8 9]\n ...\n [15 16 ... 18 19]\n [20 21 ... 23 24]]"),
        ((2, 2, 2), 3, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
        ((0, 3), 3, "[]"),
        ((2, 0), 3, "[\n ...]"),
    ],
)
def test_array(printed, shape, summarize, text):
    tensor = tf.constant(np.arange(np.prod(shape)).reshape(shape))
    assert printed(tensor, summarize=summarize) == text


def test_strings_are_quoted_unless_alone(printed):
    assert printed(tf.constant("hi")) == "hi"
    assert printed("x", tf.constant("hi")) == 'x "hi"'
    assert printed(tf.constant(["a", "b\n"])) == '["a" "b\\n"]'
    assert printed("x", tf.constant("é\t\"\\\x01'")) == 'x "é\\t\\"\\\\\\001\\\'"'


def test_structures_keep_their_form(printed):
    Point = collections.namedtuple("Point", "x y")
    assert printed([tf.constant(1), 2], (tf.constant([1.0]), "x")) == "[1, 2] ([1], 'x')"
    assert printed({"b": tf.constant(1), "a": "text"}) == "{'a': 'text', 'b': 1}"
    assert printed(Point(tf.constant(1), 2)) == "Point(x=1, y=2)"


def test_ordered_dictionary_keeps_its_order(printed):
    # TensorFlow gives the first key the value of the first in alphabetical order.
    ordered = collections.OrderedDict([("b", tf.constant(1)), ("a", tf.constant(2))])
    assert printed(ordered) == str(collections.OrderedDict([("b", 1), ("a", 2)]))  # Python 3.12 changed its text


def test_what_is_no_tensor_is_shown_as_python_does(printed):
    assert printed(1, 2.5, "a", None, True, b"x") == "1 2.5 a None True b'x'"
    assert printed(np.array([1.5, 2.0]), tf.float32) == "array([1.5, 2. ]) tf.float32"
    assert printed("{}", tf.constant(1), "%s") == "{} 1 %s"


def test_variables_and_slices_show_their_values(printed):
    assert printed(tf.Variable([1.0, 2.0]), [tf.Variable(3.0)]) == "[1 2] [3]"
    assert printed(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))) == "[[1]\n [0]]"


def test_separator_and_end(printed):
    assert printed("a", "b", sep=", ", end="!") == "a, b!"
    assert printed() == ""


def test_file_is_appended_to(tmp_path):
    path = tmp_path / "out.txt"
    for value in ([1], [2, 3]):
        tf.print(tf.constant(value), output_stream=f"file://{path}")
    assert path.read_text() == "[1]\n[2 3]\n"


def test_other_streams_and_keywords_are_refused():
    for elsewhere in ("elsewhere", logging.DEBUG, 1):
        with pytest.raises(ValueError, match="output_stream must be"):
            tf.print(1, output_stream=elsewhere)


@pytest.mark.parametrize(("stream", "level"), [(20, 20), (0, 20), (30, 30), (-1, 30), (40, 40), (-2, 40)])
def test_levels_of_logging_are_streams(stream, level, caplog):
    with caplog.at_level(logging.INFO, "tensorflow"):
        tf.print("loss", tf.constant([1.5, 2.0]), output_stream=stream)
    assert caplog.record_tuples == [("tensorflow", level, "loss [1.5 2]")]
    with pytest.raises(ValueError, match=r"unrecognized keyword arguments \{'file': 3\}"):
        tf.print(1, file=3)


def shown(x):
    tf.print("shown", x)
    return x * x


def in_branch(x):
    return tf.cond(x > 0.0, lambda: shown(x), lambda: x)


def in_loop(x):
    while x < 10.0:
        x = shown(x)
    return x


def of_rows(x):
    return tf.reduce_sum(tf.map_fn(shown, tf.stack([x, x])))


@pytest.mark.parametrize("function", [shown, in_branch, in_loop, of_rows])
def test_derivatives_print_nothing(function, capfd):
    decorated, x = tf.function(function), tf.constant(3.0)
    decorated(x)
    once = capfd.readouterr().err
    assert "shown 3" in once
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = decorated(x)
        slope = tape.gradient(y, x)
    assert slope.numpy() > 0.0
    assert outer.gradient(slope, x).numpy() > 0.0
    assert capfd.readouterr().err == once


def test_forward_derivative_prints_nothing(capfd):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = tf.function(in_branch)(x)
    assert accumulator.jvp(y).numpy() == 6.0
    assert capfd.readouterr().err == "shown 3\n"
