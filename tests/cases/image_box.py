"""Images: selection, drawing and sampling of boxes, glimpses, rotation and stretching."""

from __future__ import annotations

from tests.cases.recipe import arrays, case, each, refused, tensor

BOXES = tensor(
    [
        [0.0, 0.0, 0.5, 0.5],
        [0.05, 0.0, 0.55, 0.5],
        [0.1, 0.1, 0.9, 0.6],
        [0.9, 0.9, 0.4, 0.4],
        [0.4, 0.5, 0.9, 1.0],
        [0.2, 0.2, 0.2, 0.8],
    ],
    "float32",
)
SCORES = tensor([0.5, 0.9, 0.75, 0.75, 0.6, 0.3], "float32")
HALF = [tensor(BOXES.content, "float16"), tensor(SCORES.content, "float16")]
OVERLAPS = tensor([[1, 0.6, 0.1, 0], [0.3, 1, 0.7, 0.2], [0.9, 0.4, 1, 0.5], [0, 0.8, 0.5, 1]], "float32")
FOUR = tensor([0.3, 0.9, 0.9, 0.1], "float32")
NO_GRADIENT = {"gradient": "TensorFlow raises LookupError for what has none here"}
SUPPRESSION = [
    case(
        "image.non_max_suppression", BOXES, SCORES, each(6, 2, 0, 50, tensor(3, "int32")), each(0.5, 0.1, 1.0)
    ).without(**NO_GRADIENT),
    case("image.non_max_suppression", *HALF, 6, iou_threshold=0.5, score_threshold=0.4).without(**NO_GRADIENT),
    case(
        "image.non_max_suppression", boxes=BOXES, scores=SCORES, max_output_size=5, score_threshold=each(0.6, 2.0)
    ).without(**NO_GRADIENT),
    case("image.non_max_suppression", tensor([[0, 0, 1, 1]], "float32"), [1.0], 3).without(**NO_GRADIENT),
    refused("image.non_max_suppression", BOXES, SCORES, each(-1, 2.5, tensor(3, "int64")), 0.5),
    refused("image.non_max_suppression", BOXES, SCORES, 3, each(1.5, -0.5, 1, [0.5])),
    refused("image.non_max_suppression", BOXES, each(FOUR, tensor([[0.5]] * 6, "float32")), 3),
    refused("image.non_max_suppression", tensor(BOXES.content, "float64"), tensor(SCORES.content, "float64"), 3),
    case("image.non_max_suppression_with_scores", BOXES, SCORES, 6, 0.5, 0.05, each(0.0, 0.5, 0.1)).without(
        **NO_GRADIENT
    ),
    case(
        "image.non_max_suppression_with_scores",
        *HALF,
        6,
        *(tensor(number, "float16") for number in (0.5, 0.1, 0.0)),
    ).without(**NO_GRADIENT),
    refused("image.non_max_suppression_with_scores", BOXES, SCORES, 6, soft_nms_sigma=-1.0),
    case(
        "image.non_max_suppression_overlaps", OVERLAPS, FOUR, each(4, 2, 0), each(0.5, 0.2, 1.0, -1.0), each(-1.0, 0.2)
    ),
    refused("image.non_max_suppression_overlaps", arrays((3, 4)), arrays((4,)), 2),
    refused("image.non_max_suppression_overlaps", OVERLAPS, FOUR, -2),
    refused("image.non_max_suppression_overlaps", tensor([[1, 0], [0, 1]], "int32"), tensor([1, 2], "int32"), 2),
    case(
        "image.non_max_suppression_padded",
        BOXES,
        SCORES,
        each(8, 3),
        each(0.5, 0.2),
        each(float("-inf"), 0.55),
        pad_to_max_output_size=each(True, False),
    ),
    case("image.non_max_suppression_padded", BOXES, SCORES, 4, 0.5, -1.0, True, tile_size=2),
    case(
        "image.non_max_suppression_padded",
        arrays((2, 3, 20, 4), fill="positive"),
        arrays((2, 3, 20)),
        12,
        0.3,
        0.1,
        True,
        sorted_input=each(False, True),
        canonicalized_coordinates=each(False, True),
    ),
    refused("image.non_max_suppression_padded", arrays((2, 5, 4)), arrays((2, 5)), 3),
    refused("image.non_max_suppression_padded", arrays((5, 4), "float64"), arrays((5,), "float64"), 3),
    case(
        "image.combined_non_max_suppression",
        arrays([(2, 12, 1, 4), (1, 9, 3, 4)], fill="positive"),
        arrays([(2, 12, 3), (1, 9, 3)], fill="probability"),
        each(4, 20),
        5,
        0.4,
        0.2,
    ),
    case(
        "image.combined_non_max_suppression",
        arrays((2, 12, 1, 4), fill="positive"),
        arrays((2, 12, 3), fill="probability"),
        2,
        40,
        score_threshold=0.2,
        pad_per_class=each(False, True),
        clip_boxes=False,
    ),
    refused("image.combined_non_max_suppression", arrays((2, 12, 2, 4)), arrays((2, 12, 3)), 3, 4),
    refused("image.combined_non_max_suppression", arrays((1, 5, 1, 4)), arrays((1, 5, 2)), each(0, -1), 4),
    refused("image.combined_non_max_suppression", arrays((1, 5, 1, 4)), arrays((1, 5, 2)), 3, each(0, -1)),
    refused("image.combined_non_max_suppression", arrays((1, 5, 1, 4)), arrays((1, 5, 2)), 3, 4, each(1.5, -0.5)),
    refused("image.combined_non_max_suppression", arrays((5, 1, 4)), arrays((1, 5, 2)), 3, 4),
]

