"""Losses of labels with unknown positions in the frames."""

from __future__ import annotations

from tests.cases.recipe import arrays, case, each, refused, tensor

LABELS = tensor([[1, 2, 0], [1, 1, 0], [3, 2, 1]], "int32")
SHIFTED = tensor([[0, 1, 3], [0, 0, 3], [2, 1, 0]], "int32")
LENGTHS = tensor([2, 2, 3], "int32")
FRAMES = tensor([5, 4, 5], "int32")
LOGITS = arrays((5, 3, 4), ("float32", "float16", "bfloat16"))
SECOND = {"second_order": "TensorFlow's is nan"}

CASES = [
    case("nn.ctc_loss", LABELS, LOGITS, LENGTHS, FRAMES).without(**SECOND),
    case("nn.ctc_loss", LABELS, arrays((3, 5, 4)), LENGTHS, FRAMES, logits_time_major=False).without(**SECOND),
    case("nn.ctc_loss", SHIFTED, arrays((5, 3, 4)), LENGTHS, FRAMES, blank_index=each(-1, 3)).without(**SECOND),
    case("nn.ctc_loss", LABELS, arrays((5, 3, 4)), LENGTHS, FRAMES, True, None, each(None, 0, 2)).without(**SECOND),
    case("nn.ctc_loss", LABELS, arrays((5, 3, 4)), tensor([0, 1, 9], "int64"), tensor([9, 0, 2], "int64")).without(
        **SECOND
    ),
    case("nn.ctc_loss", tensor([[1], [2], [5]], "int32"), arrays((5, 3, 200)), [1, 1, 1], [5, 4, 5]).without(**SECOND),
    case("nn.ctc_unique_labels", each(LABELS, tensor([[3, 3, 1, 3], [0, 2, 2, 0]], "int64"))),
    case("nn.collapse_repeated", tensor([[1, 1, 2, 2, 1], [3, 3, 3, 3, 3], [1, 2, 3, 4, 5]], "int32"), [3, 5, 0]),
    case("nn.collapse_repeated", tensor([[1, 1, 2, 1], [3, 3, 3, 0]], "float32"), tensor([4, 3], "int64")),
    case("nn.collapse_repeated", tensor([[1, 1], [1, 2]], "int64"), [0, 0]),
    refused("nn.ctc_loss", LABELS, arrays((5, 3, 4), "float64"), LENGTHS, FRAMES),
    refused("nn.ctc_loss", LABELS, arrays((5, 3, 4), "int32"), LENGTHS, FRAMES),
    refused("nn.ctc_loss", tensor([[1.0], [1.0], [1.0]], "float32"), arrays((5, 3, 4)), LENGTHS, FRAMES),
    refused("nn.ctc_loss", LABELS, arrays((5, 2, 4)), LENGTHS, FRAMES),
    refused("nn.ctc_loss", LABELS, arrays((5, 3, 4)), tensor([1, 2], "int32"), FRAMES),
    refused("nn.collapse_repeated", tensor([1, 1], "int32"), [1, 1]),
]
