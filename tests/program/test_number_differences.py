"""Known numerical differences from TensorFlow 2.21; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests import forked
from tests.ops.test_convolution import LARGE_WINDOWS


def test_numerics_of_functions_are_checked_where_they_return():
    hidden = tf.function(lambda x: tf.cast(tf.math.is_nan(tf.math.log(x)), tf.float32))
    tf.debugging.enable_check_numerics()
    try:
        # TensorFlow: InvalidArgumentError, from the logarithm in the function.
        assert hidden(tf.constant(-1.0)).numpy() == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"math\.log"):
            tf.math.log(-1.0)
    finally:
        tf.debugging.disable_check_numerics()


def test_impossible_parameters_of_random_numbers_end():
    # TensorFlow never returns from these.
    assert np.isnan(tf.random.poisson([1], float("nan"), seed=1).numpy()).all()
    drawn = tf.random.stateless_binomial([1], (1, 2), float("nan"), 0.3, tf.float32)
    assert np.isnan(drawn.numpy()).all()


@pytest.mark.parametrize("jit_compile", [False, True])
def test_compiled_functions_draw_the_same_numbers(jit_compile):
    # TensorFlow with jit_compile=True: [0.25750792, 0.40467191] and [0.22009385, 0.55974734].
    tf.random.set_seed(1)
    given = tf.function(lambda: tf.random.stateless_uniform([2], [1, 2]), jit_compile=jit_compile)
    drawn = tf.function(lambda: tf.random.uniform([2]), jit_compile=jit_compile)
    np.testing.assert_allclose(given(), [0.84406042, 0.19204533], rtol=1e-6)
    np.testing.assert_allclose(drawn(), [0.81269646, 0.07857466], rtol=1e-6)


def test_elements_draw_in_their_order():
    def drawn(count):
        tf.random.set_seed(12)
        return tf.function(
            lambda: tf.map_fn(lambda x: tf.random.uniform([2]) + x, tf.zeros([3]), parallel_iterations=count)
        )().numpy()

    # TensorFlow's with parallel_iterations=1; with more its threads race, and the order changes from run to run.
    want = [[0.8373631238937378, 0.8615368604660034], [0.3461322784423828, 0.10365653038024902]]
    want += [[0.3274117708206177, 0.5210006237030029]]
    try:
        assert np.allclose(drawn(1), want)
        assert np.allclose(drawn(10), want)
    finally:
        tf.random.set_seed(None)


def test_large_draws_are_those_of_one_thread():
    logits = tf.random.stateless_normal([1000, 30], [1, 2])
    drawn = tf.random.stateless_categorical(logits, 50, [3, 4]).numpy()
    # TensorFlow's with intra_op_parallelism_threads=1; with two the last row is [19 13 8 24 28 6 20 20 ...].
    assert drawn[999, :8].tolist() == [8, 28, 13, 26, 18, 26, 6, 15]
    assert drawn.sum() == 724214


def test_rounds_of_index_shuffle_are_even():
    # TensorFlow reads beyond its keys.
    for rounds in (1, 2, 5):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rounds must be even"):
            tf.random_index_shuffle(1, [1, 2, 3], 5, rounds=rounds)


def test_gradient_of_gamma_in_16_bits():
    alpha = tf.constant(2.0, tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        drawn = tf.random.stateless_gamma([3], (1, 2), alpha, dtype=tf.float16)
    # TensorFlow refuses: InvalidArgumentError.
    assert tape.gradient(drawn, alpha).numpy() > 0


def test_gradient_of_bfloat16_multiplied_with_int8():
    x, y = tf.constant([[1, 2], [3, 4]], tf.bfloat16), tf.constant([[1, 2], [3, 4]], tf.int8)
    with tf.GradientTape() as tape:
        tape.watch(x)
        product = tf.matmul(x, y, output_type=tf.bfloat16)
    # TensorFlow refuses: InvalidArgumentError.
    assert tape.gradient(product, x).numpy().tolist() == [[3, 7], [3, 7]]


def test_levels_of_each_place_on_an_axis():
    table = tf.reshape(tf.range(-6.0, 6.0), [3, 4])
    low, high = tf.constant([-1.0, -2.0, -3.0, -1.0]), tf.constant([3.0, 1.0, 3.0, 0.0])
    for quantized in (tf.quantization.quantize_and_dequantize, tf.quantization.quantize_and_dequantize_v2):
        # TensorFlow on a CPU: InvalidArgumentError, for scalars as for vectors; with jit_compile=True the same as here.
        found = quantized(table, low, high, num_bits=3, range_given=True, axis=1)
        assert found.numpy().tolist() == [[-4.0, -2.0, -4.0, -1.0], [-2.0, -1.0, 0.0, 0.75], [2.0, 1.5, 3.0, 0.75]]
    with tf.GradientTape() as outer:
        outer.watch(table)
        with tf.GradientTape() as inner:
            inner.watch(table)
            y = tf.quantization.quantize_and_dequantize_v2(table, low, high, axis=1) ** 2
        gradient = inner.gradient(y, table)
    # TensorFlow: TypeError.
    second = outer.gradient(gradient, table)
    assert second.numpy().tolist() == [[0.0] * 4, [0.0, 2.0, 2.0, 0.0], [2.0, 0.0, 0.0, 0.0]]


def test_fractions_of_integers_need_no_numpy_behavior():
    numpy = tf.experimental.numpy
    # TensorFlow: AttributeError, as tensors have no `astype` yet; a Python float.
    assert numpy.log([1, 2]).dtype == tf.float64
    assert tf.is_tensor(numpy.rad2deg(1.5))


@pytest.mark.parametrize("strides", [1, 2])
def test_convolution_of_an_empty_batch_has_the_channels_of_the_filters(strides):
    # TensorFlow: (0, 5, 5, 2), that of the input.
    y = tf.nn.conv2d(tf.zeros([0, 5, 5, 2]), tf.ones([3, 3, 2, 4]), strides, "SAME")
    assert y.shape == (0, 5 // strides + strides - 1, 5 // strides + strides - 1, 4)
    # TensorFlow: (1, 0, 5, 2).
    assert tf.nn.conv2d(tf.zeros([1, 0, 5, 2]), tf.ones([3, 3, 2, 4]), strides, "SAME").shape == (1, 0, y.shape[2], 4)


def test_windows_of_volumes_begin_where_those_of_images_do():
    x = tf.reshape(tf.constant([1.0, 2.0, 3.0], tf.float64), [1, 3, 1, 1, 1])
    # TensorFlow: 2, but 1 in float32 with oneDNN, and 1 for `tf.nn.conv2d`.
    assert tf.nn.conv3d(x, tf.ones([1, 1, 1, 1, 1], tf.float64), [1, 3, 1, 1, 1], "SAME").numpy().item() == 1.0
    assert tf.nn.conv2d(x[..., 0], tf.ones([1, 1, 1, 1], tf.float64), [1, 3, 1, 1], "SAME").numpy().item() == 1.0


def test_convolution_without_windows_has_the_channels_of_the_filters():
    # TensorFlow: (2, 1, 1, 2) with oneDNN, the shape of the input.
    x, filters = tf.ones([2, 1, 1, 2]), tf.ones([3, 3, 2, 4])
    assert tf.nn.conv2d(x, filters, 2, "VALID").shape == (2, 0, 0, 4)
    assert tf.nn.conv2d(tf.zeros([2, 0, 0, 2]), filters, 2, "VALID").shape == (2, 0, 0, 4)
    depthwise = tf.ones([3, 3, 2, 1])
    assert tf.nn.depthwise_conv2d(tf.zeros([2, 0, 0, 2]), depthwise, [1, 1, 1, 1], "SAME").shape == (2, 0, 0, 2)


@pytest.mark.parametrize("name", LARGE_WINDOWS)
def test_gradients_without_windows_are_zeros(name):
    call = LARGE_WINDOWS[name]
    x = tf.ones([2, 1, 1, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(call(x))
    assert y.numpy() == 0.0
    assert not tape.gradient(y, x).numpy().any()
    specs = [tf.TensorSpec([None, None, None, 2])]
    assert tf.reduce_sum(tf.function(call, input_signature=specs)(x)).numpy() == 0.0


def test_negative_axes_of_boolean_mask_count_from_the_end():
    x = tf.reshape(tf.range(12), [2, 3, 2])
    # TensorFlow: ValueError, "Shapes () and (2,) are incompatible".
    assert tf.boolean_mask(x, [True, False], axis=-1).numpy().tolist() == [[[0], [2], [4]], [[6], [8], [10]]]
    # TensorFlow: InvalidArgumentError, as the axis is looked for after two of them have become one.
    mask = [[True, False, True], [False, True, True]]
    assert tf.boolean_mask(x, mask, axis=-3).numpy().tolist() == [[0, 1], [4, 5], [8, 9], [10, 11]]


def test_polygamma_of_float32_far_below_0():
    # TensorFlow: 109.60, 82928.2; of float64 it is 14.98688706572264.
    assert np.allclose(tf.math.polygamma(1.0, [-10.3, -9.999]), [14.98688706572264, 1e6], rtol=2e-3)


def test_infinities_that_meet_are_nan():
    x = tf.constant([0.0, 4.0])
    upstream = tf.constant([np.inf, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        root, product = tf.sqrt(x), tf.math.multiply_no_nan(x, tf.constant([0.0, 2.0]))
    # TensorFlow: [inf, 0.25] and [0, 2].
    np.testing.assert_array_equal(tape.gradient(root, x, upstream).numpy(), [np.nan, 0.25])
    np.testing.assert_array_equal(tape.gradient(product, x, upstream).numpy(), [np.nan, 2.0])


def test_infinite_orders_and_corners():
    assert np.isnan(tf.math.zeta(np.inf, 2.0).numpy())
    drawn = tf.image.draw_bounding_boxes(tf.zeros((1, 3, 3, 1)), [[[0.0, 0.0, np.inf, 1.0]]], [[1.0]])
    assert tf.reduce_sum(drawn).numpy() == 7.0


def test_integers_are_no_floats():
    for call in (lambda: tf.math.nextafter(1, 2), lambda: tf.image.rgb_to_hsv([1, 2, 3])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()


def test_floating_axes_are_type_errors():
    x = tf.constant([1.0, 2.0, 3.0])
    for call in (
        lambda: tf.roll(x, 1, 0.0),
        lambda: tf.pad(x, [[1.0, 1.0]]),
        lambda: tf.gather(x, [0], axis=0.0),
        lambda: tf.broadcast_to(x, [2.0, 3.0]),
    ):
        with pytest.raises(TypeError):
            call()


def test_greatest_are_sorted_whatever_is_asked():
    values, places = tf.math.top_k([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0], 3, sorted=False)
    # TensorFlow, of a heap: [5. 9. 6.], [4 5 7].
    assert values.numpy().tolist() == [9.0, 6.0, 5.0]
    assert places.numpy().tolist() == [5, 7, 4]


def test_greatest_of_a_window_may_be_nan():
    x = tf.constant([[[[np.nan], [1.0]], [[2.0], [3.0]]]])
    zeros = tf.zeros([2, 2, 1])
    # TensorFlow: 3. of all, 1. of the erosion; of nothing but nan and -inf the lowest finite number.
    for found in (
        tf.nn.max_pool2d(x, 2, 2, "VALID"),
        tf.nn.max_pool1d(x[0], 2, 2, "VALID")[:1],
        tf.nn.fractional_max_pool(x, [1.0, 1.9, 1.9, 1.0], seed=1)[0],
        tf.nn.dilation2d(x, zeros, [1, 2, 2, 1], "VALID", "NHWC", [1, 1, 1, 1]),
        tf.nn.erosion2d(x, zeros, [1, 2, 2, 1], "VALID", "NHWC", [1, 1, 1, 1]),
    ):
        assert np.isnan(found).all()
    assert np.isneginf(tf.nn.max_pool2d(tf.fill([1, 2, 2, 1], -np.inf), 2, 2, "VALID")).all()


def test_nan_is_sorted_behind_all_numbers():
    # TensorFlow: [1. nan 2. 3.] and [3 0 1 2].
    assert np.isnan(tf.sort([1.0, np.nan, 2.0, 3.0])[-1])
    assert tf.argsort([1.0, np.nan, 2.0, 0.0]).numpy().tolist() == [3, 0, 2, 1]
    # TensorFlow: [2. nan].
    assert tf.math.top_k([2.0, np.nan, 1.0, 3.0], 2).values.numpy().tolist() == [3.0, 2.0]


def test_whole_numbers_of_64_bits_are_saturated_where_they_are():
    # TensorFlow: the lowest of int64, whatever the number.
    assert tf.saturate_cast(tf.constant([300, -1], tf.int64), tf.float32).numpy().tolist() == [300.0, -1.0]


def test_sums_of_float16_are_rounded_less_often():
    numbers, offset = tf.fill([5000, 2], tf.constant(1.1, tf.float16)), tf.zeros([2], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(offset)
        moved = numbers + offset
    for total in (tf.reduce_sum(numbers, 0), tape.gradient(moved, offset, numbers)):
        # TensorFlow: 4096, whose neighbours are 4 away.
        np.testing.assert_allclose(total, [5500.0, 5500.0], rtol=0.006)


def test_floats_out_of_range_wrap_around_at_each_place():
    # TensorFlow: 32 zeros, which one instruction makes, and twice 255.
    assert tf.cast(tf.fill([34], -1.0), tf.uint8).numpy().tolist() == [255] * 34
    assert tf.saturate_cast(tf.fill([34], -1.0), tf.uint8).numpy().tolist() == [0] * 34


def test_sampled_softmax_loss_in_16_bits_is_finite():
    classes, samples = tf.constant([[1], [3]], tf.int64), tf.constant([3, 1, 2], tf.int64)
    weights, inputs = tf.ones([5, 2], tf.bfloat16), tf.ones([2, 2], tf.bfloat16)
    drawn = (samples, tf.fill([2, 1], tf.constant(0.5, tf.bfloat16)), tf.fill([3], tf.constant(0.5, tf.bfloat16)))
    found = tf.nn.sampled_softmax_loss(weights, tf.zeros([5], tf.bfloat16), classes, inputs, 3, 5, 1, drawn)
    # TensorFlow: nan, since the accidental hits weigh more than 16 bits can say.
    assert np.isfinite(found.numpy().astype(np.float32)).all()


def test_numbers_of_eigenvalues_that_there_are_not():
    for limits in ((0, 2), (-1, 1)):
        # TensorFlow answers a border of its bisection for the one that is missing: 2.000001 and 0.999999.
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"select_range must be in \[0, 2\)"):
            tf.linalg.eigh_tridiagonal([1.0, 2.0], [0.0], select="i", select_range=limits)


def test_gradient_of_eigenvalues_of_diagonals():
    alpha = tf.constant([2.0, 1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        values = tf.linalg.eigh_tridiagonal(alpha, [1.0, 2.0])
    # TensorFlow differentiates the bisection that it finds them by: [0. 1.2857145 1.7142859].
    assert np.allclose(tape.gradient(values, alpha), 1.0, atol=1e-5)


def test_gradients_of_diagonals_stay_where_they_belong():
    matrix = tf.Variable(np.arange(9, dtype=np.float32).reshape(3, 3))
    with tf.GradientTape() as tape:
        bands = tf.raw_ops.MatrixDiagPartV2(input=matrix, k=[-1, 1], padding_value=0.0)
        y = tf.reduce_sum(bands[0, :2])
    # TensorFlow: the element at [0, 1] alone, as if the upper band were aligned to the right.
    assert tape.gradient(y, matrix).numpy().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_gradient_of_an_lstm_in_one_piece_is_right():
    inputs, weights = np.linspace(-1, 1, 6, dtype=np.float32), np.linspace(-1, 1, 32, dtype=np.float32)
    x = tf.Variable(inputs.reshape(3, 1, 2))

    def total(x):
        return tf.reduce_sum(
            tf.raw_ops.BlockLSTMV2(
                seq_len_max=tf.constant(3, tf.int64),
                x=x,
                cs_prev=[[0.3, 0.1]],
                h_prev=[[0.2, 0.4]],
                w=weights.reshape(4, 8),
                **dict.fromkeys(("wci", "wcf", "wco"), tf.zeros([2])),
                b=tf.zeros([8]),
            ).h
        )

    with tf.GradientTape() as tape:
        y = total(x)
    step = np.zeros((3, 1, 2), np.float32)
    step[0, 0, 1] = 1e-2
    slope = (total(x + step) - total(x - step)) / 2e-2
    # TensorFlow takes the candidate's gate for the forget gate's.
    np.testing.assert_allclose(tape.gradient(y, x)[0, 0, 1], slope, rtol=1e-3)


def test_rows_that_an_optimizer_s_kernel_updates_are_different():
    v, accum = tf.Variable([1.0, 1.0]), tf.Variable([0.0, 0.0])
    tf.raw_ops.ResourceSparseApplyMomentum(
        var=v.handle, accum=accum.handle, lr=0.1, grad=[1.0, 1.0], indices=[0, 0], momentum=0.9
    )
    # TensorFlow: 0.71 and 1.9, one after the other.
    np.testing.assert_allclose([v.numpy()[0], accum.numpy()[0]], [0.9, 1.0], rtol=1e-6)


def test_operators_ask_the_handlers_of_an_extension_type():
    class Boxed(tf.experimental.ExtensionType):
        value: tf.Tensor

    handler = tf.experimental.dispatch_for_api(tf.add, {"y": Boxed})(lambda x, y: (x, y.value))
    try:
        x, value = tf.constant(1.0) + Boxed(2.0)
    finally:
        tf.experimental.unregister_dispatch_for(handler)
    # TensorFlow asks those of tf.add only where it is called: ValueError.
    assert (x.numpy(), value.numpy()) == (1.0, 2.0)
    rows = tf.experimental.dispatch_for_api(tf.abs, {"x": tf.RaggedTensor})(lambda x: x.row_splits)
    try:
        # TensorFlow has a handler of its own there, and refuses two: ValueError.
        assert tf.abs(tf.ragged.constant([[1], []])).numpy().tolist() == [0, 1, 1]
    finally:
        tf.experimental.unregister_dispatch_for(rows)


def test_functions_imported_before_conversion_is_enabled_convert_nothing():
    program = """
