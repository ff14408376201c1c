"""Random numbers from the seeds' state are TensorFlow's. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.counter import counts

LOGITS = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))


@pytest.fixture(autouse=True)
def _unseeded_afterwards():
    yield
    tf.random.set_seed(None)


def listed(tensor):
    return tensor.numpy().ravel().tolist()


def test_ops_draw_in_the_order_of_the_program():
    tf.random.set_seed(42)
    assert listed(tf.random.uniform([2])) == [0.6645621061325073, 0.44100677967071533]
    assert listed(tf.random.uniform([2])) == [0.6878912448883057, 0.48447883129119873]
    assert np.allclose(tf.random.normal([2]), [-0.5590973496437073, -0.5347213745117188], atol=1e-6)
    assert np.allclose(tf.random.truncated_normal([2]), [0.6564867496490479, -0.41305169463157654], atol=1e-6)
    assert listed(tf.random.uniform([6], 0, 10, tf.int32)) == [9, 5, 8, 8, 3, 8]
    assert listed(tf.random.shuffle(tf.range(10))) == [9, 3, 4, 8, 2, 7, 1, 5, 6, 0]
    assert listed(tf.random.categorical(LOGITS, 5)) == [2, 2, 2, 2, 2, 1, 2, 0, 1, 0]
    assert listed(tf.nn.dropout(tf.ones([8]), 0.5)) == [0, 0, 0, 2, 2, 0, 2, 2]


def test_order_of_reading_does_not_matter():
    tf.random.set_seed(42)
    first, second = tf.random.uniform([2]), tf.random.uniform([2])
    assert listed(second) == [0.6878912448883057, 0.48447883129119873]
    assert listed(first) == [0.6645621061325073, 0.44100677967071533]


def test_op_with_a_seed_goes_on_where_it_stopped():
    tf.random.set_seed(42)
    found = [listed(tf.random.uniform([3], seed=5)) for _ in range(3)]
    assert found == [
        [0.026210665702819824, 0.43446969985961914, 0.2668653726577759],
        [0.22009801864624023, 0.6699419021606445, 0.06836354732513428],
        [0.6266980171203613, 0.33535265922546387, 0.07437622547149658],
    ]
    other = [-0.5926923751831055, -0.4336857795715332, 0.4515669345855713, -0.506253719329834]
    assert listed(tf.random.uniform([2, 2], -1.0, 1.0, seed=5)) == other
    assert listed(tf.nn.dropout(tf.ones([6]), 0.5, seed=5)) == [0, 0, 0, 2, 0, 2]
    assert np.allclose(tf.random.normal([2], seed=5), [1.0800440311431885, -2.4731929302215576], atol=1e-6)


@pytest.mark.parametrize(
    ("seed", "op_seed", "want"),
    [
        (2**40 + 5, None, [0.06441068649291992, 0.5038937330245972]),
        (-5, None, [0.5703092813491821, 0.9237961769104004]),
        (0, 0, [0.01975703239440918, 0.0070421695709228516]),
        (None, 1, [0.2390374, 0.92039955]),
    ],
)
def test_unusual_seeds(seed, op_seed, want):
    tf.random.set_seed(seed)
    assert np.allclose(tf.random.uniform([2], seed=op_seed), want, atol=1e-7)


def test_seed_must_be_an_integer():
    with pytest.raises(TypeError):
        tf.random.set_seed(1.5)


def test_without_a_seed_no_two_draws_are_equal():
    tf.random.set_seed(None)
    drawn = [tf.random.uniform([4]) for _ in range(3)] + [tf.random.normal([4])]
    assert len({tuple(listed(tensor)) for tensor in drawn}) == 4


def test_dropout_of_nothing_is_the_tensor_itself_and_uses_up_a_number():
    tf.random.set_seed(3)
    assert np.allclose(tf.random.uniform([2]), [0.13366317749023438, 0.5678530931472778])
    x = tf.ones([2])
    assert tf.nn.dropout(x, 0.0) is x
    assert np.allclose(tf.random.uniform([2]), [0.3532257080078125, 0.7882635593414307])


def test_dropout_by_a_tensor_and_with_a_shape():
    tf.random.set_seed(None)
    found = tf.nn.dropout(tf.ones([8]), tf.constant(0.5), seed=1)
    assert listed(found) == [0, 2, 0, 0, 2, 0, 0, 0]
    rows = tf.nn.dropout(tf.ones([40, 3]), 0.5, [None, 1]).numpy()
    assert {tuple(row) for row in rows.tolist()} == {(0, 0, 0), (2, 2, 2)}


@pytest.mark.parametrize("rate", [1.0, -0.1, "a", tf.constant([0.5])])
def test_dropout_refuses_a_rate(rate):
    with pytest.raises(ValueError, match="rate must be"):
        tf.nn.dropout(tf.ones([2]), rate)


def test_dropout_refuses_integers():
    with pytest.raises(ValueError, match="floating"):
        tf.nn.dropout(tf.constant([1, 2]), 0.5)


def test_a_loop_that_draws_compiles_once():
    tf.random.set_seed(1)
    w = tf.Variable(tf.ones([4, 4]))

    def step():
        with tf.GradientTape() as tape:
            x = tf.random.normal([2, 4], stddev=0.5)
            loss = tf.reduce_sum(tf.nn.dropout(tf.matmul(x, w), 0.3))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss.numpy()

    losses = [step() for _ in range(4)]
    before = counts.compiles
    losses += [step() for _ in range(4)]
    assert counts.compiles == before
    assert len(set(map(float, losses))) == 8


def test_shuffle_keeps_rows_and_takes_strings():
    rows = tf.reshape(tf.range(20), [10, 2])
    assert sorted(tf.random.shuffle(rows).numpy().tolist()) == rows.numpy().tolist()
    assert sorted(tf.random.shuffle(tf.constant(["a", "b", "c"])).numpy().tolist()) == [b"a", b"b", b"c"]
    assert tf.random.shuffle(tf.zeros([0])).shape == [0]


def test_shuffle_has_no_gradient():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.random.shuffle(x)
    assert tape.gradient(y, x) is None


def test_uniform_refuses_what_tensorflow_refuses():
    with pytest.raises(ValueError, match="maxval must be given"):
        tf.random.uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="dtype"):
        tf.random.uniform([2], 0, 5, tf.uint32)
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.random.normal([2], dtype=tf.int32)


def test_gamma_and_poisson_refuse_seeds_whose_numbers_they_do_not_have():
    for draw in (tf.random.gamma, tf.random.poisson):
        with pytest.raises(NotImplementedError, match="aren't reproduced"):
            draw([2], 1.0, seed=1)
    tf.random.set_seed(1)
    with pytest.raises(NotImplementedError, match="aren't reproduced"):
        tf.random.gamma([2], 1.0)


def test_gamma_and_poisson_have_their_means():
    drawn = tf.random.gamma([4000], [2.0, 8.0], 2.0)
    assert drawn.shape == [4000, 2]
    assert np.allclose(drawn.numpy().mean(0), [1, 4], rtol=0.1)
    assert np.allclose(tf.random.poisson([4000], 3.0).numpy().mean(), 3, rtol=0.1)


def test_general_dropout_drops_what_its_sampler_says():
    asked = []

    def sampler(shape, dtype):
        asked.append((shape, dtype))
        return tf.constant([0.1, 0.5, 0.9], dtype)

    found = tf.nn.experimental.general_dropout(tf.ones([2, 3]), 0.5, sampler, noise_shape=[3])
    assert found.numpy().tolist() == [[0, 2, 2], [0, 2, 2]]
    assert asked == [([3], tf.float32)]
    x = tf.ones([2])
    assert tf.nn.experimental.general_dropout(x, 0, sampler) is x
    for rate in (1.0, -0.1):
        with pytest.raises(ValueError, match="rate"):
            tf.nn.experimental.general_dropout(x, rate, sampler)


def test_fractional_pooling_without_seed_draws_anew():
    image = tf.reshape(tf.range(400.0), [1, 20, 20, 1])
    found = {tuple(tf.nn.fractional_max_pool(image, 1.4)[1].numpy().tolist()) for _ in range(8)}
    assert len(found) > 1
    with pytest.raises(NotImplementedError, match="seed"):
        tf.function(lambda: tf.nn.fractional_avg_pool(image, [1.0, 1.4, 1.4, 1.0])[0])()
