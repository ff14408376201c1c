"""Functions of kernels that only graphs of TensorFlow have: random numbers, strings, ragged tensors, files, checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tfcompat as tf


class Single(NamedTuple):
    """A function, and the arguments of a call.

    Attributes:
      compute: the function.
      specs: those of its parameters.
      args: the arguments.
      repeats: how often it is called: the numbers that it draws depend on the calls before.
    """

    compute: Callable[..., Any]
    specs: tuple[Any, ...]
    args: tuple[Any, ...]
    repeats: int = 1


NUMBERS = (tf.TensorSpec([None], tf.float32),)
THREE = (tf.TensorSpec([3], tf.float32),)
WORDS = (tf.TensorSpec([None], tf.string),)
TEXT = (tf.TensorSpec([], tf.string),)
X = (np.array([1.0, 2.0, 3.0], np.float32),)
S = (np.array([b"a b", b"", b"c d e"], object),)
SEED = [7, 8]


def _drawn(compute: Callable[[], Any], repeats: int = 2) -> Single:
    return Single(compute, (), (), repeats)


def _example() -> bytes:
    feature = {
        "dense": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "sparse": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 4, 5])),
        "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def _parsed(texts: Any) -> Any:
    features = {
        "dense": tf.io.FixedLenFeature([2], tf.float32),
        "missing": tf.io.FixedLenFeature([], tf.float32, 9.0),
        "sequence": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
        "sparse": tf.io.VarLenFeature(tf.int64),
        "word": tf.io.RaggedFeature(tf.string),
    }
    return tf.io.parse_example(texts, features)


def _grown(x: Any) -> Any:
    found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for k in tf.range(tf.shape(x)[0]):
        found = found.write(k, x[k] * 2.0)
    return found.stack()


def _asserted(x: Any) -> Any:
    tf.debugging.assert_greater(x, 0.0)
    tf.print(x)
    return x + 1.0


def _ragged(x: Any) -> Any:
    return tf.RaggedTensor.from_row_lengths(x, tf.constant([1, 0, 2], tf.int64))


SINGLES = {
    "asserted": Single(_asserted, NUMBERS, X),
    "bytes": Single(lambda s: tf.strings.bytes_split(s).to_tensor(b"-"), WORDS, S),
    "categorical": _drawn(lambda: tf.random.categorical([[1.0, 2.0, 3.0]] * 2, 5)),
    "compared": Single(lambda s: (s == "a b", s != "a b"), WORDS, S),
    "counted": Single(
        lambda x: tf.math.bincount(tf.cast(_ragged(x), tf.int64), minlength=3, maxlength=3, axis=-1), THREE, X
    ),
    "dropout": _drawn(lambda: tf.nn.dropout(tf.ones([8]), 0.5)),
    "examples": Single(_parsed, WORDS, (np.array([_example(), _example()], object),)),
    "folded": Single(lambda x: x + tf.random.stateless_uniform([3], tf.random.fold_in(SEED, 3)), NUMBERS, X),
    "gamma": _drawn(lambda: tf.random.gamma([3], [1.5, 2.0])),
    "grown": Single(_grown, NUMBERS, X),
    "integers": _drawn(lambda: tf.random.uniform([4], 0, 100, tf.int32)),
    "normal": _drawn(lambda: tf.random.normal([3, 2])),
    "picture": Single(
        lambda s: tf.io.decode_png(s), TEXT, (tf.io.encode_png(np.arange(4, dtype=np.uint8).reshape(2, 2, 1)).numpy(),)
    ),
    "picture_of_any_kind": Single(
        lambda s: tf.io.decode_image(s, 3, expand_animations=False),
        TEXT,
        (tf.io.encode_png(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)).numpy(),),
    ),
    "poisson": _drawn(lambda: tf.random.poisson([3], [1.5, 4.0])),
    "ragged_result": Single(_ragged, THREE, X),
    "ragged_to_dense": Single(lambda x: _ragged(x).to_tensor(-1.0), THREE, X),
    "ragged_to_sparse": Single(lambda x: _ragged(x).to_sparse(), THREE, X),
    "ranges": _drawn(lambda: tf.ragged.range([2, 0], [4, 3]), 1),
    "shuffled": _drawn(lambda: tf.random.shuffle(tf.range(7))),
    "split_at_each": Single(
        lambda s: [tf.raw_ops.StringSplit(input=s, delimiter=" d", skip_empty=skips) for skips in (False, True)],
        WORDS,
        S,
    ),
    "split_seed": Single(lambda x: x + tf.random.stateless_normal([3], tf.random.split(SEED)[1]), NUMBERS, X),
    "stateless_integers": _drawn(lambda: tf.random.stateless_uniform([3], SEED, 0, 10, tf.int32), 1),
    "stateless_normal": _drawn(lambda: tf.random.stateless_normal([3], SEED, dtype=tf.float64), 1),
    "stateless_order": Single(lambda x: tf.random.experimental.stateless_shuffle(x, SEED), NUMBERS, X),
    "stateless_truncated": _drawn(lambda: tf.random.stateless_truncated_normal([3], SEED), 1),
    "stateless_uniform": _drawn(lambda: tf.random.stateless_uniform([3], SEED), 1),
    "truncated": _drawn(lambda: tf.random.truncated_normal([3])),
    "unicode": Single(lambda s: tf.strings.unicode_decode_with_offsets(s, "UTF-8"), WORDS, S),
    "uniform": _drawn(lambda: tf.random.uniform([4])),
    "vectorized": Single(lambda x: tf.vectorized_map(lambda y: y * y, x), NUMBERS, X),
    "words": Single(lambda s: tf.strings.split(s), WORDS, S),
}

# Those that tfcompat saves, so that they compute the same.
SAVED = frozenset(
    (
        *("asserted", "bytes", "compared", "counted", "picture", "picture_of_any_kind", "ragged_result"),
        *("ragged_to_dense", "ragged_to_sparse", "ranges", "stateless_integers", "stateless_normal"),
        *("stateless_truncated", "stateless_uniform", "vectorized", "words"),
    )
)


def made(name: str) -> Callable[[str], tuple[Any, Any]]:
    """The function that makes the module with the function `name`."""

    def make(folder: str) -> tuple[Any, Any]:
        del folder
        tf.random.set_seed(5)
        compute, specs, _, _ = SINGLES[name]
        module = tf.Module()
        module.f = tf.function(compute, input_signature=list(specs))
        return module, None

    return make


def called(name: str) -> Callable[[Any], list[Any]]:
    """The function that calls the loaded function `name`, and returns all tensors of the results."""

    def call(module: Any) -> list[Any]:
        args = [tf.constant(each) for each in SINGLES[name].args]
        found = [module.f(*args) for _ in range(SINGLES[name].repeats)]
        return tf.nest.flatten(found, expand_composites=True)

    return call


def generated(folder: str) -> tuple[Any, Any]:
    """A function that draws from a generator, whose state is a variable."""
    del folder
    module = tf.Module()
    module.g = tf.random.Generator.from_seed(3)
    module.f = tf.function(
        lambda x: (x + module.g.uniform([3]), module.g.normal([2]), module.g.uniform([2], 0, 10, tf.int32)),
        input_signature=list(NUMBERS),
    )
    return module, None


def call_generated(module: Any) -> list[Any]:
    """The results of two calls."""
    return [*module.f(tf.constant(X[0])), *module.f(tf.constant(X[0]))]
