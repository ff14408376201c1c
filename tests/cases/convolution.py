"""Convolution and pooling."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, PRECISE
from tests.cases.recipe import arrays, case, each, refused

IMAGE = [(2, 5, 5, 2), (1, 4, 6, 2)]
KERNEL = [(3, 3, 2, 3), (2, 3, 2, 1)]
PADDING = each("SAME", "VALID")
TIED = [(2, 4, 5, 2), ((1, 4, 4, 1), "ties"), (1, 5, 5, 1)]

CASES = [
    case("nn.conv2d", arrays(IMAGE, FLOATING), arrays(KERNEL), strides=each(1, 2, [1, 2, 2, 1]), padding=PADDING),
    case(
        "nn.conv2d",
        arrays((1, 5, 5, 2)),
        arrays((2, 2, 2, 3)),
        strides=1,
        padding=PADDING,
        dilations=each(2, [1, 2, 1, 1]),
    ),
    case(
        "nn.conv2d",
        arrays((1, 5, 5, 2)),
        arrays((3, 3, 2, 2)),
        strides=1,
        padding=each([[0, 0], [1, 1], [2, 0], [0, 0]]),
    ),
    case("nn.conv2d", arrays((1, 4, 4, 4)), arrays((3, 3, 2, 4)), strides=1, padding="SAME"),
    case("nn.conv1d", arrays((2, 6, 2), PRECISE), arrays((3, 2, 3)), stride=each(1, 2), padding=PADDING),
    case("nn.conv3d", arrays((1, 3, 3, 3, 2)), arrays((2, 2, 2, 2, 2)), strides=[1, 1, 1, 1, 1], padding=PADDING),
    case("nn.convolution", arrays((1, 5, 5, 2)), arrays((3, 3, 2, 3)), strides=each(None, 2, [1, 2]), padding=PADDING),
    case(
        "nn.depthwise_conv2d",
        arrays((1, 4, 4, 2), PRECISE),
        arrays((3, 3, 2, 2)),
        strides=each([1, 1, 1, 1], [1, 2, 2, 1]),
        padding=PADDING,
    ),
    case(
        "nn.separable_conv2d",
        arrays((1, 4, 4, 2)),
        arrays((3, 3, 2, 2)),
        arrays((1, 1, 4, 3)),
        strides=[1, 1, 1, 1],
        padding="SAME",
    ),
    case(
        "nn.conv2d_transpose",
        arrays((1, 3, 3, 2), PRECISE),
        arrays((3, 3, 4, 2)),
        [1, 6, 6, 4],
        strides=each(2, [1, 2, 2, 1]),
        padding="SAME",
    ),
    case("nn.conv2d_transpose", arrays((1, 3, 3, 2)), arrays((2, 2, 4, 2)), [1, 4, 4, 4], strides=1, padding="VALID"),
    case("nn.conv1d_transpose", arrays((2, 3, 2), PRECISE), arrays((3, 4, 2)), [2, 6, 4], strides=each(2, [1, 2, 1])),
    case("nn.conv3d_transpose", arrays((1, 2, 3, 2, 2)), arrays((2, 2, 2, 3, 2)), [1, 4, 6, 4, 3], strides=2),
    case("nn.conv_transpose", arrays((1, 3, 3, 2)), arrays((3, 3, 4, 2)), [1, 6, 6, 4], strides=2),
    case("nn.max_pool_with_argmax", arrays(TIED), ksize=each(2, 3), strides=each(2, 1), padding=PADDING),
    case("nn.max_pool2d", arrays(TIED, FLOATING), ksize=each(2, [1, 3, 2, 1], 3), strides=each(2, 1), padding=PADDING),
    case("nn.max_pool", arrays((2, 4, 5, 2)), ksize=each(2, [2, 2], [1, 2, 2, 1]), strides=2, padding=PADDING),
    case("nn.avg_pool2d", arrays(TIED, FLOATING), ksize=each(2, [1, 3, 2, 1], 3), strides=each(2, 1), padding=PADDING),
    case("nn.avg_pool", arrays((2, 4, 5, 2)), ksize=each(2, [2, 2]), strides=2, padding=PADDING),
    case("nn.max_pool1d", arrays((2, 5, 2)), ksize=2, strides=each(1, 2), padding=PADDING),
    case("nn.avg_pool1d", arrays((2, 5, 2)), ksize=2, strides=each(1, 2), padding=PADDING),
    case("nn.max_pool3d", arrays((1, 3, 3, 3, 1)), ksize=2, strides=1, padding=PADDING),
    case("nn.avg_pool3d", arrays((1, 3, 3, 3, 1)), ksize=2, strides=1, padding=PADDING),
    case(
        "nn.pool",
        arrays((1, 4, 4, 2)),
        window_shape=[2, 2],
        pooling_type=each("MAX", "AVG"),
        strides=[2, 2],
        padding="VALID",
    ),
    case(
        "image.extract_patches",
        arrays((1, 4, 4, 2)),
        sizes=[1, 2, 2, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding=PADDING,
    ),
    # Empty inputs. (TensorFlow's oneDNN gives the result as many channels as the input has.)
    case("nn.max_pool1d", arrays((1, 0, 2)), ksize=2, strides=2, padding=PADDING),
    case("nn.max_pool2d", arrays((1, 0, 3, 1)), ksize=2, strides=1, padding="SAME"),
    case("nn.max_pool3d", arrays((1, 0, 3, 2, 1)), ksize=2, strides=2, padding="SAME"),
    case("nn.avg_pool2d", arrays([(1, 0, 3, 1), (1, 1, 3, 1)]), ksize=2, strides=2, padding=PADDING),
    case("nn.conv1d", arrays((1, 0, 2)), arrays((3, 2, 2)), stride=each(1, 2), padding="SAME"),
    case("nn.conv2d", arrays((1, 0, 4, 2)), arrays((3, 3, 2, 2)), strides=1, padding="SAME"),
    refused("nn.conv2d", arrays((1, 0, 5, 2)), arrays((3, 3, 2, 3)), strides=1, padding="VALID"),
    refused("nn.avg_pool2d", arrays((1, 0, 5, 2)), ksize=3, strides=1, padding="VALID"),
    refused("nn.conv2d", arrays((1, 5, 5, 2)), arrays((3, 3, 3, 3)), strides=1, padding="SAME"),
    refused("nn.conv2d", arrays((1, 5, 5, 2)), arrays((3, 3, 2, 3)), strides=1, padding=each("same", "FULL")),
    refused("nn.conv2d", arrays((1, 5, 5, 2)), arrays((3, 3, 2, 3), "float64"), strides=1, padding="SAME"),
    refused("nn.conv2d", arrays((1, 5, 5, 2)), arrays((3, 3, 2, 3)), strides=each(0, [2, 1, 1, 1]), padding="SAME"),
    refused("nn.max_pool2d", arrays((1, 5, 5, 2)), ksize=each(0, 7), strides=1, padding="VALID"),
    refused("nn.max_pool2d", arrays((5, 5, 2)), ksize=2, strides=1, padding="VALID"),
]
