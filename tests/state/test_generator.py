"""Generators draw TensorFlow's numbers and keep its states. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_numbers_and_states_are_those_of_tensorflow():
    generator = tf.random.Generator.from_seed(1234)
    assert generator.state.numpy().tolist() == [1234, 0, 0]
    assert np.allclose(generator.normal([3]), [0.9356609, 1.0854305, -0.93788373], atol=1e-6)
    assert generator.state.numpy().tolist() == [2002, 0, 0]
    want = [-0.3785317, -0.2636354, 0.9236591, -0.3730843, 0.7076187]
    assert np.allclose(generator.uniform([5], -1, 1), want, atol=1e-7)
    assert generator.uniform([5], 0, 10, dtype=tf.int32).numpy().tolist() == [6, 9, 0, 0, 3]
    assert np.allclose(generator.truncated_normal([2]), [0.24427608, 0.38336813], atol=1e-6)
    generator.truncated_normal([2])
    assert generator.uniform_full_int([2]).numpy().tolist() == [12298570646012143564, 9443645555947291834]


def test_seeds_become_states():
    assert tf.random.Generator.from_seed(2**70 + 5).state.numpy().tolist() == [5, 64, 0]
    assert tf.random.Generator.from_seed(-1).state.numpy().tolist() == [-1, -1, -1]
    assert tf.random.Generator.from_seed([1, 2]).state.numpy().tolist() == [0, 1, 2]
    assert tf.random.create_rng_state(1234, "philox").numpy().tolist() == [1234, 0, 0]


def test_counter_is_carried_into_its_high_half():
    generator = tf.random.Generator.from_state([-1, 5, 7], "philox")
    before = generator.skip(1)
    assert before.numpy().tolist() == [-1, 5, 7]
    assert generator.state.numpy().tolist() == [255, 6, 7]
    for delta in (tf.constant(4), tf.constant(4, tf.uint64)):
        other = tf.random.Generator.from_seed(3)
        other.skip(delta)
        assert other.state.numpy().tolist() == [1027, 0, 0]


def test_state_can_be_reset_and_copied():
    generator = tf.random.Generator.from_seed(1)
    first = generator.uniform([3]).numpy()
    twin = tf.random.Generator(copy_from=generator)
    assert np.array_equal(twin.uniform([3]), generator.uniform([3]))
    generator.reset_from_seed(1)
    assert np.array_equal(generator.uniform([3]), first)
    generator.reset_from_key_counter(5, [1, 2])
    assert generator.state.numpy().tolist() == [1, 2, 5]
    assert generator.key.numpy() == 5
    with pytest.raises(ValueError, match="shape"):
        generator.reset([1, 2])


def test_split_gives_generators_with_keys_of_their_own():
    generator = tf.random.Generator.from_seed(7)
    one, other = generator.split(2)
    assert one.state.numpy()[:2].tolist() == [0, 0]
    assert not np.array_equal(one.normal([2]), other.normal([2]))
    assert generator.make_seeds(3).shape == [2, 3]


def test_generators_start_from_chance_unless_told():
    states = [tf.random.Generator.from_non_deterministic_state().state.numpy().tolist() for _ in range(2)]
    assert states[0] != states[1]


def test_global_generator_is_one_object():
    mine = tf.random.Generator.from_seed(3)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine


def test_what_is_not_there_says_so():
    generator = tf.random.Generator.from_seed(1)
    with pytest.raises(ValueError, match="both"):
        generator.uniform([2], 0, None, tf.int32)
    with pytest.raises(ValueError, match="from_seed"):
        tf.random.Generator()


def test_binomial_numbers_and_states_are_those_of_tensorflow():
    generator = tf.random.Generator.from_seed(12)
    found = generator.binomial([5, 3], [10.0, 30.0, 100.0], 0.3)
    assert found.numpy().ravel().tolist() == [5, 13, 28, 3, 12, 37, 4, 7, 28, 2, 6, 34, 2, 9, 22]
    assert generator.state.numpy().tolist() == [307212, 0, 0]
    assert generator.binomial([], 20.0, 0.5, tf.int64).numpy() == 12
    assert generator.state.numpy().tolist() == [358412, 0, 0]
    assert np.allclose(generator.uniform([2]), [0.0815967321395874, 0.7820367813110352], atol=1e-7)


def test_threefry_has_a_state_but_draws_nothing():
    generator = tf.random.Generator.from_seed(2**70 + 5, alg="threefry")
    assert generator.state.numpy().tolist() == [5, 64]
    assert generator.algorithm == 2
    assert generator.key.numpy() == 64
    assert tf.random.Generator(copy_from=generator).algorithm == 2
    for draw in (lambda: generator.normal([2]), lambda: generator.skip(1), lambda: generator.split(2)):
        with pytest.raises(tf.errors.UnimplementedError, match="Threefry"):
            draw()
    with pytest.raises(tf.errors.InvalidArgumentError, match="philox"):
        generator.binomial([2], 3.0, 0.5)
    generator.reset_from_key_counter(3, [1])
    assert generator.state.numpy().tolist() == [1, 3]
    with pytest.raises(ValueError, match=r"state must have shape \[2\]"):
        generator.reset([1, 2, 3])


def test_states_are_cast():
    for state in (tf.constant([1, 2, 3]), tf.constant([1.0, 2.0, 3.0]), (1, 2, 3)):
        generator = tf.random.Generator.from_state(state, "auto_select")
        assert generator.state.numpy().tolist() == [1, 2, 3]
        assert generator.algorithm == 3


def test_variable_is_used_as_the_state():
    state = tf.Variable([0, 0, 1], dtype=tf.int64)
    draw = tf.function(lambda state: tf.random.Generator.from_state(state, "philox").normal([]))
    assert [draw(state).numpy(), draw(state).numpy()] == pytest.approx([0.3052047, -0.89273494], rel=1e-5)
    assert draw.experimental_get_tracing_count() == 1
    assert state.numpy().tolist() == [512, 0, 1]
    assert tf.random.Generator.from_state(state, "philox").state is state
