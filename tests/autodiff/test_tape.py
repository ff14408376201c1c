"""Recording, repeated gradients, and errors of tapes."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf

ONE_SET = "A non-persistent GradientTape can only be used to compute one set of gradients"


def cube(tape, x):
    """The cube of x, recorded by `tape`, and x."""
    x = tf.constant(x)
    with tape:
        tape.watch(x)
        return x * x * x, x


def test_gradient_of_a_cube():
    tape = tf.GradientTape()
    y, x = cube(tape, 2.0)
    assert values(tape.gradient(y, x)) == 12.0


def test_target_that_is_a_list_is_summed():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        targets = [x * x, 3.0 * x]
    assert values(tape.gradient(targets, x)) == 7.0


def test_target_that_is_nested_is_summed():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        targets = {"a": (x * x, [3.0 * x]), "b": x}
    assert values(tape.gradient(targets, x)) == 8.0


def test_target_that_is_a_vector_is_summed():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x[0] * x
    assert values(tape.gradient(y, x)) == [4.0, 1.0]


def test_target_given_twice_counts_twice():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert values(tape.gradient([y, y], x)) == 8.0


def test_target_that_is_a_variable():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert values(tape.gradient(x, x)) == 1.0
    assert values(tape.gradient([x, y], x)) == 5.0
    assert values(tape.gradient(y, y)) == 1.0


def test_target_that_is_a_variable_nobody_read():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        x * x
    assert values(tape.gradient(y, y)) == 1.0
    assert values(tape.gradient(y, x)) is None


def test_target_that_is_an_unwatched_leaf():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        x * x
    assert values(tape.gradient(x, x)) == 1.0


def test_target_and_source_that_the_tape_never_saw():
    x, z = tf.constant(2.0), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        pass
    assert values(tape.gradient(x, x)) == 1.0
    assert values(tape.gradient(x, z)) is None
    assert values(tape.gradient(x, [x, z], unconnected_gradients="zero")) == [1.0, 0.0]


def test_list_of_no_sources_gives_an_empty_list():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, []) == []


def test_list_of_no_targets_gives_none():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        x * x
    assert tape.gradient([], x) is None
    assert tape.gradient([], [x]) == [None]


def test_target_none_is_a_type_error():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match="Argument `target` should be a list or nested structure"):
        tape.gradient(None, x)
    assert values(tape.gradient(y, x)) == 4.0


def test_none_among_targets_is_a_type_error():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: None to a TensorFlow DType"):
        tape.gradient([y, None], x)


def test_number_as_target():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        x * x
    with pytest.raises(AttributeError, match="'float' object has no attribute 'dtype'"):
        tape.gradient(3.0, x)


def test_second_question_to_a_tape_is_a_runtime_error():
    tape = tf.GradientTape()
    y, x = cube(tape, 2.0)
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=ONE_SET):
        tape.gradient(y, x)


def test_question_before_the_tape_was_entered_is_a_runtime_error():
    x = tf.Variable(2.0)
    with pytest.raises(RuntimeError, match=ONE_SET):
        tf.GradientTape().gradient(x, x)
    with pytest.raises(RuntimeError, match=ONE_SET):
        tf.GradientTape(persistent=True).gradient(x, x)


def test_jacobian_uses_the_tape_up():
    tape = tf.GradientTape()
    y, x = cube(tape, 2.0)
    assert values(tape.jacobian(y, x)) == 12.0
    with pytest.raises(RuntimeError, match=ONE_SET):
        tape.jacobian(y, x)


def test_question_that_raised_does_not_use_the_tape_up():
    tape = tf.GradientTape()
    y, x = cube(tape, 2.0)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'ZERO'"):
        tape.gradient(y, x, unconnected_gradients="ZERO")
    with pytest.raises(AttributeError):
        tape.gradient(y, 3.0)
    assert values(tape.gradient(y, x)) == 12.0


def test_persistent_tape_answers_many_times():
    tape = tf.GradientTape(persistent=True)
    y, x = cube(tape, 2.0)
    assert [values(tape.gradient(y, x)) for _ in range(3)] == [12.0, 12.0, 12.0]
    assert values(tape.jacobian(y, x)) == 12.0


def test_persistent_tape_answers_after_other_tapes_ran():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as first:
        y = x * x * x
    for _ in range(3):
        with tf.GradientTape() as other:
            z = x * x
        x.assign_sub(other.gradient(z, x) * 0.25)
        assert values(first.gradient(y, x)) == 12.0
    assert values(x) == 0.25
    assert values(first.gradient(y, x)) == 12.0


def test_gradient_inside_the_context_uses_the_tape_up():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert values(tape.gradient(y, x)) == 6.0
        with pytest.raises(RuntimeError, match=ONE_SET):
            tape.gradient(y, x)


def test_gradient_inside_the_context_of_a_persistent_tape_is_recorded():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        first = tape.gradient(y, x)
    assert values(first) == 27.0
    assert values(tape.gradient(first, x)) == 18.0


def test_watch_after_a_gradient_inside_the_context():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.gradient(y, x)
        with pytest.raises(AttributeError):
            tape.watch(x)


def test_reentered_tape_accumulates():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        y += x * x * x
    assert values(tape.gradient(y, x)) == 33.0


def test_reentered_tape_does_not_see_what_lies_between():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    z = y * 10.0
    with tape:
        w = y + z
    assert values(tape.gradient(w, x)) == 6.0


def test_tape_that_was_used_up_begins_anew_when_reentered():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    assert values(tape.gradient(y, x)) == 6.0
    with tape:
        y = x * x * x
    assert values(tape.gradient(y, x)) is None
    with tape:
        tape.watch(x)
        y = x * x * x
    assert values(tape.gradient(y, x)) == 27.0


def test_entering_a_tape_twice_is_a_value_error():
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match="Tape is still recording, This can happen if you try to re-enter"):
        tape.__enter__()


def test_reset_outside_of_the_context_is_a_value_error():
    tape = tf.GradientTape()
    cube(tape, 2.0)
    with pytest.raises(ValueError, match=r"Tape is not recording\."):
        tape.reset()


def test_stop_recording_before_the_context_is_a_runtime_error():
    with pytest.raises(RuntimeError, match=r"Trying to stop recording a tape which is not recording\."):
        tf.GradientTape().stop_recording().__enter__()


def test_stop_recording_after_the_context_is_a_value_error():
    tape = tf.GradientTape()
    cube(tape, 2.0)
    with pytest.raises(ValueError, match=r"Tape is not recording\."):
        tape.stop_recording().__enter__()


def test_stop_recording_of_a_tape_that_is_used_up_is_a_runtime_error():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.gradient(x * x, x)
        with pytest.raises(RuntimeError, match=r"Trying to stop recording a tape which is not recording\."):
            tape.stop_recording().__enter__()
        with pytest.raises(ValueError, match=r"Tape is not recording\."):
            tape.reset()


def test_watch_before_the_context_is_an_attribute_error():
    with pytest.raises(AttributeError):
        tf.GradientTape().watch(tf.constant(1.0))


def test_watch_while_no_tape_is_recording_does_nothing():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        pass
    tape.watch(x)
    with tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_watch_of_something_else_is_a_value_error():
    with tf.GradientTape() as tape:
        for thing in (1.0, np.ones(2, np.float32), "x"):
            with pytest.raises(ValueError, match="Passed in object"):
                tape.watch(thing)


def test_watch_of_a_nested_structure():
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"x": x, "others": [y]})
        z = x * y
    assert values(tape.gradient(z, [x, y])) == [3.0, 2.0]


def test_watch_twice_changes_nothing():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.watch(x)
        y = x * x
        tape.watch(x)
    assert values(tape.gradient(y, x)) == 4.0


def test_watch_of_an_intermediate():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        m = x * x
        tape.watch(m)
        y = m * m
    assert values(tape.gradient(y, m)) == 8.0
    assert values(tape.gradient(y, x)) is None


def test_watch_of_an_intermediate_of_a_watched_tensor_does_not_cut():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        tape.watch(m)
        y = m * m
    assert values(tape.gradient(y, [x, m])) == [32.0, 8.0]


def test_op_before_watch_is_not_recorded():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        early = x * x
        tape.watch(x)
        late = x * x
    assert values(tape.gradient(early, x)) is None
    assert values(tape.gradient(late, x)) == 4.0
    assert values(tape.gradient(early + late, x)) is None


def test_both_early_and_late_uses_count_only_the_late():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        early = x * x
        tape.watch(x)
        y = early + x * 3.0
    assert values(tape.gradient(y, x)) == 3.0


def test_factor_watched_late_has_a_gradient_where_the_other_factor_was_watched():
    x, c = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * c
        tape.watch(c)
        z = y * c
    assert values(tape.gradient(z, [x, c])) == [9.0, 12.0]


def test_reset_forgets_watched_constants():
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v * x
        tape.reset()
        y = v * x
    assert values(tape.gradient(y, [x, v])) == [None, 2.0]


def test_reset_forgets_what_was_recorded():
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        tape.reset()
        z = y * v
    assert values(tape.gradient(z, v)) == 9.0
    assert values(tape.gradient(y, v)) is None


def test_reset_forgets_watched_variables():
    v, w = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        v * v
        tape.reset()
        w * w
    assert [variable is w for variable in tape.watched_variables()] == [True]


def test_reset_of_a_persistent_tape():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * x * x
    assert values(tape.gradient(z, x)) == 12.0
    assert values(tape.gradient(y, x)) is None


def test_stop_recording_leaves_ops_out():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * x
        w = z * y
    assert values(tape.gradient(y, x)) == 4.0
    assert values(tape.gradient(z, x)) is None
    assert values(tape.gradient(w, x)) == 32.0


def test_stop_recording_allows_a_cheap_gradient_inside():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            g = tape.gradient(y, x)
        z = g * x
    assert values(g) == 4.0
    assert values(tape.gradient(z, x)) == 4.0


def test_stop_recording_does_not_read_variables():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            v * v
        assert tape.watched_variables() == ()
        y = v * v
    assert values(tape.gradient(y, v)) == 4.0


def test_stop_recording_ends_after_an_error():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = v * v
    assert values(tape.gradient(y, v)) == 4.0


def test_stop_recording_of_the_inner_tape_leaves_the_outer():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch(x)
        inner.watch(x)
        with inner.stop_recording():
            y = x * x
    assert values(inner.gradient(y, x)) is None
    assert values(outer.gradient(y, x)) == 4.0


def test_error_inside_the_context_leaves_the_tape_usable():
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    with contextlib.suppress(KeyError), tape:
        tape.watch(x)
        y = x * x
        raise KeyError
    assert values(tape.gradient(y, x)) == 4.0


def test_op_that_was_refused_leaves_the_tape_usable():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant([1.0, 2.0, 3.0]) * v
        y = y * v
    assert values(tape.gradient(y, v)) == [3.0, 12.0]


def test_no_tape_records_after_an_error():
    x = tf.constant(2.0)
    outer = tf.GradientTape()
    with contextlib.suppress(KeyError), outer, tf.GradientTape() as inner:
        inner.watch(x)
        raise KeyError
    y = x * x
    assert values(outer.gradient(y, x)) is None
    assert values(inner.gradient(y, x)) is None


def test_other_threads_are_not_recorded():
    x = tf.Variable(2.0)
    found = []
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        thread = threading.Thread(target=lambda: found.append(x * x * x))
        thread.start()
        thread.join()
        z = found[0] * x
    assert values(found[0]) == 8.0
    assert values(tape.gradient(found[0], x)) is None
    assert values(tape.gradient(y, x)) == 4.0
    assert values(tape.gradient(z, x)) == 8.0


def test_each_thread_has_its_own_tape():
    x = tf.Variable(2.0)
    found = {}

    def work(power):
        for _ in range(5):
            with tf.GradientTape() as tape:
                y = x**power
            found[power] = values(tape.gradient(y, x))

    threads = [threading.Thread(target=work, args=(float(power),)) for power in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {1.0: 1.0, 2.0: 4.0, 3.0: 12.0, 4.0: 32.0}


def test_tape_of_one_thread_answers_in_another():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    found = []
    thread = threading.Thread(target=lambda: found.append(values(tape.gradient(y, x))))
    thread.start()
    thread.join()
    assert found == [12.0]


def test_output_of_an_op_without_a_gradient_raises_lookup_error():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.truncatemod(x, 3.0)
    with pytest.raises(LookupError, match="gradient registry has no entry for: TruncateMod"):
        tape.gradient(y, x)
