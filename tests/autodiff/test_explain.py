"""`tape.explain`, one sentence on why a gradient is None, and `tape.listing`; both are specific to tfcompat."""

from __future__ import annotations

import pytest

import tfcompat as tf


def explained(compute, *, watch=True, persistent=True):
    """A tape's explanation of `compute(x)` and x, and the gradient that it returns."""
    x = tf.constant(2.5)
    with tf.GradientTape(persistent=persistent) as tape:
        if watch:
            tape.watch(x)
        y = compute(x)
    return tape.explain(y, x), tape.gradient(y, x)


def test_gradient_that_exists():
    sentence, gradient = explained(lambda x: tf.reduce_sum(x * x))
    assert sentence == "There is a gradient: the target was computed from the source while the tape was recording."
    assert gradient is not None


def test_target_that_is_the_source():
    sentence, gradient = explained(lambda x: x)
    assert sentence == "There is a gradient: target and source are the same."
    assert gradient is not None


def test_variable_as_target_and_source():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        pass
    assert tape.explain(v, v) == "There is a gradient: target and source are the same."
    assert tape.gradient(v, v) is not None


def test_source_that_is_not_watched():
    sentence, gradient = explained(lambda x: x * x, watch=False)
    assert sentence.startswith("The source is not watched, and derives from nothing that is: call tape.watch(source)")
    assert gradient is None


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: tf.constant(x.numpy()),
        lambda x: tf.constant(float(x)),
        lambda x: tf.Variable(x.numpy()).value(),
    ],
    ids=["numpy", "float", "variable"],
)
def test_way_through_a_python_value(cut):
    sentence, gradient = explained(lambda x: cut(x * x) * 2.0)
    assert "goes through a NumPy or Python value (.numpy(), float(), np.*), which cuts the gradient" in sentence
    assert gradient is None


def test_target_that_was_made_anew():
    sentence, gradient = explained(lambda x: tf.constant((x * x).numpy()))
    assert sentence.startswith("The target is a finished value to this tape")
    assert gradient is None


def test_op_without_a_gradient():
    sentence, gradient = explained(lambda x: tf.floor(x * 2.0) * x.shape.rank + tf.constant(1.0))
    assert sentence.startswith("tf.floor, recorded at ")
    assert sentence.endswith("has no gradient.")
    assert "test_explain.py:" in sentence
    assert gradient is None


def test_stop_gradient():
    sentence, gradient = explained(lambda x: tf.stop_gradient(x * x) * 2.0)
    assert sentence.startswith("tf.stop_gradient, recorded at ")
    assert gradient is None


def test_integer_on_the_way():
    sentence, gradient = explained(lambda x: tf.cast(tf.cast(x * 2.0, tf.int32), tf.float32) * 2.0)
    assert "returns int32: only floating and complex tensors carry gradients" in sentence
    assert gradient is None


def test_integer_source_and_target():
    n, x = tf.constant(3), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cast(n, tf.float32) * x
        m = tf.cast(x, tf.int64)
    assert tape.explain(y, n).startswith("The source is int32: only floating and complex tensors carry gradients")
    assert tape.explain(m, x).startswith("The target is int64: only floating and complex tensors carry gradients")


def test_assignment_on_the_way():
    v, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        w.assign(v * v)
        y = w * 3.0
    assert tape.gradient(y, v) is None
    assert tape.explain(y, v).startswith("The value went through a variable's assign at ")
    assert tape.explain(y, w).startswith("There is a gradient")


def test_step_outside_of_the_context():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    z = y * 3.0
    assert tape.gradient(z, x) is None
    sentence = tape.explain(z, x)
    assert sentence.startswith("The step multiply, recorded at ")
    assert sentence.endswith("is outside of the tape's context; move it inside.")


def test_source_that_was_watched_late():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        tape.watch(x)
        x * 2.0
    assert tape.gradient(y, x) is None
    assert tape.explain(y, x).startswith("The source was watched only after the step multiply, recorded at ")


def test_constant_factor():
    x, c = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * c
    assert tape.gradient(y, c) is None
    assert tape.explain(y, c).startswith("The source is not watched, and derives from nothing that is")


def test_unwatched_intermediate_that_derives_from_a_watched_one():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        m = x * x
        y = m * 3.0
    assert tape.gradient(y, m) is not None
    assert tape.explain(y, m).startswith("There is a gradient")


def test_variable_that_is_not_trainable():
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    assert "not trainable" in tape.explain(y, v)


def test_variable_of_a_tape_that_watches_nothing():
    v, unread = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    assert "watch_accessed_variables=False" in tape.explain(y, v)
    assert "watch_accessed_variables=False" in tape.explain(y, unread)


def test_variable_that_was_not_read():
    v, unread = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.explain(y, unread) == "The variable was not read while the tape was recording."


def test_tensor_that_was_not_used():
    v, unused = tf.Variable(2.0), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.explain(y, unused) == "The source was not used while the tape was recording."


def test_target_that_does_not_depend_on_the_source():
    v, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        w * 2.0
    assert tape.explain(y, w).startswith("No recorded step leads from the source to the target")


def test_custom_gradient_carries_one():
    @tf.custom_gradient
    def fn(x):
        return tf.floor(x), lambda upstream: upstream

    sentence, gradient = explained(lambda x: fn(x) * 2.0)
    assert sentence.startswith("There is a gradient")
    assert gradient is not None


def test_question_does_not_use_the_tape_up():
    sentence, gradient = explained(lambda x: x * x, persistent=False)
    assert sentence.startswith("There is a gradient")
    assert gradient is not None


def test_tape_that_is_used_up():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    assert tape.explain(y, x).startswith("The tape holds nothing any more")
    assert tape.listing() == "nothing: the tape is used up, or was never entered"


def test_listing_names_ops_and_what_is_watched():
    x = tf.Variable([1.0, 2.0])
    tf.sync()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(x), axis=0)
    lines = tape.listing().splitlines()
    assert lines[0].split() == ["%0", "=", "leaf", "float32[2]", "watched"]
    assert lines[1].split()[:4] == ["%1", "=", "square(%0)", "float32[2]"]
    assert lines[2].split() == ["%2", "=", "reduce_sum(%1,", "axis=0)", "float32[]", "alive"]
    assert y.shape == ()
