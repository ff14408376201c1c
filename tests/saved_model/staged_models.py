"""Functions of strings, ragged and sparse tensors, and of results whose sizes depend on values, with calls.

python -m tests.saved_model.staged_models FOLDER
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tests.on_tensorflow import stand_in

if __name__ == "__main__" and os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf


class Case(NamedTuple):
    """A function, the specs of its parameters, and arguments for calls, each a tuple."""

    compute: Callable[..., Any]
    specs: list[Any]
    calls: list[tuple[Any, ...]]


def texts(*sizes: int | None) -> Any:
    """The type of strings."""
    return tf.TensorSpec(list(sizes), tf.string)


def numbers(*sizes: int | None, dtype: Any = tf.float32) -> Any:
    """The type of numbers."""
    return tf.TensorSpec(list(sizes), dtype)


def example(*values: float) -> bytes:
    """A serialized message."""
    feature = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=values))}
    feature["k"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[len(values)]))
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def parsed(serialized: Any) -> Any:
    """Two features, one with a default, one that is sparse."""
    features = {
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "k": tf.io.VarLenFeature(tf.int64),
        "missing": tf.io.FixedLenFeature([], tf.string, "none"),
    }
    found = tf.io.parse_example(serialized, features)
    return found["x"] * 2.0, found["k"], found["missing"]


def thumbnail(picture: Any) -> Any:
    """A decoded picture of a fixed size."""
    image = tf.image.convert_image_dtype(tf.io.decode_png(picture, channels=3), tf.float32)
    return tf.image.resize(image, [3, 3])


def decoded(picture: Any) -> Any:
    """A decoded picture of any size."""
    return tf.io.decode_png(picture, channels=3)


def centred_square(picture: Any) -> Any:
    """The middle of a decoded picture."""
    image = decoded(picture)
    size = tf.minimum(tf.shape(image)[0], tf.shape(image)[1])
    return tf.image.resize_with_crop_or_pad(image, size, size)


def middle(picture: Any) -> Any:
    """The part of 2 by 3 in the middle of a decoded picture, whose smaller side has 4 pixels."""
    image = decoded(picture)
    sides = tf.cast(tf.shape(image)[:2], tf.float32)
    sides = tf.cast(tf.round(sides * 4.0 / tf.reduce_min(sides)), tf.int32)
    image = tf.image.resize(image, sides, "nearest")
    top, left = (sides[0] - 2) // 2, (tf.shape(image)[1] - 3) // 2
    return image[top : top + 2, left : left + 3], image[tf.minimum(top, 1) :, 0]


def padded_square(picture: Any) -> Any:
    """A decoded picture with zeros around it."""
    image = decoded(picture)
    height, width = tf.shape(image)[0], tf.shape(image)[1]
    size = tf.maximum(height, width)
    padded = tf.image.pad_to_bounding_box(image, (size - height) // 2, (size - width) // 2, size, size)
    return tf.image.crop_to_bounding_box(padded, 0, 1, 2, size - 1)


def nearest(picture: Any) -> Any:
    """A decoded picture in other sizes, whose elements are those of the picture."""
    image = decoded(picture)
    return (
        tf.image.resize(image, [3, 7], preserve_aspect_ratio=True, method="nearest"),
        tf.image.resize_with_pad(image, 8, 6, method="nearest"),
    )


def chosen_boxes(boxes: Any, scores: Any) -> Any:
    """The boxes that a detector keeps."""
    kept, left = tf.image.non_max_suppression_with_scores(boxes, scores, 3, soft_nms_sigma=0.5)
    return tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, 3, 0.4)), kept, left


RAGGED = tf.RaggedTensorSpec([None, None], tf.float32)
ROWS = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
PICTURE = tf.io.encode_png(np.arange(60, dtype=np.uint8).reshape(5, 4, 3)).numpy()
WIDE = tf.io.encode_png(np.arange(231, dtype=np.uint8).reshape(7, 11, 3)).numpy()
PICTURES = [(PICTURE,), (WIDE,)]
BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]
LABELS = tf.constant(["cat", "dog", "owl"])
CASES = {
    "image, centre": Case(lambda s: tf.image.central_crop(decoded(s), 0.5), [texts()], PICTURES),
    "image, encoded": Case(
        lambda s: tf.io.decode_png(tf.io.encode_png(tf.image.rot90(decoded(s)), compression=2)), [texts()], PICTURES
    ),
    "image, middle": Case(middle, [texts()], PICTURES),
    "image, square": Case(centred_square, [texts()], PICTURES),
    "image, nearest": Case(nearest, [texts()], PICTURES),
    "image, padded": Case(padded_square, [texts()], PICTURES),
    "image, part": Case(lambda s: (decoded(s)[1:, :2], decoded(s)[1:-1, ::-2]), [texts()], PICTURES),
    "image, standard": Case(
        lambda s: tf.round(tf.image.per_image_standardization(decoded(s)) * 100.0), [texts()], PICTURES
    ),
    "images": Case(
        lambda s: tf.map_fn(lambda one: tf.image.resize_with_crop_or_pad(decoded(one), 6, 6), s, tf.uint8),
        [texts(None)],
        [([PICTURE, WIDE],), ([WIDE],)],
    ),
    "boxes": Case(chosen_boxes, [numbers(None, 4), numbers(None)], [(BOXES, [0.5, 0.9, 0.3]), (BOXES[1:], [0.1, 0.2])]),
    "added": Case(lambda s: s + "-" + s, [texts(None)], [(["a", "bc"],), ([""],)]),
    "argmax": Case(lambda x: tf.gather(LABELS, tf.argmax(x, -1)), [numbers(None, 3)], [([[0.0, 1.0, 0.5]],)]),
    "base64": Case(lambda s: tf.io.encode_base64(s, pad=True), [texts(None)], [(["a", "bcd"],)]),
    "buckets": Case(
        lambda s: (tf.strings.to_hash_bucket_fast(s, 9), tf.strings.to_hash_bucket_strong(s, 9, [3, 4])),
        [texts(None)],
        [(["a", "b"],), (["c"],)],
    ),
    "characters": Case(
        lambda s: (tf.strings.unicode_split(s, "UTF-8"), tf.strings.unicode_split(s[0], "UTF-8")),
        [texts(None)],
        [(["aé", "", "z"],), (["b\xff"],)],
    ),
    "compared": Case(lambda s: tf.cast(s == "a", tf.float32) * 2.0, [texts(None)], [(["a", "b"],)]),
    "count": Case(lambda n: tf.range(n) * 2, [numbers(dtype=tf.int32)], [(3,), (5,)]),
    "counted": Case(
        lambda s: (
            tf.math.bincount(tf.strings.length(tf.strings.split(s)), minlength=3, maxlength=3, axis=-1),
            tf.math.bincount(
                tf.strings.length(tf.strings.split(s)), minlength=3, maxlength=3, axis=-1, binary_output=True
            ),
        ),
        [texts(None)],
        [(["a b ccc", "", "dd"],), (["a"],)],
    ),
    "examples": Case(parsed, [texts(None)], [([example(1.0, 2.0), example(3.0, 4.0)],), ([example(5.0, 6.0)],)]),
    "first": Case(lambda x: x[: tf.cast(x[0], tf.int32)] * 2.0, [numbers(None)], [([2.0, 3.0, 4.0],), ([1.0],)]),
    "joined": Case(lambda s: tf.strings.join([s, "-", s], "+"), [texts(None)], [(["a", "b"],)]),
    "joined along": Case(
        lambda s: (
            tf.strings.reduce_join(s),
            tf.strings.reduce_join(s, 0, separator="-"),
            tf.strings.reduce_join(s, [0, 1], keepdims=True, separator="+"),
        ),
        [texts(None, 2)],
        [([["a", "b"], ["c", "d"]],), ([["a", "b"]],)],
    ),
    "lengths": Case(
        lambda s: tf.strings.length(tf.strings.upper(s)) + tf.shape(s)[0],
        [texts(None)],
        [(["ab", "c", ""],), (["x"],)],
    ),
    "mapped": Case(
        lambda s: tf.reduce_mean(tf.map_fn(thumbnail, s, fn_output_signature=tf.float32), [1, 2]),
        [texts(None)],
        [([PICTURE, tf.io.encode_png(np.full((4, 7, 3), 9, np.uint8)).numpy()],), ([PICTURE],)],
    ),
    "mapped in a map": Case(
        lambda s: tf.map_fn(
            lambda row: tf.map_fn(lambda x: tf.strings.to_number(x) * 2.0, row, fn_output_signature=tf.float32),
            s,
            fn_output_signature=tf.float32,
        ),
        [texts(None, 2)],
        [([["1", "2"], ["3", "4"], ["5", "6"]],)],
    ),
    "mapped pairs": Case(
        lambda s, x: tf.map_fn(
            lambda pair: (tf.strings.length(pair[0]), tf.strings.join([pair[0], "!"]), pair[1] + tf.reduce_sum(x)),
            (s, x),
            fn_output_signature=(tf.int32, tf.string, tf.float32),
        ),
        [texts(None), numbers(None)],
        [(["a", "bcd"], [1.0, 2.0])],
    ),
    "masked": Case(lambda x: tf.boolean_mask(x * 2.0, x > 0.0), [numbers(None)], [([1.0, -1.0, 3.0],), ([-1.0],)]),
    "moved": Case(
        lambda s: tf.concat([tf.reshape(s, [-1]), s[:, 0], tf.tile(s[1], [2])], 0),
        [texts(None, 2)],
        [([["a", "b"]] * 2,)],
    ),
    "parts": Case(
        lambda s: (*tf.split(s, 2), *tf.split(s, [1, 2, 1]), *tf.split(tf.stack([s, s]), [1, -1], 1)),
        [texts(4)],
        [(["a", "b", "c", "d"],)],
    ),
    "parts of an open size": Case(lambda s: tf.split(tf.concat([s, s], 0), 2), [texts(None)], [(["a", "b", "c"],)]),
    "gathered": Case(
        lambda s, k: (tf.gather(s, k, axis=1), tf.gather(s, [[1], [0]], batch_dims=1)),
        [texts(2, 2), numbers(None, dtype=tf.int32)],
        [([["a", "b"], ["c", "d"]], [1, 1, 0])],
    ),
    "number": Case(lambda s: tf.strings.to_number(s) + 1.0, [texts(None)], [(["1.5", "2"],)]),
    "padded": Case(lambda r: r.to_tensor(-1.0) + 1.0, [RAGGED], [(ROWS,)]),
    "padded words": Case(lambda s: tf.strings.split(s).to_tensor(""), [texts(None)], [(["a b", "c"],)]),
    "padded with a word": Case(lambda s: tf.strings.split(s, ",").to_tensor("é"), [texts(None)], [(["a,b", "c"],)]),
    "padded to a width": Case(
        lambda s: (
            tf.strings.split(s).to_tensor(shape=(None, 2)),
            tf.strings.split(s).to_tensor("-", shape=[2, 3]),
            tf.strings.split(s).to_tensor(shape=tf.constant([-1, 1])),
            tf.strings.split(s).to_tensor(shape=tf.TensorShape(None)),
            tf.strings.split(s).to_tensor(shape=[tf.size(s), 2]),
            tf.strings.split(s).to_tensor("-", shape=tf.stack([tf.size(s) + 1, -1])),
        ),
        [texts(None)],
        [(["a b c", "d"],)],
    ),
    "picture": Case(
        lambda s: tf.image.resize(tf.io.decode_png(s, channels=3), [3, 3]) / 255.0, [texts()], [(PICTURE,)]
    ),
    "ragged": Case(lambda r: (tf.reduce_sum(r, axis=1), r * 2.0), [RAGGED], [(ROWS,)]),
    "replaced": Case(
        lambda s: tf.strings.strip(tf.strings.regex_replace(tf.strings.lower(s), "[0-9]+", "#")),
        [texts(None)],
        [([" A1 ", "b22c"],)],
    ),
    "runs": Case(
        lambda s: (
            tf.strings.ngrams(tf.strings.split(s), (1, 2)),
            tf.strings.ngrams(tf.strings.split(s), 3, "-", ("<", ">"), preserve_short_sequences=True),
            tf.strings.ngrams(s, 2, pad_values="*", padding_width=1),
            tf.strings.ngrams(tf.stack([s, s]), 2),
        ),
        [texts(None)],
        [(["a b c", "", "d"],), (tf.constant([], tf.string),)],
    ),
    "sign": Case(lambda x: tf.where(x > 0.0, "up", "down"), [numbers(None)], [([1.0, -1.0],)]),
    "spelled": Case(
        lambda x: tf.strings.as_string(x * 2, width=4, fill="0"), [numbers(None, dtype=tf.int32)], [([1, 20],)]
    ),
    "sparse": Case(
        lambda s: tf.sparse.to_dense(s, default_value=-1.0) * 2.0,
        [tf.SparseTensorSpec([None, 3], tf.float32)],
        [(tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]),)],
    ),
    "substring": Case(lambda s: tf.strings.substr(s, 1, 2), [texts(None)], [(["abcd", "xyz"],)]),
    "unique": Case(lambda x: tf.unique(x).y, [numbers(None, dtype=tf.int32)], [([3, 3, 1],)]),
    "unstacked": Case(lambda s: tf.stack(tf.unstack(s)[::-1]), [texts(3)], [(["a", "b", "c"],)]),
    "words": Case(lambda s: tf.strings.split(s), [texts(None)], [(["a b", "", "c d e"],)]),
    "words of one": Case(lambda s: tf.strings.split(s, ","), [texts()], [("a,b",)]),
}


def shown(result: Any) -> list[Any]:
    """The values of all tensors; the last digits of floats depend on the program."""
    arrays = [each.numpy() for each in tf.nest.flatten(result, expand_composites=True)]
    return [
        np.round(x, 5).tolist() if np.asarray(x).dtype.kind == "f" else x.tolist() if hasattr(x, "tolist") else x
        for x in arrays
    ]


def save(name: str, folder: str) -> Any:
    """Saves a module with the function `name`, and returns it."""
    compute, specs, _ = CASES[name]
    module = tf.Module()
    module.f = tf.function(compute, input_signature=specs)
    tf.saved_model.save(module, folder)
    return module


def results(name: str, function: Any) -> list[Any]:
    """The results of the calls of `function`."""
    found: list[Any] = []
    for call in CASES[name].calls:
        args = [arg if hasattr(arg, "dense_shape") or hasattr(arg, "row_splits") else tf.constant(arg) for arg in call]
        found.append(shown(function(*args)))
    return found


def main() -> None:
    """Loads the models in a folder and prints their results."""
    found = {name: results(name, tf.saved_model.load(f"{sys.argv[1]}/{name}").f) for name in CASES}
    print(json.dumps(found, default=bytes.decode))


if __name__ == "__main__":
    main()