import tfcompat as tf
from tfcompat import add
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
print(tf.add(1, tf.constant(2, tf.int16)).dtype.name)
try:
    add(tf.constant(1), tf.constant(2, tf.int16))
except tf.errors.InvalidArgumentError:
    print("refused")
"""
    ran = forked.run(["-c", program])
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["int16", "refused"]


def test_programs_are_simplified(monkeypatch):
    monkeypatch.setattr(tf.config.settings, "is_hosting", False)
    large = tf.constant(1e30)
    assert tf.function(lambda x, y, z: (x / y) / z)(large, large, large) == 0.0  # TensorFlow: 1e-30
    # With JAX from 0.12 on, as in TensorFlow.
    assert tf.function(lambda x: tf.math.log(tf.exp(x)))(tf.constant(1000.0)).numpy() in (1000.0, np.inf)
    assert tf.function(lambda x: tf.math.log(tf.exp(x)))(tf.constant(-1000.0)).numpy() in (-1000.0, -np.inf)


def test_rows_are_rolled_along_negative_axes():
    rolled = tf.vectorized_map(lambda row: tf.roll(row, 1, -1), tf.constant([[1, 2], [3, 4]]))
    assert rolled.numpy().tolist() == [[2, 1], [4, 3]]  # TensorFlow: [[3, 4], [1, 2]]