FRAMES = tensor(
    [[[0.1, 0.2, 0.7, 0.8], [-0.5, 0.2, 0.5, 1.5], [0.8, 0.2, 0.3, 0.5], [-0.2, -0.2, 1.2, 1.2], [1, 1, 1, 1]]],
    "float32",
)
COLOURS = tensor([[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]], "float32")
IMAGES = arrays([(1, 6, 7, 3), (1, 5, 5, 4), (1, 4, 9, 1)], ("float32", "float16"))
DRAWING = [
    case("image.draw_bounding_boxes", IMAGES, FRAMES, each(None, COLOURS)),
    case("image.draw_bounding_boxes", arrays((1, 9, 9, 3)), arrays((1, 23, 4), "float32", "unit"), colors=None),
    refused("image.draw_bounding_boxes", arrays([(6, 7, 3), (1, 6, 7, 2), (2, 6, 7, 3)]), FRAMES, None),
    refused("image.draw_bounding_boxes", arrays((1, 6, 7, 3)), FRAMES, each([[1.0, 0.0]], [1.0, 0.0, 0.0])),
    refused("image.draw_bounding_boxes", arrays((1, 6, 7, 3), ("float64", "uint8")), FRAMES, None),
]

PLACES = each([[0.0, 0.0], [0.3, -0.4]], [[-0.6, 0.5], [1.0, 2.0]])
GLIMPSES = [
    case("image.extract_glimpse", arrays((2, 5, 8, 2)), (3, 4), PLACES, each(True, False), each(True, False), "zero"),
    case(
        "image.extract_glimpse",
        arrays((2, 5, 8, 2)),
        (2, 3),
        [[0.0, 0.0], [0.2, 0.1]],
        noise=each("uniform", "gaussian"),
    ),
    refused("image.extract_glimpse", arrays((1, 5, 8, 2)), (3, 4), [[0.0, 0.0], [0.0, 0.0]]),
    refused("image.extract_glimpse", arrays([(5, 8, 2), (1, 5, 8, 2)]), (3, 4), [0.0, 0.0]),
    refused("image.extract_glimpse", arrays((1, 5, 8, 2)), (3, 4), [[0.0, 0.0]], noise="white"),
]

OBJECTS = tensor([[[0.1, 0.2, 0.6, 0.8], [0.3, 0.3, 0.9, 0.5]]], "float32")
SAMPLE = "image.stateless_sample_distorted_bounding_box"
SAMPLING = [
    case(SAMPLE, tensor([40, 50, 3], "int32"), OBJECTS, each((1, 2), (3, 4), (5, 6)), each(0.1, 0.6)).without(
        **NO_GRADIENT
    ),
    case(SAMPLE, each(tensor([40, 50, 3], "int64"), tensor([120, 90, 3], "uint8")), OBJECTS, (3, 4)).without(
        **NO_GRADIENT
    ),
    case(
        SAMPLE, [33, 70, 1], OBJECTS, (7, 8), aspect_ratio_range=(0.3, 3.0), area_range=(0.2, 0.5), max_attempts=4
    ).without(**NO_GRADIENT),
    case(SAMPLE, [33, 70, 1], arrays((0, 0, 4)), (7, 8), use_image_if_no_bounding_boxes=True).without(**NO_GRADIENT),
    refused(SAMPLE, [40, 50, 3], arrays((1, 0, 4)), (1, 2)),
    refused(SAMPLE, each([40, 50], [40.0, 50.0, 3.0]), OBJECTS, (1, 2)),
    refused(SAMPLE, [40, 50, 3], each([[0.1, 0.2, 0.3, 0.4]], [[[0.1, 0.2, 0.3]]], [[[0.1, 0.2, 0.3, 1.4]]]), (1, 2)),
    refused(SAMPLE, [40, 50, 3], OBJECTS, (1, 2), area_range=each((0.5, 1.5), (0.0, 1.0), (0.5,))),
    refused(SAMPLE, [40, 50, 3], OBJECTS, (1, 2), aspect_ratio_range=each((0.0, 1.5), (-1.0, 1.0))),
    refused(SAMPLE, [40, 50, 3], OBJECTS, (1, 2), max_attempts=each(0, -1)),
    refused(SAMPLE, [40, 50, 3], OBJECTS, (1, 2), min_object_covered=-0.5),
]

CASES = [*SUPPRESSION, *DRAWING, *GLIMPSES, *SAMPLING]
