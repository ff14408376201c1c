"""Valid sources of gradients, and the structure of the result."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf

Pair = collections.namedtuple("Pair", "a b")


def test_intermediate_on_the_way_has_a_gradient():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        y = 3.0 * m * m / 2.0
    assert values(tape.gradient(y, [x, m])) == [48.0, 12.0]


def test_intermediates_do_not_cut_one_another():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = x * x
        b = a * x
        y = b * a
    assert values(tape.gradient(y, [b, a, x])) == [4.0, 16.0, 80.0]


def test_target_as_its_own_source():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert values(tape.gradient(y, [y, x])) == [1.0, 4.0]


def test_target_that_is_an_intermediate_of_another_target():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        y = m * m
    assert values(tape.gradient([y, m], [m, x])) == [9.0, 36.0]


def test_source_given_twice_gets_the_whole_gradient_twice():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert values(tape.gradient(y, [x, x])) == [4.0, 4.0]


def test_source_downstream_of_the_target():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        y = m * m
    assert tape.gradient(m, y) is None


def test_identity_beside_the_way():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        aside = tf.identity(m)
        y = m * 2.0
    assert values(tape.gradient(y, [aside, m])) == [None, 2.0]


def test_identity_on_the_way():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = tf.identity(x)
        y = m * x
    assert values(tape.gradient(y, [m, x])) == [2.0, 4.0]


def test_intermediate_behind_an_op_without_gradient():
    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        m = tf.floor(x)
        y = m * m
    assert values(tape.gradient(y, [x, m])) == [None, 4.0]


def test_intermediate_behind_a_cast_to_integers():
    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        m = tf.cast(tf.cast(x, tf.int32), tf.float32)
        y = m * m
    assert values(tape.gradient(y, [x, m])) == [None, None]


def test_constant_factor_has_no_gradient():
    x, c = tf.Variable(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        y = x * c
    assert values(tape.gradient(y, [x, c])) == [5.0, None]


def test_unwatched_intermediate_of_constants_has_no_gradient():
    x, c = tf.Variable(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        m = c * c
        y = x * m
    assert values(tape.gradient(y, [x, m])) == [25.0, None]


def test_unused_variable_has_no_gradient():
    x, unused = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        unused * 1.0
        y = x * x
    assert values(tape.gradient(y, [x, unused])) == [4.0, None]


@pytest.mark.parametrize(
    "pack",
    [
        lambda x, y: {"x": x, "y": y},
        lambda x, y: (x, y),
        lambda x, y: [x, [y]],
        lambda x, y: Pair(x, y),
        lambda x, y: {"b": [x], "a": (y, {"c": x})},
        lambda x, y: collections.OrderedDict([("y", y), ("x", x)]),
    ],
    ids=["dict", "tuple", "nested", "namedtuple", "deep", "ordered"],
)
def test_answer_has_the_structure_of_the_sources(pack):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x * y
    found = tape.gradient(z, pack(x, y))
    assert type(found) is type(pack(x, y))
    assert values(found) == pack(3.0, 2.0)


def test_list_of_one_source_gives_a_list():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert values(tape.gradient(y, [x])) == [4.0]


def test_generator_as_sources_is_a_type_error():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises((TypeError, AttributeError)):
        tape.gradient(y, (v for v in [x]))


def test_none_as_source_is_a_type_error():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    for sources in (None, [x, None], {"a": None}):
        with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: None to a TensorFlow DType"):
            tape.gradient(y, sources)


@pytest.mark.parametrize("source", [3.0, np.float32(3.0), np.ones(2, np.float32), True, [3.0]], ids=repr)
def test_value_as_source_is_an_attribute_error(source):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(AttributeError, match=r"no attribute '(dtype|_id)'"):
        tape.gradient(y, source)


def test_text_as_source_is_a_type_error():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: 'x' to a TensorFlow DType"):
        tape.gradient(y, "x")


def test_integer_and_boolean_sources_have_no_gradient():
    n, b, s = tf.constant(3), tf.constant(True), tf.constant("text")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([n, b])
        y = tf.cast(n, tf.float32) * 2.0
    assert tape.gradient(y, [n, b]) == [None, None]
    assert tape.gradient(y, s) is None


def test_integer_target_gives_none():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        n = tf.cast(x, tf.int32)
        y = x * x
    assert tape.gradient(n, x) is None
    assert values(tape.gradient([n, y], x)) == 4.0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_gradient_has_the_dtype_of_the_source(dtype):
    x = tf.constant(3.0, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float64) ** 2.0
    found = tape.gradient(y, x)
    assert found.dtype == dtype
    assert values(tf.cast(found, tf.float32)) == 6.0


def test_complex_gradient_is_the_conjugate():
    z = tf.constant(1 + 2j)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        w = z * z
        real = tf.math.real(w)
        length = tf.abs(z)
        imaginary = tf.math.imag(w)
    assert values(tape.gradient(real, z)) == 2 - 4j
    assert values(tape.gradient(length, z)) == 0.44721 + 0.89443j
    assert values(tape.gradient(imaginary, z)) == 4 + 2j
    assert values(tape.gradient(w, z)) == 2 - 4j


def test_complex_variable_of_a_real_loss():
    z = tf.Variable([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.abs(z) ** 2)
    found = tape.gradient(loss, z)
    assert found.dtype == tf.complex128
    assert values(found) == [2 + 4j, 6 - 2j]


def test_complex_second_order():
    z = tf.constant(1 + 2j)
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as inner:
            inner.watch(z)
            y = tf.math.real(z * z * z)
        g = inner.gradient(y, z)
        h = tf.math.real(g)
    assert values(g) == -9 - 12j
    assert values(outer.gradient(h, z)) == 6 - 12j


def test_real_source_of_a_complex_target():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.complex(x, 2.0 * x)
        y = y * y
    assert values(tape.gradient(y, x)) == -18.0


def test_views_of_a_variable_are_the_variable():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        view = v.assign(3.0)
        y = view * view
    assert values(tape.gradient(y, v)) == 6.0


def test_view_as_source():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        view = v.assign(3.0)
        y = v * v
    assert values(tape.gradient(y, view)) == 6.0


def test_value_of_a_variable_as_source():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        read = v.value()
        y = read * v
    assert values(tape.gradient(y, [read, v])) == [2.0, 4.0]


def test_assigned_variable_has_the_gradient_of_its_new_value():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v.assign(2.0 * v)
        y = v * v
    assert values(tape.gradient(y, v)) == 8.0


def test_reads_before_and_after_an_assignment_add_up():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(7.0)
        y += v * v
    assert values(tape.gradient(y, v)) == 18.0


def test_variable_assigned_after_the_context_does_not_stand_for_what_was_assigned():
    x, v = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * 3.0
    v.assign(y)
    assert values(v) == 4.0
    assert tape.gradient(z, v) is None
    assert tape.gradient(v, x) is None
    assert values(tape.gradient(z, x)) == 12.0


def test_many_assignments_between_reads():
    v, w = tf.Variable(1.0), tf.Variable(10.0)
    with tf.GradientTape() as tape:
        y = v * 2.0
        v.assign_add(1.0)
        y += v * v * w
        v.assign_sub(4.0)
        v.assign(v * 3.0)
        y += v * v * v
    assert values(y) == -174.0
    assert values(tape.gradient(y, [v, w])) == [150.0, 4.0]


def test_assigned_variable_as_target_stands_for_itself():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        x.assign(y)
        z = x * 3.0
    assert values(tape.gradient(x, x)) == 1.0
    assert values(tape.gradient([x, y, z], x)) == 8.0
    assert tape.gradient(x, y) is None
    assert values(tape.jacobian(x, x)) == 1.0


def test_variable_assigned_after_the_context_as_target():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        x * x
    x.assign(5.0)
    assert values(tape.gradient(x, x)) == 1.0


def test_watched_variables_as_sources():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x * y
    assert values(tape.gradient(z, tape.watched_variables())) == (3.0, 2.0)


def test_assignment_ends_the_way_of_what_was_assigned():
    v, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        w.assign(v * v)
        y = w * 3.0
    assert values(tape.gradient(y, [v, w])) == [None, 3.0]


def test_assign_add_ends_the_way_of_what_was_added():
    v, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        w.assign_add(v * v)
        y = w * 3.0
    assert values(tape.gradient(y, [v, w])) == [None, 3.0]


def test_tensor_read_before_an_assignment_keeps_its_gradient():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        before = v * v
        v.assign(100.0)
        y = before * before
    assert values(tape.gradient(y, [v, before])) == [32.0, 8.0]


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: tf.constant(x.numpy()),
        lambda x: float(x),
        lambda x: tf.constant(np.square(x)),
        lambda x: tf.Variable(x * x),
        lambda x: tf.stop_gradient(x * x),
    ],
    ids=["numpy", "float", "ufunc", "variable", "stop_gradient"],
)
def test_way_through_a_python_value_is_cut(cut):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cut(x) * tf.constant(2.0)
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    "passed",
    [tf.constant, tf.convert_to_tensor, tf.identity, lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32)],
    ids=["constant", "convert_to_tensor", "identity", "cast"],
)
def test_way_through_a_conversion_is_not_cut(passed):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = passed(x) * tf.constant(2.0)
    assert values(tape.gradient(y, x)) == 2.0


def test_way_through_a_packed_list_is_not_cut():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor([x, 1.0, v]) * tf.constant([1.0, 2.0, 3.0])
    assert values(tape.gradient(y, [x, v])) == [1.0, 3.0]


def test_stop_gradient_makes_a_constant_factor():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.stop_gradient(x * x)
        y = s * x
    assert values(tape.gradient(y, [x, s])) == [9.0, None]


def test_stopped_tensor_can_be_watched():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.stop_gradient(x * x)
        tape.watch(s)
        y = s * x
    assert values(tape.gradient(y, [x, s])) == [9.0, 3.0]


def test_composite_sources_are_flattened_in_watch():
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 1]))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = rows.values * 3.0
    assert values(tape.gradient(y, rows.values)) == [[3.0], [3.0]]


def test_empty_tensor_as_source():
    x = tf.zeros([0, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    found = tape.gradient(y, x)
    assert found.shape == (0, 3)


def test_op_with_several_outputs_of_which_one_is_used():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = tf.split(x, 2)
        y = tf.reduce_sum(b * b)
    assert values(tape.gradient(y, [x, b, a])) == [[0.0, 0.0, 6.0, 8.0], [6.0, 8.0], None]
