"""The nonlinearities of networks, and normalisations along an axis."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, INTEGER
from tests.cases.form import UNARY
from tests.cases.recipe import arrays, case, each, refused, tensor

# TensorFlow's two CPU kernels for softmax answer differently for rows with nan or inf.
NUMBERS = [(3, 4), (4,), (2, 3, 2), (0, 3), ((2, 4), "corners")]
ROWS = [*NUMBERS, ((3, 3), "with_nan"), ((1, 12), "specials")]

CASES = [
    case("nn.relu", arrays(UNARY, (*FLOATING, *INTEGER))),
    case("nn.relu6", arrays(UNARY, (*FLOATING, *INTEGER))),
    case("nn.leaky_relu", arrays(UNARY, FLOATING), alpha=each(0.2, 0.01, 1.5)),
    case("nn.leaky_relu", arrays((2, 3))),
    case("nn.elu", arrays(UNARY, FLOATING)),
    case("nn.selu", arrays(UNARY, FLOATING)),
    case("nn.gelu", arrays(UNARY, FLOATING), approximate=each(False, True)),
    case("nn.gelu", arrays((2, 3))),
    case("nn.silu", arrays(UNARY, FLOATING)),
    case("nn.silu", arrays((2, 3)), beta=each(2.0, 0.5)),
    case("nn.swish", arrays((2, 3))),
    case("nn.softplus", arrays(UNARY, FLOATING)),
    case("nn.softsign", arrays(UNARY, FLOATING)),
    case("nn.tanh", arrays((2, 3))),
    case("nn.sigmoid", arrays((2, 3))),
    case("nn.crelu", arrays((2, 3))),
    refused("nn.crelu", arrays((2, 3), "uint8")),
    case("nn.softmax", arrays(NUMBERS, FLOATING), axis=each(None, 0, -1)),
    case("nn.log_softmax", arrays(ROWS, FLOATING), axis=each(None, 0, -1)),
    case("nn.bias_add", arrays([(2, 3), (2, 2, 3), (0, 3)], FLOATING), arrays([(3,), (3,), (3,)])),
    case("nn.bias_add", arrays((1, 3, 2, 2)), arrays((3,)), data_format="NCHW"),
    case(
        "nn.batch_normalization",
        arrays((4, 3), FLOATING), arrays((3,)), arrays((3,), fill="positive"), arrays((3,)), arrays((3,)), 1e-3,
    ),
    case("nn.batch_normalization", arrays((4, 3)), arrays((3,)), arrays((3,), fill="positive"), None, None, 1e-3),
    case("nn.local_response_normalization", arrays((1, 2, 2, 4)), depth_radius=2),
    refused("nn.softmax", arrays((2, 3)), axis=each(2, -3)),
    refused("nn.softmax", tensor([1, 2], "int32")),
    refused("nn.log_softmax", arrays((2, 3)), axis=2),
    refused("nn.bias_add", arrays((2, 3)), arrays((2,))),
    refused("nn.bias_add", arrays((2, 3)), arrays((3, 1))),
    refused("nn.elu", tensor([1], "int32")),
    refused("nn.gelu", tensor([1], "int32")),
    refused("nn.relu", tensor([True], "bool")),
    refused("nn.softplus", tensor([1], "int32")),
]  # fmt: skip
