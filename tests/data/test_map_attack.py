"""Functions of elements at their limits: nested functions, branches with numbers, values of unknown rank, defaults."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset
TEXTS = D.from_tensor_slices(["x", "y"])
DIGITS = D.from_tensor_slices(["1", "2"])


def values(dataset):
    return [x.numpy().tolist() if x.shape.rank else x.numpy() for x in dataset]


def png(height, width):
    size = height * width * 3
    return tf.io.encode_png(np.arange(size, dtype=np.uint8).reshape(height, width, 3)).numpy()


def test_nested_functions_read_strings_of_the_enclosing_one():
    assert values(TEXTS.flat_map(lambda s: DIGITS.map(lambda t: t + s))) == [b"1x", b"2x", b"1y", b"2y"]
    joined = TEXTS.flat_map(lambda s: DIGITS.map(lambda _: tf.strings.join([s, "!"])))
    assert values(joined) == [b"x!", b"x!", b"y!", b"y!"]
    assert values(TEXTS.flat_map(lambda s: DIGITS.map(lambda _: s))) == [b"x", b"x", b"y", b"y"]
    assert values(TEXTS.flat_map(lambda s: TEXTS.filter(lambda t: t != s))) == [b"y", b"x"]
    lengths = D.from_tensor_slices(["x", "yyy"]).flat_map(lambda s: D.range(2).map(lambda _: tf.strings.length(s)))
    assert values(lengths) == [1, 1, 3, 3]


def test_nested_functions_read_numbers_of_the_enclosing_one_in_steps_of_the_host():
    made = D.from_tensor_slices([1, 2]).flat_map(lambda k: TEXTS.map(lambda s: s + tf.strings.as_string(k)))
    assert values(made) == [b"x1", b"y1", b"x2", b"y2"]
    windows = D.from_tensor_slices(["a", "bb", "c", "dd"]).group_by_window(
        lambda s: tf.cast(tf.strings.length(s), tf.int64),
        lambda k, window: window.map(lambda s: tf.strings.as_string(k) + s).batch(2),
        2,
    )
    assert values(windows) == [[b"1a", b"1c"], [b"2bb", b"2dd"]]


def test_branches_of_nested_functions_read_both_enclosing_functions():
    made = TEXTS.flat_map(
        lambda s: DIGITS.flat_map(
            lambda t: DIGITS.map(lambda u: tf.cond(tf.equal(u, "1"), lambda: s + t, lambda: s + u))
        )
    )
    assert values(made) == [b"x1", b"x2", b"x2", b"x2", b"y1", b"y2", b"y2", b"y2"]


def test_traces_for_sizes_keep_the_values_of_their_own_enclosing_element():
    texts = D.from_tensor_slices(["1 1", "5", ""])
    made = D.from_tensor_slices([1.0, 2.0]).flat_map(
        lambda k: texts.map(
            lambda t: tf.strings.to_number(tf.strings.split(t))[:, None] * tf.strings.to_number(tf.strings.split(t)) + k
        )
    )
    assert values(made) == [[[2, 2], [2, 2]], [[26]], [], [[3, 3], [3, 3]], [[27]], []]


def test_branches_and_loops_with_numeric_arguments():
    rows = D.from_tensor_slices((["a", "b"], [0, 2]))
    assert values(rows.map(lambda s, n: tf.cond(n > 0, lambda: s + "x", lambda: s))) == [b"a", b"bx"]

    def repeated(s, n):
        return tf.while_loop(lambda i, _: i < n, lambda i, text: (i + 1, text + "x"), (0, s))[1]

    assert values(rows.map(repeated)) == [b"a", b"bxx"]


@pytest.mark.parametrize(("dims", "fitting"), [([None], 1), ([None, 2], 2)])
def test_ensure_shape_checks_values_of_unknown_rank(dims, fitting):
    def made(n):
        return tf.numpy_function(lambda n: np.ones([2] * int(n), np.float32), [n], tf.float32)

    iterator = iter(D.range(3).map(lambda n: tf.ensure_shape(made(n), dims)))
    for rank in range(3):
        if rank == fitting:
            assert next(iterator).shape == [2] * rank
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                next(iterator)


def test_identity_of_strings():
    assert values(TEXTS.map(lambda s: tf.ensure_shape(tf.identity(s), []))) == [b"x", b"y"]


def test_defaults_of_parsed_features_are_lists():
    features = {"b": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0])}
    made = D.from_tensor_slices([b"", b""]).map(lambda s: tf.io.parse_single_example(s, features)["b"])
    assert values(made) == [[1, 2], [1, 2]]


def test_central_crop_and_resize_with_pad_of_images_of_many_sizes():
    images = D.from_tensor_slices([png(4, 4), png(1, 1), png(4, 2)]).map(lambda s: tf.io.decode_png(s, 3))
    cropped = images.map(lambda image: tf.image.central_crop(image, 0.5))
    assert [x.shape.as_list() for x in cropped] == [[2, 2, 3], [1, 1, 3], [2, 2, 3]]
    padded = images.map(lambda image: tf.image.resize_with_pad(image, 3, 5))
    assert [x.shape.as_list() for x in padded] == [[3, 5, 3]] * 3


def outcomes(dataset):
    """The values of the elements, None for those with an InvalidArgumentError."""
    found, iterator = [], iter(dataset)
    while True:
        try:
            found.append(np.asarray(next(iterator)).tolist())
        except tf.errors.InvalidArgumentError:
            found.append(None)
        except StopIteration:
            return found


ROWS = D.from_tensor_slices(["1 2 3", "1", "", "4 5"])


def numbers(s):
    return tf.strings.to_number(tf.strings.split(s))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda s: numbers(s)[1], [2, None, None, 5]),
        (lambda s: numbers(s)[-2], [2, None, None, 4]),
        (lambda s: numbers(s)[0], [1, 1, None, 4]),
        (lambda s: tf.strings.split(s)[-2], [b"2", None, None, b"4"]),
        (lambda s: tf.cond(tf.size(numbers(s)) > 0, lambda: numbers(s)[0], lambda: -1.0), [1, 1, -1, 4]),
        (lambda s: tf.ensure_shape(numbers(s), [2]) * [1.0, 2.0], [None, None, None, [4, 10]]),
        (lambda s: tf.ensure_shape(tf.strings.split(s), [1]), [None, [b"1"], None, None]),
    ],
)
def test_sizes_below_those_of_the_symbols_are_checked(function, expected):
    assert outcomes(ROWS.map(function)) == expected


def test_branches_may_have_other_shapes_for_small_sizes():
    def made(s):
        row = numbers(s)
        return tf.cond(tf.size(row) > 2, lambda: row[:2], lambda: tf.pad(row, [[0, 2 - tf.size(row)]]))

    assert values(ROWS.map(made)) == [[1, 2], [1, 0], [0, 0], [4, 5]]
