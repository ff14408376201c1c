"""Losses on logits, and averages of losses."""

from __future__ import annotations

from tests.cases.dtype import FLOATING
from tests.cases.recipe import arrays, case, each, refused, tensor

LOGITS = [(3, 4), (4,), (0, 4), ((2, 4), "corners"), (2, 3, 2)]
LABELS = [((3, 4), "probability"), ((4,), "probability"), (0, 4), ((2, 4), "probability"), ((2, 3, 2), "probability")]

CASES = [
    case(
        "nn.sigmoid_cross_entropy_with_logits",
        arrays([(2, 3), (), ((16,), "corners"), ((12,), "specials")], FLOATING),
        arrays([(2, 3), (), (16,), (12,)]),
    ),
    case("nn.sigmoid_cross_entropy_with_logits", labels=arrays((2, 3), fill="probability"), logits=arrays((2, 3))),
    case(
        "nn.weighted_cross_entropy_with_logits", arrays((2, 3), FLOATING, "probability"), arrays((2, 3)), each(2.0, 0.5)
    ),
    case("nn.softmax_cross_entropy_with_logits", arrays(LABELS, FLOATING), arrays(LOGITS)).without(
        second_slope="TensorFlow's second derivative leaves out the mixed one for the labels"
    ),
    case("nn.softmax_cross_entropy_with_logits", arrays((3, 4), fill="probability"), arrays((3, 4)), axis=each(0, -1)),
    case("nn.softmax_cross_entropy_with_logits", labels=[[0.0, 1.0], [1.0, 0.0]], logits=arrays((2, 2))),
    case("nn.sparse_softmax_cross_entropy_with_logits", tensor([0, 3, 2], "int32"), arrays((3, 4), FLOATING)),
    case(
        "nn.sparse_softmax_cross_entropy_with_logits",
        labels=each(tensor([1, 0], "int64"), [1, 0]),
        logits=arrays((2, 2)),
    ),
    case("nn.sparse_softmax_cross_entropy_with_logits", tensor([[0, 1], [1, 1]], "int64"), arrays((2, 2, 3))),
    case("nn.sparse_softmax_cross_entropy_with_logits", tensor(1, "int32"), arrays((3,))),
    case("nn.log_poisson_loss", arrays((2, 3), fill="positive"), arrays((2, 3)), compute_full_loss=each(False, True)),
    case("nn.compute_average_loss", arrays((4,), fill="positive"), global_batch_size=each(8, 4)),
    case(
        "nn.compute_average_loss",
        arrays((4,), fill="positive"),
        sample_weight=[1.0, 0.5, 0.0, 1.0],
        global_batch_size=4,
    ),
    case(
        "nn.compute_average_loss", arrays((4,), ("float64", "int8", "int32", "uint8", "complex64")), [0.5, 0.3, 1, 2]
    ).without(slope="losses are weighted in float32"),
    case("nn.compute_average_loss", arrays((4,), ("float64", "int8", "int32", "complex64"))),
    refused("nn.compute_average_loss", arrays((4,), "bool")),
    refused("nn.sparse_softmax_cross_entropy_with_logits", tensor(1, "int32"), arrays(())),
    case("nn.scale_regularization_loss", arrays((2,), ("float32", "int8", "int32", "complex64"))),
    refused("nn.sigmoid_cross_entropy_with_logits", arrays((2, 3)), arrays((3,))),
    refused("nn.sigmoid_cross_entropy_with_logits", arrays((2,)), arrays((2,), "float64")),
    refused("nn.softmax_cross_entropy_with_logits", arrays((2, 3)), arrays((2, 4))),
    refused("nn.softmax_cross_entropy_with_logits", arrays([(2, 3), (2, 1, 3)], "float32"), arrays([(2, 2, 3)])),
    *(
        case("nn.softmax_cross_entropy_with_logits", arrays(shape, fill="probability"), arrays((2, 2, 3))).without(
            gradient="TensorFlow's has the shape of the logits also for labels that were broadcast, and is refused",
            second_order="there is no first one",
        )
        for shape in ((1,), (3,), (4, 3), (4, 1), (2, 2, 1))
    ),
    refused(
        "nn.sparse_softmax_cross_entropy_with_logits",
        each(tensor([4, 0], "int32"), tensor([-1, 0], "int32"), tensor([0, 1, 1], "int32")),
        arrays((2, 4)),
    ),
    refused("nn.sparse_softmax_cross_entropy_with_logits", tensor([0.5, 1.0], "float32"), arrays((2, 4))),
    refused("nn.sparse_softmax_cross_entropy_with_logits", tensor([[0], [1]], "int32"), arrays((2, 4))),
]
