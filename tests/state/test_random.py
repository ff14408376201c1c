"""Random numbers from the seeds' state are TensorFlow's. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counts

LOGITS = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))


@pytest.fixture(autouse=True)
def _unseeded():
    tf.random.set_seed(None)  # other tests may have left a seed
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
        (1.5, None, [0.35878658, 0.80696523]),
        (2.0, None, [0.14690244, 0.46425676]),
        (1.5, 1.0, [0.05554414, 0.01869845]),
        (2.0, np.float64(1.75), [0.23841548, 0.37620628]),
    ],
)
def test_unusual_seeds(seed, op_seed, want):
    tf.random.set_seed(seed)
    assert np.allclose(tf.random.uniform([2], seed=op_seed), want, atol=1e-7)


def test_seed_must_be_a_number():
    with pytest.raises(TypeError):
        tf.random.uniform([2], seed="3")
    with pytest.raises(TypeError):
        tf.data.Dataset.range(4).shuffle(4, seed=2.0)


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


def test_shuffle_in_a_function_is_that_of_tensorflow():
    tf.random.set_seed(7)
    texts = tf.function(lambda: tf.random.shuffle(["a", "b", "c", "d"]))
    assert texts().numpy().tolist() == [b"b", b"c", b"a", b"d"]
    assert texts().numpy().tolist() == [b"d", b"b", b"a", b"c"]

    def draw():  # shuffles of one row and of none draw nothing, but count as ops
        return tf.random.shuffle([1]), tf.random.shuffle(tf.zeros([0])), tf.random.uniform([2])

    tf.random.set_seed(7)
    decorated = tf.function(draw)
    assert decorated()[2].numpy().tolist() == [0.280009388923645, 0.686867356300354]
    assert decorated()[2].numpy().tolist() == [0.8908981084823608, 0.5970242023468018]


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


GAMMA = [[2.524366649523031e-08, 0.07744914269091045, 3.2249673823510996, 14.965319335480244]]
GAMMA += [[7.342055925345038e-05, 1.2249069051771335, 1.269467353771329, 17.138441820288882]]


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 5e-4), ("float32", 2e-7), ("float64", 1e-13)])
def test_gamma_with_a_seed(dtype, tolerance):
    alpha, beta = (tf.constant(values, dtype) for values in ([0.2, 1.0, 3.5, 40.0], 2.0))
    found = tf.random.gamma([2], alpha, beta, dtype, seed=3)
    assert found.dtype == dtype
    want = np.maximum(GAMMA, np.finfo(dtype).tiny)
    # Rounded to less than 64 bits 0.2 is another number.
    exact = [0, 1, 2, 3] if dtype == "float64" else [1, 2, 3]
    assert np.allclose(found.numpy()[:, exact], want[:, exact], rtol=tolerance, atol=0)


def test_gamma_and_poisson_with_a_seed_go_on():
    gammas = [listed(tf.random.gamma([2], 1.5, seed=4)) for _ in range(2)]
    assert np.allclose(gammas, [[2.4659242630004883, 0.11851000040769577], [2.2984142303466797, 1.0627914667129517]])
    assert [listed(tf.random.poisson([2], 5.0, seed=4)) for _ in range(2)] == [[6, 4], [4, 8]]


def test_poisson_is_exact_on_both_sides_of_its_methods():
    found = tf.random.poisson([3], [0.5, 4.0, 12.5, 900.0], seed=4)
    assert listed(found) == [2, 6, 13, 880, 0, 5, 16, 857, 1, 4, 15, 908]
    whole = tf.random.poisson([3], [3, 20], tf.int64, seed=4)
    assert whole.dtype == tf.int64
    assert listed(whole) == [4, 13, 3, 18, 3, 20]


def test_gamma_and_poisson_draw_in_the_order_of_the_program():
    tf.random.set_seed(9)
    assert np.allclose(tf.random.gamma([2], 0.3), [0.04111612215638161, 0.0077164750546216965])
    assert listed(tf.random.poisson([2], [3.0, 30.0])) == [1, 18, 5, 30]
    assert np.allclose(tf.random.uniform([2]), [0.49951863288879395, 0.3594130277633667])
    assert np.allclose(tf.random.gamma([1], 2.0, seed=1), 2.181917905807495)


def test_gamma_and_poisson_in_a_function():
    @tf.function
    def drawn():
        return tf.random.gamma([2], 2.0), tf.random.poisson([2], 5.0, seed=3), tf.random.uniform([1])

    tf.random.set_seed(9)
    want = [[2.211757183074951, 2.786144971847534, 6, 6, 0.9903738498687744]]
    want += [[2.481553316116333, 2.1933505535125732, 5, 4, 0.7669724225997925]]
    assert np.allclose([np.concatenate(drawn()) for _ in range(2)], want)


def test_gamma_in_a_loop():
    @tf.function
    def total():
        return tf.while_loop(
            lambda i, _: i < 3, lambda i, x: (i + 1, x + tf.random.gamma([2], 2.0)), (0, tf.zeros([2]))
        )[1]

    tf.random.set_seed(12)
    assert np.allclose(total(), [5.899906158447266, 4.208109378814697])


def test_gamma_and_poisson_of_odd_parameters():
    gammas = tf.random.gamma([1], [-1.0, 0.0, float("inf"), float("nan")], seed=1)
    assert np.array_equal(gammas, [[np.nan, np.finfo(np.float32).tiny, np.inf, np.nan]], equal_nan=True)
    assert listed(tf.random.poisson([1], [-1.0, 0.0, float("inf")], seed=1)) == [0, 0, float("inf")]
    assert listed(tf.random.poisson([1], [float("inf")], tf.int32, seed=1)) == [0]


def test_gamma_with_a_seed_has_gradients_and_poisson_has_none():
    tf.random.set_seed(12)
    alpha, beta = tf.constant([0.3, 2.0, 30.0]), tf.constant([1.0, 2.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([alpha, beta])
        found, counted = tf.random.gamma([3], alpha, beta, seed=3), tf.random.poisson([3], alpha, seed=3)
    by_alpha, by_beta = tape.gradient(found, [alpha, beta])
    assert np.allclose(by_alpha, [0.9133085012435913, 1.2957448959350586, 0.7310729026794434], rtol=2e-5)
    assert np.allclose(by_beta, [-0.12135276943445206, -0.9760246276855469, -5.2974534034729], rtol=1e-6)
    with pytest.raises(LookupError, match="RandomPoissonV2"):
        tape.gradient(counted, alpha)


def test_gamma_and_poisson_refuse_dtypes():
    for dtype in (tf.bfloat16, tf.int32):
        with pytest.raises(ValueError, match="dtype must be"):
            tf.random.gamma([2], 1, dtype=dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype must be"):
        tf.random.poisson([2], 1.0, tf.bfloat16)


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


def test_unseeded_draws_of_functions_leave_the_seeds_of_others():
    boxes = tf.zeros([0, 0, 4])

    @tf.function
    def window():
        return tf.image.sample_distorted_bounding_box([30, 40, 3], boxes, use_image_if_no_bounding_boxes=True)[0]

    @tf.function
    def traced_without_seed():
        return tf.random.uniform([])

    tf.random.set_seed(None)
    traced_without_seed()
    tf.random.set_seed(1)
    for draw in (window, traced_without_seed):
        draw()
    list(tf.data.Dataset.range(2).map(lambda _: window()))
    assert tf.random.uniform([2]).numpy().tolist() == pytest.approx([0.16513085, 0.9014813])
    assert [x.numpy() for x in tf.data.Dataset.range(8).shuffle(8)] == [5, 3, 7, 0, 6, 2, 1, 4]
