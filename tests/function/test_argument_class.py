"""Arguments of subclasses of float and str, and numbers of NumPy."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import tfcompat as tf


class Mode(enum.StrEnum):
    TRAIN = "train"
    TEST = "test"


class Length(float):
    """A number with a unit."""


@pytest.mark.parametrize(("special", "plain"), [(Mode.TRAIN, "train"), (Length(2), 2.0)], ids=str)
def test_value_of_a_subclass_is_not_the_value_that_it_equals(special, plain):
    @tf.function
    def is_special(x, value):
        return x + (1.0 if type(value) is type(special) else 0.0)

    values = [special, plain, special, plain]
    assert [is_special(tf.constant(0.0), value).numpy() for value in values] == [1.0, 0.0, 1.0, 0.0]
    assert is_special.experimental_get_tracing_count() == 2
    assert is_special(tf.constant(0.0), Mode.TEST).numpy() == float(type(special) is Mode)


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
