"""Convolutions: groups, transposes, the rules for a CPU, and refusals. Literals are TensorFlow's."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tfcompat as tf
from tfcompat._ops.sliding.convolution import convolve
from tfcompat._ops.sliding.window import Window

IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)
FILTERS = np.ones((2, 2, 2, 3), np.float32)


RULES = {
    "few channels": ((2, 6, 6, 3), (3, 3, 3, 4), 1),
    "few channels, strides": ((2, 7, 6, 5), (2, 3, 5, 4), 2),
    "1x1": ((2, 5, 5, 8), (1, 1, 8, 4), 1),
    "1x1, strides": ((2, 5, 5, 3), (1, 1, 3, 4), 2),
    "portions": ((11, 32, 32, 16), (3, 3, 16, 4), 2),
    "groups": ((2, 6, 7, 64), (3, 3, 4, 64), 1),
    "few groups, strides": ((2, 6, 7, 12), (3, 2, 4, 6), 2),
    "volume": ((2, 5, 6, 7, 3), (3, 3, 2, 3, 4), 2),
    "planes": ((2, 5, 6, 7, 3), (1, 3, 2, 3, 4), 2),
    "lines": ((2, 5, 6, 7, 3), (3, 1, 1, 3, 4), 1),
    "volume, groups": ((2, 4, 6, 6, 12), (3, 3, 2, 3, 24), 2),
    "small images": ((2, 2, 3, 9), (3, 4, 9, 4), 1),
    "small images, strides": ((2, 5, 4, 9), (4, 3, 9, 4), 2),
    "wide strides": ((2, 4, 7, 9), (4, 5, 9, 4), 3),
    "short lines": ((2, 4, 9), (5, 9, 4), 1),
    "small volume": ((2, 2, 2, 3, 9), (3, 3, 2, 9, 4), 1),
    "large filters": ((2, 3, 3, 130), (4, 4, 130, 128), 2),
}


@pytest.mark.parametrize("channels_first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("case", RULES)
def test_rules_for_a_cpu_are_the_convolution_and_its_gradients(case, channels_first):
    shape, filters, stride = RULES[case]
    rng, ndim = np.random.default_rng(0), len(filters) - 2
    x, w = rng.normal(size=shape).astype(np.float32), rng.normal(size=filters).astype(np.float32)
    x = np.moveaxis(x, -1, 1) if channels_first else x
    window = Window(filters[:-2], (stride,) * ndim, (1,) * ndim, (None,) * ndim)
    space = "DHW"[-ndim:]
    layout = f"NC{space}" if channels_first else f"N{space}C"

    def plain(x, w):
        return lax.conv_general_dilated(
            x,
            w,
            window.strides,
            "SAME",
            dimension_numbers=(layout, f"{space}IO", layout),
            feature_group_count=shape[-1] // filters[-2],
        )

    want, pull_want = jax.vjp(plain, x, w)
    got, pull_got = jax.vjp(jax.jit(lambda x, w: convolve(x, w, window, channels_first)), x, w)
    assert np.allclose(got, want, rtol=1e-5, atol=1e-4)
    for mine, its in zip(pull_got(want), pull_want(want)):
        assert np.allclose(mine, its, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("case", ["portions", "groups", "volume", "small images, strides"])
def test_second_derivatives_of_rules_for_a_cpu(case):
    shape, filters, stride = RULES[case]
    rng, ndim = np.random.default_rng(0), len(filters) - 2
    x, w, y = (rng.normal(size=size).astype(np.float32) for size in (shape, filters, shape))
    window = Window(filters[:-2], (stride,) * ndim, (1,) * ndim, (None,) * ndim)

    def slope(x, w):
        return jax.grad(lambda w: jnp.sum(convolve(x, w, window, False) ** 2))(w)

    # The slope is quadratic in x, and linear in w.
    slopes = float(jnp.sum(slope(x, w) * slope(y, w)))
    along = jax.jit(lambda x, w, y: jax.vjp(slope, x, w)[1](slope(y, w)))(x, w, y)
    assert float(jnp.sum(along[0] * x)) == pytest.approx(2 * slopes, rel=1e-4)
    assert float(jnp.sum(along[1] * w)) == pytest.approx(slopes, rel=1e-4)


def test_convolution_has_a_forward_derivative():
    x, w = IMAGE[..., :1].repeat(8, -1), np.ones((2, 2, 8, 1), np.float32)
    window = Window((2, 2), (1, 1), (1, 1), ((0, 0), (0, 0)))
    value, change = jax.jvp(lambda w: convolve(x, w, window, False), (w,), (w,))
    assert np.array_equal(value, change)


def test_channels_of_the_input_divide_into_groups():
    x = np.stack([np.ones((1, 3, 3)), 2 * np.ones((1, 3, 3))], -1).astype(np.float32)
    found = tf.nn.conv2d(x, np.ones((2, 2, 1, 2), np.float32), 1, "VALID").numpy()
    assert found[0, 0, 0].tolist() == [4, 8]


def test_batch_may_have_several_axes():
    assert tf.nn.conv2d(tf.ones([2, 3, 4, 4, 2]), FILTERS, 1, "SAME").shape == [2, 3, 4, 4, 3]
    assert tf.nn.conv1d(tf.ones([2, 3, 4, 2]), FILTERS[0], 1, "SAME").shape == [2, 3, 4, 3]


def test_dilation_and_stride_together():
    found = tf.nn.conv2d(IMAGE, FILTERS, 2, "SAME", dilations=2).numpy()
    assert found[..., 0].ravel().tolist() == [84, 50, 74, 41]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, "same"), tf.errors.InvalidArgumentError, 'must be "SAME" or "VALID"'),
        ((1, [[0, 0], [1, 1]]), ValueError, "length 4"),
        ((1, [1, 1, 1, 1]), ValueError, "pairs"),
        ((1, None), TypeError, "padding"),
        ((0, "SAME"), tf.errors.InvalidArgumentError, "strides must be positive"),
        (([2, 1, 1, 1], "SAME"), tf.errors.UnimplementedError, "batch and the channels"),
        (([1, 2, 2], "SAME"), ValueError, "length 1, 2 or 4"),
        ((1, "SAME", "NWC"), tf.errors.InvalidArgumentError, "data_format"),
    ],
)
def test_conv2d_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        tf.nn.conv2d(IMAGE, FILTERS, *arguments)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 2, 3, 3), "multiple of those of filters"),
        ((6, 6, 2, 3), "must fit into the input"),
        ((2, 2, 2), "rank 4"),
        ((2, 2, 0, 3), "no dimension of 0"),
    ],
)
def test_conv2d_refuses_filters_that_do_not_fit(shape, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.nn.conv2d(IMAGE, np.ones(shape, np.float32), 1, "VALID")


def test_conv3d_wants_lists_and_no_groups():
    x, w = IMAGE[None], FILTERS[None]
    with pytest.raises(TypeError, match="list of 5"):
        tf.nn.conv3d(x, w, 1, "SAME")
    with pytest.raises(tf.errors.InvalidArgumentError, match="same channels"):
        tf.nn.conv3d(tf.ones([1, 2, 4, 4, 4]), w, [1] * 5, "SAME")


def test_conv1d_refuses_an_unknown_format_with_value_error():
    with pytest.raises(ValueError, match="NWC"):
        tf.nn.conv1d(IMAGE[0], FILTERS[0], 1, "VALID", "foo")


def test_transposed_convolution_takes_spatial_dimensions_alone():
    x, w = tf.constant(IMAGE), tf.ones([3, 3, 3, 2])
    whole = tf.nn.conv2d_transpose(x, w, [1, 8, 8, 3], 2, "SAME")
    assert np.array_equal(tf.nn.conv2d_transpose(x, w, [8, 8], 2, "SAME"), whole)
    assert whole.numpy()[0, 0, :, 0].tolist() == [1, 1, 6, 5, 14, 9, 22, 13]


def test_transposed_convolution_refuses_a_shape_that_no_convolution_gives():
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_shape"):
        tf.nn.conv2d_transpose(IMAGE, tf.ones([3, 3, 3, 2]), [1, 9, 9, 3], 2, "SAME")


def test_depthwise_convolution_wants_lists():
    w = tf.ones([2, 2, 2, 3])
    found = tf.nn.depthwise_conv2d(IMAGE, w, [1, 2, 2, 1], "SAME").numpy()
    assert found[0, 0, 0].tolist() == [20, 20, 20, 24, 24, 24]
    with pytest.raises(TypeError, match="strides must be a list"):
        tf.nn.depthwise_conv2d(IMAGE, w, 1, "SAME")


def test_separable_convolution_checks_its_pointwise_filter():
    with pytest.raises(tf.errors.InvalidArgumentError, match="pointwise_filter"):
        tf.nn.separable_conv2d(IMAGE, tf.ones([2, 2, 2, 3]), tf.ones([1, 1, 5, 4]), [1, 1, 1, 1], "SAME")


def test_bias_add_finds_the_channels_by_format():
    assert tf.nn.bias_add(tf.zeros([1, 2, 3, 4]), [1.0, 2.0], "NCHW").numpy()[0, :, 0, 0].tolist() == [1, 2]
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.bias_add(tf.zeros([3, 2]), [1.0, 2.0], "foo")
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2 or more"):
        tf.nn.bias_add(tf.zeros([2]), [1.0, 2.0])


@pytest.mark.parametrize("strides", [1, 2])
def test_batch_may_be_empty(strides):
    """TensorFlow answers with the channels of the input where the filters have other ones, which it owes to oneDNN."""
    x, filters = tf.zeros([0, 5, 5, 2]), tf.ones([3, 3, 2, 4])
    with tf.GradientTape() as tape:
        tape.watch(filters)
        y = tf.nn.conv2d(x, filters, strides, "SAME")
    assert y.shape == (0, *[-(-5 // strides)] * 2, 4)
    assert not tape.gradient(y, filters).numpy().any()


@pytest.mark.parametrize(
    ("channels", "filters", "out"),
    [(1, (0, 2, 1, 1), 1), (1, (2, 2, 0, 1), 0), (0, (2, 2, 3, 0), 3)],
    ids=["no window", "no channels of the result", "no channels of the input"],
)
def test_transposed_convolution_with_empty_filters_is_zero(channels, filters, out):
    y = tf.nn.conv2d_transpose(tf.ones([1, 2, 2, channels]), tf.ones(filters), [1, 3, 3, out], 1)
    assert y.shape == (1, 3, 3, out)
    assert not y.numpy().any()


@pytest.mark.parametrize(
    ("strides", "dilations"),
    [(2, 2), ([2, 1], [1, 2]), ([1, 2, 2, 1], [1, 2, 2, 1]), (1, 0), (2, [-1, 1])],
    ids=str,
)
def test_convolution_has_strides_or_dilations(strides, dilations):
    arguments = {"strides": strides, "dilations": dilations, "padding": "SAME"}
    with pytest.raises(ValueError, match=r"tf\.nn\.convolution: .*(not supported in conjunction|must be positive)"):
        tf.nn.convolution(IMAGE, FILTERS, **arguments)
    with pytest.raises(ValueError, match="convolution"):
        tf.function(lambda image: tf.nn.convolution(image, FILTERS, **arguments))(IMAGE)


def test_convolution_of_two_axes_has_both():
    assert tf.nn.conv2d(IMAGE, FILTERS, 2, "SAME", dilations=2).shape == [1, 2, 2, 3]


def test_dilated_convolution_takes_pairs_as_padding():
    image, filters = np.arange(16.0).reshape(1, 4, 4, 1), np.arange(4.0).reshape(2, 2, 1, 1)
    pairs = [[0, 0], [1, 0], [0, 1], [0, 0]]
    found = tf.nn.convolution(image, filters, dilations=2, padding=pairs)[0, :, :, 0]
    assert found.numpy().tolist() == [[26, 31, 12], [48, 54, 20], [72, 78, 28]]
    with pytest.raises(TypeError, match="padding"):
        tf.nn.convolution(image, filters, padding=pairs)


@pytest.mark.parametrize("extents", [(3, 0), (0, 3)])
def test_transposed_convolution_of_empty_images_is_empty(extents):
    image, filters = tf.zeros([1, *extents, 2]), tf.ones([3, 3, 4, 2])
    with tf.GradientTape() as tape:
        tape.watch([image, filters])
        y = tf.nn.conv2d_transpose(image, filters, [1, *[2 * n for n in extents], 4], 2)
    assert y.shape == (1, *[2 * n for n in extents], 4)
    slopes = tape.gradient(y, [image, filters])
    assert slopes[0].shape == image.shape
    assert not slopes[1].numpy().any()


def test_sizes_of_zero_among_those_of_a_function():
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def function(x):
        pooled = tf.nn.max_pool1d(x[None], 2, 2, "SAME")
        return tf.nn.avg_pool1d(tf.nn.conv1d(pooled, tf.ones([3, 3, 3]), 1, "SAME"), 2, 2, "VALID")

    found = [function(tf.ones([rows, 3])) for rows in (5, 7, 0, 4, 0)]
    assert [y.shape[1] for y in found] == [1, 2, 0, 1, 0]


def test_gradient_of_a_float16_bias_is_summed_in_float32():
    upstream = tf.cast(np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32), tf.float16)

    @tf.function
    def gradient(bias):
        with tf.GradientTape() as tape:
            tape.watch(bias)
            y = tf.nn.bias_add(tf.zeros([32, 4], tf.float16), bias)
        return tape.gradient(y, bias, upstream)

    for _ in range(3):  # NumPy may compute the first run.
        bits = tf.bitcast(gradient(tf.zeros(4, tf.float16)), tf.uint16)
        assert bits.numpy().tolist() == [49853, 16660, 16670, 17979]


TRANSPOSED = {
    "strides": ((2, 4, 3, 2), (3, 2, 5, 2), (2, 8, 6, 5), 2, "SAME", None),
    "valid": ((2, 4, 3, 2), (3, 2, 5, 2), (2, 9, 4, 5), (2, 1), "VALID", None),
    "one place": ((3, 1, 1, 2), (4, 4, 5, 2), (3, 2, 2, 5), 2, "SAME", None),
    "few places": ((2, 2, 3, 2), (3, 4, 5, 2), (2, 4, 5, 5), 2, "SAME", None),
    "few places, no strides": ((2, 1, 2, 2), (3, 4, 5, 2), (2, 3, 5, 5), 1, "VALID", None),
    "wide strides": ((2, 3, 3, 2), (1, 2, 5, 2), (2, 8, 9, 5), 3, "SAME", None),
    "no strides": ((2, 4, 3, 2), (3, 2, 5, 2), (2, 4, 3, 5), 1, "SAME", None),
    "large filters": ((1, 2, 3, 130), (4, 4, 128, 130), (1, 2, 3, 128), 1, "SAME", None),
    "channels first": ((2, 2, 4, 3), (3, 2, 5, 2), (2, 5, 8, 6), 2, "SAME", "NCHW"),
    "few places, channels first": ((2, 2, 3, 1), (3, 4, 5, 2), (2, 5, 7, 4), 2, "VALID", "NCHW"),
    "volume": ((2, 2, 3, 2, 2), (3, 2, 4, 5, 2), (2, 3, 6, 4, 5), 2, "SAME", None),
    "volume, no strides": ((2, 2, 3, 2, 2), (2, 1, 3, 5, 2), (2, 2, 3, 2, 5), 1, "SAME", None),
    "short line": ((2, 3, 2), (7, 5, 2), (2, 9, 5), 3, "SAME", None),
}


class TestTransposedConvolutions:
    @pytest.mark.parametrize("case", TRANSPOSED)
    def test_gradients_are_those_of_the_convolution(self, case):
        given, window, full, strides, padding, layout = TRANSPOSED[case]
        random = np.random.default_rng(0)
        x, filters, slope = (random.normal(size=each) for each in (given, window, full))

        def transposed(x, filters):
            return tf.reduce_sum(slope * tf.nn.conv_transpose(x, filters, full, strides, padding, layout))

        def direct(x, filters):
            return tf.reduce_sum(x * tf.nn.convolution(slope, filters, strides, padding, layout))

        def slopes(x, filters, loss):
            with tf.GradientTape() as tape:
                tape.watch([x, filters])
                total = loss(x, filters)
            return total, *tape.gradient(total, [x, filters])

        compiled = tf.function(slopes, jit_compile=True)
        for run in (slopes, compiled):
            got, want = (run(tf.constant(x), tf.constant(filters), loss) for loss in (transposed, direct))
            for mine, its in zip(got, want):
                np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize("case", ["one place", "volume"])
    def test_second_derivatives(self, case):
        given, window, full, strides, padding, _ = TRANSPOSED[case]
        random = np.random.default_rng(0)
        x, filters = (tf.constant(random.normal(size=each)) for each in (given, window))
        with tf.GradientTape() as tape:
            tape.watch([x, filters])
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = tf.reduce_sum(tf.nn.conv_transpose(x, filters, full, strides, padding) ** 2) / 2
            along = tf.reduce_sum(inner.gradient(loss, x) * x)
        # Twice the loss, which is quadratic in each.
        assert along.numpy() == pytest.approx(2 * loss.numpy())
        for source, slope in zip((x, filters), tape.gradient(along, [x, filters])):
            assert tf.reduce_sum(slope * source).numpy() == pytest.approx(4 * loss.numpy())

    @pytest.mark.parametrize(
        ("given", "window", "stride", "count"),
        [
            ((2, 2, 2, 9), (3, 3, 8, 9), 2, 0),
            ((2, 3, 4, 5, 9), (3, 3, 3, 8, 9), 2, 0),
            ((2, 20, 20, 9), (2, 2, 8, 9), 2, 0),
            ((2, 3, 3, 9), (3, 3, 8, 9), 2, 1),
        ],
        ids=["small", "volume", "no overlap", "large"],
    )
    def test_is_a_product_of_matrices(self, given, window, stride, count):
        full = [given[0], *(stride * n for n in given[1:-1]), window[-2]]
        function = tf.function(lambda x, filters: tf.nn.conv_transpose(x, filters, full, stride))
        text = function.get_concrete_function(tf.zeros(given), tf.zeros(window)).stablehlo()
        assert text.count("stablehlo.convolution") == count

    def test_program_dilates_the_input_among_the_filters(self):
        # XLA takes 40 times longer on a CPU for a dilated image than for dilated filters.
        @tf.function
        def slope(x, filters):
            with tf.GradientTape() as tape:
                tape.watch(filters)
                loss = tf.reduce_sum(tf.nn.conv2d_transpose(x, filters, [4, 8, 8, 3], 2))
            return tape.gradient(loss, filters)

        text = slope.get_concrete_function(tf.zeros([4, 4, 4, 20]), tf.zeros([3, 3, 3, 20])).stablehlo()
        assert "rhs_dilate = [2, 2]" in text
        assert "lhs_dilate = [2, 2]" not in text

    def test_has_the_form_that_is_fast_in_loops_on_a_cpu(self):
        @tf.function
        def slopes(x, filters):
            with tf.GradientTape() as tape:
                tape.watch([x, filters])
                loss = tf.reduce_sum(tf.nn.conv2d_transpose(x, filters, [2, 12, 12, 3], 2) ** 2)
            return tape.gradient(loss, [x, filters])

        text = slopes.get_concrete_function(tf.zeros([2, 6, 6, 9]), tf.zeros([3, 3, 3, 9])).stablehlo()
        forms = re.findall(r"dim_numbers = (.*?f\](?=,))", text)
        assert forms == ["[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"] * 3


@pytest.mark.parametrize(
    ("array", "filters", "channels_first"),
    [
        ((2, 8, 8, 9), (3, 3, 9, 17), False),
        ((11, 32, 32, 16), (3, 3, 16, 17), False),
        ((2, 9, 8, 8), (3, 3, 9, 17), True),
        ((2, 8, 8, 64), (3, 3, 4, 128), False),
        ((2, 4, 8, 8, 9), (3, 3, 3, 9, 17), False),
        ((2, 20, 9), (3, 9, 17), False),
    ],
    ids=["small", "portions", "channels first", "groups", "three axes", "one axis"],
)
def test_gradients_have_the_form_of_convolutions_that_is_fast_in_loops_on_a_cpu(array, filters, channels_first):
    @tf.function
    def slopes(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            loss = tf.reduce_sum(tf.nn.convolution(x, w, 2, "SAME", "NCHW" if channels_first else None))
        return tape.gradient(loss, [x, w])

    text = slopes.get_concrete_function(tf.zeros(array), tf.zeros(filters)).stablehlo()
    forms = set(re.findall(r"dim_numbers = (.*?f\](?=,))", text))
    assert forms == {"[b, 0, f]x[0, i, o]->[b, 0, f]" if len(array) == 3 else "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"}
    assert re.findall(r"feature_group_count = (\d+)", text) == ["1"] * text.count("stablehlo.convolution")


def test_derivatives_that_xla_computes_element_by_element_are_products_of_matrices():
    @tf.function
    def slopes(x, w, strides):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.nn.conv2d(x, w, strides, "SAME"))
        return loss, tape.gradient(loss, x)

    def count(images, filters, strides):
        text = slopes.get_concrete_function(tf.zeros(images), tf.zeros(filters), strides).stablehlo()
        return text.count("stablehlo.convolution")

    assert count([2, 2, 2, 9], [3, 3, 9, 8], 1) == 0
    assert count([2, 4, 4, 9], [5, 5, 9, 8], 2) == 0
    assert count([2, 8, 8, 9], [5, 5, 9, 8], 2) == 1
    assert count([2, 10, 10, 9], [5, 5, 9, 8], 2) == 2


@pytest.mark.parametrize(("batch", "count"), [(8, 0), (16, 1)])
def test_gradient_for_filters_is_a_loop_over_portions_of_the_batch(batch, count):
    @tf.function
    def slope(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.reduce_sum(tf.nn.conv2d(x, w, 1, "SAME"))
        return tape.gradient(loss, w)

    text = slope.get_concrete_function(tf.zeros([batch, 32, 32, 17]), tf.zeros([3, 3, 17, 9])).stablehlo()
    assert text.count("stablehlo.while") == count
    assert text.count("stablehlo.convolution") == 1


def by_hand(array, filters, stride):
    """The depthwise convolution without padding, by NumPy."""
    rows, columns, channels, multiplier = filters.shape
    windows = np.lib.stride_tricks.sliding_window_view(array, (rows, columns), (1, 2))[:, ::stride, ::stride]
    return np.einsum("nhwcij,ijcm->nhwcm", windows, filters).reshape(*windows.shape[:3], channels * multiplier)


@pytest.mark.parametrize("size", [(3, 2), (4, 3), (1, 5)])
@pytest.mark.parametrize(("multiplier", "stride"), [(1, 1), (1, 2), (3, 2), (1, 4)])
def test_depthwise_convolution_is_a_sum_of_products_on_a_cpu(size, multiplier, stride):
    random = np.random.default_rng(0)
    array, filters = random.normal(size=(2, 7, 8, 3)), random.normal(size=(*size, 3, multiplier))
    expected = by_hand(array, filters, stride)
    slope = random.normal(size=expected.shape)

    @tf.function
    def both(array, filters):
        with tf.GradientTape() as tape:
            tape.watch([array, filters])
            out = tf.nn.depthwise_conv2d(array, filters, [1, stride, stride, 1], "VALID")
        return out, tape.gradient(out, [array, filters], slope)

    out, (by_array, by_filters) = both(tf.constant(array), tf.constant(filters))
    np.testing.assert_allclose(out, expected, atol=1e-12)
    # The convolution is linear in both.
    np.testing.assert_allclose(np.sum(by_array * array), np.sum(slope * expected))
    np.testing.assert_allclose(np.sum(by_filters * filters), np.sum(slope * expected))
    moved = random.normal(size=array.shape), random.normal(size=filters.shape)
    np.testing.assert_allclose(np.sum(by_array * moved[0]), np.sum(slope * by_hand(moved[0], filters, stride)))
    np.testing.assert_allclose(np.sum(by_filters * moved[1]), np.sum(slope * by_hand(array, moved[1], stride)))
    text = both.get_concrete_function(tf.constant(array), tf.constant(filters)).stablehlo()
    assert "stablehlo.convolution" not in text


@pytest.mark.parametrize("is_separable", [False, True])
def test_depthwise_convolution_is_mapped_over_filters_and_differentiated(is_separable):
    random = np.random.default_rng(0)
    array, filters = random.normal(size=(1, 5, 6, 2)), random.normal(size=(3, 2, 3, 2, 1))
    arrays = tf.constant(array), tf.constant(filters)

    def convolved(one):
        if is_separable:
            return tf.nn.separable_conv2d(arrays[0], one, tf.eye(2, dtype=tf.float64)[None, None], [1] * 4, "VALID")
        return tf.nn.depthwise_conv2d(arrays[0], one, [1] * 4, "VALID")

    with tf.GradientTape() as tape:
        tape.watch(arrays)
        out = tf.vectorized_map(convolved, arrays[1])
    expected = np.stack([by_hand(array, one, 1) for one in filters])
    np.testing.assert_allclose(out, expected, atol=1e-12)
    by_array, by_filters = tape.gradient(out, arrays)
    sums = np.lib.stride_tricks.sliding_window_view(array, expected.shape[2:4], (1, 2)).sum((0, 4, 5))
    np.testing.assert_allclose(by_filters, np.broadcast_to(sums[None, ..., None], filters.shape), atol=1e-12)
    np.testing.assert_allclose(np.sum(by_array * array), expected.sum())


def test_depthwise_convolution_of_nan():
    array, filters = tf.constant(np.ones((1, 3, 3, 2), np.float32)), tf.constant(np.full((2, 2, 2, 1), np.nan, "f4"))
    assert np.isnan(tf.nn.depthwise_conv2d(array, filters, [1, 1, 1, 1], "VALID")).all()


def test_depthwise_convolution_of_half_precision_is_rounded_once():
    random = np.random.default_rng(0)
    array, filters = random.normal(size=(1, 9, 9, 2)).astype("f2"), random.normal(size=(5, 5, 2, 1)).astype("f2")
    exact = by_hand(array.astype("f8"), filters.astype("f8"), 1)
    found = tf.nn.depthwise_conv2d(array, filters, [1, 1, 1, 1], "VALID").numpy()
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, exact, rtol=6e-4, atol=1e-3)


VOLUME = tf.ones([1, 4, 4, 4, 2])
TRANSPOSE = np.ones((2, 2, 3, 2), np.float32)
# The class in a function: that of the kernel (in TensorFlow with oneDNN AbortedError), or ValueError where TensorFlow
# checks while it traces.
BY_KERNEL = (tf.errors.InvalidArgumentError, tf.errors.AbortedError)
REFUSED_IN_FUNCTIONS = {
    "other_size": (lambda: tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, [1, 5, 5, 3], 1), BY_KERNEL),
    "other_channels": (
        lambda: tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, [1, 4, 4, 4], 1),
        BY_KERNEL,
    ),
    "negative_strides": (
        lambda: tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, [1, 4, 4, 3], -1),
        BY_KERNEL,
    ),
    "other_batch": (lambda: tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, [2, 4, 4, 3], 1), ValueError),
    "length": (lambda: tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, [1, 1, 4, 4, 3], 1), ValueError),
    "batch_of_volumes": (
        lambda: tf.nn.conv3d_transpose(VOLUME, TRANSPOSE[None], [2, 4, 4, 4, 3], 1),
        BY_KERNEL,
    ),
    "rank_of_volumes": (
        lambda: tf.nn.conv3d_transpose(VOLUME[0], TRANSPOSE[None], [1, 4, 4, 4, 3], 1),
        BY_KERNEL,
    ),
    "no_filters": (lambda: tf.nn.conv2d(IMAGE, FILTERS[:0], 1, "SAME"), BY_KERNEL),
}


@pytest.mark.parametrize("name", REFUSED_IN_FUNCTIONS)
def test_refusals_in_functions_have_the_class(name):
    call, error = REFUSED_IN_FUNCTIONS[name]
    with pytest.raises(error):
        tf.function(lambda: call())().numpy()


def test_transposed_convolution_needs_a_shape():
    with pytest.raises(ValueError, match=r"output_shape|None values"):
        tf.nn.conv2d_transpose(IMAGE, TRANSPOSE, None, 1)
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.conv1d_transpose(IMAGE[0], TRANSPOSE[0], [4, 4, 3], 1, data_format="NHWC")


LARGE_WINDOWS = {
    "conv1d": lambda x: tf.nn.conv1d(x[:, 0], tf.ones([3, 2, 4]), 2, "VALID"),
    "conv2d": lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 2, "VALID"),
    "conv3d": lambda x: tf.nn.conv3d(x[:, None], tf.ones([1, 3, 3, 2, 4]), [1, 2, 2, 2, 1], "VALID"),
    "depthwise_conv2d": lambda x: tf.nn.depthwise_conv2d(x, tf.ones([3, 3, 2, 1]), [1, 2, 2, 1], "VALID"),
    "separable_conv2d": lambda x: tf.nn.separable_conv2d(
        x, tf.ones([3, 3, 2, 1]), tf.ones([1, 1, 2, 3]), [1, 2, 2, 1], "VALID"
    ),
    "max_pool2d": lambda x: tf.nn.max_pool2d(x, 3, 2, "VALID"),
    "avg_pool2d": lambda x: tf.nn.avg_pool2d(x, 3, 2, "VALID"),
}


@pytest.mark.parametrize("name", LARGE_WINDOWS)
def test_windows_larger_than_the_image_are_refused_in_functions(name):
    with pytest.raises(ValueError, match=r"fit|[Nn]egative"):
        tf.function(LARGE_WINDOWS[name])(tf.ones([2, 1, 1, 2]))


@pytest.mark.parametrize(
    "call",
    [lambda x: tf.nn.conv2d(x, tf.ones([5, 5, 2, 4]), 2, "VALID"), lambda x: tf.nn.max_pool2d(x, 5, 2, "VALID")],
    ids=["conv2d", "max_pool2d"],
)
def test_windows_that_two_strides_are_missing_for_are_refused(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(tf.ones([2, 1, 1, 2]))
