"""Functions that draw random numbers, saved and loaded."""

from __future__ import annotations

import tfcompat as tf


def loaded(function, folder, *specs):
    module = tf.Module()
    module.f = tf.function(function, input_signature=list(specs))
    tf.saved_model.save(module, str(folder))
    return tf.saved_model.load(str(folder)).f


def test_calls_draw_different_numbers_without_seeds(tmp_path):
    f = loaded(lambda: tf.random.normal([4]), tmp_path)
    assert f().numpy().tolist() != f().numpy().tolist()


def test_sizes_may_be_open(tmp_path):
    f = loaded(lambda x: x + tf.random.uniform(tf.shape(x)), tmp_path, tf.TensorSpec([None], tf.float32))
    for count in (1, 3, 7):
        found = f(tf.fill([count], 10.0)).numpy()
        assert found.shape == (count,)
        assert (found >= 10).all()
        assert (found < 11).all()


def test_moments_of_numbers(tmp_path):
    f = loaded(lambda: tf.random.normal([10_000]), tmp_path)
    numbers = f()
    assert abs(float(tf.reduce_mean(numbers))) < 0.05
    assert abs(float(tf.math.reduce_std(numbers)) - 1) < 0.05


def test_gradient_is_that_of_the_numbers_that_were_drawn(tmp_path):
    f = loaded(lambda x: tf.nn.dropout(x, 0.5), tmp_path, tf.TensorSpec([None], tf.float32))
    x = tf.ones([32])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == y.numpy().tolist()
    assert set(y.numpy().tolist()) == {0.0, 2.0}


def test_seed_of_an_op_determines_the_numbers(tmp_path):
    tf.random.set_seed(None)
    loaded(lambda: tf.random.uniform([3], seed=3), tmp_path)
    found = []
    for _ in range(2):
        f = tf.saved_model.load(str(tmp_path)).f
        found.append([f().numpy().tolist() for _ in range(2)])
    assert found[0][0] != found[0][1]
    assert found[0] == found[1]
