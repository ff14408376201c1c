"""Known differences of SavedModels from TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf


def spec(*sizes, dtype="float32"):
    return tf.TensorSpec(list(sizes), getattr(tf, dtype))


def with_function(function, *specs):
    module = tf.Module()
    module.f = tf.function(function, input_signature=list(specs))
    return module


@pytest.mark.parametrize(
    ("function", "specs", "problem"),
    [
        pytest.param(
            lambda s: tf.strings.unicode_decode(s, "UTF-8"),
            [spec(None, dtype="string")],
            "the host computes unicode_decode, for which",
            id="string",
        ),
        pytest.param(
            lambda x: tf.ensure_shape(tf.numpy_function(lambda array: array + 1, [x], tf.float32), []),
            [spec()],
            "jax.export cannot export it",
            id="python",
        ),
        pytest.param(
            lambda x: x * 2.0,
            [tf.TensorSpec(None)],
            "the rank of a tensor that it takes is open; give the rank",
            id="rank",
        ),
    ],
)
def test_functions_that_are_no_programs_are_not_saved(function, specs, problem, tmp_path):
    with pytest.raises(NotImplementedError, match=f"(?s)tf.saved_model.save: the function .*{problem}"):
        tf.saved_model.save(with_function(function, *specs), str(tmp_path))
    assert not tf.saved_model.contains_saved_model(str(tmp_path))


def test_functions_of_variables_are_not_saved(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x, v: x * v)
    module.f(tf.constant(2.0), tf.Variable(3.0))
    with pytest.raises(NotImplementedError, match="it takes a variable; make the variable an attribute of the model"):
        tf.saved_model.save(module, str(tmp_path))


def test_effects_of_functions_are_not_saved(tmp_path, caplog):
    def positive(x):
        tf.debugging.assert_greater(x, 0.0)
        return x

    tf.saved_model.save(with_function(positive, spec(None)), str(tmp_path))
    assert "positive is saved without its printing, its summaries and its assertions" in caplog.text
    assert tf.saved_model.load(str(tmp_path)).f(tf.constant([-1.0])).numpy().tolist() == [-1.0]


def test_saved_functions_draw_from_streams_of_their_own(tmp_path):
    tf.random.set_seed(5)
    module = with_function(lambda: tf.random.normal([4]))
    own = module.f().numpy().tolist()
    tf.saved_model.save(module, str(tmp_path))
    first, second = (tf.saved_model.load(str(tmp_path)) for _ in range(2))
    drawn = [first.f().numpy().tolist() for _ in range(3)]
    assert own not in drawn
    assert [second.f().numpy().tolist() for _ in range(3)] == drawn


def test_gradients_need_the_option(tmp_path):
    """In TensorFlow only functions with gradients of their own do."""
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.f = tf.function(lambda x: x * module.v, input_signature=[spec()])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, str(tmp_path), options=options)
    loaded = tf.saved_model.load(str(tmp_path))
    with tf.GradientTape() as tape:
        y = loaded.f(tf.constant(3.0))
    assert y.numpy() == 6.0
    with pytest.raises(LookupError, match="XlaCallModule"):
        tape.gradient(y, loaded.v)


def test_gradients_of_saved_functions_are_of_second_order(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x**3, input_signature=[spec()])
    tf.saved_model.save(module, str(tmp_path))
    loaded, x = tf.saved_model.load(str(tmp_path)), tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as middle:
            with tf.GradientTape() as inner:
                y = loaded.f(x)
            first = inner.gradient(y, x)
        second = middle.gradient(first, x)
    assert (first.numpy(), second.numpy()) == (12.0, 12.0)
    with pytest.raises(LookupError, match="XlaCallModule"):
        outer.gradient(second, x)


def test_composite_tensors_are_not_in_signatures(tmp_path):
    module = with_function(lambda rows: rows.to_tensor(), tf.RaggedTensorSpec([None, None], tf.float32))
    with pytest.raises(ValueError, match="signatures take tensors"):
        tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    tf.saved_model.save(module, str(tmp_path))
    assert not tf.saved_model.load(str(tmp_path)).signatures


def test_debug_information_is_not_saved():
    with pytest.raises(NotImplementedError, match="save_debug_info"):
        tf.saved_model.SaveOptions(save_debug_info=True)


def test_variables_are_never_without_values():
    with pytest.raises(NotImplementedError, match="experimental_skip_checkpoint"):
        tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
